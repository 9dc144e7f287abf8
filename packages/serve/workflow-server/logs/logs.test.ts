import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '@tiphys/kubernetes';
import { LogQueue } from './log-queue.ts';
import { wantedLines } from './wanted-lines.ts';

const lineOf = (pod: string, at: number, content: string) => ({
  time: `2024-01-01T00:00:00.${String(at).padStart(6, '0')}Z`,
  entry: { content, podName: pod },
});

test('pods that say more than is read in time all wait, and all go on', async () => {
  const queue = new LogQueue(systemClock, new AbortController().signal);
  const each = 10_500;
  const said = (pod: string) =>
    (async () => {
      for (let at = 0; at < each; at += 1) await queue.push(lineOf(pod, at, String(at)));
    })();
  queue.endWith(Promise.all(['a', 'b', 'c'].map(said)).then(() => undefined));
  const seen = new Map<string, number>();
  for await (const { podName, content } of queue.entries()) {
    assert.equal(Number(content), seen.get(podName) ?? 0);
    seen.set(podName, Number(content) + 1);
  }
  assert.deepEqual(Object.fromEntries(seen), { a: each, b: each, c: each });
});

test('long lines wait for their reader by their length, not by their number', async () => {
  const queue = new LogQueue(systemClock, new AbortController().signal);
  const long = 'x'.repeat(1 << 20);
  let given = 0;
  queue.endWith(
    (async () => {
      for (; given < 100; given += 1) await queue.push(lineOf('a', given, long));
    })(),
  );
  let read = 0;
  for await (const _ of queue.entries()) {
    read += 1;
    assert.ok(given - read <= 17, `${given - read} MiB wait`);
  }
  assert.equal(read, 100);
});

test('who stops reading frees those who wait', async () => {
  const stop = new AbortController();
  const queue = new LogQueue(systemClock, stop.signal);
  const push = queue.push(lineOf('a', 1, 'x'.repeat(9 << 20)));
  for await (const _ of queue.entries()) break;
  await push;
});

test('grep is an expression of bounded cost, and looks at the beginning of a very long line', () => {
  assert.equal(wantedLines(undefined)('anything'), true);
  assert.equal(wantedLines('^a.*z$')('a to z'), true);
  assert.throws(() => wantedLines('('), /failed to compile "\("/);
  assert.throws(
    () => wantedLines('((x{30}){30}y){1}(z{200})'),
    /grep is too large an expression: it has \d+ instructions/,
  );
  assert.equal(wantedLines('end$')(`${'x'.repeat(1 << 20)}end`), false);
});
