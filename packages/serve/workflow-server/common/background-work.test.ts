import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BackgroundWork } from './background-work.ts';

test('so much is worked on and waits, and more is refused; what fails is told and holds nobody up', async () => {
  const errors: unknown[] = [];
  const background = new BackgroundWork({ workers: 2, queue: 1 }, (error) => errors.push(error));
  const gates = Array.from({ length: 3 }, () => Promise.withResolvers<void>());
  const begun: number[] = [];
  const work = (index: number) => () => {
    begun.push(index);
    return (gates[index] as PromiseWithResolvers<void>).promise;
  };
  assert.deepEqual(
    [0, 1, 2].map((index) => background.accepts(work(index))),
    [true, true, true],
  );
  assert.equal(background.accepts(work(3)), false);
  assert.deepEqual(begun, [0, 1]);
  gates[0]?.reject(new Error('it failed'));
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(begun, [0, 1, 2]);
  assert.deepEqual(errors.map(String), ['Error: it failed']);
  for (const gate of gates) gate.resolve();
});
