import { createHash, randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

const defaultMaxBytes = 2_000_000_000;

/**
 * Packages on disk by the sha256 of their content, in the layout of Helm's content cache, which it can share. What is damaged or
 * gone is as if it had never been there; several processes may use one folder.
 */
export class ArchiveCache {
  readonly #folder: string;
  readonly #maxBytes: number;
  #written = 0;

  /** The oldest files go when there is more than `maxBytes` (2 GB if not given). */
  constructor(folder: string, options: { maxBytes?: number } = {}) {
    this.#folder = folder;
    this.#maxBytes = options.maxBytes ?? defaultMaxBytes;
  }

  /** Where a package of this digest (64 hexadecimal digits) is, or would be. */
  path(digest: string): string {
    return join(this.#folder, digest.slice(0, 2), `${digest}.chart`);
  }

  /** The package, if it is there and is what the digest says. */
  async get(digest: string): Promise<Buffer | undefined> {
    const data = await readIfThere(this.path(digest));
    if (data === undefined || data.length === 0 || sha256(data) !== digest) return undefined;
    const now = new Date();
    await utimes(this.path(digest), now, now).catch(ignoreRace);
    return data;
  }

  /** Keeps a package of this digest. */
  async put(digest: string, data: Uint8Array): Promise<void> {
    const target = this.path(digest);
    const draft = `${target}.${process.pid}-${randomUUID()}.tmp`;
    await mkdir(join(this.#folder, digest.slice(0, 2)), { recursive: true });
    try {
      await writeFile(draft, data, { flag: 'wx' });
      await rename(draft, target);
    } finally {
      await rm(draft, { force: true });
    }
    this.#written += data.length;
    if (this.#written * 10 < this.#maxBytes) return;
    this.#written = 0;
    await this.#prune();
  }

  async #prune(): Promise<void> {
    const files: { path: string; size: number; used: number }[] = [];
    for (const entry of await readdir(this.#folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const path = join(entry.parentPath, entry.name);
      const found = await stat(path).catch(ignoreRace);
      if (found) files.push({ path, size: found.size, used: found.mtimeMs });
    }
    let total = files.reduce((sum, { size }) => sum + size, 0);
    for (const { path, size } of files.sort((a, b) => a.used - b.used)) {
      if (total <= this.#maxBytes) return;
      await rm(path, { force: true });
      total -= size;
    }
  }
}

export function sha256(data: Uint8Array): string {
  return createHash('sha256').update(data).digest('hex');
}

async function readIfThere(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (error) {
    return ignoreRace(error);
  }
}

/** Another process may take a file away between two looks at it. */
function ignoreRace(error: unknown): undefined {
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (!['ENOENT', 'EACCES', 'EISDIR', 'ENOTDIR', 'EROFS', 'EPERM'].includes(code)) throw error;
}
