import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Item, StoreEvent } from './collection.ts';

/** Revisions are promised to the database in blocks, so that a killed process never gives one out twice. */
const BLOCK = 10_000;

export interface JournalState {
  /** First revision of this process. */
  readonly revision: number;
  readonly collections: Map<string, { items: Item[]; last: number }>;
}

/**
 * The database of a store: the present state of all objects, written in batches. A batch is one transaction that is in the
 * operating system's hands when `flushed()` resolves: killing the process loses nothing of it.
 */
export class Journal {
  readonly #db: DatabaseSync;
  readonly #upsert: StatementSync;
  readonly #delete: StatementSync;
  readonly #touch: StatementSync;
  readonly #setMeta: StatementSync;
  #pending: { collection: string; event: StoreEvent }[] = [];
  #batch: { promise: Promise<void>; resolve: () => void; reject: (error: unknown) => void } | undefined;
  #reserved = 0;
  #stored = 0;

  constructor(dataDir: string) {
    mkdirSync(dataDir, { recursive: true });
    this.#db = new DatabaseSync(join(dataDir, 'sandbox.sqlite'));
    this.#db.exec(`
      PRAGMA journal_mode = WAL;
      PRAGMA synchronous = NORMAL;
      CREATE TABLE IF NOT EXISTS meta (name TEXT PRIMARY KEY, value INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS collections (name TEXT PRIMARY KEY, last INTEGER NOT NULL) WITHOUT ROWID;
      CREATE TABLE IF NOT EXISTS objects (
        collection TEXT NOT NULL, key TEXT NOT NULL, revision INTEGER NOT NULL, object TEXT NOT NULL,
        PRIMARY KEY (collection, key)) WITHOUT ROWID;
    `);
    this.#upsert = this.#db.prepare(
      'INSERT OR REPLACE INTO objects (collection, key, revision, object) VALUES (?, ?, ?, ?)',
    );
    this.#delete = this.#db.prepare('DELETE FROM objects WHERE collection = ? AND key = ?');
    this.#touch = this.#db.prepare('INSERT OR REPLACE INTO collections (name, last) VALUES (?, ?)');
    this.#setMeta = this.#db.prepare('INSERT OR REPLACE INTO meta (name, value) VALUES (?, ?)');
  }

  open(): JournalState {
    const collections: JournalState['collections'] = new Map();
    this.#stored = 1;
    for (const row of this.#db.prepare('SELECT name, last FROM collections').all()) {
      collections.set(String(row.name), { items: [], last: Number(row.last) });
      this.#stored = Math.max(this.#stored, Number(row.last));
    }
    for (const row of this.#db.prepare('SELECT collection, key, revision, object FROM objects').iterate()) {
      const json = String(row.object);
      const object = JSON.parse(json) as KubeObject;
      collections
        .get(String(row.collection))
        ?.items.push({ key: String(row.key), object, revision: Number(row.revision), json });
    }
    const reserved = this.#db.prepare("SELECT value FROM meta WHERE name = 'reserved'").get();
    // A clean stop sets `reserved` to the last revision; after a kill, revisions up to it may have been seen by clients.
    const revision = Math.max(this.#stored, reserved ? Number(reserved.value) : 1);
    this.#reserved = revision;
    return { revision, collections };
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

  close(): void {
    this.#flush();
    const last = this.#db.prepare('SELECT max(last) AS last FROM collections').get();
    if (last?.last) this.#setMeta.run('reserved', Number(last.last));
    this.#db.close();
  }

  #flush(): void {
    const batch = this.#batch;
    if (!batch) return;
    const pending = this.#pending;
    this.#pending = [];
    this.#batch = undefined;
    try {
      this.#write(pending);
      batch.resolve();
    } catch (error) {
      batch.reject(error);
    }
  }

  #write(pending: { collection: string; event: StoreEvent }[]): void {
    const last = new Map<string, number>();
    this.#db.exec('BEGIN');
    try {
      for (const { collection, event } of pending) {
        const { item } = event;
        if (event.type === 'DELETED') this.#delete.run(collection, item.key);
        else {
          item.json ??= JSON.stringify(item.object);
          this.#upsert.run(collection, item.key, item.revision, item.json);
        }
        last.set(collection, event.revision);
      }
      for (const [name, revision] of last) this.#touch.run(name, revision);
      this.#db.exec('COMMIT');
    } catch (error) {
      this.#db.exec('ROLLBACK');
      throw error;
    }
  }
}
