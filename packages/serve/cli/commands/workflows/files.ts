import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { LintedFile } from '@tiphys/workflows';
import type { Surroundings } from '../../terminal/command-context.ts';

/** Texts of files, of the YAML and JSON below folders, and of standard input for `-`. */
export function textsOf({ workdir }: Surroundings, files: readonly string[]): LintedFile[] {
  return files.flatMap((file) => {
    if (file === '-') return [{ file: 'stdin', text: readFileSync(0, 'utf8') }];
    const path = resolve(workdir, file);
    if (!statSync(path).isDirectory()) return [{ file, text: readFileSync(path, 'utf8') }];
    return readdirSync(path, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(ya?ml|json)$/i.test(name))
      .sort()
      .map((name) => ({ file: join(file, name), text: readFileSync(join(path, name), 'utf8') }));
  });
}
