/** Fields that say what a line is about, in the order in which they are told. */
const subjects = [
  ['eventSourceName', 'EventSource'],
  ['sensorName', 'Sensor'],
  ['eventName', 'event'],
  ['triggerName', 'trigger'],
] as const;
/** Fields that say why. */
const reasons = ['error', 'reason', 'answer'] as const;

/** A line of a log for a person at a terminal: what it is about, what happened, and why. */
export function logLine(message: string, fields: Readonly<Record<string, unknown>> = {}): string {
  const told = new Map(Object.entries(fields));
  const about = subjects
    .filter(([name]) => told.get(name))
    .map(([name, title]) => `${title} ${told.get(name)}`)
    .join(', ');
  const why = reasons
    .map((name) => told.get(name))
    .filter((value) => value !== undefined && value !== '' && !message.includes(String(value)));
  return [...(about ? [about] : []), message, ...why].join(': ');
}
