import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { privateFile, privateFolder } from '@tiphys/files';
import { Item, type StoreEvent } from './collection.ts';
import { unreadable, unwritable } from './journal-failures.ts';
import type { WarmItems } from './warm-items.ts';

/** Revisions are promised to the database in blocks, so that a killed process never gives one out twice. */
const BLOCK = 10_000;

/** What the database holds of one resource. */
interface StoredCollection {
  /** Present state. */
  readonly items: Map<string, Item>;
  /** Changes that are still known, oldest first. */
  readonly events: StoreEvent[];
}

export interface JournalState {
  /** First revision of this process. */
  readonly revision: number;
  /** Changes up to this revision are not known any more. */
  readonly compacted: number;
  readonly collections: Map<string, StoredCollection>;
}

/**
 * The database of a store: every version of every object, written in batches, as far back as `history` changes. A batch
 * is one transaction that is in the operating system's hands when `flushed()` resolves: killing the process loses nothing
 * of it.
 */
export class Journal {
  readonly #file: string;
  readonly #db: DatabaseSync;
  readonly #insert: StatementSync;
  readonly #forget: StatementSync;
  readonly #setMeta: StatementSync;
  readonly #history: number;
  readonly #warm: WarmItems;
  #pending: { collection: string; event: StoreEvent }[] = [];
  #batch: { promise: Promise<void>; resolve: () => void; reject: (error: unknown) => void } | undefined;
  /** Revisions of stored changes, oldest first. */
  #changes: number[] = [];
  /** Versions that nobody can ask for any more once the change at `since` is compacted, in the order of `since`. */
  #superseded: { since: number; revision: number }[] = [];
  #reserved = 0;
  #stored = 1;

  /** `history`: how many changes are kept at least. */
  constructor(dataDir: string, history: number, warm: WarmItems) {
    this.#history = history;
    this.#warm = warm;
    this.#file = join(dataDir, 'sandbox.sqlite');
    try {
      privateFolder(dataDir);
      privateFile(this.#file);
      this.#db = new DatabaseSync(this.#file);
      this.#db.exec(`
        PRAGMA journal_mode = WAL;
        PRAGMA synchronous = NORMAL;
        CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS versions (
          revision INTEGER PRIMARY KEY, collection TEXT NOT NULL, key TEXT NOT NULL, deleted INTEGER NOT NULL,
          object TEXT NOT NULL);
      `);
      this.#takeOver();
      this.#insert = this.#db.prepare(
        'INSERT INTO versions (revision, collection, key, deleted, object) VALUES (?, ?, ?, ?, ?)',
      );
      this.#forget = this.#db.prepare('DELETE FROM versions WHERE revision = ?');
      this.#setMeta = this.#db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)');
    } catch (error) {
      throw unreadable(this.#file, error);
    }
  }

  /** A folder of the first releases has the present state alone. */
  #takeOver(): void {
    if (!this.#db.prepare("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'objects'").get()) return;
    this.#db.exec(`
      BEGIN;
      INSERT INTO versions SELECT revision, collection, key, 0, object FROM objects;
      INSERT OR REPLACE INTO meta SELECT 'compacted', max(last) FROM collections;
      DROP TABLE objects;
      DROP TABLE collections;
      COMMIT;
    `);
  }

  /** What is stored. Throws a DiagnosisError if it cannot be read. */
  open(): JournalState {
    try {
      return this.#open();
    } catch (error) {
      throw unreadable(this.#file, error);
    }
  }

  #open(): JournalState {
    const collections: JournalState['collections'] = new Map();
    const compacted = this.#meta('compacted') ?? 0;
    this.#stored = Math.max(1, compacted);
    for (const row of this.#db.prepare('SELECT * FROM versions ORDER BY revision').iterate()) {
      const [name, key, revision] = [String(row.collection), String(row.key), Number(row.revision)];
      const collection: StoredCollection = collections.get(name) ?? { items: new Map(), events: [] };
      collections.set(name, collection);
      const json = String(row.object);
      const item = new Item(key, revision, json, this.#warm);
      const previous = collection.items.get(key);
      if (row.deleted) collection.items.delete(key);
      else collection.items.set(key, item);
      this.#stored = Math.max(this.#stored, revision);
      if (revision <= compacted) continue;
      const type = row.deleted ? 'DELETED' : previous ? 'MODIFIED' : 'ADDED';
      const event: StoreEvent = { revision, type, item, previous };
      collection.events.push(event);
      this.#note(event);
    }
    // A clean stop sets `reserved` to the last revision; after a kill, revisions up to it may have been seen by clients.
    const revision = Math.max(this.#stored, this.#meta('reserved') ?? 1);
    this.#reserved = revision;
    return { revision, compacted, collections };
  }

  isLost(revision: number, opened: number): boolean {
    return revision > this.#stored && revision < opened;
  }

  /** Must be called before a revision is given out. */
  reserve(revision: number): void {
    if (revision <= this.#reserved) return;
    this.#reserved = revision + BLOCK;
    this.#setMeta.run('reserved', this.#reserved);
  }

  append(collection: string, event: StoreEvent): void {
    this.#pending.push({ collection, event });
    if (this.#batch) return;
    this.#batch = Promise.withResolvers<void>();
    this.#batch.promise.catch(() => undefined);
    setImmediate(() => this.#flush());
  }

  flushed(): Promise<void> {
    return this.#batch?.promise ?? Promise.resolve();
  }

  /** Throws a DiagnosisError if what could not be written before cannot be written now either. */
  close(): void {
    this.#flush();
    const last = this.#db.prepare('SELECT max(revision) AS last FROM versions').get();
    const revision = Math.max(Number(last?.last ?? 0), this.#meta('compacted') ?? 0);
    if (revision) this.#setMeta.run('reserved', revision);
    this.#db.close();
  }

  #meta(name: string): number | undefined {
    const row = this.#db.prepare('SELECT value FROM meta WHERE name = ?').get(name);
    return row ? Number(row.value) : undefined;
  }

  #flush(): void {
    const batch = this.#batch;
    if (this.#pending.length === 0) return;
    const pending = this.#pending;
    this.#pending = [];
    this.#batch = undefined;
    try {
      this.#write(pending);
      batch?.resolve();
    } catch (error) {
      // memory has it already: it goes with the next batch, so that both agree again
      this.#pending = [...pending, ...this.#pending];
      if (!batch) throw unwritable(this.#file, error);
      batch.reject(unwritable(this.#file, error));
    }
  }

  #write(pending: { collection: string; event: StoreEvent }[]): void {
    const [changes, superseded] = [this.#changes, this.#superseded];
    const [changed, replaced] = [changes.length, superseded.length];
    this.#db.exec('BEGIN');
    try {
      for (const { collection, event } of pending) {
        const { item } = event;
        this.#insert.run(event.revision, collection, item.key, event.type === 'DELETED' ? 1 : 0, item.json);
        this.#note(event);
      }
      if (this.#changes.length > this.#history * 1.25) this.#compact();
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#changes = changes.slice(0, changed);
      this.#superseded = superseded.slice(0, replaced);
      if (this.#db.isTransaction) this.#db.exec('ROLLBACK');
      throw error;
    }
  }

  #note({ revision, type, previous }: StoreEvent): void {
    this.#changes.push(revision);
    if (previous) this.#superseded.push({ since: revision, revision: previous.revision });
    if (type === 'DELETED') this.#superseded.push({ since: revision, revision });
  }

  /** Forgets all but the last changes, and the versions that only they had needed. */
  #compact(): void {
    const compacted = this.#changes[this.#changes.length - this.#history - 1];
    if (compacted === undefined) return;
    this.#changes = this.#changes.slice(-this.#history);
    let count = 0;
    for (const { since, revision } of this.#superseded) {
      if (since > compacted) break;
      this.#forget.run(revision);
      count += 1;
    }
    this.#superseded = this.#superseded.slice(count);
    this.#setMeta.run('compacted', compacted);
  }
}
