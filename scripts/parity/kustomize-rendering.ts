import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { buildKustomization, KustomizeError, localTree, parseBuildFlags } from '@tiphys/kustomize';

/** What one build printed. */
export interface KustomizePrinted {
  readonly code: number;
  readonly out: string;
  /** Lines of the warnings and of the error, as far as they can be compared. */
  readonly error: string;
}

export function buildByKustomize(
  kustomize: string,
  folder: string,
  args: readonly string[],
): Promise<KustomizePrinted> {
  return new Promise((resolve) => {
    execFile(
      kustomize,
      ['build', ...args],
      { cwd: folder, encoding: 'utf8', maxBuffer: 256 * 1024 * 1024 },
      (error, out, stderr) => resolve({ code: error ? 1 : 0, out, error: comparable(stderr, folder) }),
    );
  });
}

export async function buildHere(folder: string, [path = '.', ...flags]: readonly string[]): Promise<KustomizePrinted> {
  const lines: string[] = [];
  const { enableHelm, loadRestrictions, programs } = parseBuildFlags(flags);
  try {
    const { yaml } = await buildKustomization({
      tree: localTree(),
      path: join(folder, path),
      shownPath: path,
      enableHelm,
      loadRestrictions,
      ...(programs ? { programs: { ...programs, environment: { PATH: process.env.PATH ?? '' } } } : {}),
      warn: (line) => lines.push(line),
    });
    return { code: 0, out: yaml, error: comparable(lines.join('\n'), folder) };
  } catch (error) {
    if (!(error instanceof KustomizeError)) throw error;
    lines.push(`Error: ${error.goMessage}`);
    return { code: 1, out: '', error: comparable(lines.join('\n'), folder) };
  }
}

/** Takes out addresses in memory, dates, the place of the folder, and what only we tell. */
function comparable(text: string, folder: string): string {
  return text
    .replaceAll(folder, '@folder')
    .replace(/^\d{4}\/\d\d\/\d\d \d\d:\d\d:\d\d /gm, '')
    .replace(/merging from generator (?:&\{0x[0-9a-f]+ (?:<nil>|0x[0-9a-f]+)\}|\w+)/g, 'merging from generator')
    .replace(/\n--\n&resource\.Resource\{.*$/s, '')
    .trim();
}
