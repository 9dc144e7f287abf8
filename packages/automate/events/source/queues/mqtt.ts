import { checkHosts } from '@tiphys/outbound';
import { connectAsync, type IClientOptions } from 'mqtt';
import type { BasicAuth, KeySelector, TlsConfig } from '../../spec/common.ts';
import { missing, type SpecProblem, within } from '../../spec/spec-problem.ts';
import { tlsOptions, tlsProblem } from '../../wire/tls.ts';
import { bodyOf, eventData, type Metadata } from '../event-data.ts';
import { type Listen, type SourceContext, untilAborted } from '../source.ts';

export interface MqttSpec {
  readonly url?: string;
  readonly topic?: string;
  readonly clientId?: string;
  readonly auth?: BasicAuth;
  readonly tls?: TlsConfig;
  readonly jsonBody?: boolean;
  readonly metadata?: Metadata;
}

export interface EmitterSpec {
  readonly broker?: string;
  readonly channelKey?: string;
  readonly channelName?: string;
  readonly username?: KeySelector;
  readonly password?: KeySelector;
  readonly tls?: TlsConfig;
  readonly jsonBody?: boolean;
  readonly metadata?: Metadata;
}

export function mqttProblem({ url, topic, clientId, tls }: MqttSpec): SpecProblem | undefined {
  if (!url) return missing('url', 'url must be specified', 'tcp://host:1883');
  if (!topic) return missing('topic', 'topic must be specified');
  return clientId ? within('tls', tlsProblem(tls)) : missing('clientId', 'client id must be specified');
}

export function emitterProblem({ broker, channelName, channelKey, tls }: EmitterSpec): SpecProblem | undefined {
  if (!broker) return missing('broker', 'broker url must be specified', 'tcp://host:8080');
  if (!channelName) return missing('channelName', 'channel name must be specified');
  return channelKey
    ? within('tls', tlsProblem(tls))
    : missing('channelKey', 'channel key secret selector must be specified');
}

/** Subscribes to a topic of MQTT. */
export const listen: Listen<MqttSpec> = async (context, ready) => {
  const { url = '', topic = '', clientId, auth, tls, jsonBody, metadata } = context.spec;
  const options = await clientOptions(context, { ...(auth ?? {}), tls, clientId });
  await subscribe(context, { url, options, topic, ready }, (received, payload, messageId) =>
    eventData({ topic: received, messageId, body: bodyOf(payload, jsonBody) }, metadata),
  );
};

/** Subscribes to a channel of emitter.io, which speaks MQTT with the key in the topic. */
export const listenEmitter: Listen<EmitterSpec> = async (context, ready) => {
  const { broker = '', channelKey, channelName, username, password, tls, jsonBody, metadata } = context.spec;
  const options = await clientOptions(context, { username, password, tls, clientId: undefined });
  const channel = `${channelName}`.replace(/\/?$/, '/');
  await subscribe(context, { url: broker, options, topic: `${channelKey}/${channel}`, ready }, (received, payload) =>
    eventData({ topic: received, body: bodyOf(payload, jsonBody) }, metadata),
  );
};

async function clientOptions(
  { keys }: SourceContext<unknown>,
  given: {
    username?: KeySelector | undefined;
    password?: KeySelector | undefined;
    tls: TlsConfig | undefined;
    clientId: string | undefined;
  },
): Promise<IClientOptions> {
  return {
    ...(given.clientId ? { clientId: given.clientId } : {}),
    ...(given.username ? { username: await keys.secret(given.username) } : {}),
    ...(given.password ? { password: await keys.secret(given.password) } : {}),
    // of an address without a scheme
    ...(given.tls ? { ...(await tlsOptions(given.tls, keys)), protocol: 'mqtts' as const } : {}),
    reconnectPeriod: 1000,
  };
}

interface Subscription {
  readonly url: string;
  readonly options: IClientOptions;
  readonly topic: string;
  readonly ready: () => void;
}

async function subscribe(
  context: SourceContext<unknown>,
  { url, options, topic, ready }: Subscription,
  dataOf: (topic: string, payload: Buffer, messageId: number) => string,
): Promise<void> {
  await checkHosts(url);
  const client = await connectAsync(
    url.includes('://')
      ? url.replace(/^tcp:/, 'mqtt:').replace(/^ssl:/, 'mqtts:')
      : `${options.protocol ?? 'mqtt'}://${url}`,
    options,
    // the tries are those of connectionBackoff
    false,
  );
  try {
    // the broker is told that a message was taken only when it is on the bus
    client.handleMessage = (packet, done) => {
      const { topic: received, payload, messageId = 0 } = packet;
      take(context, () => dataOf(received.toString(), Buffer.from(payload), messageId)).then(() => done(), done);
    };
    await client.subscribeAsync(topic, { qos: 1 });
    ready();
    await untilAborted(context.signal);
  } finally {
    await client.endAsync(true);
  }
}

/** Puts a message on the bus; one of which no event can be made is counted and left. */
export async function take(context: SourceContext<unknown>, dataOf: () => string, id?: string): Promise<void> {
  let data: string;
  try {
    data = dataOf();
  } catch (error) {
    context.failed(error);
    return;
  }
  await context.dispatch(data, id === undefined ? {} : { id });
}
