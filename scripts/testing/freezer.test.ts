import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { descendants, freeze } from './freezer.ts';
import { randomNumbers } from './random-numbers.ts';
import { report } from './run-tests.ts';

test('processes are frozen one after another, and none stays frozen', async () => {
  const done = new AbortController();
  const sent: string[] = [];
  const waits: number[] = [];
  const count = await freeze(
    {
      random: randomNumbers(7),
      wait: async (milliseconds) => {
        waits.push(milliseconds);
        // In the middle of the third freeze.
        if (sent.filter((line) => line.startsWith('SIGSTOP')).length === 3) done.abort();
      },
      processes: () => [11, 12, 13],
      send: (pid, signal) => sent.push(`${signal} ${pid}`) > 0,
    },
    done.signal,
  );
  assert.equal(count, 3);
  assert.equal(sent.length, 6);
  for (let i = 0; i < sent.length; i += 2) assert.equal(sent[i + 1], sent[i]?.replace('SIGSTOP', 'SIGCONT'));
  assert.ok(waits.every((wait) => wait >= 0 && wait <= 1500));
});

test('a process that is gone is passed over', async () => {
  const done = new AbortController();
  const gone: number[] = [];
  const send = (pid: number): boolean => {
    gone.push(pid);
    if (gone.length === 4) done.abort();
    return false;
  };
  assert.equal(
    await freeze({ random: () => 0, wait: async () => undefined, processes: () => [1], send }, done.signal),
    0,
  );
});

test('descendants are all processes below one, and no other', () => {
  const parents = new Map([
    [2, 1],
    [3, 1],
    [4, 3],
    [5, 4],
    [6, 2],
    [7, 9],
  ]);
  assert.deepEqual(descendants(3, parents), [4, 5]);
  assert.deepEqual(descendants(1, parents), [2, 3, 6, 4, 5]);
});

test('a running child is found, frozen and continued', {
  skip: !existsSync('/proc/self/stat') && 'no /proc',
}, async () => {
  const child = spawn(process.execPath, ['-e', 'process.stdin.resume()'], { stdio: ['pipe', 'ignore', 'ignore'] });
  const pid = child.pid as number;
  const exit = new Promise((resolve) => child.once('exit', resolve));
  const state = () => /\) (\S)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1];
  const states: (string | undefined)[] = [];
  const done = new AbortController();
  await freeze(
    {
      random: () => 0,
      wait: async () => {
        if (states.length > 0 || !descendants(process.pid).includes(pid)) return;
        if (state() !== 'T') return;
        states.push(state());
        done.abort();
      },
      processes: () => [pid],
      send: (to, signal) => process.kill(to, signal),
    },
    done.signal,
  );
  assert.deepEqual(states, ['T']);
  child.stdin.end();
  assert.equal(await exit, 0);
});

test('with a slow clock all kinds of timers fire late', () => {
  const script = `
    import { setTimeout as imported } from 'node:timers';
    const delay = (timer) => { const its = timer._idleTimeout; clearTimeout(timer); return its; };
    const delays = [];
    for (let i = 0; i < 50; i++) delays.push(delay(setTimeout(() => 0, 1000)), delay(imported(() => 0, 1000)), delay(setInterval(() => 0, 1000)));
    console.log(JSON.stringify([Math.min(...delays), Math.max(...delays), delay(setTimeout(() => 0, 0))]));`;
  const out = execFileSync(
    process.execPath,
    [`--import=${join(import.meta.dirname, 'slow-clock.mjs')}`, '--input-type=module', '-e', script],
    { env: { ...process.env, TIPHYS_SLOW_CLOCK_SEED: '5' }, encoding: 'utf8' },
  );
  const [least, most, none] = JSON.parse(out) as [number, number, number];
  assert.ok(least >= 1000 && most > 1500 && most <= 3000, out);
  assert.equal(none, 1);
});

test('the report names each unsteady file, its tests and the seed of the round', () => {
  const { text, isSteady } = report(
    [new Map(), new Map([['test/a.test.ts', ['one', 'two']]]), new Map([['test/a.test.ts', ['two']]])],
    40,
  );
  assert.equal(isSteady, false);
  assert.equal(
    text,
    `unsteady: test/a.test.ts failed in 2 of 3 rounds; see it again with npm run test:steady -- test/a.test.ts --rounds=1 --seed=41
    one
    two
3 rounds, 1 unsteady files
`,
  );
  assert.equal(report([new Map(), new Map()], 1).isSteady, true);
});
