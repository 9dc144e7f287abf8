import { type ClusterConfig, loadKubeconfig } from '@tiphys/kubernetes';
import { Agent, type Dispatcher, Pool } from 'undici';
import { median } from '../table.ts';

const concurrency = 32;
const watchers = 100;

/** What one server did under the same load. Rates are per second, times in milliseconds, memory in bytes. */
export interface Measured {
  createRate: number;
  getRate: number;
  updateRate: number;
  patchRate: number;
  applyRate: number;
  deploymentRate: number;
  deleteRate: number;
  list: number;
  listPaged: number;
  listTable: number;
  fanOutRate: number;
  memory: number;
  memoryPerObject: number;
}

/** Raw requests over TLS, parsed no further than needed: the client costs both servers the same. */
class LoadClient {
  readonly #pool: Pool;
  readonly #streams: Agent;
  readonly #origin: string;
  readonly #headers: Record<string, string>;

  constructor(config: ClusterConfig) {
    const connect = { ca: config.tls?.ca as string };
    this.#origin = config.server;
    this.#pool = new Pool(config.server, { connections: concurrency, connect });
    this.#streams = new Agent({ connect, bodyTimeout: 0, headersTimeout: 60_000 });
    this.#headers = { authorization: `Bearer ${config.bearerToken}`, accept: 'application/json' };
  }

  async send(
    method: Dispatcher.HttpMethod,
    path: string,
    body?: object,
    headers: Record<string, string> = {},
  ): Promise<Buffer> {
    const answer = await this.#pool.request({
      method,
      path,
      headers: { ...this.#headers, 'content-type': 'application/json', ...headers },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    if (answer.statusCode >= 300) throw new Error(`${method} ${path} was answered with ${answer.statusCode}`);
    return bytes;
  }

  /** Counts the lines of a watch. */
  async watch(path: string, seen: (lines: number) => void): Promise<void> {
    const { body } = await this.#streams.request({
      origin: this.#origin,
      method: 'GET',
      path,
      headers: this.#headers,
    });
    body.on('error', () => undefined);
    body.on('data', (chunk: Buffer) => {
      let lines = 0;
      for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) lines++;
      if (lines) seen(lines);
    });
  }

  async close(): Promise<void> {
    await Promise.all([this.#pool.destroy(), this.#streams.destroy()]);
  }
}

async function rate(count: number, run: (index: number) => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await run(index);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
  return count / ((performance.now() - begin) / 1000);
}

async function time(run: () => Promise<unknown>): Promise<number> {
  const times: number[] = [];
  for (let turn = 0; turn < 5; turn++) {
    const begin = performance.now();
    await run();
    times.push(performance.now() - begin);
  }
  return median(times);
}

const settings = (index: number, value = 'a') => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name: `settings-${index}`,
    namespace: 'bench',
    labels: { 'app.kubernetes.io/name': 'bench', 'app.kubernetes.io/instance': `bench-${index % 100}` },
    annotations: { 'example.com/owner': 'platform', 'example.com/value': value },
  },
  data: { 'settings.yaml': `replicas: ${index}\n${'key: value\n'.repeat(50)}`, mode: value },
});

const deployment = (index: number, image: string) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: `web-${index}`, namespace: 'bench', labels: { app: `web-${index}` } },
  spec: {
    replicas: 0,
    selector: { matchLabels: { app: `web-${index}` } },
    template: {
      metadata: { labels: { app: `web-${index}` } },
      spec: {
        containers: [
          {
            name: 'web',
            image,
            ports: [{ name: 'http', containerPort: 8080 }],
            env: [{ name: 'MODE', value: 'production' }],
            resources: { requests: { cpu: '10m', memory: '32Mi' } },
            readinessProbe: { httpGet: { path: '/', port: 'http' } },
          },
        ],
      },
    },
  },
});

const configMaps = '/api/v1/namespaces/bench/configmaps';
const deployments = '/apis/apps/v1/namespaces/bench/deployments';

/** Loads the server with `objects` ConfigMaps and a tenth as many Deployments. `memory` tells what its processes hold. */
export async function load(kubeconfig: string, memory: () => number, objects: number): Promise<Measured> {
  const client = new LoadClient(loadKubeconfig(kubeconfig));
  const few = Math.ceil(objects / 5);
  try {
    await client.send('POST', '/api/v1/namespaces', {
      apiVersion: 'v1',
      kind: 'Namespace',
      metadata: { name: 'bench' },
    });
    // both are compiled, and their caches are warm, before anything counts
    for (const round of ['a', 'b'])
      await rate(1000, (index) =>
        round === 'a'
          ? client.send('POST', configMaps, settings(1_000_000 + index))
          : client.send('DELETE', `${configMaps}/settings-${1_000_000 + index}`),
      );
    const before = memory();
    const createRate = await rate(objects, (index) => client.send('POST', configMaps, settings(index)));
    const after = memory();
    const getRate = await rate(few, (index) => client.send('GET', `${configMaps}/settings-${index}`));
    const list = await time(() => client.send('GET', configMaps));
    const listPaged = await time(() => pages(client));
    const listTable = await time(() =>
      client.send('GET', configMaps, undefined, { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' }),
    );
    const updateRate = await rate(few, (index) =>
      client.send('PUT', `${configMaps}/settings-${index}`, settings(index, 'b')),
    );
    const patchRate = await rate(few, (index) =>
      client.send(
        'PATCH',
        `${configMaps}/settings-${index}`,
        { data: { mode: 'c' } },
        { 'content-type': 'application/merge-patch+json' },
      ),
    );
    const apply = (index: number, image: string) =>
      client.send('PATCH', `${deployments}/web-${index}?fieldManager=bench&force=true`, deployment(index, image), {
        'content-type': 'application/apply-patch+yaml',
      });
    const deploymentRate = await rate(few / 2, (index) =>
      client.send('POST', deployments, deployment(index, 'nginx:1')),
    );
    await rate(few / 2, (index) => apply(index, 'nginx:2'));
    const applyRate = await rate(few / 2, (index) => apply(index, 'nginx:3'));
    const fanOutRate = await fanOut(client);
    const deleteRate = await rate(few, (index) => client.send('DELETE', `${configMaps}/settings-${index}`));
    return {
      createRate,
      getRate,
      updateRate,
      patchRate,
      applyRate,
      deploymentRate,
      deleteRate,
      list,
      listPaged,
      listTable,
      fanOutRate,
      memory: memory(),
      memoryPerObject: (after - before) / objects,
    };
  } finally {
    await client.close();
  }
}

/** The token of a next page is near the beginning of a page, so that nothing needs to be parsed. */
async function pages(client: LoadClient): Promise<void> {
  let next = '';
  do {
    const page = await client.send('GET', `${configMaps}?limit=500${next && `&continue=${next}`}`);
    next = /"continue":"([^"]+)"/.exec(page.toString('latin1', 0, 2000))?.[1] ?? '';
  } while (next);
}

/** Changes that arrive at all watchers together in a second. */
async function fanOut(client: LoadClient): Promise<number> {
  const changes = 300;
  let seen = 0;
  const all = Promise.withResolvers<void>();
  const counted = (lines: number) => {
    seen += lines;
    if (seen >= changes * watchers) all.resolve();
  };
  const path = '/api/v1/namespaces/fan-out/configmaps?watch=1';
  await client.send('POST', '/api/v1/namespaces', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'fan-out' },
  });
  await Promise.all(Array.from({ length: watchers }, () => client.watch(path, counted)));
  // what a namespace begins with (the root CA's ConfigMap) is not counted
  await new Promise((resolve) => setTimeout(resolve, 1000));
  seen = 0;
  const begin = performance.now();
  await rate(changes, (index) => {
    const object = settings(index);
    return client.send('POST', '/api/v1/namespaces/fan-out/configmaps', {
      ...object,
      metadata: { ...object.metadata, namespace: 'fan-out' },
    });
  });
  await all.promise;
  return (changes * watchers) / ((performance.now() - begin) / 1000);
}
