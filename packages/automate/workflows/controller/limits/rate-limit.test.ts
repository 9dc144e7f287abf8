import assert from 'node:assert/strict';
import { test } from 'node:test';
import { RateLimit, type RateLimitSettings } from './rate-limit.ts';

test('a burst goes through, then one after the other; without settings all do', () => {
  let now = 1_000;
  let settings: RateLimitSettings | undefined = { limit: 2, burst: 3 };
  const limit = new RateLimit(
    () => settings,
    () => now,
  );
  assert.deepEqual([limit.take(), limit.take(), limit.take(), limit.take()], [0, 0, 0, 500]);
  now += 500;
  assert.deepEqual([limit.take(), limit.take()], [0, 500]);
  now += 60_000;
  assert.deepEqual([limit.take(), limit.take(), limit.take(), limit.take() > 0], [0, 0, 0, true]);
  settings = undefined;
  assert.equal(limit.take(), 0);
});
