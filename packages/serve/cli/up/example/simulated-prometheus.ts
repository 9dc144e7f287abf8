import type { AddressInfo } from 'node:net';
import { rolloutNames } from '@tiphys/api';
import { guardedServer } from '@tiphys/inbound';
import type { Client, Clock, KubeObject } from '@tiphys/kubernetes';

/** Bytes of one question. */
const largest = 8 * 1024;
/** Milliseconds that each value of a series stands for. */
const step = 2000;
const hashInQuery = /^simulated_error_ratio\{pod_template_hash="([a-z0-9]{1,63})"\}$/;

export interface SimulatedPrometheus {
  readonly address: string;
  close(): Promise<void>;
}

export interface SimulatedPrometheusOptions {
  readonly clock: Clock;
  /** The cluster whose pods are measured; undefined before it is there. */
  readonly client: () => Client | undefined;
  /** Namespace of the pods and of ConfigMap `simulated-metrics`: by the tag of an image, values separated by spaces. */
  readonly namespace: string;
}

/**
 * The part of Prometheus' HTTP API that analyses ask, on a port of this machine. It knows one series,
 * `simulated_error_ratio{pod_template_hash="…"}`: of the pods of that hash, as ConfigMap `simulated-metrics` tells for their image.
 */
export async function startSimulatedPrometheus(options: SimulatedPrometheusOptions): Promise<SimulatedPrometheus> {
  const server = guardedServer((request, response) => {
    const answer = (status: number, body: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    const isQuery = request.method === 'POST' && request.url === '/api/v1/query';
    const value = isQuery
      ? readQuestion(request).then((query) => ratioOf(query, options))
      : Promise.reject(new RangeError('only POST /api/v1/query is served here'));
    value.then(
      (found) => answer(200, success(found, options.clock.now())),
      (error: unknown) => answer(400, { status: 'error', errorType: 'bad_data', error: (error as Error).message }),
    );
  });
  server.unref();
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', resolve);
  });
  return {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function readQuestion(request: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size > largest) throw new RangeError(`the question has more than ${largest} bytes`);
    parts.push(part);
  }
  return new URLSearchParams(Buffer.concat(parts).toString('utf8')).get('query') ?? '';
}

function success(value: number | undefined, now: number) {
  const result = value === undefined ? [] : [{ metric: {}, value: [now / 1000, String(value)] }];
  return { status: 'success', data: { resultType: 'vector', result } };
}

interface Pod extends KubeObject {
  spec?: { containers?: readonly { image?: string }[] };
}

/** Undefined if there are no such pods, or nothing is told of their image. */
async function ratioOf(query: string, { client, clock, namespace }: SimulatedPrometheusOptions) {
  const [, hash] = hashInQuery.exec(query) ?? [];
  if (hash === undefined)
    throw new SyntaxError(`the one series here is simulated_error_ratio{pod_template_hash="HASH"}`);
  const cluster = client();
  const { items = [] } =
    (await cluster?.list<Pod>(
      { apiVersion: 'v1', kind: 'Pod', namespace },
      { labelSelector: `${rolloutNames.labels.podTemplateHash}=${hash}` },
    )) ?? {};
  const tag = items[0]?.spec?.containers?.[0]?.image?.split(':').at(-1) ?? '';
  const since = Math.min(...items.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? '')));
  const metrics = await cluster?.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'simulated-metrics' });
  const series = new Map(Object.entries((metrics?.data ?? {}) as Record<string, string>)).get(tag);
  const values = (series ?? '').split(' ').filter(Boolean).map(Number);
  return values.length === 0
    ? undefined
    : values[Math.min(Math.floor((clock.now() - since) / step), values.length - 1)];
}
