import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as after } from 'node:timers/promises';
import { systemClock } from './clock.ts';

test('sleeps for longer than a timer can be set to', async () => {
  const abort = new AbortController();
  const month = systemClock.sleep(40 * 86_400_000, abort.signal).then(
    () => 'over',
    () => 'aborted',
  );
  assert.equal(await Promise.race([month, after(20, 'sleeps')]), 'sleeps');
  abort.abort();
  assert.equal(await month, 'aborted');
});
