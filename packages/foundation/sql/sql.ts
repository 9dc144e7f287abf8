export type Dialect = 'postgres' | 'mysql' | 'sqlite';

export type SqlValue = string | number | boolean | null;

/** A row; all values are as text, whatever their column, but for numbers. */
export type Row = Readonly<Record<string, string | number | boolean | null>>;

/** What runs statements, with `?` in the place of values. */
export interface Sql {
  readonly dialect: Dialect;
  query(statement: string, values?: readonly SqlValue[]): Promise<{ rows: readonly Row[]; changed: number }>;
}

/** A database; statements of a transaction are done all or not at all. */
export interface SqlDatabase extends Sql {
  transaction<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

/** A time as its columns hold it, in UTC. Milliseconds since the epoch, or text as RFC 3339 has it. */
export function sqlTime(time: number | string | null | undefined): string {
  const value = typeof time === 'number' ? time : Date.parse(time ?? '');
  // the zero time of Go
  if (!Number.isFinite(value)) return '0001-01-01 00:00:00';
  return new Date(value).toISOString().slice(0, 19).replace('T', ' ');
}

/** The time of a column as RFC 3339 has it; undefined for none. */
export function timeOfColumn(value: Row[string] | undefined): string | undefined {
  if (typeof value !== 'string' || value.startsWith('0001') || value.startsWith('0000')) return undefined;
  return `${value.slice(0, 19).replace(' ', 'T')}Z`;
}

export function placeholders(count: number): string {
  return Array.from({ length: count }, () => '?').join(', ');
}
