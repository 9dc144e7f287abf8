import type { Dirent } from 'node:fs';
import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Clock } from '@tiphys/kubernetes';

/** What one git may take of the machine while it reads what a host sends. In bytes. */
export interface ProcessBounds {
  /** Memory of the process and its children; bounded where there is /proc (Linux). */
  readonly memory?: number;
  /** What it has begun to write below the folder: git gives a pack its name when it has all of it. */
  readonly written?: { readonly folder: string; readonly bytes: number };
}

/** What was exceeded. */
export interface Exceeded {
  readonly what: 'memory' | 'disk';
  readonly bytes: number;
  readonly limit: number;
}

/** Milliseconds between two looks: what a fast network brings in this time is what the bounds may be exceeded by. */
const interval = 250;

/** Resolves with what the process exceeds, or with undefined when `signal` says that it has ended. */
export async function exceeded(
  pid: number,
  { memory, written }: ProcessBounds,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Exceeded | undefined> {
  while (!signal.aborted) {
    // the wait ends early when the process does, which the loop then sees
    await clock.sleep(interval, signal).catch(() => undefined);
    if (signal.aborted) break;
    const taken = memory === undefined ? 0 : await residentBytes(pid);
    if (memory !== undefined && taken > memory) return { what: 'memory', bytes: taken, limit: memory };
    const size = written === undefined ? 0 : await unfinishedBytes(written.folder);
    if (written && size > written.bytes) return { what: 'disk', bytes: size, limit: written.bytes };
  }
  return undefined;
}

/** Of a process and all that it has started; 0 for one that has ended, and where there is no /proc. */
async function residentBytes(pid: number): Promise<number> {
  const [status, children] = await Promise.all([
    text(`/proc/${pid}/status`),
    text(`/proc/${pid}/task/${pid}/children`),
  ]);
  const own = Number(/^VmRSS:\s*(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  const below = await Promise.all(
    children
      .split(' ')
      .filter((child) => /^\d+$/.test(child))
      .map((child) => residentBytes(Number(child))),
  );
  return below.reduce((sum, bytes) => sum + bytes, own);
}

async function text(path: string): Promise<string> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    return unlessGone(error, '');
  }
}

/** Files that git has not given their names yet. */
async function unfinishedBytes(folder: string): Promise<number> {
  const sizes = await Promise.all(
    (await entriesOf(folder)).map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return unfinishedBytes(path);
      if (!entry.name.startsWith('tmp_')) return 0;
      return stat(path).then(
        ({ size }) => size,
        (error: unknown) => unlessGone(error, 0),
      );
    }),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    return unlessGone(error, []);
  }
}

/** A process ends and a file is renamed between two looks, and not every system has /proc. */
function unlessGone<T>(error: unknown, otherwise: T): T {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT' || code === 'ESRCH' || code === 'ENOTDIR') return otherwise;
  throw error;
}
