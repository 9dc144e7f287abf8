/** Writes one line of a log; fields never hold secrets. */
export type Log = (
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields?: Readonly<Record<string, unknown>>,
) => void;

/** The same log with fields on every line. */
export function withFields(log: Log, fields: Readonly<Record<string, unknown>>): Log {
  return (level, message, more) => log(level, message, { ...fields, ...more });
}
