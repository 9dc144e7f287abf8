import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

/** A folder for charts that are made up while comparing. */
export class CaseFolder {
  readonly path = mkdtempSync(join(tmpdir(), 'tiphys-parity-'));

  /** Writes a chart in place of the last one of that name; returns its path. */
  write(name: string, files: Readonly<Record<string, string>>): string {
    const folder = join(this.path, name);
    rmSync(folder, { recursive: true, force: true });
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
    return folder;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}
