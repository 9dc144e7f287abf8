import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { deflateSync } from 'node:zlib';
import { systemClock } from '@tiphys/kubernetes';
import { Inbox } from '../../bus/testing/contract.ts';
import { validateTriggers } from '../../rules/validate-sensor.ts';
import type { SourceContext } from '../../source/source.ts';
import { sourceTypes } from '../../source/source-types.ts';
import { Connections, type TriggerContext } from '../../trigger/trigger.ts';
import { triggerTypeOf } from '../../trigger/triggers.ts';
import { crc32c } from './crc32c.ts';
import { encodeFields } from './fields.ts';
import { startPulsarDouble } from './testing/pulsar-double.ts';

const keys = { secret: async ({ key }: { key: string }) => `secret ${key}`, configMap: async () => '' };

/** Listens until the test ends; `running` rejects when the source does. */
async function listenTo(t: TestContext, spec: object, eventName = 'event') {
  const inbox = new Inbox();
  const failures: unknown[] = [];
  const stop = new AbortController();
  const context = {
    namespace: 'ns',
    sourceName: 'source',
    eventName,
    spec,
    keys,
    clock: systemClock,
    signal: stop.signal,
    log: () => undefined,
    failed: (error: unknown) => failures.push(error),
    dispatch: async (data: string) => inbox.add(data),
  } as unknown as SourceContext;
  const { listen, problem } = (await sourceTypes.get('pulsar')?.load()) ?? assert.fail();
  assert.equal(problem(spec as never), undefined);
  const heard = Promise.withResolvers<void>();
  const running = listen(context as never, heard.resolve);
  running.catch(heard.reject);
  await heard.promise;
  const close = async () => {
    stop.abort();
    await running.catch(() => undefined);
  };
  t.after(close);
  return { inbox, failures, running, close };
}

const topic = 'persistent://public/default/orders';
const data = (key: string, body: string) =>
  `{"key":"${key}","publishTime":"2023-11-14 22:13:20 +0000 UTC","body":${body}}`;
const base64 = (text: string) => JSON.stringify(Buffer.from(text).toString('base64'));

describe('Pulsar', () => {
  it('sums bytes as CRC-32C does', () => {
    assert.equal(crc32c(Buffer.from('123456789')), 0xe3069283);
  });

  it('hears messages, batches and compressed ones, acknowledges them, and tells of those that it cannot read', async (t) => {
    const broker = await startPulsarDouble();
    t.after(() => broker.close());
    const spec = { url: broker.url, topics: ['orders'], type: 'shared', authTokenSecret: { name: 's', key: 'token' } };
    const source = await listenTo(t, spec);
    broker.store(topic, { 6: 'k' }, Buffer.from('one'));
    const part = (key: string, text: string) => {
      const single = encodeFields({ 2: key, 3: text.length });
      const size = Buffer.alloc(4);
      size.writeUInt32BE(single.length);
      return Buffer.concat([size, single, Buffer.from(text)]);
    };
    const batch = Buffer.concat([part('a', 'two'), part('b', 'three')]);
    broker.store(topic, { 8: 2, 9: batch.length, 11: 2 }, deflateSync(batch));
    broker.store(topic, { 8: 1, 9: 3 }, Buffer.from('lz4'));
    broker.store(topic, {}, Buffer.from('last'));
    assert.deepEqual(await source.inbox.until(4), [
      data('k', base64('one')),
      data('a', base64('two')),
      data('b', base64('three')),
      data('', base64('last')),
    ]);
    assert.match(String(source.failures[0]), /compressed with LZ4, which is not supported; let producers use ZLIB/);
    assert.deepEqual(broker.tokens, ['secret token']);
    await broker.acknowledged(topic, 'event');
  });

  it('gets more than it may be sent ahead, in order, from all partitions', async (t) => {
    const broker = await startPulsarDouble({ [topic]: 2 });
    t.after(() => broker.close());
    const source = await listenTo(t, { url: broker.url, topics: [topic], jsonBody: true });
    for (let i = 0; i < 300; i++) broker.store(`${topic}-partition-${i % 2}`, {}, Buffer.from(`{"n":${i}}`));
    const numbers = (await source.inbox.until(300)).map((text) => JSON.parse(text).body.n as number);
    for (const rest of [0, 1])
      assert.deepEqual(
        numbers.filter((number) => number % 2 === rest),
        Array.from({ length: 150 }, (_, index) => 2 * index + rest),
      );
  });

  it('ends when the connection breaks, and hears the rest when it listens again', async (t) => {
    const broker = await startPulsarDouble();
    t.after(() => broker.close());
    const spec = { url: broker.url, topics: ['orders'] };
    const first = await listenTo(t, spec);
    broker.store(topic, {}, Buffer.from('1'));
    await first.inbox.until(1);
    await broker.acknowledged(topic, 'event');
    broker.drop();
    await assert.rejects(first.running, /Pulsar closed the connection|ECONNRESET/);
    broker.store(topic, {}, Buffer.from('2'));
    const again = await listenTo(t, spec);
    assert.equal((await again.inbox.until(1)).at(-1), data('', base64('2')));
    await assert.rejects(listenTo(t, spec), /Exclusive consumer is already connected/);
  });

  it('is sent messages by a trigger, also after the connection broke', async (t) => {
    const broker = await startPulsarDouble();
    t.after(() => broker.close());
    const connections = new Connections();
    t.after(() => connections.close());
    const event = { id: 'e', data: '{"body":{"name":"web"}}', datacontenttype: 'application/json' };
    const pulsar = {
      url: broker.url,
      topic: 'none',
      parameters: [{ src: { dependencyName: 'dep', value: 'orders' }, dest: 'topic' }],
      payload: [{ src: { dependencyName: 'dep', dataKey: 'body.name' }, dest: 'name' }],
    };
    const template = { name: 't', pulsar };
    const context = { keys, clock: systemClock, random: () => 0, connections } as unknown as TriggerContext;
    const act = await (triggerTypeOf(template as never) ?? assert.fail()).load();
    const send = () =>
      act(
        {
          template: template as never,
          policy: undefined,
          events: new Map([['dep', event]]) as never,
          signal: new AbortController().signal,
        },
        context,
      );
    assert.equal(await send(), 'put 14 bytes on topic orders');
    await send();
    broker.drop();
    // the break may be noticed by the next action, and not before
    await send().catch(() => undefined);
    await send();
    assert.equal(new Set(broker.payloads(topic)).size, 1);
    assert.ok(broker.payloads(topic).length >= 3);
    assert.equal(broker.payloads(topic)[0], '{"name":"web"}');
  });

  it('refuses what it does not do, by name', async () => {
    const { problem } = (await sourceTypes.get('pulsar')?.load()) ?? assert.fail();
    const told = (spec: object) => problem({ url: 'pulsar://p', topics: ['t'], ...spec } as never);
    assert.match(told({ url: 'http://p' })?.text ?? '', /it begins with pulsar:\/\/ or pulsar\+ssl:\/\//);
    assert.match(told({ authAthenzParams: {} })?.text ?? '', /not supported; use authTokenSecret/);
    assert.match(told({ type: 'failover' })?.text ?? '', /type failover is not known; it is exclusive or shared/);
    assert.match(told({ topics: [] })?.text ?? '', /topics must be specified/);
    const sensor = (pulsar: object) =>
      ({ metadata: {}, spec: { triggers: [{ template: { name: 't', pulsar } }] } }) as never;
    assert.throws(() => validateTriggers(sensor({ url: 'pulsar://p', payload: [] })), /topic must be specified/);
    assert.throws(
      () => validateTriggers(sensor({ url: 'pulsar://p', topic: 't', payload: [], authAthenzParams: {} })),
      /authAthenzParams/,
    );
  });
});
