import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { ChartFiles } from '../chart/chart-files.ts';

const maxFiles = 20_000;

/** A chart's folder on this machine. Links are followed, as helm does; what is no regular file is refused when read. */
export function localFiles(folder: string): ChartFiles {
  return {
    list() {
      const paths: string[] = [];
      walk(folder, '', paths, new Set());
      return paths;
    },
    read: (path) => readFileSync(join(folder, path)),
  };
}

function walk(folder: string, prefix: string, paths: string[], above: ReadonlySet<string>): void {
  const { dev, ino } = statSync(folder);
  const identity = `${dev}:${ino}`;
  if (above.has(identity)) return;
  const inside = new Set([...above, identity]);
  for (const name of readdirSync(folder)) {
    const path = prefix === '' ? name : `${prefix}/${name}`;
    const stat = statSync(join(folder, name));
    if (stat.isDirectory()) walk(join(folder, name), path, paths, inside);
    else if (stat.isFile()) paths.push(path);
    else throw new Error(`cannot load irregular file ${join(folder, name)} as it has file mode type bits set`);
    if (paths.length > maxFiles) throw new Error(`${folder} has more than ${maxFiles} files`);
  }
}
