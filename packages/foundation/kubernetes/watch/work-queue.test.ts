import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScriptedClock } from '../scripted-clock.ts';
import { WorkQueue } from './work-queue.ts';

const turn = () => new Promise((resolve) => setImmediate(resolve));

function start(
  queue: WorkQueue,
  reconcile: (key: string) => Promise<{ requeueAfter?: number } | undefined>,
  workers = 2,
) {
  const abort = new AbortController();
  const errors: string[] = [];
  const done = queue.run({
    workers,
    signal: abort.signal,
    reconcile,
    onError: (key, error) => errors.push(`${key}: ${(error as Error).message}`),
  });
  const stop = () => {
    abort.abort();
    return done;
  };
  return { errors, stop };
}

test('a key that is added many times is worked on once', async () => {
  const queue = new WorkQueue();
  const seen: string[] = [];
  for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
  assert.equal(queue.depth, 2);
  const { stop } = start(queue, async (key) => void seen.push(key));
  await turn();
  assert.deepEqual(seen, ['a', 'b']);
  await stop();
});

test('a key has one worker at a time, and comes again if it was added meanwhile', async () => {
  const queue = new WorkQueue();
  const gates: PromiseWithResolvers<void>[] = [];
  const { stop } = start(queue, async () => {
    const gate = Promise.withResolvers<void>();
    gates.push(gate);
    await gate.promise;
    return undefined;
  });
  queue.add('a');
  await turn();
  queue.add('a');
  queue.add('a');
  await turn();
  assert.equal(gates.length, 1);
  gates[0]?.resolve();
  await turn();
  assert.equal(gates.length, 2);
  gates[1]?.resolve();
  await turn();
  assert.equal(gates.length, 2);
  await stop();
});

test('a failing key comes back with growing delays until it succeeds', async () => {
  const clock = new ScriptedClock();
  const queue = new WorkQueue({ clock, baseDelay: 100, maxDelay: 250 });
  let runs = 0;
  const { errors, stop } = start(queue, async () => {
    if (++runs < 4) throw new Error(`run ${runs}`);
    return undefined;
  });
  queue.add('a');
  await turn();
  const at: number[] = [];
  for (let time = 0; time < 600; time += 50) {
    const before = runs;
    await clock.advance(50);
    await turn();
    if (runs > before) at.push(time + 50);
  }
  assert.deepEqual(at, [100, 300, 550]);
  assert.deepEqual(errors, ['a: run 1', 'a: run 2', 'a: run 3']);
  await stop();
});

test('of two appointments of a key the earlier one stands', async () => {
  const clock = new ScriptedClock();
  const queue = new WorkQueue({ clock });
  const seen: number[] = [];
  const { stop } = start(queue, async () => void seen.push(clock.now()));
  const begin = clock.now();
  queue.addAfter('a', 1000);
  queue.addAfter('a', 200);
  queue.addAfter('a', 500);
  await clock.advance(200);
  await turn();
  await clock.advance(1000);
  await turn();
  assert.deepEqual(seen, [begin + 200]);
  await stop();
});

test('run ends only when the keys at hand are done', async () => {
  const queue = new WorkQueue();
  const gate = Promise.withResolvers<void>();
  let finished = false;
  const { stop } = start(queue, async () => {
    await gate.promise;
    finished = true;
    return undefined;
  });
  queue.add('a');
  await turn();
  const stopped = stop();
  gate.resolve();
  await stopped;
  assert.equal(finished, true);
});

test('a key that asks for another turn at once leaves the process responsive', async () => {
  const queue = new WorkQueue();
  const abort = new AbortController();
  let turns = 0;
  const running = queue.run({
    workers: 1,
    signal: abort.signal,
    reconcile: async () => {
      turns += 1;
      return { requeueAfter: 0 };
    },
    onError: () => undefined,
  });
  queue.add('busy');
  await turn();
  abort.abort();
  await running;
  assert.ok(turns > 0);
});

test('a turn that ends after the stop leaves no appointment behind', async () => {
  const clock = new ScriptedClock();
  const queue = new WorkQueue({ clock });
  const abort = new AbortController();
  const last = Promise.withResolvers<void>();
  let turns = 0;
  const running = queue.run({
    workers: 1,
    signal: abort.signal,
    reconcile: async () => {
      turns += 1;
      await last.promise;
      return { requeueAfter: 60_000 };
    },
    onError: () => undefined,
  });
  queue.add('late');
  await turn();
  abort.abort();
  last.resolve();
  await running;
  await clock.advance(60_000);
  assert.deepEqual([turns, queue.depth], [1, 0]);
});

test('keys with work to do come first, and those without are not kept waiting for ever', async () => {
  const queue = new WorkQueue();
  const seen: string[] = [];
  for (const key of ['a', 'b', 'c']) queue.add(key);
  for (let index = 0; index < 8; index += 1) queue.add(`first-${index}`, { first: true });
  queue.add('b', { first: true });
  assert.ok(queue.has('a') && !queue.has('d'));
  const { stop } = start(queue, async (key) => void seen.push(key), 1);
  while (queue.depth > 0) await turn();
  assert.deepEqual(seen.slice(0, 5), ['first-0', 'first-1', 'first-2', 'first-3', 'a']);
  assert.equal(seen.length, 11);
  await stop();
});

test('a key that asks for another turn first comes before those that wait', async () => {
  const queue = new WorkQueue();
  const seen: string[] = [];
  let asked = false;
  const { stop } = start(
    queue,
    async (key) => {
      seen.push(key);
      await turn();
      if (key !== 'a' || asked) return undefined;
      asked = true;
      return { requeueAfter: 0, first: true };
    },
    1,
  );
  for (const key of ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h']) queue.add(key);
  while (seen.length < 9) await turn();
  assert.ok(seen.lastIndexOf('a') < 8, seen.join(' '));
  await stop();
});

test('what has begun is finished before another that comes first is begun', async () => {
  const queue = new WorkQueue();
  const seen: string[] = [];
  const { stop } = start(
    queue,
    async (key) => {
      const begins = !seen.includes(key);
      seen.push(key);
      await turn();
      return begins ? { requeueAfter: 0, first: true } : undefined;
    },
    2,
  );
  for (let index = 0; index < 20; index += 1) queue.add(`app-${index}`, { first: true });
  while (seen.length < 40) await turn();
  const begun = new Set<string>();
  const open = seen.map((key) => {
    if (!begun.delete(key)) begun.add(key);
    return begun.size;
  });
  assert.ok(Math.max(...open) <= 6, seen.join(' '));
  await stop();
});

test('a key is left alone after a turn, as long as the turn decides; others, first ones and appointments are not held up', async () => {
  const clock = new ScriptedClock();
  const queue = new WorkQueue({ clock, rest: (took) => Math.max(100, took) });
  const seen: string[] = [];
  let took = 0;
  let requeueAfter: number | undefined;
  const { stop } = start(queue, async (key) => {
    seen.push(`${key} ${clock.now()}`);
    void clock.advance(took);
    return requeueAfter === undefined ? undefined : { requeueAfter };
  });
  const began = clock.now();
  const told = () => seen.splice(0).map((text) => `${text.split(' ')[0]} +${Number(text.split(' ')[1]) - began}`);
  queue.add('a');
  await turn();
  queue.add('a');
  queue.add('b');
  queue.add('a');
  await turn();
  assert.deepEqual(told(), ['a +0', 'b +0']);
  void clock.advance(99);
  await turn();
  assert.deepEqual(told(), []);
  took = 500;
  void clock.advance(1);
  await turn();
  assert.deepEqual(told(), ['a +100'], 'what was added twice has one turn');
  took = 0;
  queue.add('a', { first: true });
  await turn();
  assert.deepEqual(told(), ['a +600'], 'one with work to do does not wait');
  requeueAfter = 10;
  void clock.advance(100);
  queue.add('a');
  await turn();
  requeueAfter = undefined;
  void clock.advance(10);
  await turn();
  assert.deepEqual(told(), ['a +700', 'a +710'], 'an appointment is kept');
  await stop();
});

test('a turn that took long is followed by as long a rest, also for what was added meanwhile', async () => {
  const clock = new ScriptedClock();
  const queue = new WorkQueue({ clock, rest: (took) => took });
  let turns = 0;
  const { stop } = start(queue, async (key) => {
    turns += 1;
    if (turns > 1) return undefined;
    void clock.advance(500);
    queue.add(key);
    return undefined;
  });
  queue.add('a');
  await turn();
  void clock.advance(499);
  await turn();
  assert.equal(turns, 1);
  void clock.advance(1);
  await turn();
  assert.equal(turns, 2);
  await stop();
});
