import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connect } from '@nats-io/transport-node';
import { Redis } from 'ioredis';
import { connectAsync } from 'mqtt';
import { freePort } from '../../../../../scripts/testing/free-ports.ts';
import { type ServerProcess, skipWithout, startServer } from '../../bus/testing/server-binary.ts';
import { startSource } from '../testing/started-source.ts';

describe('event sources of brokers', () => {
  describe('Redis', { skip: skipWithout('redis-server', 'apt install redis-server') }, () => {
    let server: ServerProcess;
    let redis: Redis;
    let hostAddress: string;
    before(async () => {
      const port = await freePort();
      server = await startServer(
        'redis-server',
        () => ['--port', String(port), '--bind', '127.0.0.1', '--save', ''],
        /Ready to accept/,
      );
      redis = new Redis({ port, host: '127.0.0.1' } as never);
      hostAddress = `127.0.0.1:${port}`;
    });
    after(async () => {
      redis?.disconnect();
      await server?.stop();
    });
    it('hears channels and patterns', async () => {
      const source = await startSource('redis', {
        hostAddress,
        channels: ['plain', 'pat*'],
        jsonBody: true,
        metadata: { a: 'b' },
      });
      await redis.publish('plain', '{"n":1}');
      await redis.publish('pattern', '{"n":2}');
      assert.deepEqual(await source.inbox.until(2), [
        '{"channel":"plain","pattern":"","body":{"n":1},"metadata":{"a":"b"}}',
        '{"channel":"pattern","pattern":"pat*","body":{"n":2},"metadata":{"a":"b"}}',
      ]);
      await source.close();
    });
    it('reads streams in a group and acknowledges them', async () => {
      const source = await startSource('redisStream', { hostAddress, streams: ['s1'] });
      const id = await redis.xadd('s1', '*', 'k', 'v');
      assert.deepEqual(await source.inbox.until(1), [`{"stream":"s1","message_id":"${id}","values":{"k":"v"}}`]);
      await source.close();
    });
  });

  describe('MQTT', { skip: skipWithout('mosquitto', 'apt install mosquitto') }, () => {
    let server: ServerProcess;
    let url: string;
    before(async () => {
      const port = await freePort();
      server = await startServer(
        'mosquitto',
        () => ['-p', String(port), '-v'],
        /mosquitto version .* running|Opening ipv4 listen socket/,
      );
      url = `mqtt://127.0.0.1:${port}`;
    });
    after(() => server?.stop());
    it('hears topics, and channels of emitter', async () => {
      const plain = await startSource('mqtt', { url, topic: 'a/b', clientId: 'c1' });
      const emitter = await startSource('emitter', {
        broker: url,
        channelKey: 'key',
        channelName: 'chan',
        jsonBody: true,
      });
      const client = await connectAsync(url);
      await client.publishAsync('a/b', 'hello', { qos: 1 });
      await client.publishAsync('key/chan/', '{"x":1}', { qos: 1 });
      assert.match((await plain.inbox.until(1))[0] ?? '', /^\{"topic":"a\/b","messageId":\d+,"body":"aGVsbG8="\}$/);
      assert.deepEqual(await emitter.inbox.until(1), ['{"topic":"key/chan/","body":{"x":1}}']);
      await client.endAsync(true);
      await plain.close();
      await emitter.close();
    });
  });

  describe('NATS', { skip: skipWithout('nats-server', 'go install github.com/nats-io/nats-server/v2@latest') }, () => {
    let server: ServerProcess;
    let url: string;
    before(async () => {
      const port = await freePort();
      server = await startServer(
        'nats-server',
        () => ['-a', '127.0.0.1', '-p', String(port), '--auth', 'sesame'],
        /Server is ready/,
      );
      url = `nats://127.0.0.1:${port}`;
    });
    after(() => server?.stop());
    it('hears subjects, with a token', async () => {
      const spec = { url, subject: 'foo.*', auth: { token: { name: 's', key: 'token' } }, jsonBody: true };
      const source = await startSource('nats', spec, { token: 'sesame' });
      const connection = await connect({ servers: url, token: 'sesame' });
      connection.publish('foo.bar', 'no JSON');
      connection.publish('foo.bar', '{"a":1.50}');
      assert.deepEqual(await source.inbox.until(1), ['{"subject":"foo.bar","body":{"a":1.50}}']);
      assert.equal(source.failures.length, 1);
      await connection.close();
      await source.close();
    });
  });

  it('files are heard as they come, change and go', async () => {
    const directory = mkdtempSync(join(tmpdir(), 'tiphys-files-'));
    // one source for all: each of several would look at times of its own, and could miss a file that is renamed in between
    const source = await startSource('file', {
      eventType: 'CREATE|RENAME|REMOVE',
      watchPathConfig: { directory, pathRegexp: '\\.txt$' },
      polling: true,
    });
    const data = (name: string, op: number) => `{"name":"${directory}/${name}","op":${op},"metadata":null}`;
    writeFileSync(join(directory, 'a.txt'), 'x');
    writeFileSync(join(directory, 'a.swp'), 'x');
    await source.inbox.until(1);
    renameSync(join(directory, 'a.txt'), join(directory, 'b.txt'));
    await source.inbox.until(3);
    rmSync(join(directory, 'b.txt'));
    assert.deepEqual(await source.inbox.until(4), [
      data('a.txt', 1),
      data('a.txt', 8),
      data('b.txt', 1),
      data('b.txt', 4),
    ]);
    await source.close();
    rmSync(directory, { recursive: true });
  });
});
