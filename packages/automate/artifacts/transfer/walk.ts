import type { Stats } from 'node:fs';
import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface Walked {
  /** Relative to the root; empty for the root itself. */
  readonly name: string;
  readonly path: string;
  readonly stats: Stats;
}

/** What is at a path and below it, folders before what is in them, names in one order. Links are not followed. */
export async function* walk(path: string, name = ''): AsyncIterable<Walked> {
  const stats = await lstat(path);
  yield { name, path, stats };
  if (!stats.isDirectory()) return;
  for (const child of (await readdir(path)).sort()) yield* walk(join(path, child), name ? `${name}/${child}` : child);
}
