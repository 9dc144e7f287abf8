import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { privateDatabase, privateFolder } from '@tiphys/files';

export interface StoredObject {
  readonly key: string;
  readonly file: string;
  readonly size: number;
  /** MD5 in hexadecimal, as S3 tells it. */
  readonly etag: string;
  /** Milliseconds. */
  readonly at: number;
}

/** Objects as files of a folder; a database knows which is which. What is being written is not there until it is whole. */
export class LocalObjects {
  readonly #folder: string;
  readonly #index: DatabaseSync;

  constructor(folder: string) {
    this.#folder = folder;
    privateFolder(folder);
    const index = join(folder, 'index.db');
    privateDatabase(index);
    this.#index = new DatabaseSync(index);
    // the files are not flushed one by one either: a power cut loses both, a killed process neither
    this.#index.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;');
    this.#index.exec(
      'create table if not exists object (key text primary key, file text, size integer, etag text, at integer)',
    );
  }

  find(key: string): StoredObject | undefined {
    return this.#index.prepare('select * from object where key = ?').get(key) as StoredObject | undefined;
  }

  /** In the order of the keys, after a key. */
  list(prefix: string, { after, limit }: { after: string; limit: number }): StoredObject[] {
    const rows = this.#index
      .prepare('select * from object where key > ? and substr(key, 1, ?) = ? order by key limit ?')
      .all(after, prefix.length, prefix, limit);
    return rows as unknown as StoredObject[];
  }

  read({ file }: StoredObject): Readable {
    return createReadStream(join(this.#folder, file));
  }

  /** Stores what the parts hold together, and replaces what was there. */
  async write(key: string, parts: AsyncIterable<Uint8Array>): Promise<StoredObject> {
    const file = randomUUID();
    const digest = createHash('md5');
    let size = 0;
    try {
      await pipeline(
        parts,
        async function* (chunks) {
          for await (const chunk of chunks) {
            digest.update(chunk);
            size += chunk.length;
            yield chunk;
          }
        },
        createWriteStream(join(this.#folder, file), { mode: 0o600 }),
      );
    } catch (error) {
      rmSync(join(this.#folder, file), { force: true });
      throw error;
    }
    const stored = { key, file, size, etag: digest.digest('hex'), at: Date.now() };
    const before = this.find(key);
    this.#index
      .prepare('insert or replace into object (key, file, size, etag, at) values (?, ?, ?, ?, ?)')
      .run(stored.key, stored.file, stored.size, stored.etag, stored.at);
    if (before) rmSync(join(this.#folder, before.file), { force: true });
    return stored;
  }

  remove(key: string): void {
    const found = this.find(key);
    if (!found) return;
    this.#index.prepare('delete from object where key = ?').run(key);
    rmSync(join(this.#folder, found.file), { force: true });
  }

  close(): void {
    this.#index.close();
  }
}
