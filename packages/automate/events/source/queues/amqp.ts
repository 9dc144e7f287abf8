import { checkHosts } from '@tiphys/outbound';
import { parseDocuments } from '@tiphys/yaml';
import { type ConsumeMessage, connect } from 'amqplib';
import { goTimeString } from '../../event/go-time.ts';
import type { BasicAuth, KeySelector, TlsConfig } from '../../spec/common.ts';
import { missing, type SpecProblem, within, wrong } from '../../spec/spec-problem.ts';
import { tlsOptions, tlsProblem } from '../../wire/tls.ts';
import { bodyOf, eventData, type Metadata } from '../event-data.ts';
import { type Listen, type SourceContext, untilAborted } from '../source.ts';
import { take } from './mqtt.ts';

export interface AmqpSpec {
  readonly url?: string;
  readonly urlSecret?: KeySelector;
  readonly exchangeName?: string;
  readonly exchangeType?: string;
  readonly routingKey?: string;
  readonly jsonBody?: boolean;
  readonly tls?: TlsConfig;
  readonly auth?: BasicAuth;
  readonly metadata?: Metadata;
  readonly exchangeDeclare?: {
    readonly durable?: boolean;
    readonly autoDelete?: boolean;
    readonly internal?: boolean;
    readonly noWait?: boolean;
  };
  readonly queueDeclare?: {
    readonly name?: string;
    readonly durable?: boolean;
    readonly autoDelete?: boolean;
    readonly exclusive?: boolean;
    readonly arguments?: string;
    readonly noWait?: boolean;
  };
  readonly queueBind?: { readonly noWait?: boolean };
  readonly consume?: {
    readonly consumerTag?: string;
    readonly autoAck?: boolean;
    readonly exclusive?: boolean;
    readonly noLocal?: boolean;
    readonly noWait?: boolean;
  };
}

const steps = ['exchangeDeclare', 'queueDeclare', 'queueBind', 'consume'] as const;

export function amqpProblem(spec: AmqpSpec): SpecProblem | undefined {
  const { url, urlSecret, routingKey, exchangeType, tls } = spec;
  if (!url && !urlSecret) return missing('url', 'either url or urlSecret must be specified', 'amqp://host:5672');
  if (url && urlSecret)
    return wrong('urlSecret', 'only one of url or urlSecret can be specified', 'Remove one of them');
  if (routingKey === undefined) return missing('routingKey', 'routing key must be specified');
  if (!exchangeType) return missing('exchangeType', 'exchange type must be specified', 'topic');
  const hasty = steps.find((step) => spec[step]?.noWait);
  if (hasty)
    return wrong(
      `${hasty}.noWait`,
      `${hasty}.noWait is not supported: the answer of the server is always awaited; leave it out`,
      'Remove it',
    );
  return within('tls', tlsProblem(tls));
}

/** Takes messages of a queue that is bound to an exchange. */
export const listen: Listen<AmqpSpec> = async (context, ready) => {
  const { spec, keys, signal } = context;
  const {
    exchangeName = '',
    exchangeType = 'direct',
    routingKey = '',
    exchangeDeclare,
    queueDeclare,
    consume = { autoAck: true },
  } = spec;
  const address = await addressOf(context);
  await checkHosts(address);
  const connection = await connect(address, spec.tls ? await tlsOptions(spec.tls, keys) : {});
  const broken = Promise.withResolvers<never>();
  broken.promise.catch(() => undefined);
  connection.on('error', broken.reject);
  connection.on('close', () => broken.reject(new Error('the connection to the AMQP server is closed')));
  try {
    const channel = await connection.createChannel();
    channel.on('error', broken.reject);
    // the exchange without a name is there, and cannot be declared
    if (exchangeName)
      await channel.assertExchange(exchangeName, exchangeType, {
        durable: exchangeDeclare?.durable ?? !exchangeDeclare,
        autoDelete: exchangeDeclare?.autoDelete ?? false,
        internal: exchangeDeclare?.internal ?? false,
      });
    const { queue } = await channel.assertQueue(queueDeclare?.name ?? '', {
      durable: queueDeclare?.durable ?? false,
      autoDelete: queueDeclare?.autoDelete ?? false,
      exclusive: queueDeclare ? (queueDeclare.exclusive ?? false) : true,
      arguments: argumentsOf(queueDeclare?.arguments),
    });
    if (exchangeName) await channel.bindQueue(queue, exchangeName, routingKey);
    await channel.prefetch(10);
    const noAck = consume.autoAck ?? false;
    let turn: Promise<void> = Promise.resolve();
    const receive = (message: ConsumeMessage | null) => {
      if (!message) return broken.reject(new Error('the AMQP server cancelled the consumer'));
      turn = turn
        .then(() => take(context, () => dataOf(spec, message)))
        .then(() => {
          if (!noAck) channel.ack(message);
        })
        .catch((error: unknown) => {
          context.failed(error);
          if (!noAck) channel.nack(message);
        });
    };
    await channel.consume(queue, receive, {
      noAck,
      exclusive: consume.exclusive ?? false,
      noLocal: consume.noLocal ?? false,
      ...(consume.consumerTag ? { consumerTag: consume.consumerTag } : {}),
    });
    ready();
    await Promise.race([untilAborted(signal), broken.promise]);
    await turn;
    // what was acknowledged is sent before the channel is closed; closing the connection alone would overtake it
    await channel.close();
  } finally {
    await connection.close().catch(() => undefined);
  }
};

async function addressOf({ spec, keys }: SourceContext<AmqpSpec>): Promise<string> {
  const url = new URL(spec.urlSecret ? (await keys.secret(spec.urlSecret)).trim() : (spec.url ?? ''));
  if (spec.auth?.username) url.username = encodeURIComponent(await keys.secret(spec.auth.username));
  if (spec.auth?.password) url.password = encodeURIComponent(await keys.secret(spec.auth.password));
  return url.href;
}

function argumentsOf(text: string | undefined): Record<string, unknown> {
  if (!text) return {};
  const [document] = parseDocuments(text, { file: 'queueDeclare.arguments' }).documents;
  return (document?.value ?? {}) as unknown as Record<string, unknown>;
}

function dataOf({ jsonBody, metadata }: AmqpSpec, { content, fields, properties }: ConsumeMessage): string {
  const text = (value: unknown) => (value === undefined ? '' : String(value));
  const { timestamp } = properties as { timestamp?: number };
  return eventData(
    {
      contentType: text(properties.contentType),
      contentEncoding: text(properties.contentEncoding),
      deliveryMode: properties.deliveryMode ?? 0,
      priority: properties.priority ?? 0,
      correlationId: text(properties.correlationId),
      replyTo: text(properties.replyTo),
      expiration: text(properties.expiration),
      messageId: text(properties.messageId),
      timestamp: timestamp ? goTimeString(timestamp * 1000, 'UTC') : '0001-01-01 00:00:00 +0000 UTC',
      type: text(properties.type),
      appId: text(properties.appId),
      exchange: fields.exchange,
      routingKey: fields.routingKey,
      body: bodyOf(content, jsonBody),
    },
    metadata,
  );
}
