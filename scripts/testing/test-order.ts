import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Seconds that test files took when they last ran on this machine, by path relative to the root. */
export type TestTimes = ReadonlyMap<string, number>;

/** What a file is taken to need that has never run here: the end-to-end tests are the long ones, and those named so are the longest. */
const guesses: readonly [path: RegExp, seconds: number][] = [
  [/-long\.test\.ts$/, 600],
  [/^test\/faults\//, 60],
  [/^test\//, 10],
  [/^scripts\//, 5],
];

/**
 * The files with the longest first, so that none begins when the others have ended and keeps the run waiting. Files of equal length
 * keep their order.
 */
export function longestFirst(files: readonly string[], times: TestTimes): string[] {
  const expected = (file: string): number => times.get(file) ?? guesses.find(([path]) => path.test(file))?.[1] ?? 1;
  return files.toSorted((a, b) => expected(b) - expected(a));
}

/** Times that were kept in the file; none where there is no such file, or it holds something else. */
export function readTimes(file: string): TestTimes {
  try {
    const kept: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const entries = Object.entries(kept as Record<string, unknown>);
    return new Map(entries.filter((entry): entry is [string, number] => typeof entry[1] === 'number'));
  } catch {
    return new Map();
  }
}

/** Keeps what a run took beside what is known of other files. */
export function writeTimes(file: string, times: TestTimes): void {
  mkdirSync(dirname(file), { recursive: true });
  const fresh = `${file}.${process.pid}`;
  writeFileSync(fresh, JSON.stringify(Object.fromEntries([...readTimes(file), ...times])));
  renameSync(fresh, file);
}

/** Where times are kept below the folder of caches. */
export const timesFile = (caches: string, suite: string): string =>
  join(caches, 'test-times', `${suite.toLowerCase().replace(/[^a-z0-9]+/g, '-')}.json`);
