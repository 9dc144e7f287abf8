import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ScriptedClock } from '../scripted-clock.ts';
import { mostRequests, RequestLimit } from './request-limit.ts';

/** Resolves after all that is ready has run. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Begins so many; gives what ends each that has begun. */
function beginMany(limit: RequestLimit, count: number): (() => void)[] {
  const begun: (() => void)[] = [];
  for (let each = 0; each < count; each++) void limit.begin().then((end) => begun.push(end));
  return begun;
}

test('as many requests as the limit are under way, and the next begin in order as others end', async () => {
  const limit = new RequestLimit(new ScriptedClock());
  const begun = beginMany(limit, 40);
  await settled();
  assert.equal(begun.length, 32);
  begun[0]?.();
  begun[0]?.();
  await settled();
  assert.equal(begun.length, 33, 'ending twice frees one place');
});

test('the limit grows by one with each round of answers while it is reached, and not while there is room', async () => {
  const limit = new RequestLimit(new ScriptedClock());
  for (let each = 0; each < 1000; each++) (await limit.begin())();
  assert.equal(limit.limit, 32);
  for (let rounds = 0; rounds < 200; rounds++) {
    const begun = beginMany(limit, limit.limit * 2);
    await settled();
    for (let each = 0; each < begun.length; each++) {
      begun[each]?.();
      await settled();
    }
  }
  assert.equal(limit.limit, mostRequests);
});

test('a 429 halves the limit once for all that were under way, and nothing begins before the time is over', async () => {
  const clock = new ScriptedClock();
  const limit = new RequestLimit(clock);
  const begun = beginMany(limit, 32);
  await settled();
  for (const end of begun) {
    limit.refused(1_000);
    end();
  }
  assert.equal(limit.limit, 16);
  const later = beginMany(limit, 40);
  await settled();
  assert.equal(later.length, 0);
  await clock.advance(999);
  assert.equal(later.length, 0);
  await clock.advance(1);
  await settled();
  assert.equal(later.length, 16);
  limit.refused(0);
  limit.refused(0);
  assert.equal(limit.limit, 8);
});

test('the limit never falls below one', async () => {
  const clock = new ScriptedClock();
  const limit = new RequestLimit(clock);
  for (let each = 0; each < 20; each++) {
    limit.refused(0);
    await clock.advance(1_000);
  }
  assert.equal(limit.limit, 1);
  (await limit.begin())();
});

test('who gives up while waiting takes no place', async () => {
  const limit = new RequestLimit(new ScriptedClock());
  const begun = beginMany(limit, 32);
  await settled();
  const abort = new AbortController();
  const waits = limit.begin(abort.signal);
  const next = limit.begin();
  abort.abort(new Error('not any more'));
  await assert.rejects(waits, /not any more/);
  begun[0]?.();
  (await next)();
});

test('what somebody waits for goes before what waits already, but for one place of five', async () => {
  const limit = new RequestLimit(new ScriptedClock());
  const begun = beginMany(limit, 32);
  await settled();
  const order: string[] = [];
  for (let each = 0; each < 3; each++) void limit.begin().then(() => order.push('other'));
  for (let each = 0; each < 6; each++) void limit.begin(undefined, { first: true }).then(() => order.push('first'));
  for (const end of begun.slice(0, 9)) end();
  await settled();
  const [first, other] = ['first', 'other'];
  assert.deepEqual(order, [first, first, first, first, other, first, first, other, other]);
});
