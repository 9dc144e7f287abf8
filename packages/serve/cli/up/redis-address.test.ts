import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redisAddress } from './redis-address.ts';

test('redisAddress() takes the flag before the environment, and is nothing without both', () => {
  assert.equal(redisAddress({}, { REDIS_PASSWORD: 'x' }), undefined);
  assert.deepEqual(redisAddress({}, { REDIS_SERVER: 'argocd-redis:6380', REDIS_PASSWORD: 'x', REDISDB: '2' }), {
    host: 'argocd-redis',
    port: 6380,
    password: 'x',
    database: 2,
  });
  assert.deepEqual(redisAddress({ redis: '[::1]:7000', redisUseTls: true }, { REDIS_SERVER: 'other' }), {
    host: '::1',
    port: 7000,
    tls: {},
  });
  assert.deepEqual(redisAddress({ redis: 'plain' }, {}), { host: 'plain', port: 6379 });
});
