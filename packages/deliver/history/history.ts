import type { Row, Sql, SqlDatabase, SqlValue } from '@tiphys/sql';
import type { HistoryEntry, HistoryObject, HistoryRecord, RecordKind } from './record.ts';
import { makeTables } from './schema.ts';

export interface HistoryQuery {
  /** Milliseconds since the epoch: from the first on, before the second. */
  readonly since?: number | undefined;
  readonly until?: number | undefined;
  /** `namespace/name`. */
  readonly application?: string | undefined;
  /** Of the objects, or of the destination. */
  readonly namespace?: string | undefined;
  /** An object; what is absent may be anything. */
  readonly object?: { readonly kind?: string | undefined; readonly name: string } | undefined;
  /** Entries older than this one. */
  readonly before?: number | undefined;
  /** At most so many; 100 if absent. */
  readonly limit?: number;
}

export interface HistoryOptions {
  /** Records beyond are forgotten, the oldest first. */
  readonly maxRecords: number;
  /** Older ones are forgotten, in milliseconds. */
  readonly maxAge: number;
  readonly now: () => number;
  /** Told of what could not be appended: a sync never fails for it. */
  readonly onError: (error: unknown) => void;
}

/** Appends between two looks at the bounds. */
const pruneEvery = 500;
/** A longer detail is cut: its lists keep their beginnings. In characters. */
const maxDetail = 262_144;
/** Records that wait for a database that is away; more are dropped, the newest first, and told. */
const maxWaiting = 10_000;
/** Records of one transaction. */
const maxTogether = 100;

/** The append-only record of decisions. */
export class History {
  readonly #database: SqlDatabase;
  readonly #options: HistoryOptions;
  #appended = 0;
  /** Oldest first. */
  #waiting: HistoryRecord[] = [];
  #turn: Promise<void> = Promise.resolve();

  private constructor(database: SqlDatabase, options: HistoryOptions) {
    this.#database = database;
    this.#options = options;
  }

  /** Makes the tables where they are missing, and forgets what is beyond the bounds. */
  static async open(database: SqlDatabase, options: HistoryOptions): Promise<History> {
    await makeTables(database);
    const history = new History(database, options);
    await history.#prune();
    return history;
  }

  /** Appends in the background, in order; a record of a name that is there already changes nothing. */
  append(record: HistoryRecord): void {
    if (this.#waiting.length >= maxWaiting) {
      this.#options.onError(new Error('The history is behind by 10,000 records: one is left out'));
      return;
    }
    this.#waiting.push(record);
    this.#turn = this.#turn.then(() => this.#appendWaiting());
  }

  /** Resolves when what was appended before is stored, or has failed. */
  settled(): Promise<void> {
    return this.#turn;
  }

  /** Newest first. */
  async query(query: HistoryQuery): Promise<HistoryEntry[]> {
    await this.#turn;
    const { where, values } = conditionsOf(query);
    const limit = Math.min(Math.max(1, query.limit ?? 100), 1_000);
    const { rows } = await this.#database.query(
      `select id, time, kind, application, project, namespace, actor, summary, objects, detail from tiphys_history${
        where.length > 0 ? ` where ${where.join(' and ')}` : ''
      } order by id desc limit ${limit}`,
      values,
    );
    return rows.map(entryOf);
  }

  async close(): Promise<void> {
    await this.#turn;
    await this.#database.close();
  }

  /** Stores what waits by now in one transaction: one after the other, each would be a commit of its own. */
  async #appendWaiting(): Promise<void> {
    if (this.#waiting.length === 0) return;
    // what passes of this turn of the event loop still append belongs to the same transaction
    await new Promise((resolve) => setImmediate(resolve));
    const records = this.#waiting.splice(0, maxTogether);
    try {
      await this.#insert(records);
    } catch (error) {
      if (records.length === 1) return this.#options.onError(error);
      // one that the database refuses must not take the others with it
      for (const record of records) await this.#insert([record]).catch(this.#options.onError);
    }
    const before = this.#appended;
    this.#appended += records.length;
    if (Math.floor(before / pruneEvery) < Math.floor(this.#appended / pruneEvery))
      await this.#prune().catch(this.#options.onError);
  }

  #insert(records: readonly HistoryRecord[]): Promise<void> {
    return this.#database.transaction(async (sql) => {
      for (const record of records) await insertRecord(sql, record);
    });
  }

  async #prune(): Promise<void> {
    const { maxAge, maxRecords, now } = this.#options;
    const { rows } = await this.#database.query('select max(id) as newest from tiphys_history');
    const oldest = Number(rows[0]?.newest ?? 0) - maxRecords;
    const cutoff = new Date(now() - maxAge).toISOString();
    await this.#database.query(
      'delete from tiphys_history_objects where record in (select id from tiphys_history where id <= ? or time < ?)',
      [oldest, cutoff],
    );
    await this.#database.query('delete from tiphys_history where id <= ? or time < ?', [oldest, cutoff]);
  }
}

async function insertRecord(sql: Sql, record: HistoryRecord): Promise<void> {
  const { rows } = await sql.query(
    'insert into tiphys_history (time, once, kind, application, project, namespace, actor, summary, objects, detail) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) on conflict (once) do nothing returning id',
    [
      new Date(record.time).toISOString(),
      record.once,
      record.kind,
      record.application,
      record.project,
      record.namespace,
      record.actor,
      withoutNul(record.summary),
      withoutNul(JSON.stringify(record.objects)),
      withoutNul(detailText(record.detail)),
    ],
  );
  const id = rows[0]?.id;
  if (id !== undefined) await insertObjects(sql, Number(id), record.objects);
}

/** Rows of one statement. SQLite and PostgreSQL take more than 30,000 values. */
const maxRows = 500;

async function insertObjects(sql: Sql, record: number, objects: readonly HistoryObject[]): Promise<void> {
  for (let at = 0; at < objects.length; at += maxRows) {
    const some = objects.slice(at, at + maxRows);
    await sql.query(
      `insert into tiphys_history_objects (record, kind, namespace, name) values ${some.map(() => '(?, ?, ?, ?)').join(', ')}`,
      some.flatMap(({ kind, namespace, name }) => [record, kind.toLowerCase(), namespace, name]),
    );
  }
}

function conditionsOf({ since, until, application, namespace, object, before }: HistoryQuery) {
  const where: string[] = [];
  const values: SqlValue[] = [];
  const add = (condition: string, ...given: SqlValue[]) => {
    where.push(condition);
    values.push(...given);
  };
  if (since !== undefined) add('time >= ?', new Date(since).toISOString());
  if (until !== undefined) add('time < ?', new Date(until).toISOString());
  if (before !== undefined) add('id < ?', before);
  if (application !== undefined) add('application = ?', application);
  const holds = 'id in (select record from tiphys_history_objects where';
  if (namespace !== undefined) add(`(namespace = ? or ${holds} namespace = ?))`, namespace, namespace);
  if (object?.kind) add(`${holds} name = ? and kind = ?)`, object.name, object.kind.toLowerCase());
  else if (object) add(`${holds} name = ?)`, object.name);
  return { where, values };
}

function entryOf(row: Row): HistoryEntry {
  return {
    id: Number(row.id),
    time: String(row.time),
    kind: String(row.kind) as RecordKind,
    application: String(row.application),
    project: String(row.project),
    namespace: String(row.namespace),
    actor: String(row.actor),
    summary: String(row.summary),
    objects: JSON.parse(String(row.objects)) as HistoryObject[],
    detail: JSON.parse(String(row.detail)) as Record<string, unknown>,
  };
}

/** Whole if it is short enough; else lists are cut to ever fewer entries, and `cut` says so. */
function detailText(detail: HistoryRecord['detail']): string {
  for (let length = Number.POSITIVE_INFINITY, entries = 256; ; entries = Math.floor(entries / 4)) {
    const text = JSON.stringify(length === Number.POSITIVE_INFINITY ? detail : { ...cut(detail, length), cut: true });
    if (text.length <= maxDetail) return text;
    if (entries === 0) return JSON.stringify({ cut: true });
    length = entries;
  }
}

function cut(detail: HistoryRecord['detail'], entries: number): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(detail).map(([name, value]) => [name, Array.isArray(value) ? value.slice(0, entries) : value]),
  );
}

/** PostgreSQL stores no such character, escaped or not. */
function withoutNul(text: string): string {
  return text.replaceAll('\u0000', '').replaceAll('\\u0000', '');
}
