import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../architecture.ts';
import type { TestTimes } from './test-order.ts';

/** What one process runs: a test file, or a file that runs several of them, one after the other. */
export interface TestUnit {
  /** What is run, absolute. */
  readonly file: string;
  /** The source files of the tests, relative to the root; more than one only in a file of several. */
  readonly sources: readonly string[];
}

/** Test files of one process, at most. */
const mostFiles = 12;
/** Files that take longer, in seconds, have a process of their own. */
const short = 5;
/** What a file does to its whole process, which others in it would feel; and what it does before its first test begins. */
const hazards = [
  /\bprocess\.(?:env\b|exit|chdir|on\(|once\(|emit|stdin|stdout|memoryUsage)/,
  /\bmock\.|\bglobalThis\.|\bglobal\.|setGlobalDispatcher|\bgc\(|takeHeapSnapshot/,
  /^[^\s/*].*\bawait\b/m,
];

/**
 * Tests of packages that are short and disturb nobody share processes, by package: what such a file costs is loading what it imports.
 * Each file is a suite of its own there, so that its hooks are for it alone. `fileOf` gives what is run for a source; both absolute.
 */
export function groupTests(
  files: readonly string[],
  { times, fileOf }: { readonly times: TestTimes; readonly fileOf: (source: string) => string },
): TestUnit[] {
  const units: TestUnit[] = [];
  const packages = new Map<string, string[]>();
  for (const file of files) {
    if (mayShare(file, times)) {
      const name = file.split('/').slice(0, 3).join('/');
      packages.set(name, [...(packages.get(name) ?? []), file]);
    } else units.push({ file: fileOf(join(root, file)), sources: [file] });
  }
  for (const members of packages.values()) {
    const groups = Math.ceil(members.length / mostFiles);
    for (let index = 0; index < groups; index++) {
      const sources = members.filter((_, at) => at % groups === index);
      const file = sources.length === 1 ? fileOf(join(root, sources[0] as string)) : writeGroup(sources, fileOf);
      units.push({ file, sources });
    }
  }
  return units;
}

function mayShare(file: string, times: TestTimes): boolean {
  if (!file.startsWith('packages/') || (times.get(file) ?? 0) > short) return false;
  const text = readFileSync(join(root, file), 'utf8');
  return !hazards.some((hazard) => hazard.test(text));
}

function writeGroup(sources: readonly string[], fileOf: (source: string) => string): string {
  const suites = sources.map(
    (source) =>
      `describe(${JSON.stringify(source)}, async () => { await import(${JSON.stringify(pathToFileURL(fileOf(join(root, source))).href)}); });\n`,
  );
  const code = `import { describe } from 'node:test';\n${suites.join('')}`;
  const folder = join(root, 'node_modules', '.tiphys-tests', 'groups');
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${createHash('sha256').update(code).digest('hex').slice(0, 16)}.mjs`);
  writeFileSync(file, code);
  return file;
}
