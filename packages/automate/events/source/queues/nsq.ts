import { connect as connectPlain, type Socket } from 'node:net';
import { connect as connectSecure } from 'node:tls';
import { pause } from '@tiphys/kubernetes';
import { guardedHost } from '@tiphys/outbound';
import type { TlsConfig } from '../../spec/common.ts';
import { missing, type SpecProblem, within } from '../../spec/spec-problem.ts';
import { sendRequest } from '../../wire/http-request.ts';
import { tlsOptions, tlsProblem } from '../../wire/tls.ts';
import { bodyOf, eventData, type Metadata } from '../event-data.ts';
import type { Listen, SourceContext } from '../source.ts';
import { take } from './mqtt.ts';

export interface NsqSpec {
  readonly hostAddress?: string;
  readonly topic?: string;
  readonly channel?: string;
  readonly jsonBody?: boolean;
  readonly tls?: TlsConfig;
  readonly metadata?: Metadata;
}

export function nsqProblem({ hostAddress, topic, channel, tls }: NsqSpec): SpecProblem | undefined {
  if (!hostAddress) return missing('hostAddress', 'host address must be specified', 'nsqlookupd:4161');
  if (!topic) return missing('topic', 'topic must be specified');
  return channel ? within('tls', tlsProblem(tls)) : missing('channel', 'channel must be specified');
}

const lookupPeriod = 15_000;
const longestFrame = 16 * 1024 * 1024;

/** Takes messages of a channel from every nsqd that the lookup daemon knows. */
export const listen: Listen<NsqSpec> = async (context, ready) => {
  const { signal, clock } = context;
  const open = new Map<string, Promise<void>>();
  for (let isFirst = true; !signal.aborted; isFirst = false) {
    const hosts = await lookup(context);
    const heard = hosts
      .filter((host) => !open.has(host))
      .map((host) => {
        const { promise, resolve } = Promise.withResolvers<void>();
        const running = follow(context, host, resolve)
          .catch((error: unknown) =>
            context.log('error', 'the connection to nsqd failed', { host, error: String(error) }),
          )
          .finally(() => {
            open.delete(host);
            resolve();
          });
        open.set(host, running);
        return promise;
      });
    await Promise.all(heard);
    if (isFirst) ready();
    await pause(clock, lookupPeriod, signal);
  }
  await Promise.all(open.values());
};

async function lookup({ spec, signal }: SourceContext<NsqSpec>): Promise<string[]> {
  const { hostAddress = '', topic = '' } = spec;
  const base = hostAddress.includes('://') ? hostAddress : `http://${hostAddress}`;
  const url = `${base}/lookup?topic=${encodeURIComponent(topic)}`;
  const { status, body } = await sendRequest({ url, method: 'GET', headers: [], timeout: 30_000, signal });
  if (status === 404) return [];
  if (status !== 200) throw new Error(`nsqlookupd answered ${status}`);
  const answer = JSON.parse(body) as { producers?: Producer[]; data?: { producers?: Producer[] } };
  const producers = answer.producers ?? answer.data?.producers ?? [];
  return producers.map(({ broadcast_address, tcp_port }) => `${broadcast_address}:${tcp_port}`);
}

interface Producer {
  readonly broadcast_address: string;
  readonly tcp_port: number;
}

async function follow(context: SourceContext<NsqSpec>, address: string, ready: () => void): Promise<void> {
  const { spec, signal, keys, sourceName } = context;
  const at = address.lastIndexOf(':');
  const target = { host: address.slice(0, at), port: Number(address.slice(at + 1)) };
  let socket: Socket = connectPlain({
    ...target,
    ...guardedHost(target.host),
  });
  const stop = () => socket.destroy();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const identify = Buffer.from(
      JSON.stringify({
        client_id: sourceName,
        user_agent: 'tiphys',
        feature_negotiation: true,
        tls_v1: Boolean(spec.tls),
      }),
    );
    socket.write('  V2');
    socket.write(Buffer.concat([Buffer.from('IDENTIFY\n'), sized(identify)]));
    let frames = framesOf(socket);
    await frames.next();
    if (spec.tls) {
      socket = connectSecure({ socket, ...(await tlsOptions(spec.tls, keys)) });
      frames = framesOf(socket);
      await frames.next();
    }
    socket.write(`SUB ${spec.topic} ${spec.channel}\n`);
    await frames.next();
    socket.write('RDY 1\n');
    ready();
    for await (const { type, payload } of frames) {
      if (type === 1) throw new Error(`nsqd says ${payload.toString('utf8')}`);
      if (type === 0) {
        if (payload.toString('utf8') === '_heartbeat_') socket.write('NOP\n');
        continue;
      }
      await handle(context, address, socket, payload);
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    signal.removeEventListener('abort', stop);
    socket.destroy();
  }
}

async function handle(
  context: SourceContext<NsqSpec>,
  nsqdAddress: string,
  socket: Socket,
  payload: Buffer,
): Promise<void> {
  const { jsonBody, metadata } = context.spec;
  const id = payload.subarray(10, 26).toString('latin1');
  const timestamp = payload.readBigInt64BE(0).toString();
  try {
    await take(context, () =>
      eventData({ body: bodyOf(payload.subarray(26), jsonBody), timestamp, nsqdAddress }, metadata),
    );
    socket.write(`FIN ${id}\nRDY 1\n`);
  } catch (error) {
    context.failed(error);
    socket.write(`REQ ${id} 1000\nRDY 1\n`);
  }
}

function sized(body: Buffer): Buffer {
  const head = Buffer.alloc(4);
  head.writeUInt32BE(body.length);
  return Buffer.concat([head, body]);
}

async function* framesOf(socket: Socket): AsyncGenerator<{ type: number; payload: Buffer }> {
  let left = Buffer.alloc(0);
  for await (const chunk of socket.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    left = Buffer.concat([left, chunk]);
    while (left.length >= 4) {
      const size = left.readUInt32BE(0);
      if (size < 4 || size > longestFrame) throw new Error(`nsqd sent a frame of ${size} bytes`);
      if (left.length < 4 + size) break;
      yield { type: left.readUInt32BE(4), payload: left.subarray(8, 4 + size) };
      left = left.subarray(4 + size);
    }
  }
}
