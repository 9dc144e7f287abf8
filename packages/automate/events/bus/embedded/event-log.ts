import { closeSync, fdatasync, openSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { privateDatabase } from '@tiphys/files';
import type { JournalEntry, WayKeeper } from '../../trace/journal.ts';

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
  CREATE TABLE IF NOT EXISTS ways (key TEXT PRIMARY KEY, at INTEGER NOT NULL, entry TEXT NOT NULL) WITHOUT ROWID;
`;

/** A message with an id that came within this time, in milliseconds, is the same one. */
const duplicateWindow = 300_000;

/** Milliseconds until a commit that failed is tried again. */
const retryDelay = 1000;

/** What one commit holds. */
interface Commit {
  readonly writes: readonly { readonly write: () => void; readonly done: PromiseWithResolvers<void> }[];
  readonly notes: ReadonlyMap<string, Note>;
}

interface Note {
  readonly sql: string;
  readonly values: readonly (string | number)[];
}

export interface EventLogOptions {
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Told of each commit that failed. */
  readonly onError: (error: unknown) => void;
}

/**
 * The durable log of embedded buses: messages, the places of consumers, and the state of sensors, in one SQLite file.
 * Writes are gathered and committed together. Those that resolve do so after the commit that holds them, and reject when it failed.
 * Places and state are notes, for which nobody waits: they are kept until a commit holds all of them, so that a place is never
 * on disk without the state that was noted before it. The disk is waited for outside of this thread: what comes meanwhile is the
 * next commit.
 */
export class EventLog implements WayKeeper {
  readonly #db: DatabaseSync;
  readonly #now: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #statements = new Map<string, StatementSync>();
  readonly #listeners = new Map<string, Set<() => void>>();
  /** Who hears of the next commit, by subject. */
  readonly #woken = new Set<string>();
  /** Notes for the next commit; of one place or key the last one counts. */
  readonly #notes = new Map<string, Note>();
  #pending: { write: () => void; done: PromiseWithResolvers<void> }[] = [];
  /** SQLite's write-ahead log, which is brought to the disk after each commit; undefined in memory. */
  readonly #ahead: number | undefined;
  /** The commit that the disk is waited for with. */
  #under: Commit | undefined;
  #scheduled = false;

  /** Opens or makes the file; `:memory:` keeps nothing. */
  constructor(file: string, { now, onError }: EventLogOptions) {
    this.#now = now;
    this.#onError = onError;
    if (file !== ':memory:') privateDatabase(file);
    this.#db = new DatabaseSync(file);
    this.#db.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL; PRAGMA busy_timeout = 5000;');
    this.#db.exec(schema);
    // the file and its folder are on disk by now; from here on the log alone counts, and checkpoints wait for it by themselves
    this.#db.exec('BEGIN IMMEDIATE; PRAGMA user_version = 1; COMMIT; PRAGMA synchronous = NORMAL;');
    this.#ahead = file === ':memory:' ? undefined : openSync(`${file}-wal`, 'r+');
  }

  /** Calls back after each commit of messages with the subject. Returns the way to stop it. */
  subscribe(bus: string, subject: string, listener: () => void): () => void {
    const key = keyOf(bus, subject);
    const listeners = this.#listeners.get(key) ?? new Set();
    this.#listeners.set(key, listeners.add(listener));
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(key) === listeners) this.#listeners.delete(key);
    };
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
      this.#woken.add(keyOf(bus, subject));
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

  /** The sequence that a consumer has acknowledged; 0 for one that is not known. */
  place(bus: string, durable: string): number {
    const select = 'SELECT place FROM consumers WHERE bus = ? AND durable = ?';
    return (this.#statement(select).get(bus, durable) as { place: number } | undefined)?.place ?? 0;
  }

  /** The first messages of a subject behind a sequence. */
  read(bus: string, subject: string, { after, most }: { after: number; most: number }): LoggedMessage[] {
    const select =
      'SELECT sequence, body FROM messages WHERE bus = ? AND subject = ? AND sequence > ? ORDER BY sequence LIMIT ?';
    return this.#statement(select).all(bus, subject, after, most) as unknown as LoggedMessage[];
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

  /** Notes that a consumer has done with all messages up to this one. */
  acknowledge(bus: string, durable: string, sequence: number): void {
    this.#note(JSON.stringify([bus, durable]), {
      sql: 'UPDATE consumers SET place = max(place, ?) WHERE bus = ? AND durable = ?',
      values: [sequence, bus, durable],
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

  /** Notes a value, or that there is none any more. */
  putState(bus: string, sensor: string, { key, value }: { key: string; value: string | undefined }): void {
    this.#note(
      JSON.stringify([bus, sensor, key]),
      value === undefined
        ? { sql: 'DELETE FROM state WHERE bus = ? AND sensor = ? AND key = ?', values: [bus, sensor, key] }
        : {
            sql: 'INSERT OR REPLACE INTO state (bus, sensor, key, value) VALUES (?, ?, ?, ?)',
            values: [bus, sensor, key, value],
          },
    );
  }

  ways(): readonly JournalEntry[] {
    const rows = this.#statement('SELECT entry FROM ways ORDER BY at').all() as unknown as { entry: string }[];
    return rows.map(({ entry }) => JSON.parse(entry) as JournalEntry);
  }

  keepWay(key: string, entry: JournalEntry): void {
    this.#note(JSON.stringify(['way', key, '', '']), {
      sql: 'INSERT OR REPLACE INTO ways (key, at, entry) VALUES (?, ?, ?)',
      values: [key, entry.steps[0]?.at ?? 0, JSON.stringify(entry)],
    });
  }

  forgetWay(key: string): void {
    this.#note(JSON.stringify(['way', key, '', '']), { sql: 'DELETE FROM ways WHERE key = ?', values: [key] });
  }

  /** Resolves when all notes are on disk; rejects when the commit failed, while they are kept for the next one. */
  async settled(): Promise<void> {
    if (this.#notes.size > 0) await this.#write(() => undefined);
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

  /** Commits what waits, brings it to the disk, and closes the file. */
  close(): void {
    const before = this.#under;
    this.#under = undefined;
    const last = this.#commit();
    this.#db.close();
    if (before) this.#done(before);
    else if (this.#ahead !== undefined) closeSync(this.#ahead);
    if (last) this.#done(last);
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
    this.#schedule();
    return done.promise;
  }

  #note(key: string, note: Note): void {
    this.#notes.set(key, note);
    this.#schedule();
  }

  #schedule(): void {
    if (this.#scheduled || this.#under) return;
    this.#scheduled = true;
    setImmediate(() => {
      this.#scheduled = false;
      const commit = this.#db.isOpen ? this.#commit() : undefined;
      if (commit) this.#bringToDisk(commit);
    });
  }

  /** Commits all that waits; undefined if that is nothing, or failed. */
  #commit(): Commit | undefined {
    if (this.#pending.length + this.#notes.size === 0) return undefined;
    const commit: Commit = { writes: this.#pending.splice(0), notes: new Map(this.#notes) };
    try {
      this.#db.exec('BEGIN IMMEDIATE');
      for (const { write } of commit.writes) write();
      for (const { sql, values } of commit.notes.values()) this.#statement(sql).run(...values);
      this.#db.exec('COMMIT');
      return commit;
    } catch (error) {
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      this.#failed(commit, error);
      return undefined;
    }
  }

  #bringToDisk(commit: Commit): void {
    const file = this.#ahead;
    if (file === undefined) {
      this.#done(commit);
      return;
    }
    this.#under = commit;
    fdatasync(file, (error) => {
      // it was closed, which brings everything to the disk
      if (this.#under !== commit) return closeSync(file);
      this.#under = undefined;
      if (error) this.#failed(commit, error);
      else this.#done(commit);
      if (this.#pending.length > 0 || (!error && this.#notes.size > 0)) this.#schedule();
    });
  }

  #done({ writes, notes }: Commit): void {
    for (const [key, note] of notes) if (this.#notes.get(key) === note) this.#notes.delete(key);
    for (const { done } of writes) done.resolve();
    const woken = [...this.#woken];
    this.#woken.clear();
    for (const key of woken) for (const listener of [...(this.#listeners.get(key) ?? [])]) listener();
  }

  #failed({ writes }: Commit, error: unknown): void {
    for (const { done } of writes) done.reject(error);
    this.#onError(error);
    if (this.#notes.size > 0) setTimeout(() => this.#schedule(), retryDelay).unref();
  }
}

/** Names have no control characters. */
function keyOf(bus: string, subject: string): string {
  return `${bus}\n${subject}`;
}
