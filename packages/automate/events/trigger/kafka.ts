import { ProduceAcks, Producer } from '@platformatic/kafka';
import { buildPayload, withParameters } from '../parameters/parameters.ts';
import type { KafkaTrigger } from '../spec/sensor.ts';
import { avroSchema } from '../wire/avro.ts';
import { kafkaOptions } from '../wire/kafka.ts';
import { secureHeaderValue } from './secure-header.ts';
import type { Act } from './trigger.ts';

/** Puts a message on a topic. */
export const act: Act = async ({ template, events }, context) => {
  const { connections, keys } = context;
  const kafka = withParameters(template.kafka as KafkaTrigger, template.kafka?.parameters, events);
  const { url, topic, requiredAcks, compress, tls, sasl, partitioningKey, partition } = kafka;
  const producer = await connections.get(
    `kafka ${JSON.stringify([url, tls, sasl, requiredAcks, compress])}`,
    async () =>
      new Producer({
        ...(await kafkaOptions({ url, tls, sasl }, keys, `tiphys-${context.sensorName}`)),
        acks: requiredAcks || ProduceAcks.ALL,
        ...(compress ? { compression: 'snappy' as const } : {}),
      }),
    (made) => made.close(),
  );
  const payload = buildPayload(events, kafka.payload ?? []) ?? '';
  const headers = new Map<Buffer, Buffer>();
  for (const [name, value] of Object.entries(kafka.headers ?? {})) headers.set(Buffer.from(name), Buffer.from(value));
  for (const header of kafka.secureHeaders ?? [])
    headers.set(Buffer.from(header.name), Buffer.from(await secureHeaderValue(header, keys)));
  const value = kafka.schemaRegistry
    ? (await avroSchema(kafka.schemaRegistry, keys)).encode(JSON.parse(payload))
    : Buffer.from(payload);
  await producer.send({
    messages: [
      {
        topic,
        value,
        headers,
        ...(partitioningKey === undefined
          ? partition === undefined
            ? {}
            : { partition }
          : { key: Buffer.from(partitioningKey) }),
      },
    ],
  });
  return `put ${value.length} bytes on topic ${topic}`;
};
