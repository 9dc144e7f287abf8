import assert from 'node:assert/strict';
import { test } from 'node:test';
import { WorkQueue } from '@tiphys/kubernetes';
import { Registry } from 'prom-client';
import { ControllerMeasures } from './measures.ts';
import { ScriptedClock } from './testing/index.ts';

const queueOf = (...keys: string[]): WorkQueue => {
  const queue = new WorkQueue();
  for (const key of keys) queue.add(key);
  return queue;
};

test('controllers of one process share a registry and are told apart', async () => {
  const registry = new Registry();
  const [lamps, doors] = [new ControllerMeasures(registry), new ControllerMeasures(registry)];
  lamps.follow('lamp', queueOf('a', 'b', 'c'));
  doors.follow('door', queueOf(), 'Doors');
  lamps.passed('lamp', 20);
  doors.failed('door');
  const text = await registry.metrics();
  assert.match(text, /tiphys_queue_depth\{controller="lamp"\} 3/);
  assert.match(text, /tiphys_queue_depth\{controller="door"\} 0/);
  assert.match(text, /tiphys_reconcile_duration_seconds_count\{controller="lamp"\} 1/);
  assert.match(text, /tiphys_reconcile_errors_total\{controller="door"\} 1/);
  assert.match(text, /workqueue_depth\{name="lamp",controller="lamp"\} 3/);
  assert.match(text, /workqueue_adds_total\{name="Doors",controller="Doors"\} 0/);
});

test('a queue tells how long its keys wait and are worked on, and how often they come again', async () => {
  const registry = new Registry();
  const clock = new ScriptedClock();
  const queue = new WorkQueue({ clock, baseDelay: 60_000 });
  new ControllerMeasures(registry).followQueue('Doors', queue);
  const metric = async (name: string) =>
    Number(new RegExp(`^${name}\\{name="Doors",controller="Doors"\\} (.*)$`, 'm').exec(await registry.metrics())?.[1]);
  queue.add('a');
  queue.add('a');
  await clock.advance(2_000);
  assert.equal(await metric('workqueue_adds_total'), 1);
  const stop = new AbortController();
  const [begun, go, failed] = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const running = queue.run({
    workers: 1,
    signal: stop.signal,
    onError: () => failed?.resolve(),
    reconcile: async () => {
      begun?.resolve();
      await go?.promise;
      throw new Error('the door is stuck');
    },
  });
  await begun?.promise;
  await clock.advance(3_000);
  assert.equal(await metric('workqueue_queue_duration_seconds_sum'), 2);
  assert.equal(await metric('workqueue_unfinished_work_seconds'), 3);
  assert.equal(await metric('workqueue_longest_running_processor_seconds'), 3);
  go?.resolve();
  await failed?.promise;
  stop.abort();
  await running;
  assert.equal(await metric('workqueue_work_duration_seconds_sum'), 3);
  assert.equal(await metric('workqueue_retries_total'), 1);
  assert.equal(await metric('workqueue_unfinished_work_seconds'), 0);
});
