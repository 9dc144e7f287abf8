import assert from 'node:assert/strict';
import { test } from 'node:test';
import { redisAddress } from './redis-address.ts';

test('redisAddress() takes the flag before the environment, and is nothing without both', () => {
  assert.equal(redisAddress({}, { REDIS_PASSWORD: 'x' }), undefined);
  assert.deepEqual(redisAddress({}, { REDIS_SERVER: 'argocd-redis:6380', REDIS_PASSWORD: 'x', REDISDB: '2' }), {
    kind: 'server',
    servers: [{ host: 'argocd-redis', port: 6380 }],
    password: 'x',
    database: 2,
  });
  assert.deepEqual(redisAddress({ redis: '[::1]:7000', redisUseTls: true }, { REDIS_SERVER: 'other' }), {
    kind: 'server',
    servers: [{ host: '::1', port: 7000 }],
    tls: {},
  });
  assert.deepEqual(redisAddress({ redis: 'plain' }, {}), { kind: 'server', servers: [{ host: 'plain', port: 6379 }] });
});

test('redisAddress() takes sentinels before a server, and nodes of a Redis Cluster', () => {
  const env = { REDIS_SERVER: 'other', REDIS_PASSWORD: 'x', REDIS_SENTINEL_PASSWORD: 'y' };
  assert.deepEqual(redisAddress({ sentinel: ['a', 'b:7'] }, env), {
    kind: 'sentinels',
    servers: [
      { host: 'a', port: 26_379 },
      { host: 'b', port: 7 },
    ],
    sentinels: { master: 'master', password: 'y' },
    password: 'x',
  });
  assert.deepEqual(redisAddress({ redis: 'a:1,b', redisCluster: true }, {}), {
    kind: 'cluster',
    servers: [
      { host: 'a', port: 1 },
      { host: 'b', port: 6379 },
    ],
  });
});
