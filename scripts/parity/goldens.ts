import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import type { Printed } from './rendering.ts';

/** What helm printed for the charts of test/charts, by chart and flags; paths of the repository are written `@root`. */
export type Goldens = Record<string, Record<string, Printed>>;

const file = join(import.meta.dirname, '..', '..', 'test', 'helm-goldens.json.gz');

export function readGoldens(): Goldens {
  return existsSync(file) ? (JSON.parse(gunzipSync(readFileSync(file)).toString()) as Goldens) : {};
}

export function writeGoldens(goldens: Goldens): void {
  writeFileSync(file, gzipSync(JSON.stringify(goldens, undefined, 1), { level: 9 }));
}

/** Takes the place of the repository out of what was printed. */
export function withoutRoot(printed: Printed, root: string): Printed {
  const replaced = (text: string): string => text.replaceAll(root, '@root');
  return { code: printed.code, out: replaced(printed.out), error: replaced(printed.error) };
}
