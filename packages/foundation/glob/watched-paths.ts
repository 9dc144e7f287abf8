import { join, normalize } from 'node:path/posix';
import { matchPath } from './path.ts';

/** Paths below which a change matters, from the root of the repository without a leading slash. */
export function watchedPaths(annotation: string | undefined, path: string | undefined): string[] {
  return (annotation ?? '')
    .split(';')
    .map((item) => item.trim())
    .filter(Boolean)
    .map((item) => (item.startsWith('/') ? item.slice(1) : normalize(join(path ?? '', item))));
}

/** Whether one of the files lies at or below one of the paths, or matches it as a pattern; true if either list is empty. */
export function touchesPaths(paths: readonly string[], files: readonly string[]): boolean {
  if (files.length === 0 || paths.length === 0) return true;
  const patterns = paths.map((path) => absolute(path));
  return files.some((file) => {
    const changed = absolute(file);
    return patterns.some(
      (path) => path === '/' || changed === path || changed.startsWith(`${path}/`) || matchPath(path, changed),
    );
  });
}

function absolute(path: string): string {
  return normalize(`/${path}`).replace(/(.)\/$/, '$1');
}
