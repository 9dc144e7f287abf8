import { once } from 'node:events';
import { Consumer, type Message } from '@platformatic/kafka';
import { goTimeString } from '../../event/go-time.ts';
import type { SaslConfig, SchemaRegistry, TlsConfig } from '../../spec/common.ts';
import { rebalanceProblem } from '../../spec/rebalance.ts';
import { missing, type SpecProblem, within, wrong } from '../../spec/spec-problem.ts';
import { type AvroSchema, avroSchema } from '../../wire/avro.ts';
import { kafkaOptions, saslProblem } from '../../wire/kafka.ts';
import { rebalanceOptions } from '../../wire/rebalance.ts';
import { tlsProblem } from '../../wire/tls.ts';
import { bodyOf, eventData, type Metadata } from '../event-data.ts';
import type { Listen, SourceContext } from '../source.ts';
import { take } from './mqtt.ts';

export interface KafkaSpec {
  readonly url?: string;
  readonly topic?: string;
  readonly partition?: string;
  readonly consumerGroup?: {
    readonly groupName?: string;
    readonly oldest?: boolean;
    readonly rebalanceStrategy?: string;
  };
  readonly tls?: TlsConfig;
  readonly sasl?: SaslConfig;
  readonly jsonBody?: boolean;
  readonly metadata?: Metadata;
  readonly limitEventsPerSecond?: number;
  /** Not needed: the client and the broker agree on the versions of the protocol. */
  readonly version?: string;
  readonly config?: string;
  readonly schemaRegistry?: SchemaRegistry;
  readonly awsMskIamAuth?: unknown;
}

export function kafkaProblem(spec: KafkaSpec): SpecProblem | undefined {
  if (!spec.url) return missing('url', 'url must be specified', 'kafka:9092');
  if (!spec.topic) return missing('topic', 'topic must be specified');
  if (!spec.consumerGroup && !spec.partition)
    return missing('consumerGroup', 'consumerGroup or partition must be specified');
  if (spec.partition && !spec.consumerGroup && !/^\d+$/.test(spec.partition))
    return wrong(
      'partition',
      `failed to parse Kafka partition ${spec.partition}`,
      'Write the number of a partition, such as "0"',
    );
  // the settings of another client cannot be followed, and nobody is told that they are
  if (spec.config)
    return wrong(
      'config',
      'config, which holds settings of the client Sarama, is not supported; use the fields of the spec',
      'Remove it, and use the fields of the spec',
    );
  if (spec.awsMskIamAuth)
    return wrong('awsMskIamAuth', 'awsMskIamAuth is not supported; use sasl', 'Remove it, and set sasl');
  return (
    rebalanceProblem(spec.consumerGroup?.rebalanceStrategy) ??
    within('sasl', saslProblem(spec.sasl)) ??
    within('tls', tlsProblem(spec.tls))
  );
}

/** Reads a topic in a consumer group, or one partition of it. Ids of events follow from the place of the message: a redelivered one is the same event. */
export const listen: Listen<KafkaSpec> = async (context, ready) => {
  const { spec, keys, signal, clock, sourceName, eventName } = context;
  const { url = '', topic = '', consumerGroup, partition, tls, sasl, limitEventsPerSecond = 0 } = spec;
  const groupId = consumerGroup?.groupName || `tiphys-${context.namespace}-${sourceName}-${eventName}`;
  const schema = spec.schemaRegistry ? await avroSchema(spec.schemaRegistry, keys) : undefined;
  const consumer = new Consumer({
    ...(await kafkaOptions({ url, tls, sasl }, keys, sourceName)),
    ...rebalanceOptions(consumerGroup?.rebalanceStrategy),
    groupId,
    autocommit: false,
  });
  try {
    const stream = await consumer.consume({
      topics: [topic],
      autocommit: false,
      ...(consumerGroup
        ? {
            mode: 'committed' as const,
            fallbackMode: consumerGroup.oldest ? ('earliest' as const) : ('latest' as const),
          }
        : { mode: 'latest' as const }),
    });
    signal.addEventListener('abort', () => void stream.close(), { once: true });
    // only now is it known where the end is from which on it reads
    await once(stream, 'offsets', { signal });
    ready();
    const interval = limitEventsPerSecond > 0 ? 1000 / limitEventsPerSecond : 0;
    let next = 0;
    for await (const message of stream) {
      if (!consumerGroup && message.partition !== Number(partition)) continue;
      if (interval > 0) {
        const at = Math.max(clock.now(), next);
        next = at + interval;
        await clock.sleep(at - clock.now(), signal);
      }
      const id = [sourceName, eventName, url.split(',')[0], topic, message.partition, message.offset].join(':');
      await take(context, () => dataOf(context, message, schema), id);
      if (consumerGroup) await message.commit();
    }
  } finally {
    await consumer.close(true).catch(() => undefined);
  }
};

function dataOf({ spec }: SourceContext<KafkaSpec>, message: Message, schema: AvroSchema | undefined): string {
  const { topic, key, partition, value, timestamp, headers } = message;
  const isAvro = schema && spec.jsonBody;
  const named = [...headers]
    .map(([name, text]) => [name.toString(), text.toString()] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return eventData(
    {
      topic,
      key: key?.toString() ?? '',
      partition,
      body: isAvro ? schema.decode(value) : bodyOf(value ?? Buffer.alloc(0), spec.jsonBody),
      timestamp: goTimeString(Number(timestamp), 'UTC'),
      headers: Object.fromEntries(named),
    },
    spec.metadata,
  );
}
