import { globSync, mkdirSync } from 'node:fs';
import { availableParallelism, homedir } from 'node:os';
import { join, relative } from 'node:path';
import { run } from 'node:test';
import { root } from '../architecture.ts';
import { filesReached } from './changed-files.ts';
import { type Packed, packTests, unpacked } from './packed-tests.ts';
import { groupTests, type TestUnit } from './test-groups.ts';
import { longestFirst, readTimes, type TestTimes, timesFile, writeTimes } from './test-order.ts';
import { type FileResult, RunFollower, type RunResult } from './test-reporter.ts';

export interface TestRun {
  /** What is run, for the opening line. */
  readonly title: string;
  /** Globs relative to the root. */
  readonly include: readonly string[];
  /** Globs relative to the root that another command runs. */
  readonly exclude?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** Test files at once; by default one more than there are processors, because some wait. */
  readonly concurrency?: number;
}

/** Files that may pass only when they are run alone; with more of them the run has failed. */
const unsteadyLimit = 3;
const slowestShown = 10;
/** Where tests find the executable that they start many times. */
const packedProgramVariable = 'TIPHYS_TEST_PROGRAM';
const print = (text: string) => void process.stdout.write(text);

/**
 * Runs test files, the short ones of a package together and the others each in a process of its own (groupTests), and prints the ten slowest and
 * the tally `N passed, N failed, N skipped`.
 * Arguments narrow it to the files whose path contains one of them, `--changed` to those that the work tree's changes can reach.
 * A file that fails is run once more, alone and from its sources, at the end: if it passes then it counts as passed and is named as unsteady; more
 * than three such files fail the run. Resolves to true if none failed and at least one ran.
 */
export async function runTests({ title, include, exclude = [], env = {}, concurrency }: TestRun): Promise<boolean> {
  const files = wantedFiles(include, exclude);
  const parallel = concurrency ?? availableParallelism() + 1;
  print(`${title}: ${files.length} files, ${parallel} at a time\n`);
  if (files.length === 0) {
    process.stderr.write('No test file matches\n');
    return false;
  }
  Object.assign(process.env, { NODE_COMPILE_CACHE: compileCache(), ...env });
  const timesKept = timesFile(caches(), title);
  const times = readTimes(timesKept);
  const result = await runPacked(longestFirst(files, times), parallel, times);
  writeTimes(timesKept, new Map([...result.files].map(([file, { seconds }]) => [relative(root, file), seconds])));
  const unsteady = await runFailedAgain(result);
  printSlowest(result);
  for (const [reason, count] of result.skips) print(`  ${count} skipped: ${reason}\n`);
  const [passed, failed, skipped] = (['passed', 'failed', 'skipped'] as const).map((key) =>
    [...result.files.values()].reduce((sum, file) => sum + file[key], 0),
  );
  for (const file of unsteady) print(`unsteady: ${file} failed, and passed when it was run alone (docs/unsteady.md)\n`);
  const tooMany = unsteady.length > unsteadyLimit;
  if (tooMany) print(`${unsteady.length} unsteady files, ${unsteadyLimit} are allowed\n`);
  print(`${passed} passed, ${tooMany ? unsteady.length : failed} failed, ${skipped} skipped\n`);
  return failed === 0 && !tooMany && (passed ?? 0) > 0;
}

/** Names of the tests that failed, by file; a file that ended without any test has an empty list. */
export type Report = ReadonlyMap<string, readonly string[]>;

/** Runs each file once, with the variables set, and gives what failed. */
export async function runOnce(files: readonly string[], env: Readonly<Record<string, string>>): Promise<Report> {
  const before = { ...process.env };
  Object.assign(process.env, { NODE_COMPILE_CACHE: compileCache(), ...env });
  try {
    const { files: results } = await runPacked(files, availableParallelism());
    return new Map(
      [...results].flatMap(([file, { passed, failed, skipped, failures }]) =>
        failed > 0 || passed + skipped === 0 ? [[relative(root, file), failures] as const] : [],
      ),
    );
  } finally {
    for (const name of Object.keys(env)) {
      if (before[name] === undefined) delete process.env[name];
      else process.env[name] = before[name];
    }
  }
}

/** What rounds with rising seeds came to, for people: each file that failed, how often, in which tests, and how to see it again. */
export function report(rounds: readonly Report[], seed: number): { text: string; isSteady: boolean } {
  const names = [...new Set(rounds.flatMap((round) => [...round.keys()]))].sort();
  const lines = names.map((file) => {
    const failing = rounds.flatMap((round, index) => (round.has(file) ? [index] : []));
    const tests = new Set(failing.flatMap((index) => rounds[index]?.get(file) ?? []));
    const what =
      tests.size > 0 ? [...tests].map((name) => `    ${name}\n`).join('') : '    ended before its tests did\n';
    const again = `npm run test:steady -- ${file} --rounds=1 --seed=${seed + (failing[0] ?? 0)}`;
    return `unsteady: ${file} failed in ${failing.length} of ${rounds.length} rounds; see it again with ${again}\n${what}`;
  });
  const isSteady = names.length === 0;
  return { text: `${lines.join('')}${rounds.length} rounds, ${names.length} unsteady files\n`, isSteady };
}

/** Runs the files as they are packed, the short ones together if it is known how long they take; the results are those of the sources. */
async function runPacked(files: readonly string[], concurrency: number, times?: TestTimes): Promise<RunResult> {
  const packed = await packTests(files);
  if (packed.program) process.env[packedProgramVariable] = packed.program;
  const fileOf = (source: string): string => packed.files.get(source) ?? source;
  const units = times ? groupTests(files, { times, fileOf }) : alone(files, fileOf);
  try {
    return await runUnits(units, concurrency, packed);
  } finally {
    delete process.env[packedProgramVariable];
  }
}

/** Files that the globs name, narrowed by the arguments of the process. */
export function wantedFiles(include: readonly string[], exclude: readonly string[]): string[] {
  const names = process.argv.slice(2).filter((argument) => !argument.startsWith('-'));
  const reached = process.argv.includes('--changed') ? filesReached() : undefined;
  const left = new Set(exclude.flatMap((pattern) => globSync(pattern, { cwd: root })));
  return include
    .flatMap((pattern) => globSync(pattern, { cwd: root, exclude: (path) => path.includes('node_modules') }))
    .filter((file) => !left.has(file))
    .filter((file) => names.length === 0 || names.some((part) => file.includes(part)))
    .filter((file) => !reached || reached.has(file))
    .sort();
}

/** The folder of what is kept between runs. */
function caches(): string {
  return join(process.env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'tiphys');
}

/** Compiled sources are shared by all test processes and by the next run: most of what a small test file costs. */
function compileCache(): string {
  const folder = join(caches(), 'compiled');
  mkdirSync(folder, { recursive: true });
  return folder;
}

const alone = (files: readonly string[], fileOf = (source: string): string => source): TestUnit[] =>
  files.map((file) => ({ file: fileOf(join(root, file)), sources: [file] }));

/** Each unit is a run of its own: of several in one, those that ended are not reported before the ones that began earlier. */
async function runUnits(
  units: readonly TestUnit[],
  concurrency: number,
  packed: Packed = unpacked,
): Promise<RunResult> {
  const sources = new Map([...packed.files].map(([source, file]) => [file, source]));
  const total = units.reduce((sum, unit) => sum + unit.sources.length, 0);
  const follower = new RunFollower({ total, print, sourceOf: (file) => sources.get(file) ?? file });
  const waiting = units.values();
  const lane = async (): Promise<void> => {
    for (const { file, sources: members } of waiting)
      await follower.follow(
        run({ files: [file], concurrency: 1, timeout: 600_000, forceExit: false, cwd: root }),
        members.length > 1 ? members.map((member) => join(root, member)) : [],
      );
  };
  await Promise.all(Array.from({ length: concurrency }, lane));
  return follower.result;
}

/** Replaces the results of files that pass when they are run alone; gives these files. */
async function runFailedAgain(result: RunResult): Promise<string[]> {
  const failed = [...result.files].filter(([, { failed: count }]) => count > 0).map(([file]) => file);
  const unsteady: string[] = [];
  for (const file of failed) {
    const name = relative(root, file);
    if (!file) continue;
    print(`Running ${name} again, alone\n`);
    const again = (await runUnits(alone([name]), 1)).files.get(file);
    if (!again || again.failed > 0 || again.passed === 0) continue;
    result.files.set(file, again);
    unsteady.push(name);
  }
  return unsteady;
}

function printSlowest({ files }: RunResult): void {
  const slowest = [...files].sort(([, a], [, b]) => b.seconds - a.seconds).slice(0, slowestShown);
  if (slowest.length < 2) return;
  print('Slowest files:\n');
  for (const [file, { seconds }] of slowest as [string, FileResult][])
    print(`  ${seconds.toFixed(1).padStart(6)} s  ${relative(root, file)}\n`);
}
