import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { RetryStrategy } from '@tiphys/api';
import { retryDelay, selfHealDelay } from './retry.ts';

test('attempts are spaced by duration, factor and maximum', () => {
  const table: [RetryStrategy | undefined, number[]][] = [
    [undefined, [5_000, 10_000, 20_000, 40_000, 80_000, 160_000, 180_000]],
    [{ limit: 3 }, [5_000, 10_000]],
    [{ backoff: { duration: '1s', factor: 3, maxDuration: '5s' } }, [1_000, 3_000, 5_000]],
    [{ backoff: { duration: '2', factor: 1 } }, [2_000, 2_000]],
    [{ backoff: { duration: '1s', maxDuration: '0' } }, [1_000, 2_000, 4_000]],
  ];
  for (const [strategy, delays] of table)
    assert.deepEqual(
      delays.map((_, count) => retryDelay(strategy, count)),
      delays,
    );
});

test('a duration that cannot be read is named', () => {
  assert.deepEqual(retryDelay({ backoff: { duration: 'soon' } }, 0), {
    invalid: 'retry.backoff.duration: found "soon"',
  });
  assert.deepEqual(retryDelay({ backoff: { maxDuration: '1d' } }, 0), {
    invalid: 'retry.backoff.maxDuration: found "1d"',
  });
});

test('self-heal acts at once, then ever later', () => {
  const wait = { first: 2_000, factor: 3, maximum: 300_000 };
  assert.deepEqual(
    [0, 1, 2, 3, 4, 5, 6].map((attempts) => selfHealDelay(attempts, wait)),
    [0, 2_000, 6_000, 18_000, 54_000, 162_000, 300_000],
  );
  assert.deepEqual(
    [0, 5].map((attempts) => selfHealDelay(attempts, { always: 7_000 })),
    [7_000, 7_000],
  );
});
