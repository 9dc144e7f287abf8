import { checkHosts } from '@tiphys/outbound';
import { Redis, type RedisOptions } from 'ioredis';
import { clusterKeys } from '../../keys/key-reader.ts';
import type { KeySelector, TlsConfig } from '../../spec/common.ts';
import { missing, type SpecProblem, within } from '../../spec/spec-problem.ts';
import { tlsOptions, tlsProblem } from '../../wire/tls.ts';
import { bodyOf, eventData, type Metadata } from '../event-data.ts';
import { type Listen, type SourceContext, untilAborted } from '../source.ts';
import { take } from './mqtt.ts';

interface RedisServer {
  readonly hostAddress?: string;
  readonly username?: string;
  readonly password?: KeySelector;
  readonly namespace?: string;
  readonly db?: number;
  readonly tls?: TlsConfig;
  readonly metadata?: Metadata;
}

export interface RedisSpec extends RedisServer {
  readonly channels?: readonly string[];
  readonly jsonBody?: boolean;
}

export interface RedisStreamSpec extends RedisServer {
  readonly streams?: readonly string[];
  readonly consumerGroup?: string;
  readonly maxMsgCountPerRead?: number;
}

export function redisProblem({ hostAddress, channels, tls }: RedisSpec): SpecProblem | undefined {
  if (!hostAddress) return missing('hostAddress', 'host address must be specified', 'redis:6379');
  return channels?.length ? within('tls', tlsProblem(tls)) : missing('channels', 'channel/s must be specified');
}

export function redisStreamProblem({ hostAddress, streams, tls }: RedisStreamSpec): SpecProblem | undefined {
  if (!hostAddress) return missing('hostAddress', 'host address must be specified', 'redis:6379');
  return streams?.length ? within('tls', tlsProblem(tls)) : missing('streams', 'stream/streams must be specified');
}

async function connect({ spec, keys, client, signal, log }: SourceContext<RedisServer>): Promise<Redis> {
  const { hostAddress = '', username, password, namespace, db = 0, tls } = spec;
  const at = hostAddress.lastIndexOf(':');
  const reader = namespace ? clusterKeys(client, namespace) : keys;
  const options: RedisOptions = {
    host: at < 0 ? hostAddress : hostAddress.slice(0, at),
    port: at < 0 ? 6379 : Number(hostAddress.slice(at + 1)),
    db,
    lazyConnect: true,
    maxRetriesPerRequest: null,
    ...(username ? { username } : {}),
    ...(password ? { password: await reader.secret(password) } : {}),
    ...(tls ? { tls: await tlsOptions(tls, keys) } : {}),
  };
  await checkHosts(hostAddress);
  const redis = new Redis(options as never) as Redis;
  let last: Error | undefined;
  redis.on('error', (error: Error) => {
    last = error;
    log('error', 'the connection to Redis failed', { error: error.message });
  });
  try {
    await redis.connect();
  } catch (error) {
    redis.disconnect();
    // the client itself only says that its connection is closed
    throw last ?? error;
  }
  signal.addEventListener('abort', () => redis.disconnect(), { once: true });
  return redis;
}

/** Subscribes to channels of Redis; a name with `*`, `?` or `[` is a pattern. */
export const listen: Listen<RedisSpec> = async (context, ready) => {
  const { channels = [], jsonBody, metadata } = context.spec;
  const redis = await connect(context);
  let turn: Promise<void> = Promise.resolve();
  const hear = (pattern: string, channel: Buffer, message: Buffer) => {
    const dataOf = () =>
      eventData(
        { channel: channel.toString(), pattern, body: jsonBody ? bodyOf(message, true) : message.toString('utf8') },
        metadata,
      );
    turn = turn.then(() => take(context, dataOf)).catch((error: unknown) => context.failed(error));
  };
  redis.on('messageBuffer', (channel: Buffer, message: Buffer) => hear('', channel, message));
  redis.on('pmessageBuffer', (pattern: Buffer, channel: Buffer, message: Buffer) =>
    hear(pattern.toString(), channel, message),
  );
  const isPattern = (name: string) => /[*?[]/.test(name);
  const [patterns, plain] = [channels.filter(isPattern), channels.filter((name) => !isPattern(name))];
  if (plain.length > 0) await redis.subscribe(...plain);
  if (patterns.length > 0) await redis.psubscribe(...patterns);
  ready();
  await untilAborted(context.signal);
  await turn;
};

const worker = 'argo-events-worker';
const block = 2000;

/** Reads streams of Redis in a consumer group: first what this consumer has not acknowledged, then what is new. */
export const listenStreams: Listen<RedisStreamSpec> = async (context, ready) => {
  const { streams = [] } = context.spec;
  const consumerGroup = context.spec.consumerGroup || 'argo-events-cg';
  const maxMsgCountPerRead = context.spec.maxMsgCountPerRead || 10;
  const { signal } = context;
  const redis = await connect(context);
  for (const stream of streams)
    await redis.xgroup('CREATE', stream, consumerGroup, '$', 'MKSTREAM').catch((error: Error) => {
      if (!error.message.startsWith('BUSYGROUP')) throw error;
    });
  ready();
  const places = new Map(streams.map((stream) => [stream, '0-0']));
  while (!signal.aborted) {
    const ids = [...places.values()];
    const answer: unknown = await redis
      .call(
        'XREADGROUP',
        'GROUP',
        consumerGroup,
        worker,
        'COUNT',
        maxMsgCountPerRead,
        'BLOCK',
        block,
        'STREAMS',
        ...streams,
        ...ids,
      )
      .catch((error: unknown) => {
        if (signal.aborted) return null;
        throw error;
      });
    for (const [stream, messages] of entriesOf(answer)) {
      for (const [id, values] of messages) {
        await take(context, () => streamData(context, stream, id, values));
        await redis.xack(stream, consumerGroup, id);
        if (places.get(stream) !== '>') places.set(stream, id);
      }
      if (messages.length === 0) places.set(stream, '>');
    }
  }
};

type StreamMessages = readonly (readonly [string, [string, string[]][]])[];

/** Streams with their messages: pairs in RESP2, one after the other in RESP3. */
function entriesOf(answer: unknown): StreamMessages {
  if (!Array.isArray(answer)) return [];
  if (typeof answer[0] !== 'string') return answer as unknown as StreamMessages;
  const flat = answer as unknown[];
  return Array.from({ length: flat.length / 2 }, (_, i) => [flat[2 * i], flat[2 * i + 1]]) as unknown as StreamMessages;
}

function streamData(
  { spec }: SourceContext<RedisStreamSpec>,
  stream: string,
  message_id: string,
  pairs: readonly string[],
): string {
  const values: [string, string][] = [];
  for (let i = 0; i + 1 < pairs.length; i += 2) values.push([pairs[i] ?? '', pairs[i + 1] ?? '']);
  return eventData(
    { stream, message_id, values: Object.fromEntries(values.sort(([a], [b]) => (a < b ? -1 : 1))) },
    spec.metadata,
  );
}
