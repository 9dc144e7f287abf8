import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import { connect } from '@nats-io/transport-node';
import { freePort } from '../../../../../scripts/testing/free-ports.ts';
import type { KeyReader } from '../../keys/key-reader.ts';
import type { Delivery } from '../bus.ts';
import { busContract, duplicateContract, Inbox } from '../testing/contract.ts';
import { killContract } from '../testing/kill-contract.ts';
import { type ServerProcess, skipWithout, startServer } from '../testing/server-binary.ts';
import { openJetStreamBus } from './jetstream-bus.ts';

/** Until the stream is there again a publication has nobody who stores it. */
async function publishOnce(publish: () => Promise<void>): Promise<void> {
  for (let left = 200; ; left -= 1)
    try {
      return await publish();
    } catch (error) {
      if (left === 0) throw error;
      await pause(200);
    }
}

/** The server removes it also where it says that a file came to its folder meanwhile. */
async function removed(removal: Promise<boolean>): Promise<void> {
  await removal.catch((error: Error) => assert.match(error.message, /directory not empty/));
}

const skip = skipWithout('nats-server', 'go install github.com/nats-io/nats-server/v2@latest');

describe('JetStream', { skip }, () => {
  let server: ServerProcess;
  let port: number;
  before(async () => {
    port = await freePort();
    server = await startServer(
      'nats-server',
      (folder) => ['-js', '-sd', folder, '-a', '127.0.0.1', '-p', String(port)],
      /Server is ready/,
    );
  });
  after(() => server?.stop());
  const keys: KeyReader = { secret: async () => '', configMap: async () => '' };
  const config = () => ({
    url: `nats://127.0.0.1:${port}`,
    streamConfig: 'maxAge: 24h\nreplicas: 1\nduplicates: 300s',
  });
  const under = () => ({ open: () => openJetStreamBus(config(), keys) });
  busContract(under);
  duplicateContract(under);
  test('a consumer that is gone from the server is made anew behind its last message', async () => {
    const bus = await openJetStreamBus(config(), keys);
    const connection = await connect({ servers: config().url });
    try {
      const got = new Inbox();
      const told: (string | undefined)[] = [];
      const consumer = await bus.consume({
        durable: 'forgotten',
        eventSourceName: 'gone',
        eventName: 'e',
        onMessage: async ({ body, ack }) => {
          await ack();
          got.add(body);
        },
        onError: () => undefined,
        onLost: (reason) => void told.push(reason),
      });
      const publish = (id: string) => bus.publish({ eventSourceName: 'gone', eventName: 'e', id, body: id });
      await publish('first');
      await got.until(1);
      const manager = await jetstreamManager(connection);
      await removed(manager.consumers.delete('default', 'forgotten'));
      await publish('while nobody listens');
      assert.deepEqual(await got.until(2), ['first', 'while nobody listens']);
      await removed(manager.streams.delete('default'));
      await publishOnce(() => publish('to a new stream'));
      assert.equal((await got.until(3))[2], 'to a new stream');
      assert.ok(told.length > 0 && told.at(-1) === undefined, 'what was told of it is taken back');
      await consumer.close();
    } finally {
      await connection.close();
      await bus.close();
    }
  });
  test('what somebody was given who never acknowledged it comes before what is newer, unless he lives', async () => {
    const bus = await openJetStreamBus(config(), keys);
    const connection = await connect({ servers: config().url });
    try {
      const got = new Inbox();
      const onMessage = async ({ body, ack }: Delivery) => {
        await ack();
        got.add(body);
      };
      const wanted = {
        durable: 'given',
        eventSourceName: 'given',
        eventName: 'e',
        onMessage,
        onError: () => undefined,
      };
      const publish = (id: string) => bus.publish({ eventSourceName: 'given', eventName: 'e', id, body: id });
      await (await bus.consume(wanted)).close();
      const manager = await jetstreamManager(connection);
      await manager.consumers.update('default', 'given', { ack_wait: 1e9 });
      const other = await jetstream(connection).consumers.get('default', 'given');
      await publish('given to another');
      assert.equal((await other.next())?.string(), 'given to another');
      const consumer = await bus.consume(wanted);
      await publish('newer');
      assert.deepEqual(await got.until(2), ['given to another', 'newer']);
      await consumer.close();
      await publish('kept by another');
      const kept = await other.next();
      const alive = setInterval(() => kept?.working(), 200);
      await bus.consume(wanted);
      await publish('newest');
      assert.equal((await got.until(3))[2], 'newest');
      clearInterval(alive);
      assert.equal((await got.until(4))[3], 'kept by another');
    } finally {
      await connection.close();
      await bus.close();
    }
  });
  killContract(() => ({ config: { jetstream: config() }, restart: server.restart }));
});
