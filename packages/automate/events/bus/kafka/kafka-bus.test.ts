import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { freePort } from '../../../../../scripts/testing/free-ports.ts';
import type { KeyReader } from '../../keys/key-reader.ts';
import { busContract } from '../testing/contract.ts';
import { killContract } from '../testing/kill-contract.ts';
import { type ServerProcess, skipWithout, startServer } from '../testing/server-binary.ts';
import { openKafkaBus } from './kafka-bus.ts';

const skip = skipWithout('kfake-broker', 'the main of franz-go/pkg/kfake in bus/testing/kfake');

describe('Kafka', { skip }, () => {
  let server: ServerProcess;
  let port: number;
  before(async () => {
    port = await freePort();
    server = await startServer('kfake-broker', () => [`127.0.0.1:${port}`], /listening/);
  });
  after(() => server?.stop());
  const keys: KeyReader = { secret: async () => '', configMap: async () => '' };
  const config = () => ({ url: `127.0.0.1:${port}`, topic: 'ns-default' });
  busContract(() => ({ open: () => openKafkaBus(config(), keys) }));
  killContract(() => ({ config: { kafka: config() } }));

  test('a consumer goes on when the broker was away for longer than the client tries', async () => {
    const away = await freePort();
    const begin = () => startServer('kfake-broker', () => [`127.0.0.1:${away}`], /listening/);
    let broker = await begin();
    const bus = await openKafkaBus({ url: `127.0.0.1:${away}`, topic: 'ns-away' }, keys);
    const { promise: failed, resolve: fail } = Promise.withResolvers<void>();
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>();
    const consumer = await bus.consume({
      durable: 'sensor',
      eventSourceName: 'source',
      eventName: 'event',
      onMessage: async ({ ack }) => {
        await ack();
        arrive();
      },
      onError: () => fail(),
    });
    await broker.stop();
    await failed;
    broker = await begin();
    // The broker of the tests keeps nothing, so what is published before the consumer is back is lost with its place.
    let sent = 0;
    let done = false;
    const publishing = (async () => {
      while (!done) await bus.publish({ eventSourceName: 'source', eventName: 'event', id: `${sent++}`, body: '{}' });
    })();
    await arrived;
    done = true;
    await publishing;
    assert.ok(sent > 0);
    await consumer.close();
    await bus.close();
    await broker.stop();
  });
});
