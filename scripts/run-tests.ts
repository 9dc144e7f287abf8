import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { report } from './test-reporter.ts';

export const root = join(import.meta.dirname, '..');

export interface TestRun {
  /** What is run, for the opening line. */
  readonly title: string;
  /** Globs relative to the root. */
  readonly include: readonly string[];
  readonly exclude?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Test files at once; by default as many as there are processors. */
  readonly concurrency?: number;
}

function failedOf({
  tests,
  passed,
  skipped,
  todo,
}: {
  tests: number;
  passed: number;
  skipped: number;
  todo: number;
}): string {
  const failed = tests - passed - skipped - todo;
  return failed > 0 ? `, ${failed} FAILED` : '';
}

/**
 * Runs test files, each in a process of its own, and prints the tally. `TIPHYS_TESTS` or arguments narrow it to the files
 * whose path contains one of them. Resolves to true if none failed and at least one ran.
 */
export async function runTests({ title, include, exclude = [], env = {}, concurrency }: TestRun): Promise<boolean> {
  const wanted = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
  const files = include
    .flatMap((pattern) => globSync(pattern, { cwd: root, exclude: (path) => path.includes('node_modules') }))
    .filter((file) => !exclude.some((part) => file.includes(part)))
    .filter((file) => wanted.length === 0 || wanted.some((part) => file.includes(part)))
    .sort()
    .map((file) => join(root, file));
  process.stdout.write(`${title}: ${files.length} files, ${concurrency ?? availableParallelism()} at a time\n`);
  if (files.length === 0) {
    process.stderr.write(`No test file matches ${wanted.join(', ')}\n`);
    return false;
  }
  Object.assign(process.env, env);
  let lastLine = '';
  const stream = run({
    files,
    concurrency: concurrency ?? availableParallelism(),
    timeout: 600_000,
    forceExit: false,
    cwd: root,
  });
  const started = new Map<string, number>();
  stream.on('test:summary', ({ file, counts }) => {
    if (!file) return;
    started.delete(file);
    process.stdout.write(`  ${relative(root, file)}: ${counts.passed} passed${failedOf(counts)}\n`);
  });
  for await (const text of report(stream)) {
    process.stdout.write(text);
    if (text.trim()) lastLine = text.trim();
  }
  const tally = /^(\d+) passed, (\d+) failed/.exec(lastLine);
  return tally !== null && Number(tally[2]) === 0 && Number(tally[1]) > 0;
}
