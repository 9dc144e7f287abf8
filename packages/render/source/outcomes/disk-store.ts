import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { ByteStore } from './outcome-store.ts';

interface Known {
  bytes: number;
}

/**
 * A folder of files, the least recently used ones removed when they are too many bytes. Only this user can read them. Several
 * processes may share it; somebody may delete it at any time.
 */
export class DiskStore implements ByteStore {
  readonly name = 'disk';
  readonly #folder: string;
  readonly #maxBytes: number;
  /** Least recently used first. */
  #known: Promise<Map<string, Known>> | undefined;
  #bytes = 0;

  constructor(folder: string, maxBytes: number) {
    this.#folder = folder;
    this.#maxBytes = maxBytes;
  }

  async get(key: string): Promise<Buffer | undefined> {
    const name = nameOf(key);
    try {
      const content = await readFile(this.#path(name));
      const known = await this.#files();
      known.delete(name);
      known.set(name, { bytes: content.length });
      const now = new Date();
      await utimes(this.#path(name), now, now);
      return content;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  async put(key: string, value: Buffer): Promise<void> {
    if (value.length > this.#maxBytes / 4) return;
    const known = await this.#files();
    const name = nameOf(key);
    const path = this.#path(name);
    const temporary = `${path}.${process.pid}.tmp`;
    await writeMakingFolder(temporary, value);
    await rename(temporary, path);
    this.#bytes += value.length - (known.get(name)?.bytes ?? 0);
    known.delete(name);
    known.set(name, { bytes: value.length });
    for (const [oldest, { bytes }] of known) {
      if (this.#bytes <= this.#maxBytes || oldest === name) break;
      known.delete(oldest);
      this.#bytes -= bytes;
      await rm(this.#path(oldest), { force: true });
    }
  }

  close(): void {
    this.#known = undefined;
  }

  #path(name: string): string {
    return join(this.#folder, name.slice(0, 2), name);
  }

  #files(): Promise<Map<string, Known>> {
    this.#known ??= this.#scan();
    return this.#known;
  }

  async #scan(): Promise<Map<string, Known>> {
    const found: { name: string; bytes: number; at: number }[] = [];
    for (const name of await readdir(this.#folder, { recursive: true }).catch(() => [])) {
      const path = join(this.#folder, name);
      const info = await stat(path).catch(() => undefined);
      if (!info?.isFile()) continue;
      // What a killed process left.
      if (name.endsWith('.tmp')) await rm(path, { force: true });
      else found.push({ name: name.slice(name.lastIndexOf('/') + 1), bytes: info.size, at: info.mtimeMs });
    }
    this.#bytes = found.reduce((sum, { bytes }) => sum + bytes, 0);
    return new Map(found.sort((a, b) => a.at - b.at).map(({ name, bytes }) => [name, { bytes }]));
  }
}

/** Folders are there but for the first files, and when somebody deleted them: making them each time costs more than the write. */
async function writeMakingFolder(path: string, value: Buffer): Promise<void> {
  const write = () => writeFile(path, value, { mode: 0o600 });
  await write().catch(async (error: unknown) => {
    if (!isMissing(error)) throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    await write();
  });
}

function nameOf(key: string): string {
  return createHash('sha256').update(key).digest('hex');
}

function isMissing(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '');
}
