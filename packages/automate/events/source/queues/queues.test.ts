import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { Producer, stringSerializers } from '@platformatic/kafka';
import { connect } from 'amqplib';
import { freePort } from '../../../../../scripts/testing/free-ports.ts';
import { type ServerProcess, skipWithout, startServer } from '../../bus/testing/server-binary.ts';
import { startSource } from '../testing/started-source.ts';

describe('AMQP, by RabbitMQ', { skip: skipWithout('rabbitmq-server', 'apt install rabbitmq-server') }, () => {
  let names: ServerProcess | undefined;
  let server: ServerProcess | undefined;
  let url: string;
  before(async () => {
    const [port, namesPort, inner] = [await freePort(), await freePort(), await freePort()];
    // Erlang's register of names, which would stay behind if the server started it by itself
    names = await startServer('epmd', () => ['-d', '-port', String(namesPort)], /epmd running|entering the main/);
    server = await startServer(
      'rabbitmq-server',
      () => [],
      /Starting broker\.\.\. completed|Server startup complete/,
      (folder) => ({
        HOME: folder,
        NOTIFY_SOCKET: 'none',
        ERL_EPMD_PORT: String(namesPort),
        RABBITMQ_NODENAME: `tiphys${port}@localhost`,
        RABBITMQ_NODE_IP_ADDRESS: '127.0.0.1',
        RABBITMQ_NODE_PORT: String(port),
        RABBITMQ_DIST_PORT: String(inner),
        RABBITMQ_MNESIA_BASE: folder,
        RABBITMQ_LOGS: '-',
        RABBITMQ_ENABLED_PLUGINS_FILE: `${folder}/plugins`,
        RABBITMQ_CONFIG_FILE: `${folder}/none`,
      }),
    );
    url = `amqp://127.0.0.1:${port}`;
  });
  after(async () => {
    await server?.stop();
    await names?.stop();
  });

  it('takes what is routed to its queue, and acknowledges it', async () => {
    const spec = {
      urlSecret: { name: 's', key: 'url' },
      auth: { username: { name: 's', key: 'user' }, password: { name: 's', key: 'password' } },
      exchangeName: 'orders',
      exchangeType: 'topic',
      routingKey: 'order.*',
      jsonBody: true,
      exchangeDeclare: { durable: true },
      queueDeclare: { name: 'taken', durable: true, arguments: 'x-max-length: 100\nx-queue-type: classic\n' },
      consume: { autoAck: false, consumerTag: 'tiphys' },
      metadata: { a: 'b' },
    };
    const source = await startSource('amqp', spec, { url, user: 'guest', password: 'guest' });
    const connection = await connect(url);
    const channel = await connection.createConfirmChannel();
    const options = { contentType: 'application/json', messageId: 'm1', timestamp: 1_700_000_000, priority: 3 };
    channel.publish('orders', 'other', Buffer.from('{"n":0}'));
    channel.publish('orders', 'order.new', Buffer.from('no JSON'));
    channel.publish('orders', 'order.new', Buffer.from('{"n": 1.50}'), options);
    await channel.waitForConfirms();
    const [event = ''] = await source.inbox.until(1);
    assert.deepEqual(JSON.parse(event), {
      contentType: 'application/json',
      contentEncoding: '',
      deliveryMode: 0,
      priority: 3,
      correlationId: '',
      replyTo: '',
      expiration: '',
      messageId: 'm1',
      timestamp: '2023-11-14 22:13:20 +0000 UTC',
      type: '',
      appId: '',
      exchange: 'orders',
      routingKey: 'order.new',
      body: { n: 1.5 },
      metadata: { a: 'b' },
    });
    assert.match(event, /"body":\{"n":1\.50\}/);
    assert.equal(source.failures.length, 1);
    await source.close();
    assert.equal((await channel.checkQueue('taken')).messageCount, 0);
    await connection.close();
  });

  it('takes what is sent to a queue of the exchange without a name, and hears nothing of others', async () => {
    const spec = {
      url,
      exchangeName: '',
      exchangeType: 'direct',
      routingKey: 'plain',
      queueDeclare: { name: 'plain' },
    };
    const source = await startSource('amqp', spec);
    const connection = await connect(url);
    const channel = await connection.createConfirmChannel();
    channel.sendToQueue('plain', Buffer.from('hello'));
    await channel.waitForConfirms();
    assert.match((await source.inbox.until(1))[0] ?? '', /"exchange":"","routingKey":"plain","body":"aGVsbG8="\}$/);
    await connection.close();
    await source.close();
  });

  it('ends with what the server says when the queue is another one', async () => {
    const spec = { url, exchangeName: 'e', exchangeType: 'fanout', routingKey: '' };
    const first = await startSource('amqp', { ...spec, queueDeclare: { name: 'fixed', durable: true } });
    await assert.rejects(
      startSource('amqp', { ...spec, queueDeclare: { name: 'fixed', durable: false } }),
      /PRECONDITION_FAILED/,
    );
    await first.close();
  });
});

const nsqWays = 'github.com/nsqio/nsq/apps';
describe('NSQ', { skip: skipWithout('nsqd', nsqWays) || skipWithout('nsqlookupd', nsqWays) }, () => {
  let lookup: ServerProcess | undefined;
  let daemon: ServerProcess | undefined;
  let hostAddress: string;
  let publish: (topic: string, body: string) => Promise<void>;
  let tcpAddress: string;
  before(async () => {
    const [tcp, http, lookupTcp, lookupHttp] = [await freePort(), await freePort(), await freePort(), await freePort()];
    hostAddress = `127.0.0.1:${lookupHttp}`;
    tcpAddress = `127.0.0.1:${tcp}`;
    const at = (port: number) => `127.0.0.1:${port}`;
    lookup = await startServer(
      'nsqlookupd',
      () => ['-tcp-address', at(lookupTcp), '-http-address', at(lookupHttp), '-broadcast-address', '127.0.0.1'],
      /HTTP: listening/,
    );
    daemon = await startServer(
      'nsqd',
      (folder) => [
        ...['-tcp-address', at(tcp), '-http-address', at(http), '-broadcast-address', '127.0.0.1'],
        ...['-lookupd-tcp-address', at(lookupTcp), '-data-path', folder],
      ],
      /peer info/,
    );
    publish = async (topic, body) => {
      const answer = await fetch(`http://127.0.0.1:${http}/pub?topic=${topic}`, { method: 'POST', body });
      assert.equal(answer.status, 200);
    };
  });
  after(async () => {
    await daemon?.stop();
    await lookup?.stop();
  });
  it('takes messages of a channel of every nsqd that the lookup daemon knows', async () => {
    // the topic is registered with its first message, which the channel does not have to see
    await publish('jobs', '{"n":0}');
    const source = await startSource('nsq', { hostAddress, topic: 'jobs', channel: 'tiphys', jsonBody: true });
    await source.inbox.until(1);
    await publish('jobs', 'no JSON');
    await publish('jobs', '{"n":1}');
    const events = (await source.inbox.until(2)).map((text) => JSON.parse(text) as Record<string, unknown>);
    assert.deepEqual(
      events.map(({ body }) => body),
      [{ n: 0 }, { n: 1 }],
    );
    assert.equal(events[1]?.nsqdAddress, tcpAddress);
    assert.match(String(events[1]?.timestamp), /^\d{19}$/);
    assert.equal(source.failures.length, 1);
    await source.close();
  });
});

describe('Kafka', { skip: skipWithout('kfake-broker', 'franz-go/pkg/kfake') }, () => {
  let server: ServerProcess | undefined;
  let url: string;
  before(async () => {
    const port = await freePort();
    url = `127.0.0.1:${port}`;
    server = await startServer('kfake-broker', () => [url], /listening/);
  });
  after(() => server?.stop());
  const producer = () =>
    new Producer({ clientId: 'test', bootstrapBrokers: [url], serializers: stringSerializers, autocreateTopics: true });

  it('reads a topic in a group, which goes on where it was; ids follow from the place of the message', async () => {
    const spec = {
      url,
      topic: 'orders',
      jsonBody: true,
      consumerGroup: { groupName: 'g1', oldest: true, rebalanceStrategy: 'roundrobin' },
    };
    const out = producer();
    const message = {
      topic: 'orders',
      key: 'k',
      value: '{"n":1.50}',
      headers: { h: 'x' },
      timestamp: 1_700_000_000_000n,
    };
    await out.send({ messages: [message, { topic: 'orders', value: 'no JSON' }] });
    const first = await startSource('kafka', spec);
    const [event = ''] = await first.inbox.until(1);
    assert.equal(
      event,
      '{"topic":"orders","key":"k","partition":0,"body":{"n":1.50},"timestamp":"2023-11-14 22:13:20 +0000 UTC","headers":{"h":"x"}}',
    );
    assert.deepEqual(first.ids, [`source:event:${url}:orders:0:0`]);
    await out.send({ messages: [{ topic: 'orders', value: '{"n":2}' }] });
    await first.inbox.until(2);
    assert.equal(first.failures.length, 1);
    await first.close();
    await out.send({ messages: [{ topic: 'orders', value: '{"n":3}' }] });
    const second = await startSource('kafka', spec);
    await second.inbox.until(1);
    assert.deepEqual(second.ids, [`source:event:${url}:orders:0:3`]);
    await second.close();
    await out.close();
  });

  it('reads one partition from new messages on', async () => {
    const out = producer();
    await out.send({ messages: [{ topic: 'parts', value: 'old' }] });
    const source = await startSource('kafka', { url, topic: 'parts', partition: '0' });
    await out.send({ messages: [{ topic: 'parts', value: 'new' }] });
    assert.match((await source.inbox.until(1))[0] ?? '', /"body":"bmV3"/);
    await source.close();
    await out.close();
  });
});
