import assert from 'node:assert/strict';
import { test } from 'node:test';
import { statusError } from './status-error.ts';

const refused = (server: string) =>
  statusError(400, 'Client sent an HTTP request to an HTTPS server.\n', {
    server,
    method: 'GET',
    path: '/api',
  } as never).diagnosis;

test('a server that wanted TLS is told by who left it out: the server URL, or what stands between', () => {
  const plain = refused('http://10.0.0.1:6443');
  assert.match(plain.message, /server URL says http$/);
  assert.deepEqual(
    plain.remedies.map(({ text }) => text),
    ['Write the server URL with https://'],
  );

  const between = refused('https://10.0.0.1:6443');
  assert.match(between.message, /^What answers for the API server ends TLS/);
  assert.match(between.remedies[0]?.text ?? '', /proxy or load balancer/);
});
