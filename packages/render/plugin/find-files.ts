import type { Dirent } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { matchPath } from '@tiphys/glob';

/** Folders and files that are looked at before the search gives up. */
const maxEntries = 200_000;

/**
 * Whether anything below the folder matches the pattern: Go's `filepath.Match` for each part of a path, and `**` for any
 * number of folders. Links are not followed, so that the search stays inside and ends.
 */
export async function someMatch(folder: string, pattern: string): Promise<boolean> {
  const parts = pattern.split('/').filter((part) => part !== '' && part !== '.');
  const budget = { left: maxEntries };
  return parts.length > 0 && search(folder, parts, budget);
}

async function search(folder: string, parts: readonly string[], budget: { left: number }): Promise<boolean> {
  const [part = '', ...rest] = parts;
  if (part === '**' && rest.length > 0 && (await search(folder, rest, budget))) return true;
  for (const entry of await entriesOf(folder)) {
    budget.left -= 1;
    if (budget.left < 0) return false;
    if (part === '**') {
      if (rest.length === 0) return true;
      if (entry.isDirectory() && (await search(join(folder, entry.name), parts, budget))) return true;
    } else if (matchPath(part, entry.name)) {
      if (rest.length === 0) return true;
      if (await search(join(folder, entry.name), rest, budget)) return true;
    }
  }
  return false;
}

async function entriesOf(folder: string): Promise<Dirent[]> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
