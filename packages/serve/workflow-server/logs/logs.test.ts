import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Client, type Clock, systemClock } from '@tiphys/kubernetes';
import type { FlowCall } from '../common/caller.ts';
import { eventLogs } from './event-logs.ts';
import { LogQueue } from './log-queue.ts';
import { wantedLines } from './wanted-lines.ts';
import type { LogEntry } from './workflow-logs.ts';

const lineOf = (pod: string, at: number, content: string) => ({
  time: `2024-01-01T00:00:00.${String(at).padStart(6, '0')}Z`,
  entry: { content, podName: pod },
  size: content.length,
});

test('pods that say more than is read in time all wait, and all go on', async () => {
  const queue = new LogQueue<LogEntry>(systemClock, new AbortController().signal);
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
  const queue = new LogQueue<LogEntry>(systemClock, new AbortController().signal);
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
  const queue = new LogQueue<LogEntry>(systemClock, stop.signal);
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

test('logs of Argo Events follow every pod, and those that come later', async () => {
  const stop = new AbortController();
  const pod = (name: string) => ({
    metadata: { name, uid: name, labels: { 'sensor-name': `of-${name}` } },
    status: { phase: 'Running' },
  });
  const asked: unknown[] = [];
  const lines = (name: string) =>
    name === 'b' ? '{"level":"warn","msg":"two","ts":"2024-01-01T00:00:02Z","triggerName":"t"}' : 'plain';
  const client = {
    list: async (_ref: object, options: { labelSelector: string }) => {
      asked.push(options.labelSelector);
      return { metadata: { resourceVersion: '7' }, items: [pod('a'), pod('b')] };
    },
    async *watch(_ref: object, { resourceVersion, signal }: { resourceVersion: string; signal: AbortSignal }) {
      asked.push(resourceVersion);
      yield { type: 'ADDED', object: pod('c') };
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    },
    async *logs({ name }: { name: string }, { signal }: { signal: AbortSignal }) {
      yield Buffer.from(`2024-01-01T00:00:01Z ${lines(name)}\n`);
      await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
    },
  } as unknown as Client;
  const clock: Clock = { ...systemClock, now: () => Date.UTC(2024, 0, 5) };
  const request = { namespace: 'n', label: 'sensor-name', field: 'sensorName', type: 'triggerName', clock } as const;
  const call = { client, signal: stop.signal } as FlowCall;
  const seen = new Map<string, Record<string, string>>();
  for await (const entry of eventLogs(call, { ...request, podLogOptions: { follow: true } })) {
    const line = entry as Record<string, string>;
    seen.set(line.sensorName ?? '', line);
    if (seen.size === 3) break;
  }
  assert.deepEqual(asked, ['sensor-name', '7']);
  const rest = { namespace: 'n', dependencyName: '', eventContext: '' };
  const plain = { ...rest, level: 'info', msg: 'plain', time: '2024-01-05T00:00:00Z', triggerName: '' };
  assert.deepEqual(seen.get('of-a'), { ...plain, sensorName: 'of-a' });
  assert.deepEqual(seen.get('of-c'), { ...plain, sensorName: 'of-c' });
  assert.deepEqual(seen.get('of-b'), {
    ...rest,
    sensorName: 'of-b',
    level: 'warn',
    msg: 'two',
    time: '2024-01-01T00:00:02Z',
    triggerName: 't',
  });
});
