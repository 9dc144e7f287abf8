import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../architecture.ts';

/** How many advisories on Argo CD, its family, Flux, Helm and Kustomize docs/security.md has a row for. */
const known = 142;

/**
 * Rows of docs/security.md that have neither a test nor a reason, as `file:line: what is wrong`. A proof is `"title" in [file](path)`
 * with a title that stands in that file, or `Not ours: reason`.
 */
export function checkAdvisories(text = readFileSync(join(root, 'docs/security.md'), 'utf8')): string[] {
  const rows = text
    .split('\n')
    .map((line, index) => ({ cells: line.split(/(?<!\\)\|/).map((cell) => cell.trim()), line: index + 1 }))
    .filter(({ cells }) => /CVE-|GHSA-|^K-\d|pull request/.test(cells[1] ?? '') && cells.length === 5);
  const count = rows.length < known ? [`docs/security.md:1: ${rows.length} advisories, there were ${known}`] : [];
  return [
    ...count,
    ...rows.flatMap(({ cells, line }) => {
      const problem = problemOf(cells[3] ?? '');
      return problem ? [`docs/security.md:${line}: ${cells[1]}: ${problem}`] : [];
    }),
  ];
}

function problemOf(proof: string): string | undefined {
  if (/^Not ours: .{20,}/.test(proof)) return undefined;
  const [, title, path] = /^"(.+)" in \[[^\]]+\]\(\.\.\/([^)]+)\)$/.exec(proof) ?? [];
  if (!title || !path) return 'neither a test nor a reason why it cannot concern us';
  return fileText(path)?.includes(title) ? undefined : `${path} has no test "${title}"`;
}

const texts = new Map<string, string | undefined>();

function fileText(path: string): string | undefined {
  if (!texts.has(path)) {
    try {
      texts.set(path, readFileSync(join(root, path), 'utf8'));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      texts.set(path, undefined);
    }
  }
  return texts.get(path);
}
