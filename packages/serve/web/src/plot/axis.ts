import { formatTime, zoneOffset } from '../browser/zone.ts';

const minute = 60_000;
const hour = 60 * minute;
const day = 24 * hour;
/** Distances between ticks of time, in milliseconds. */
const timeSteps = [
  1,
  2,
  5,
  10,
  20,
  50,
  100,
  200,
  500,
  1000,
  2000,
  5000,
  10_000,
  15_000,
  30_000,
  minute,
  2 * minute,
  5 * minute,
  10 * minute,
  15 * minute,
  30 * minute,
  hour,
  2 * hour,
  3 * hour,
  6 * hour,
  12 * hour,
  day,
  2 * day,
  7 * day,
  14 * day,
  30 * day,
  90 * day,
  365 * day,
];

export interface Tick {
  readonly at: number;
  readonly text: string;
}

/** At most so many round times between two, in the zone of the page; with dates where they are days, with seconds where they are less. */
export function timeTicks({ from, to, most }: { from: number; to: number; most: number }): Tick[] {
  const step =
    timeSteps.find((size) => (to - from) / size <= most) ?? Math.ceil((to - from) / most / (365 * day)) * 365 * day;
  const offset = step >= hour ? -zoneOffset(from) : 0;
  const ticks: Tick[] = [];
  for (let at = Math.ceil((from - offset) / step) * step + offset; at <= to; at += step)
    ticks.push({ at, text: timeText(at, step) });
  return ticks;
}

function timeText(at: number, step: number): string {
  // the parts of UTC are those of the zone, this far ahead
  const date = new Date(at + zoneOffset(at));
  const two = (value: number) => String(value).padStart(2, '0');
  const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())}`;
  if (step >= day || (step >= hour && clock === '00:00')) return formatTime(at, { month: 'short', day: 'numeric' });
  if (step >= minute) return clock;
  return `${clock}:${two(date.getUTCSeconds())}${step < 1000 ? `.${String(date.getUTCMilliseconds()).padStart(3, '0')}` : ''}`;
}

/** About so many round values that hold the least and the greatest between them. */
export function valueTicks({ least, greatest, about }: { least: number; greatest: number; about: number }): number[] {
  if (!Number.isFinite(least) || !Number.isFinite(greatest)) return [];
  if (least === greatest)
    return valueTicks({ least: Math.min(0, least), greatest: greatest > 0 ? greatest : least + 1, about });
  const rough = (greatest - least) / about;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((factor) => factor * power >= rough) ?? 10);
  const ticks: number[] = [];
  const first = Math.floor(least / step);
  for (let index = first; index <= Math.ceil(greatest / step); index++)
    ticks.push(Number((index * step).toPrecision(12)));
  return ticks;
}
