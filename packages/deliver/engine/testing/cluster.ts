import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { parseAllDocuments } from 'yaml';
import {
  ClusterCache,
  type CompareRequest,
  type Comparison,
  compare,
  type DesiredObject,
  planSync,
  type SyncOptions,
  type SyncState,
  stepSync,
} from '../index.ts';

/** A sandbox with a cache of it, for tests. */
export interface TestCluster {
  readonly client: Client;
  readonly cache: ClusterCache;
  /** Manifests of a YAML text. */
  desired(yaml: string): DesiredObject[];
  compare(desired: readonly DesiredObject[], request?: Partial<CompareRequest>): Promise<Comparison>;
  /** One step of a sync, as a controller does it: comparison, plan, step. */
  step(desired: readonly DesiredObject[], state?: SyncState, options?: Partial<SyncOptions>): Promise<SyncState>;
  /** Waits until the cache knows what the check asks for. */
  seen(check: () => boolean): Promise<void>;
  close(): Promise<void>;
}

export async function testCluster(): Promise<TestCluster> {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'engine' } });
  const cache = new ClusterCache(client, { settings: { tracking: { method: 'annotation' } } });
  const abort = new AbortController();
  cache.start(abort.signal);
  await cache.ensureSynced();
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  const cluster: TestCluster = {
    client,
    cache,
    desired: (yaml) =>
      parseAllDocuments(yaml).flatMap((document, index) => {
        const object = document.toJS() as KubeObject | null;
        return object ? [{ object, origin: { file: 'manifests.yaml', line: index + 1 } }] : [];
      }),
    compare: (desired, request = {}) =>
      compare({
        desired,
        cache,
        tracking: { method: 'annotation', instance: 'app' },
        destinationNamespace: 'shop',
        ...request,
      }),
    async step(desired, state, options = {}) {
      const comparison = await cluster.compare(
        desired,
        options.syncOptions ? { options: { syncOptions: options.syncOptions } } : {},
      );
      const plan = planSync(comparison, { revision: 'abcdef0123', startedAt: '2026-01-01T00:00:00Z', ...options });
      return stepSync({
        plan,
        client,
        cache,
        clock: systemClock,
        signal: AbortSignal.timeout(120_000),
        ...(state ? { state } : {}),
      });
    },
    seen: (check) =>
      new Promise((resolve) => {
        if (check()) return resolve();
        const stop = cache.subscribe(() => {
          if (!check()) return;
          stop();
          resolve();
        });
      }),
    async close() {
      abort.abort();
      await client.close();
      await sandbox.close();
    },
  };
  return cluster;
}
