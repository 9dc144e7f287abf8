import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, test } from 'node:test';
import { systemClock } from '@tiphys/kubernetes';
import { issueCertificate } from '@tiphys/pki';
import { Redis } from 'ioredis';
import { freePort } from '../../../../scripts/testing/free-ports.ts';
import { type ServerProcess, skipWithout, startServer } from '../../../automate/events/bus/testing/server-binary.ts';
import type { RedisOptions } from './redis-client.ts';
import { RedisStore } from './redis-store.ts';

const host = '127.0.0.1';
const password = 'let-me-in';

describe('outcomes in a real Redis', { skip: skipWithout('redis-server', 'apt install redis-server') }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-redis-'));
  const servers: ServerProcess[] = [];
  after(async () => {
    for (const server of servers) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  async function redisServer(...more: string[]): Promise<number> {
    const port = await freePort();
    const args = more.includes('--tls-port') ? [] : ['--port', String(port)];
    const own = ['--bind', host, '--save', '', '--dir', folder, '--protected-mode', 'no'];
    const named = more.map((text) => (text === 'PORT' ? String(port) : text));
    servers.push(await startServer('redis-server', () => [...args, ...own, ...named], /Ready to accept/));
    return port;
  }

  const problems: string[] = [];
  const storeOf = (options: Omit<RedisOptions, 'timeout'>): RedisStore =>
    new RedisStore({ ...options, timeout: 10_000 }, systemClock, (problem) => problems.push(String(problem)));

  async function keeps(options: Omit<RedisOptions, 'timeout'>): Promise<void> {
    problems.length = 0;
    const store = storeOf(options);
    const value = Buffer.from([0, 255, 13, 10, 36]);
    await store.put('a', value);
    await store.put('b', Buffer.alloc(2_000_000, 7));
    assert.deepEqual(
      [await store.get('a'), (await store.get('b'))?.length, await store.get('c')],
      [value, 2_000_000, undefined],
    );
    store.close();
    assert.deepEqual(problems, []);
  }

  test('a server with a password, and a database of it', async () => {
    const port = await redisServer('--requirepass', password);
    await keeps({ kind: 'server', servers: [{ host, port }], password, database: 3 });
    await storeOf({ kind: 'server', servers: [{ host, port }] }).get('a');
    assert.match(problems.join(), /Redis at 127\.0\.0\.1:\d+: NOAUTH/);
  });

  test('a server that speaks TLS, and knows its clients', async () => {
    const now = Date.now();
    const ca = { ...issueCertificate({ commonName: 'ca', use: 'ca', now }), commonName: 'ca' };
    const own = issueCertificate({ commonName: 'redis', hosts: [host], use: 'server', now, issuer: ca });
    const client = issueCertificate({ commonName: 'tiphys', use: 'client', now, issuer: ca });
    for (const [name, text] of Object.entries({ ca: ca.cert, cert: own.cert, key: own.key }))
      writeFileSync(join(folder, name), text);
    const port = await redisServer(
      ...['--port', '0', '--tls-port', 'PORT', '--tls-ca-cert-file', join(folder, 'ca')],
      ...['--tls-cert-file', join(folder, 'cert'), '--tls-key-file', join(folder, 'key')],
    );
    const servers = [{ host, port }] as const;
    await keeps({ kind: 'server', servers, tls: { ca: ca.cert, cert: client.cert, key: client.key } });
    await storeOf({ kind: 'server', servers, tls: { cert: client.cert, key: client.key } }).get('a');
    assert.match(problems.join(), /certificate/);
  });

  test('sentinels tell where the master is', async () => {
    const port = await redisServer('--requirepass', password);
    const sentinel = await freePort();
    const settings = join(folder, 'sentinel.conf');
    const lines = [
      `port ${sentinel}`,
      `bind ${host}`,
      `dir ${folder}`,
      `sentinel monitor main ${host} ${port} 1`,
      `sentinel auth-pass main ${password}`,
      'requirepass of-sentinels',
    ];
    writeFileSync(settings, `${lines.join('\n')}\n`);
    servers.push(await startServer('redis-server', () => [settings, '--sentinel'], /\+monitor master main/));
    const gone = { host, port: await freePort() };
    const own = { kind: 'sentinels', servers: [gone, { host, port: sentinel }], password } as const;
    await keeps({ ...own, sentinels: { master: 'main', password: 'of-sentinels' } });
    await storeOf({ ...own, sentinels: { master: 'other', password: 'of-sentinels' } }).get('a');
    assert.match(
      problems.join(),
      /Redis master other of the sentinels at 127\.0\.0\.1:\d+, 127\.0\.0\.1:\d+: .*sentinel/,
    );
  });

  test('nodes of a Redis Cluster', async () => {
    const bus = await freePort();
    const port = await redisServer(
      ...['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'],
      ...['--cluster-port', String(bus), '--cluster-announce-ip', host],
    );
    const node = new Redis({ host, port, replyMapping: 'legacy' });
    await node.call('CLUSTER', 'ADDSLOTSRANGE', 0, 16_383);
    while (!String(await node.call('CLUSTER', 'INFO')).includes('cluster_state:ok')) await systemClock.sleep(20);
    node.disconnect();
    await keeps({ kind: 'cluster', servers: [{ host, port }] });
    await storeOf({ kind: 'cluster', servers: [{ host, port: await freePort() }] }).get('a');
    assert.match(problems.join(), /Redis Cluster at 127\.0\.0\.1:\d+: none of these nodes answers/);
  });
});
