import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpRequest, HttpResponse } from '@tiphys/server';
import { RateLimit } from './rate-limit.ts';

function ask(limit: RateLimit, remoteAddress: string) {
  const headers = new Map<string, string>();
  const response = { statusCode: 200, setHeader: (name: string, value: string) => headers.set(name, value), end() {} };
  const admitted = limit.admits(
    { socket: { remoteAddress } } as unknown as HttpRequest,
    response as unknown as HttpResponse,
  );
  return { admitted, headers, status: response.statusCode };
}

test('an address has so many requests a second, and is told how many are left', () => {
  let now = Date.UTC(2026, 0, 1);
  const limit = new RateLimit('2', { now: () => now });
  assert.equal(ask(limit, 'a').headers.get('X-RateLimit-Remaining'), '1');
  assert.equal(ask(limit, 'a').admitted, true);
  const refused = ask(limit, 'a');
  assert.deepEqual([refused.admitted, refused.status], [false, 429]);
  assert.equal(refused.headers.get('Retry-After'), 'Thu, 01 Jan 2026 00:00:01 UTC');
  assert.equal(ask(limit, 'b').admitted, true, 'another address has its own');
  now += 1000;
  assert.equal(ask(limit, 'a').admitted, true);
});

test('without a limit that can be used there is the usual one', () => {
  for (const text of [undefined, '0', '-1', 'many'])
    assert.equal(ask(new RateLimit(text, { now: () => 0 }), 'a').headers.get('X-RateLimit-Limit'), '1000');
});
