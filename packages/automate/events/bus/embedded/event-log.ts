import { DatabaseSync, type StatementSync } from 'node:sqlite';

export interface LoggedMessage {
  readonly sequence: number;
  readonly body: string;
}

export interface Retention {
  /** Milliseconds that a message is kept. */
  readonly maxAge: number;
  /** Messages of one bus. */
  readonly maxMessages: number;
}

const schema = `
  CREATE TABLE IF NOT EXISTS messages (sequence INTEGER PRIMARY KEY AUTOINCREMENT, bus TEXT NOT NULL, subject TEXT NOT NULL,
    id TEXT NOT NULL, body TEXT NOT NULL, at INTEGER NOT NULL);
  CREATE INDEX IF NOT EXISTS by_subject ON messages (bus, subject, sequence);
  CREATE INDEX IF NOT EXISTS by_id ON messages (bus, id);
  CREATE TABLE IF NOT EXISTS consumers (bus TEXT NOT NULL, durable TEXT NOT NULL, subject TEXT NOT NULL, place INTEGER NOT NULL,
    PRIMARY KEY (bus, durable)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS state (bus TEXT NOT NULL, sensor TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL,
    PRIMARY KEY (bus, sensor, key)) WITHOUT ROWID;
`;

/** A message with an id that came within this time, in milliseconds, is the same one. */
const duplicateWindow = 300_000;

/**
 * The durable log of embedded buses: messages, the places of consumers, and the state of sensors, in one SQLite file.
 * Writes are gathered and committed together; each resolves after the commit that holds it.
 */
export class EventLog {
  readonly #db: DatabaseSync;
  readonly #now: () => number;
  readonly #statements = new Map<string, StatementSync>();
  readonly #committed = new Set<() => void>();
  #pending: { write: () => void; done: PromiseWithResolvers<void> }[] = [];
  #scheduled = false;

  /** Opens or makes the file; `:memory:` keeps nothing. */
  constructor(file: string, now: () => number) {
    this.#now = now;
    this.#db = new DatabaseSync(file);
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;');
    this.#db.exec(schema);
  }

  /** Calls back after each commit. Returns the way to stop it. */
  subscribe(listener: () => void): () => void {
    this.#committed.add(listener);
    return () => this.#committed.delete(listener);
  }

  append(bus: string, subject: string, { id, body }: { id: string; body: string }): Promise<void> {
    const at = this.#now();
    return this.#write(() => {
      const known = this.#statement('SELECT 1 FROM messages WHERE bus = ? AND id = ? AND subject = ? AND at > ?');
      if (known.get(bus, id, subject, at - duplicateWindow)) return;
      this.#statement('INSERT INTO messages (bus, subject, id, body, at) VALUES (?, ?, ?, ?, ?)').run(
        bus,
        subject,
        id,
        body,
        at,
      );
    });
  }

  /** Makes a consumer at the end of the log; one that is there keeps its place. */
  register(bus: string, durable: string, subject: string): Promise<void> {
    return this.#write(() => {
      const last = this.#statement('SELECT coalesce(max(sequence), 0) AS last FROM messages').get() as { last: number };
      const insert = 'INSERT INTO consumers (bus, durable, subject, place) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING';
      this.#statement(insert).run(bus, durable, subject, last.last);
      this.#statement('UPDATE consumers SET subject = ? WHERE bus = ? AND durable = ?').run(subject, bus, durable);
    });
  }

  /** The first messages behind the place of a consumer. */
  next(bus: string, durable: string, most: number): LoggedMessage[] {
    const select = `SELECT m.sequence, m.body FROM consumers c JOIN messages m
      ON m.bus = c.bus AND m.subject = c.subject AND m.sequence > c.place
      WHERE c.bus = ? AND c.durable = ? ORDER BY m.sequence LIMIT ?`;
    return this.#statement(select).all(bus, durable, most) as unknown as LoggedMessage[];
  }

  /** The last messages of a bus, the oldest first. */
  last(bus: string, most: number, subject?: string): LoggedMessage[] {
    const only = subject === undefined ? '' : 'AND subject = ?';
    const select = this.#statement(
      `SELECT sequence, body FROM messages WHERE bus = ? ${only} ORDER BY sequence DESC LIMIT ?`,
    );
    const rows = subject === undefined ? select.all(bus, most) : select.all(bus, subject, most);
    return (rows as unknown as LoggedMessage[]).reverse();
  }

  acknowledge(bus: string, durable: string, sequence: number): Promise<void> {
    return this.#write(() => {
      this.#statement('UPDATE consumers SET place = max(place, ?) WHERE bus = ? AND durable = ?').run(
        sequence,
        bus,
        durable,
      );
    });
  }

  forget(bus: string, durable: string): Promise<void> {
    return this.#write(() => {
      this.#statement('DELETE FROM consumers WHERE bus = ? AND durable = ?').run(bus, durable);
    });
  }

  state(bus: string, sensor: string): ReadonlyMap<string, string> {
    const rows = this.#statement('SELECT key, value FROM state WHERE bus = ? AND sensor = ?').all(bus, sensor);
    return new Map((rows as unknown as { key: string; value: string }[]).map(({ key, value }) => [key, value]));
  }

  putState(bus: string, sensor: string, entry: { key: string; value: string | undefined }): Promise<void> {
    const { key, value } = entry;
    return this.#write(() => {
      if (value === undefined)
        this.#statement('DELETE FROM state WHERE bus = ? AND sensor = ? AND key = ?').run(bus, sensor, key);
      else
        this.#statement('INSERT OR REPLACE INTO state (bus, sensor, key, value) VALUES (?, ?, ?, ?)').run(
          bus,
          sensor,
          key,
          value,
        );
    });
  }

  /** Drops what is older or more than is kept, whether it was consumed or not. */
  prune(bus: string, { maxAge, maxMessages }: Retention): Promise<void> {
    const now = this.#now();
    return this.#write(() => {
      this.#statement('DELETE FROM messages WHERE bus = ? AND at < ?').run(bus, now - maxAge);
      const cut = 'SELECT sequence FROM messages WHERE bus = ? ORDER BY sequence DESC LIMIT 1 OFFSET ?';
      this.#statement(`DELETE FROM messages WHERE bus = ? AND sequence <= coalesce((${cut}), 0)`).run(
        bus,
        bus,
        maxMessages,
      );
    });
  }

  /** Removes all that belongs to a bus. */
  drop(bus: string): Promise<void> {
    return this.#write(() => {
      for (const table of ['messages', 'consumers', 'state'])
        this.#statement(`DELETE FROM ${table} WHERE bus = ?`).run(bus);
    });
  }

  /** Commits what waits, and closes the file. */
  close(): void {
    this.#commit();
    this.#db.close();
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (!statement) {
      statement = this.#db.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #write(write: () => void): Promise<void> {
    const done = Promise.withResolvers<void>();
    this.#pending.push({ write, done });
    if (!this.#scheduled) {
      this.#scheduled = true;
      setImmediate(() => this.#commit());
    }
    return done.promise;
  }

  #commit(): void {
    this.#scheduled = false;
    const batch = this.#pending.splice(0);
    if (batch.length === 0) return;
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      for (const { write } of batch) write();
      this.#db.exec('COMMIT');
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      for (const { done } of batch) done.reject(error);
      return;
    }
    for (const { done } of batch) done.resolve();
    for (const listener of [...this.#committed]) listener();
  }
}
