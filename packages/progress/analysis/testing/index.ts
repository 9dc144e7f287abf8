import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { KubeObject } from '@tiphys/kubernetes';
import { MemoryCluster, ScriptedClock } from '../../../foundation/controller/testing/index.ts';
import type { AnalysisRun, Metric } from '../model/types.ts';
import type { ProviderContext } from '../providers/provider.ts';

/** A request that a stand-in was asked. */
export interface SeenRequest {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}

export interface StandIn {
  readonly url: string;
  readonly requests: SeenRequest[];
  close(): Promise<void>;
}

/** A metric provider's stand-in on loopback; answers with a status and JSON, or with text as it is. */
export async function standIn(answer: (request: SeenRequest) => { status?: number; body: unknown }): Promise<StandIn> {
  const requests: SeenRequest[] = [];
  const server = createServer(async (message, response) => {
    const request = {
      method: message.method ?? '',
      url: message.url ?? '',
      headers: message.headers,
      body: await text(message),
    };
    requests.push(request);
    const { status = 200, body } = answer(request);
    response.writeHead(status, { connection: 'close' });
    response.end(typeof body === 'string' ? body : JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

/** A run of the metrics in namespace `shop`. */
export function analysisRun(metrics: readonly Metric[], extra: Partial<AnalysisRun['spec']> = {}): AnalysisRun {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AnalysisRun',
    metadata: { name: 'run', namespace: 'shop', uid: '6a1c0000-0000-0000-0000-000000000001' },
    spec: { metrics: [...metrics], ...extra },
  };
}

/** What providers are given, with Secrets by `namespace/name`. */
export function providerContext(
  run: AnalysisRun,
  secrets: Readonly<Record<string, Record<string, string>>> = {},
  extra: Partial<ProviderContext> = {},
): ProviderContext & { cluster: MemoryCluster; clock: ScriptedClock } {
  const cluster = new MemoryCluster();
  for (const [key, data] of Object.entries(secrets)) cluster.put(secret(key, data));
  const absent = async (name: string): Promise<never> => {
    throw new Error(`plugin ${name} is not there`);
  };
  return {
    cluster,
    run,
    client: cluster.client,
    clock: new ScriptedClock(),
    signal: new AbortController().signal,
    namespace: 'argo-rollouts',
    environment: {},
    plugins: { step: absent, traffic: absent, metric: absent, close: async () => {} },
    jobs: { job: () => undefined, jobsOf: () => [], podsOf: () => [] },
    ...extra,
  } as ProviderContext & { cluster: MemoryCluster; clock: ScriptedClock };
}

function secret(key: string, data: Readonly<Record<string, string>>): KubeObject {
  const [namespace = '', name = ''] = key.split('/');
  const encoded = Object.entries(data).map(([field, value]) => [field, Buffer.from(value).toString('base64')]);
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, data: Object.fromEntries(encoded) };
}
