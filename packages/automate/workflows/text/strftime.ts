const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];
const months = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
];

const two = (value: number) => String(value).padStart(2, '0');

/** What `{{workflow.creationTimestamp.X}}` gives for each letter, in UTC. */
const letters: Readonly<Record<string, (time: Date) => string>> = {
  B: (time) => months[time.getUTCMonth()] ?? '',
  b: (time) => (months[time.getUTCMonth()] ?? '').slice(0, 3),
  m: (time) => two(time.getUTCMonth() + 1),
  A: (time) => days[time.getUTCDay()] ?? '',
  a: (time) => (days[time.getUTCDay()] ?? '').slice(0, 3),
  d: (time) => two(time.getUTCDate()),
  H: (time) => two(time.getUTCHours()),
  I: (time) => two(time.getUTCHours() % 12 || 12),
  M: (time) => two(time.getUTCMinutes()),
  S: (time) => two(time.getUTCSeconds()),
  Y: (time) => String(time.getUTCFullYear()),
  y: (time) => two(time.getUTCFullYear() % 100),
  p: (time) => (time.getUTCHours() < 12 ? 'AM' : 'PM'),
  Z: () => 'UTC',
  z: () => '+0000',
  L: (time) => `.${String(time.getUTCMilliseconds()).padStart(3, '0')}`,
};

/** Each letter with its text for a time in milliseconds. */
export function timeLetters(milliseconds: number): [letter: string, text: string][] {
  const time = new Date(milliseconds);
  return Object.entries(letters).map(([letter, format]) => [letter, format(time)]);
}
