import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpRequest, HttpResponse } from '@tiphys/server';
import { RateLimit } from './rate-limit.ts';

function ask(limit: RateLimit, remoteAddress: string, headers: Record<string, string> = {}) {
  const sent = new Map<string, string>();
  const response = { statusCode: 200, setHeader: (name: string, value: string) => sent.set(name, value), end() {} };
  const admitted = limit.admits(
    { socket: { remoteAddress }, headers } as unknown as HttpRequest,
    response as unknown as HttpResponse,
  );
  return { admitted, headers: sent, status: response.statusCode };
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

test('calls of gRPC count with the others, and are refused as calls', () => {
  const limit = new RateLimit('2', { now: () => 0 });
  const grpc = { 'content-type': 'application/grpc+proto' };
  assert.equal(ask(limit, 'a').admitted, true);
  assert.equal(ask(limit, 'a', grpc).admitted, true);
  const { admitted, status, headers } = ask(limit, 'a', grpc);
  assert.deepEqual([admitted, status, headers.get('grpc-status')], [false, 200, '8']);
  assert.equal(headers.get('grpc-message'), 'too many requests of this address, please retry later');
});

test('behind a proxy the address is the one of a header that the installation names', () => {
  const limit = new RateLimit('1', { now: () => 0 }, 'X-Real-Ip, X-Forwarded-For');
  assert.equal(ask(limit, 'proxy', { 'x-real-ip': '192.0.2.1' }).admitted, true);
  assert.equal(ask(limit, 'proxy', { 'x-forwarded-for': '192.0.2.2' }).admitted, true);
  assert.equal(ask(limit, 'proxy', { 'x-real-ip': '192.0.2.1' }).admitted, false);
  assert.equal(ask(limit, 'proxy').admitted, true);
});
