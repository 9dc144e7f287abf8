import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnosisOf } from '@tiphys/diagnosis';
import { CacheStopped } from '@tiphys/engine';
import { type Client, type InformerChange, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { clusterNotices } from './cluster-notices.ts';
import { ClusterRegistry } from './cluster-registry.ts';

/** No cluster listens there. */
const server = 'https://127.0.0.1:1';

function secret(name: string, created: string, version = '1'): KubeObject {
  const data = { name: `cluster-of-${name}`, server: `${server}/`, config: '{"bearerToken":"t"}' };
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'argocd', resourceVersion: version, creationTimestamp: created },
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
  };
}

function registry(signal: AbortSignal) {
  const secrets = new Map<string, KubeObject>();
  const listeners = new Set<(change: InformerChange<KubeObject>) => void>();
  let settings = 'a';
  const clusters = new ClusterRegistry({
    control: {} as Client,
    secrets: {
      list: () => secrets.values(),
      subscribe: (listener: (change: InformerChange<KubeObject>) => void) => void listeners.add(listener),
    } as never,
    settings: () => ({ value: { tracking: { method: 'annotation' } }, id: settings }),
    inClusterEnabled: () => true,
    health: { follow: () => undefined, custom: () => undefined, problems: () => [] } as never,
    clock: systemClock,
    signal,
    onCache: () => undefined,
  });
  return {
    clusters,
    put(object: KubeObject) {
      const name = object.metadata.name ?? '';
      const old = secrets.get(name);
      secrets.set(name, object);
      for (const listener of listeners) listener(old ? { type: 'updated', object, old } : { type: 'added', object });
    },
    remove(name: string) {
      const object = secrets.get(name) as KubeObject;
      secrets.delete(name);
      for (const listener of listeners) listener({ type: 'deleted', object, old: object });
    },
    set(id: string) {
      settings = id;
    },
  };
}

test('of Secrets that register one address the oldest is used, and by its name each one', (context) => {
  const abort = new AbortController();
  context.after(() => abort.abort());
  const { clusters, put, remove } = registry(abort.signal);
  put(secret('young', '2026-02-01T00:00:00Z'));
  put(secret('old', '2026-01-01T00:00:00Z'));
  const first = clusters.resolve({ server });
  assert.equal(first.name, 'cluster-of-old');
  assert.equal(clusters.resolve({ name: 'cluster-of-young' }).name, 'cluster-of-young');
  assert.equal(clusters.resolve({ name: 'cluster-of-old' }), first);
  assert.equal(clusters.active(server), first);
  const [notice] = clusterNotices(clusters.resolve({ name: 'cluster-of-young' }));
  assert.match(notice?.message ?? '', /2 cluster Secrets register .* the credential of young/);
  assert.deepEqual(notice?.evidence, [{ name: 'registered also by', value: 'old' }]);
  remove('old');
  const left = clusters.resolve({ server });
  assert.equal(left.name, 'cluster-of-young');
  assert.deepEqual(clusterNotices(left), []);
});

test('who waits for a cluster is told when its Secret or the settings make it another one', async (context) => {
  const abort = new AbortController();
  context.after(() => abort.abort());
  const { clusters, put, remove, set } = registry(abort.signal);
  put(secret('east', '2026-01-01T00:00:00Z'));
  const changes = [() => put(secret('east', '2026-01-01T00:00:00Z', '2')), () => set('b'), () => remove('east')];
  for (const change of changes) {
    const waiting = assert.rejects(clusters.resolve({ server }).cache.ensureSynced(), CacheStopped);
    change();
    try {
      clusters.resolve({ server });
    } catch (error) {
      assert.equal(diagnosisOf(error).code, 'ClusterNotFound');
    }
    await waiting;
  }
});
