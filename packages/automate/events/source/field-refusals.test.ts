import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validateTriggers } from '../rules/validate-sensor.ts';
import type { Sensor } from '../spec/sensor.ts';
import { eventBusProblem } from '../spec/validate-event-bus.ts';
import { assignRanges, rebalanceOptions } from '../wire/rebalance.ts';
import { connectAndListen } from './connect.ts';
import { validateEventSource } from './validate-event-source.ts';

const validate = (kind: string, event: object) =>
  validateEventSource({ metadata: { name: 'source' }, spec: { [kind]: { event } } } as never);
const amqp = { url: 'amqp://mq', exchangeType: 'topic', routingKey: 'key' };
const kafka = { url: 'kafka:9092', topic: 'topic' };

describe('fields that are not supported', () => {
  it('are refused in event sources by their names', async () => {
    for (const step of ['exchangeDeclare', 'queueDeclare', 'queueBind', 'consume']) {
      await validate('amqp', { ...amqp, [step]: { noWait: false } });
      await assert.rejects(
        validate('amqp', { ...amqp, [step]: { noWait: true } }),
        new RegExp(`${step}\\.noWait is not supported: .*; leave it out$`),
      );
    }
    await validate('kafka', { ...kafka, version: '2.5.0', consumerGroup: { rebalanceStrategy: 'range' } });
    await assert.rejects(
      validate('kafka', { ...kafka, consumerGroup: { rebalanceStrategy: 'sticky' } }),
      /consumerGroup\.rebalanceStrategy sticky is not supported; use range, which is the default, or roundrobin$/,
    );
  });

  it('are refused in event sources of HDFS by their names, each alone', async () => {
    const hdfs = { type: 'CREATE', addresses: ['http://name:9870'], directory: '/in', path: 'a', hdfsUser: 'me' };
    await validate('hdfs', hdfs);
    for (const field of ['krbUsername', 'krbRealm', 'krbServicePrincipalName'])
      await assert.rejects(validate('hdfs', { ...hdfs, [field]: 'x' }), new RegExp(`${field}: Kerberos is not`));
    for (const field of ['krbCCacheSecret', 'krbKeytabSecret', 'krbConfigConfigMap'])
      await assert.rejects(
        validate('hdfs', { ...hdfs, [field]: { name: 'n', key: 'k' } }),
        new RegExp(`${field}: Kerberos is not supported; name an hdfsUser$`),
      );
  });

  it('are refused in triggers by their names', () => {
    const sensor = (azureServiceBus: object) =>
      ({ metadata: {}, spec: { triggers: [{ template: { name: 't', azureServiceBus } }] } }) as unknown as Sensor;
    validateTriggers(sensor({ queueName: 'q', payload: [] }));
    assert.throws(
      () => validateTriggers(sensor({ queueName: 'q', payload: [], tls: { insecureSkipVerify: true } })),
      /template t is invalid, tls is not supported: .*; leave it out, and name .* NODE_EXTRA_CA_CERTS$/,
    );
  });

  it('are refused in a Kafka bus by their names', () => {
    const problem = (consumerGroup: object) =>
      eventBusProblem({ metadata: {}, spec: { kafka: { url: 'kafka:9092', consumerGroup } } } as never);
    assert.equal(problem({ rebalanceStrategy: 'roundrobin', oldest: false }), undefined);
    assert.match(
      problem({ oldest: true })?.text ?? '',
      /"spec\.kafka\.consumerGroup\.oldest" is not supported.*leave it out$/,
    );
    assert.match(
      problem({ rebalanceStrategy: 'sticky' })?.text ?? '',
      /rebalanceStrategy sticky is not supported; use range/,
    );
    const partitioned = (partitioner: string) =>
      eventBusProblem({ metadata: {}, spec: { kafka: { url: 'kafka:9092', partitioner } } } as never);
    assert.equal(partitioned('hash'), undefined);
    for (const other of ['random', 'roundrobin', 'manual', 'x'])
      assert.match(
        partitioned(other)?.text ?? '',
        /^"spec\.kafka\.partitioner" is ".*", which is not supported: .*leave it out$/,
      );
  });
});

describe('rebalanceStrategy', () => {
  it('is range unless roundrobin is asked for', () => {
    assert.deepEqual(rebalanceOptions('roundrobin'), { protocols: [{ name: 'roundrobin', version: 1 }] });
    assert.equal(rebalanceOptions(undefined).protocols[0]?.name, 'range');
    const member = (memberId: string, topics: string[]) => [memberId, { memberId, version: 1, topics }] as const;
    const members = new Map([member('b', ['t', 'u']), member('a', ['t'])]);
    const metadata = {
      topics: new Map([
        ['t', { partitionsCount: 5 }],
        ['u', { partitionsCount: 2 }],
      ]),
    };
    const shares = assignRanges('a', members, new Set(['t', 'u']), metadata as never);
    assert.deepEqual(
      shares.map(({ memberId, assignments }) => [memberId, [...assignments.values()]]),
      [
        ['a', [{ topic: 't', partitions: [0, 1, 2] }]],
        [
          'b',
          [
            { topic: 't', partitions: [3, 4] },
            { topic: 'u', partitions: [0, 1] },
          ],
        ],
      ],
    );
  });
});

describe('connectionBackoff', () => {
  const run = async (listen: (connected: () => void, attempt: number) => void) => {
    const waits: number[] = [];
    let attempt = 0;
    const clock = { now: () => 0, sleep: async (wait: number) => void waits.push(wait) };
    const strategy = { steps: 4, duration: '10s', factor: '2', jitter: 0 };
    const attempts = { strategy, clock: clock as never, random: () => 0, signal: new AbortController().signal };
    const error = await connectAndListen(attempts, async (connected) => listen(connected, ++attempt)).catch(String);
    return { waits, error };
  };

  it('sets the waits between the tries of a connection', async () => {
    const refused = () => {
      throw new Error('refused');
    };
    assert.deepEqual(await run(refused), { waits: [10_000, 20_000, 40_000], error: 'Error: refused' });
  });

  it('is left when the connection was there', async () => {
    const lost = (connected: () => void, attempt: number) => {
      if (attempt === 2) connected();
      throw new Error(attempt === 2 ? 'lost' : 'refused');
    };
    assert.deepEqual(await run(lost), { waits: [10_000], error: 'Error: lost' });
  });

  it('is refused where it is no strategy', async () => {
    await validate('kafka', {
      ...kafka,
      partition: '0',
      connectionBackoff: { duration: 1e9, factor: 1.5, jitter: '0.2' },
    });
    const refusal = (connectionBackoff: object) => validate('kafka', { ...kafka, partition: '0', connectionBackoff });
    await assert.rejects(
      refusal({ duration: 'soon' }),
      /event: connectionBackoff\.duration: time: invalid duration "soon"/,
    );
    await assert.rejects(refusal({ factor: 'two' }), /connectionBackoff\.factor is "two", it must be a number/);
  });
});
