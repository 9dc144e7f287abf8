import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '@tiphys/kubernetes';
import type { Outcome } from '../request/outcome.ts';
import { DiskStore } from './disk-store.ts';
import type { ByteStore } from './outcome-store.ts';
import type { RedisOptions } from './redis-client.ts';
import { rendererFingerprint } from './renderer-fingerprint.ts';
import { seal, sealingKey, unseal } from './sealed.ts';

/** A Redis that replicas share. */
export interface SharedCache extends Omit<RedisOptions, 'timeout'> {
  /** Known to all replicas and to nobody else; entries are sealed with it. Undefined while there is none: nothing is shared. */
  readonly secret: () => Promise<string | undefined>;
}

export interface OutcomeStoresOptions {
  readonly clock: Clock;
  /** Outcomes are kept below it. */
  readonly folder?: string;
  /** Of all files of the folder. */
  readonly maxBytes: number;
  readonly shared?: SharedCache;
  /** Told why the shared cache can not be used, and undefined when it can be again. */
  readonly onProblem?: (problem: string | undefined) => void;
}

interface Level {
  readonly store: ByteStore;
  readonly key: () => Promise<Buffer | undefined>;
}

const askTimeout = 2_000;

/** Where outcomes outlive the process: a folder, and a Redis. Everything that goes wrong there is a miss. */
export class OutcomeStores {
  readonly #levels: Promise<readonly Level[]>;
  #fingerprint: Promise<string> | undefined;
  readonly #writing = new Set<Promise<void>>();

  constructor(options: OutcomeStoresOptions) {
    this.#levels = levelsOf(options);
    this.#levels.catch(() => undefined);
  }

  /** What is kept under the key, and where it was found. */
  async get(key: string): Promise<{ readonly value: unknown; readonly from: ByteStore['name'] } | undefined> {
    const name = await this.#name(key);
    const missed: Level[] = [];
    for (const level of await this.#levels) {
      const sealing = await level.key();
      if (!sealing) continue;
      const bytes = await level.store.get(name).catch(() => undefined);
      const value = bytes && opened(bytes, name, sealing);
      if (value !== undefined) {
        for (const nearer of missed) this.#put(nearer, name, value);
        return { value, from: level.store.name };
      }
      missed.push(level);
    }
    return undefined;
  }

  /** Keeps it; returns at once. */
  put(key: string, value: unknown): void {
    const work = Promise.all([this.#name(key), this.#levels]).then(([name, levels]) => {
      for (const level of levels) this.#put(level, name, value);
    });
    this.#track(work);
  }

  /** When all that was put is kept. */
  async settled(): Promise<void> {
    while (this.#writing.size > 0) await Promise.all(this.#writing);
  }

  async close(): Promise<void> {
    await this.settled();
    for (const { store } of await this.#levels) store.close();
  }

  #put(level: Level, name: string, value: unknown): void {
    this.#track(
      level.key().then(async (sealing) => {
        if (sealing) await level.store.put(name, seal(value, name, sealing));
      }),
    );
  }

  #track(work: Promise<unknown>): void {
    // A full disk or a lost server costs the entry and nothing else.
    const done = work.then(
      () => undefined,
      () => undefined,
    );
    this.#writing.add(done);
    void done.then(() => this.#writing.delete(done));
  }

  async #name(key: string): Promise<string> {
    this.#fingerprint ??= rendererFingerprint();
    return `tiphys|render|${await this.#fingerprint}|${key}`;
  }
}

/** What can be kept: no failures, which are rendered again after a restart, nothing that was generated or made by other programs. */
export function isKeepable(outcome: Outcome): boolean {
  return outcome.kind === 'objects' && outcome.generated === undefined && !outcome.local;
}

function opened(bytes: Buffer, name: string, key: Buffer): unknown {
  try {
    return unseal(bytes, name, key);
  } catch (error) {
    // Sealed by us, and yet not to be read: by another version of the engine, perhaps.
    if (error instanceof Error) return undefined;
    throw error;
  }
}

async function levelsOf({ clock, folder, maxBytes, shared, onProblem }: OutcomeStoresOptions): Promise<Level[]> {
  const levels: Level[] = [];
  if (folder !== undefined) {
    const key = sealingKey(ownSecret(folder));
    levels.push({ store: new DiskStore(join(folder, 'entries'), maxBytes), key: () => Promise.resolve(key) });
  }
  if (shared) {
    const { RedisStore } = await import('./redis-store.ts');
    const { secret, ...redis } = shared;
    let known: Buffer | undefined;
    let askAgainAt = 0;
    const store = new RedisStore({ ...redis, timeout: askTimeout }, clock, onProblem ?? (() => undefined));
    const key = async () => {
      if (known || clock.now() < askAgainAt) return known;
      askAgainAt = clock.now() + 10_000;
      const found = await secret().catch(() => undefined);
      if (found) known = sealingKey(found);
      return known;
    };
    levels.push({ store, key });
  }
  return levels;
}

/** Made with the folder and lost with it: then its entries can not be opened, and are misses. */
function ownSecret(folder: string): Uint8Array {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const file = join(folder, 'key');
  try {
    writeFileSync(file, randomBytes(32), { flag: 'wx', mode: 0o600 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  return readFileSync(file);
}
