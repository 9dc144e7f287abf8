import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { root } from './architecture.ts';
import { descendants, freeze } from './testing/freezer.ts';
import { randomNumbers } from './testing/random-numbers.ts';
import { type Report, report, runOnce, wantedFiles } from './testing/run-tests.ts';
import { longSuites, quickTests } from './testing/test-suites.ts';

/**
 * Runs the tests of `npm test` again and again while processes are frozen and timers fire late, and names the files that did not
 * pass each time. `--rounds=N` (ten), `--seed=N`; other arguments narrow it to files, as for `npm test`.
 */
const option = (name: string, otherwise: number): number => {
  const given = process.argv.find((argument) => argument.startsWith(`--${name}=`))?.slice(name.length + 3);
  const value = given === undefined ? otherwise : Number(given);
  if (Number.isSafeInteger(value) && value > 0) return value;
  throw new Error(`--${name}=${given}: a whole number above 0 is needed`);
};
const print = (text: string) => void process.stdout.write(text);

/** One run of all files, with what freezes them; a file that fails is not run again. */
async function round(files: readonly string[], seed: number): Promise<Report> {
  const done = new AbortController();
  const frozen = freeze(
    {
      random: randomNumbers(seed),
      wait: (milliseconds, signal) => sleep(milliseconds, undefined, { signal }).catch(() => undefined),
      processes: () => descendants(process.pid),
      send: (pid, signal) => {
        try {
          return process.kill(pid, signal);
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code === 'ESRCH') return false;
          throw error;
        }
      },
    },
    done.signal,
  );
  const stopped = () => {
    done.abort();
    void frozen.then(() => process.exit(130));
  };
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, stopped);
  try {
    return await runOnce(files, {
      NODE_OPTIONS:
        `${process.env.NODE_OPTIONS ?? ''} --import=${join(root, 'scripts', 'testing', 'slow-clock.mjs')}`.trim(),
      TIPHYS_SLOW_CLOCK_SEED: String(seed),
    });
  } finally {
    for (const name of ['SIGINT', 'SIGTERM'] as const) process.off(name, stopped);
    done.abort();
    print(`Froze processes ${await frozen} times\n`);
  }
}

if (!existsSync('/proc/self/stat'))
  throw new Error('npm run test:steady finds its processes in /proc: run it on Linux');
const rounds = option('rounds', 10);
const seed = option('seed', 1);
const files = wantedFiles(quickTests, longSuites);
if (files.length === 0) throw new Error('No test file matches');
const reports: Report[] = [];
for (let index = 0; index < rounds; index++) {
  print(`Round ${index + 1} of ${rounds}: ${files.length} files, --seed=${seed + index}\n`);
  reports.push(await round(files, seed + index));
}
const { text, isSteady } = report(reports, seed);
print(text);
process.exitCode = isSteady ? 0 : 1;
