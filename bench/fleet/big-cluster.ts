import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { ClusterCache, compare, type DesiredObject } from '@tiphys/engine';
import type { ApiResource, Client, KubeObject, ListOptions, ResourceRef } from '@tiphys/kubernetes';
import { markdownTable, seconds } from '../table.ts';
import { measured } from './fleet-workload.ts';

/** Objects of the one large application. */
const ofOne = 5_000;

/**
 * The view of one cluster with very many objects: half of them Deployments and Services of applications, half ReplicaSets and Pods
 * below them. The API server is answered for from memory, so that what is measured is the view alone.
 */
export async function benchBigCluster(objects: number): Promise<string> {
  const collect = collector();
  const cluster = new BigCluster(Math.floor(objects / 4));
  const abort = new AbortController();
  const cache = new ClusterCache(cluster.client, { settings: { tracking: { method: 'annotation' } } });
  const before = collect();
  const cpu = process.cpuUsage();
  const listed = await measured(async () => {
    cache.start(abort.signal);
    await cache.ensureSynced();
  });
  const spent = process.cpuUsage(cpu);
  const perObject = (collect() - before) / cache.info().objects;
  const desired = cluster.desired();
  const roots = cache.managed('large').map(({ apiVersion, kind, metadata }) => ({
    group: apiVersion === 'v1' ? '' : 'apps',
    kind,
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
  }));
  const request = { desired, cache, tracking: { method: 'annotation', instance: 'large' } as const };
  const comparison = () => compare({ ...request, destinationNamespace: 'shop' });
  const first = await measured(comparison);
  const second = await measured(comparison);
  let nodes = 0;
  const tree = await measured(async () => {
    nodes = cache.tree(roots).length;
  });
  abort.abort();
  const synced = (await comparison()).sync;
  return `## A cluster of ${cache.info().objects} objects, ${roots.length} of them of one application\n\n${markdownTable(
    ['what', 'value'],
    [
      ['listed, parsed and indexed', `${seconds(listed)}, ${seconds((spent.user + spent.system) / 1000)} of processor`],
      ['memory of an object', `${Math.round(perObject)} bytes of heap, after a collection`],
      [`tree of ${nodes} nodes`, seconds(tree)],
      [`compare ${roots.length} objects (${synced})`, seconds(first)],
      ['compare them again', seconds(second)],
    ],
  )}`;
}

/** Bytes of the heap that are in use once nothing else is left to collect. */
function collector(): () => number {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  return () => {
    collect();
    collect();
    return process.memoryUsage().heapUsed;
  };
}

const kinds = [
  { group: 'apps', version: 'v1', kind: 'Deployment', name: 'deployments' },
  { group: '', version: 'v1', kind: 'Service', name: 'services' },
  { group: 'apps', version: 'v1', kind: 'ReplicaSet', name: 'replicasets' },
  { group: '', version: 'v1', kind: 'Pod', name: 'pods' },
].map(
  (kind) =>
    ({
      ...kind,
      singularName: '',
      namespaced: true,
      shortNames: [],
      categories: [],
      verbs: ['list', 'watch'],
      preferred: true,
    }) as unknown as ApiResource,
);

/** Answers lists in pages, and watches with silence. */
class BigCluster {
  readonly #each: number;

  constructor(each: number) {
    this.#each = each;
  }

  readonly client: Client = {
    server: 'https://big.example.com',
    discovery: {
      invalidate: () => undefined,
      resources: async () => kinds,
      version: async () => ({ gitVersion: 'v1.34.0' }),
      unavailable: () => new Map(),
    },
    list: async ({ kind }: ResourceRef, { limit = 500, continue: token }: ListOptions = {}) => {
      const from = Number(token ?? 0);
      const to = Math.min(from + limit, this.#each);
      // as bytes off the wire: what is kept shares nothing with what made it
      const items = Array.from(
        { length: to - from },
        (_, index) => JSON.parse(JSON.stringify(liveObject(kind, from + index))) as KubeObject,
      );
      return { items, metadata: { resourceVersion: '1', ...(to < this.#each ? { continue: String(to) } : {}) } };
    },
    watch: async function* (_: ResourceRef, { signal }: { signal?: AbortSignal }) {
      await new Promise((resolve) => signal?.addEventListener('abort', resolve, { once: true }));
    },
  } as unknown as Client;

  /** What the repository of the large application says. */
  desired(): DesiredObject[] {
    return Array.from({ length: Math.min(this.#each, ofOne / 2) }, (_, index) =>
      ['Deployment', 'Service'].map((kind) => manifest(kind, index)),
    )
      .flat()
      .map((object) => ({ object, origin: { file: 'all.yaml', line: 1 } }) as unknown as DesiredObject);
  }
}

const instanceOf = (index: number) => (index < ofOne / 2 ? 'large' : `app-${Math.floor(index / 2)}`);
const uidOf = (kind: string, index: number) => `${kind}-${String(index).padStart(24, '0')}`;

function manifest(kind: string, index: number): KubeObject {
  const labels = { app: `web-${index}` };
  const name = `web-${index}`;
  if (kind === 'Service')
    return {
      apiVersion: 'v1',
      kind,
      metadata: { name, namespace: 'shop', labels },
      spec: { selector: labels, ports: [{ port: 80 }] },
    };
  const template = {
    metadata: { labels },
    spec: { containers: [{ name: 'web', image: 'shop/web:1.2.3', ports: [{ containerPort: 80 }] }] },
  };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace: 'shop', labels },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  };
}

function liveObject(kind: string, index: number): KubeObject {
  const own = kind === 'Deployment' || kind === 'Service';
  const base = manifest(kind === 'Service' ? 'Service' : 'Deployment', index);
  const group = kind === 'Service' || kind === 'Pod' ? '' : 'apps';
  const owner = kind === 'ReplicaSet' ? 'Deployment' : 'ReplicaSet';
  const spec = kind === 'Pod' ? (base['spec'] as { template: { spec: object } }).template.spec : base['spec'];
  return {
    ...base,
    apiVersion: group ? 'apps/v1' : 'v1',
    kind,
    metadata: {
      ...base.metadata,
      uid: uidOf(kind, index),
      resourceVersion: String(index + 1),
      creationTimestamp: '2026-01-01T00:00:00Z',
      managedFields: [
        {
          ...{ manager: 'argocd-controller', operation: 'Apply', apiVersion: base.apiVersion, fieldsType: 'FieldsV1' },
          fieldsV1: { 'f:metadata': { 'f:labels': { 'f:app': {} } }, 'f:spec': fieldsOf(base['spec'] as object) },
        },
      ],
      ...(own
        ? {
            annotations: {
              'argocd.argoproj.io/tracking-id': `${instanceOf(index)}:${group}/${kind}:shop/web-${index}`,
            },
          }
        : {
            ownerReferences: [{ apiVersion: 'apps/v1', kind: owner, name: `web-${index}`, uid: uidOf(owner, index) }],
          }),
    },
    spec,
    status: {
      observedGeneration: 1,
      replicas: 1,
      readyReplicas: 1,
      phase: 'Running',
      conditions: [{ type: 'Ready', status: 'True' }],
    },
  };
}

function fieldsOf(value: object): object {
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      `f:${name}`,
      typeof field === 'object' && !Array.isArray(field) ? fieldsOf(field) : {},
    ]),
  );
}
