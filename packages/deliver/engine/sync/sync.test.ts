import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { systemClock } from '@tiphys/kubernetes';
import { deleteCascade, planSync, type SyncState, stepSync, terminateSync } from '../index.ts';
import { type TestCluster, testCluster } from '../testing/cluster.ts';

let cluster: TestCluster;
before(async () => {
  cluster = await testCluster();
});
after(() => cluster.close());

const configMap = (name: string, annotations: Record<string, string> = {}, value = 'x') => `
apiVersion: v1
kind: ConfigMap
metadata: {name: ${name}, annotations: ${JSON.stringify(annotations)}}
data: {key: ${value}}
---`;

const job = (name: string, annotations: Record<string, string>) => `
apiVersion: batch/v1
kind: Job
metadata: {${name.endsWith('-') ? 'generateName' : 'name'}: ${name}, annotations: ${JSON.stringify(annotations)}}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: x}]}}}
---`;

const deployment = (name: string, annotations: Record<string, string> = {}) => `
apiVersion: apps/v1
kind: Deployment
metadata: {name: ${name}, annotations: ${JSON.stringify(annotations)}}
spec: {selector: {matchLabels: {app: ${name}}}, template: {metadata: {labels: {app: ${name}}}, spec: {containers: [{name: c, image: x}]}}}
---`;

const find = (kind: string, name: string, apiVersion = 'v1') =>
  cluster.client.find({ apiVersion, kind, name, namespace: 'shop' });

async function setStatus(apiVersion: string, kind: string, name: string, status: unknown): Promise<KubeObject> {
  const key = {
    group: apiVersion.split('/').length > 1 ? (apiVersion.split('/')[0] as string) : '',
    kind,
    namespace: 'shop',
    name,
  };
  const written = await cluster.client.patch(
    { apiVersion, kind, name, namespace: 'shop' },
    'merge',
    { status },
    { subresource: 'status' },
  );
  await cluster.seen(() => cluster.cache.node(key)?.resourceVersion === written.metadata.resourceVersion);
  return written;
}

const finished = (type: 'Complete' | 'Failed', message = '') => ({
  startTime: '2026-01-01T00:00:00Z',
  ...(type === 'Complete' ? { completionTime: '2026-01-01T00:00:01Z', succeeded: 1 } : { failed: 1 }),
  conditions: [
    {
      type: type === 'Complete' ? 'SuccessCriteriaMet' : 'FailureTarget',
      status: 'True',
      message,
      lastTransitionTime: '2026-01-01T00:00:01Z',
      lastProbeTime: '2026-01-01T00:00:01Z',
    },
    {
      type,
      status: 'True',
      message,
      lastTransitionTime: '2026-01-01T00:00:01Z',
      lastProbeTime: '2026-01-01T00:00:01Z',
    },
  ],
});

const hook = (types: string, policy?: string) => ({
  'argocd.argoproj.io/hook': types,
  ...(policy ? { 'argocd.argoproj.io/hook-delete-policy': policy } : {}),
});

const summary = (state: SyncState) =>
  state.resources.map(
    ({ kind, name, status, hookPhase, message }) => `${kind} ${name} ${status} ${hookPhase}: ${message}`,
  );

async function clear(): Promise<void> {
  for (;;) {
    const result = await deleteCascade({
      cache: cluster.cache,
      client: cluster.client,
      instance: 'app',
      propagationPolicy: 'Background',
      signal: AbortSignal.timeout(120_000),
    });
    if (result.done) return;
    for (const { key } of result.remaining) {
      await cluster.client.patch(
        { apiVersion: key.group ? `${key.group}/v1` : 'v1', kind: key.kind, name: key.name, namespace: key.namespace },
        'merge',
        { metadata: { finalizers: null } },
      );
    }
  }
}

describe('a sync', () => {
  it('applies what is missing, changes what differs, leaves alone what is equal and prunes what is left', async () => {
    const first = cluster.desired(configMap('a') + configMap('b') + configMap('old'));
    const created = await cluster.step(first);
    assert.equal(created.phase, 'Succeeded');
    assert.equal(created.message, 'successfully synced (all tasks run)');
    assert.deepEqual(summary(created), [
      'ConfigMap a Synced Running: configmap/a created',
      'ConfigMap b Synced Running: configmap/b created',
      'ConfigMap old Synced Running: configmap/old created',
    ]);
    assert.equal((await cluster.compare(first)).sync, 'Synced');

    const second = cluster.desired(configMap('a') + configMap('b', {}, 'changed'));
    const kept = await cluster.step(second);
    assert.deepEqual(summary(kept).sort(), [
      'ConfigMap a Synced Running: configmap/a unchanged',
      'ConfigMap b Synced Running: configmap/b configured',
      'ConfigMap old PruneSkipped Succeeded: ignored (requires pruning)',
    ]);
    const pruned = await cluster.step(second, undefined, {
      prune: true,
      syncOptions: ['PrunePropagationPolicy=background'],
    });
    assert.ok(summary(pruned).includes('ConfigMap old Pruned Succeeded: pruned'));
    assert.equal(await find('ConfigMap', 'old'), undefined);
    await clear();
  });

  it('changes nothing in a dry run', async () => {
    const state = await cluster.step(cluster.desired(configMap('a')), undefined, { dryRun: true });
    assert.equal(state.message, 'successfully synced (no more tasks)');
    assert.equal(state.phase, 'Succeeded');
    assert.deepEqual(summary(state), ['ConfigMap a Synced Succeeded: configmap/a created (dry run)']);
    assert.equal(await find('ConfigMap', 'a'), undefined);
  });

  it('gives those who react to a wave time before the next one begins, unless it changed nothing', async () => {
    const manifests = (value: string) =>
      cluster.desired(
        configMap('paused-one', { 'argocd.argoproj.io/sync-wave': '1' }, value) +
          configMap('paused-two', { 'argocd.argoproj.io/sync-wave': '2' }),
      );
    const slept: [number, boolean][] = [];
    const sleep = async (milliseconds: number) =>
      void slept.push([milliseconds, (await find('ConfigMap', 'paused-two')) !== undefined]);
    const sync = async (value: string) => {
      const plan = planSync(await cluster.compare(manifests(value)), {
        revision: 'abcdef0123',
        startedAt: '2026-01-01T00:00:00Z',
      });
      const { client, cache } = cluster;
      const signal = AbortSignal.timeout(120_000);
      const state = await stepSync({
        plan,
        client,
        cache,
        clock: { ...systemClock, sleep },
        signal,
        waveDelay: 2_000,
      });
      assert.equal(state.phase, 'Succeeded', state.message);
      const live = await find('ConfigMap', 'paused-two');
      await cluster.seen(() => cluster.cache.get({ ...key, name: 'paused-two' })?.metadata.uid === live?.metadata.uid);
    };
    const key = { group: '', kind: 'ConfigMap', namespace: 'shop' };
    await sync('x');
    assert.deepEqual(slept.splice(0), [[2_000, false]]);
    await sync('x');
    assert.deepEqual(slept.splice(0), []);
    await sync('y');
    assert.deepEqual(slept.splice(0), [[2_000, true]]);
    await clear();
  });

  it('waits for a wave to become healthy and says what holds it up', async () => {
    const desired = cluster.desired(deployment('web', { 'argocd.argoproj.io/sync-wave': '-1' }) + configMap('later'));
    let state = await cluster.step(desired);
    assert.equal(state.phase, 'Running');
    assert.match(state.message, /^waiting for healthy state of apps\/Deployment\/web/);
    assert.equal(await find('ConfigMap', 'later'), undefined);
    const [blocked] = state.diagnoses;
    assert.equal(blocked?.cause, 'S4');
    assert.equal(blocked?.evidence.find(({ name }) => name === 'held up')?.value, 'ConfigMap shop/later');

    state = await cluster.step(desired, state);
    assert.equal(state.phase, 'Running');
    await setStatus('apps/v1', 'Deployment', 'web', {
      observedGeneration: 9,
      replicas: 1,
      updatedReplicas: 1,
      availableReplicas: 1,
      readyReplicas: 1,
    });
    state = await cluster.step(desired, state);
    assert.equal(state.phase, 'Succeeded');
    assert.notEqual(await find('ConfigMap', 'later'), undefined);
    await clear();
  });

  it('runs PreSync hooks first and PostSync hooks last, and deletes them as their policy says', async () => {
    const desired = cluster.desired(
      job('before', hook('PreSync', 'HookSucceeded')) + job('after-', hook('PostSync')) + configMap('main'),
    );
    let state = await cluster.step(desired);
    assert.equal(state.message, 'waiting for completion of hook batch/Job/before');
    assert.equal(await find('ConfigMap', 'main'), undefined);
    assert.deepEqual((await find('Job', 'before', 'batch/v1'))?.metadata.finalizers, [
      'argocd.argoproj.io/hook-finalizer',
    ]);

    await setStatus('batch/v1', 'Job', 'before', finished('Complete'));
    state = await cluster.step(desired, state);
    const generated = 'after-abcdef0-postsync-1767225600';
    assert.equal(state.message, `waiting for completion of hook batch/Job/${generated}`);
    assert.notEqual(await find('ConfigMap', 'main'), undefined);
    await setStatus('batch/v1', 'Job', generated, finished('Complete'));
    state = await cluster.step(desired, state);
    assert.equal(state.phase, 'Succeeded');
    assert.equal(state.resources.find(({ name }) => name === 'before')?.hookPhase, 'Succeeded');
    assert.equal(
      (await find('Job', generated, 'batch/v1'))?.metadata.finalizers?.includes('argocd.argoproj.io/hook-finalizer') ??
        false,
      false,
    );
    const again = await cluster.compare(desired);
    assert.equal(again.sync, 'Synced', 'hooks never make an application OutOfSync');
    await clear();
  });

  it('runs SyncFail hooks and names the reason when a hook fails', async () => {
    const desired = cluster.desired(
      job('migrate', hook('PreSync')) + job('repair', hook('SyncFail')) + configMap('main'),
    );
    let state = await cluster.step(desired);
    await setStatus('batch/v1', 'Job', 'migrate', finished('Failed', 'Job has reached the specified backoff limit'));
    state = await cluster.step(desired, state);
    assert.equal(state.phase, 'Running');
    assert.equal(state.message, 'waiting for completion of hook batch/Job/repair');
    await setStatus('batch/v1', 'Job', 'repair', finished('Complete'));
    state = await cluster.step(desired, state);
    assert.equal(state.phase, 'Failed');
    assert.match(
      state.message,
      /^one or more synchronization tasks completed unsuccessfully, reason: .*Job has reached the specified backoff limit/,
    );
    assert.equal(await find('ConfigMap', 'main'), undefined);
    await clear();
  });

  it('ends the wait for a hook that vanished (S1)', async () => {
    const desired = cluster.desired(job('gone', hook('PreSync')) + configMap('main'));
    let state = await cluster.step(desired);
    await cluster.client.patch({ apiVersion: 'batch/v1', kind: 'Job', name: 'gone', namespace: 'shop' }, 'merge', {
      metadata: { finalizers: null },
    });
    await cluster.client.delete(
      { apiVersion: 'batch/v1', kind: 'Job', name: 'gone', namespace: 'shop' },
      { propagationPolicy: 'Background' },
    );
    await cluster.seen(
      () => cluster.cache.node({ group: 'batch', kind: 'Job', namespace: 'shop', name: 'gone' }) === undefined,
    );
    state = await cluster.step(desired, state);
    assert.equal(state.phase, 'Failed');
    assert.ok(state.diagnoses.some(({ cause }) => cause === 'S1'));
    await clear();
  });

  it('fails in the dry run for an object without a name, and applies nothing', async () => {
    const nameless = '{apiVersion: v1, kind: ConfigMap, metadata: {labels: {a: b}}}\n---\n';
    const state = await cluster.step(cluster.desired(nameless + configMap('named')));
    assert.equal(state.phase, 'Failed');
    assert.match(state.message, /The ConfigMap has no name \(manifests\.yaml:1/);
    assert.equal(await find('ConfigMap', 'named'), undefined);
  });

  it('runs a hook anew for each operation, after the object of the last one is gone', async () => {
    const desired = cluster.desired(job('each', hook('Sync')));
    let state = await cluster.step(desired);
    const uid = (await find('Job', 'each', 'batch/v1'))?.metadata.uid;
    await setStatus('batch/v1', 'Job', 'each', finished('Complete'));
    state = await cluster.step(desired, state);
    assert.equal(state.phase, 'Succeeded');
    const next = await cluster.step(desired);
    assert.match(next.message, /hook batch\/Job\/each/);
    await clear();
    assert.notEqual(uid, undefined);
  });

  it('runs a finished hook again in the next operation, also if its policy does not delete it before', async () => {
    const desired = cluster.desired(job('redo', hook('PreSync', 'HookSucceeded')));
    let state = await cluster.step(desired);
    await setStatus('batch/v1', 'Job', 'redo', finished('Failed', 'no'));
    state = await cluster.step(desired, state);
    assert.equal(state.phase, 'Failed');
    const failed = await find('Job', 'redo', 'batch/v1');
    const options = { syncOptions: ['PrunePropagationPolicy=background'] };
    const again = await cluster.step(desired, undefined, options);
    assert.equal(again.message, 'waiting for completion of hook batch/Job/redo');
    assert.notEqual((await find('Job', 'redo', 'batch/v1'))?.metadata.uid, failed?.metadata.uid);
    await clear();
  });

  it('stores the result of a hook before it lets go of it', async () => {
    const desired = cluster.desired(job('kept', hook('PreSync')) + configMap('main'));
    const state = await cluster.step(desired);
    await setStatus('batch/v1', 'Job', 'kept', finished('Complete'));
    const plan = planSync(await cluster.compare(desired), {
      revision: 'abcdef0123',
      startedAt: '2026-01-01T00:00:00Z',
    });
    const request = {
      plan,
      state,
      client: cluster.client,
      cache: cluster.cache,
      clock: systemClock,
      signal: AbortSignal.timeout(120_000),
    };
    const killed = stepSync({
      ...request,
      onProgress: () => {
        throw new Error('killed');
      },
    });
    await assert.rejects(killed, /killed/);
    assert.deepEqual((await find('Job', 'kept', 'batch/v1'))?.metadata.finalizers, [
      'argocd.argoproj.io/hook-finalizer',
    ]);
    assert.equal((await stepSync(request)).phase, 'Succeeded');
    await clear();
  });

  it('goes on where it was when it is killed after any write', async () => {
    const desired = cluster.desired(
      configMap('one', { 'argocd.argoproj.io/sync-wave': '1' }) +
        configMap('two', { 'argocd.argoproj.io/sync-wave': '2' }) +
        job('mid', hook('PreSync')),
    );
    await cluster.step(desired);
    const before = await find('Job', 'mid', 'batch/v1');
    // the results of the first step are lost: the hook that runs already is the hook of this operation
    await setStatus('batch/v1', 'Job', 'mid', finished('Complete'));
    const resumed = await cluster.step(desired);
    assert.equal(resumed.phase, 'Succeeded');
    assert.equal((await find('Job', 'mid', 'batch/v1'))?.metadata.uid, before?.metadata.uid);
    await clear();
  });

  it('terminates: running hooks are deleted, what was applied stays', async () => {
    const desired = cluster.desired(job('long', hook('PreSync')) + configMap('main'));
    const state = await cluster.step(desired);
    const plan = planSync(await cluster.compare(desired), {
      revision: 'abcdef0123',
      startedAt: '2026-01-01T00:00:00Z',
    });
    const ended = await terminateSync({
      plan,
      state,
      client: cluster.client,
      cache: cluster.cache,
      clock: systemClock,
      signal: AbortSignal.timeout(120_000),
    });
    assert.equal(ended.phase, 'Failed');
    assert.equal(ended.message, 'Operation terminated');
    assert.equal(ended.resources[0]?.message, 'Terminated');
    await clear();
  });

  it('applies definitions before their objects, and waits until they are served', async () => {
    const definition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.org}
spec:
  group: example.org
  scope: Namespaced
  names: {kind: Gadget, plural: gadgets, singular: gadget, listKind: GadgetList}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}}]
---
apiVersion: example.org/v1
kind: Gadget
metadata: {name: g, annotations: {argocd.argoproj.io/sync-wave: "-5"}}
spec: {size: 1}
`;
    const desired = cluster.desired(definition);
    const state = await cluster.step(desired);
    assert.equal(state.phase, 'Succeeded', state.message);
    await cluster.seen(
      () => cluster.cache.node({ group: 'example.org', kind: 'Gadget', namespace: 'shop', name: 'g' }) !== undefined,
    );
    assert.equal((await cluster.compare(desired)).sync, 'Synced');
    await clear();
  });

  it('applies nothing at all if one kind is unknown or one manifest is invalid', async () => {
    const unknown = await cluster.step(
      cluster.desired(`${configMap('a')}\napiVersion: none.example/v1\nkind: Nothing\nmetadata: {name: n}\n`),
    );
    assert.equal(unknown.phase, 'Failed');
    assert.match(
      unknown.message,
      /^one or more synchronization tasks are not valid: The Kubernetes API could not find none.example\/Nothing for requested resource shop\/n. Make sure the "Nothing" CRD is installed/,
    );
    const typo = await cluster.step(
      cluster.desired(`${configMap('a')}${deployment('web').replace('image: x', 'imag: x')}`),
    );
    assert.equal(typo.phase, 'Failed');
    assert.match(typo.message, /unknown field "spec\.template\.spec\.containers\[0\]\.imag"/);
    assert.equal(typo.diagnoses[0]?.place?.line, 2);
    assert.equal(await find('ConfigMap', 'a'), undefined);
  });

  it('makes the namespace first and keeps its metadata', async () => {
    const options = { syncOptions: ['CreateNamespace=true'], managedNamespaceMetadata: { labels: { team: 'a' } } };
    const comparison = await cluster.compare(cluster.desired(configMap('a')), {
      destinationNamespace: 'fresh',
      tracking: { method: 'annotation', instance: 'fresh' },
    });
    const plan = planSync(comparison, { revision: 'r', startedAt: '2026-01-01T00:00:00Z', ...options });
    const state = await stepSync({
      plan,
      client: cluster.client,
      cache: cluster.cache,
      clock: systemClock,
      signal: AbortSignal.timeout(120_000),
    });
    assert.equal(state.phase, 'Succeeded', state.message);
    const namespace = await cluster.client.get({ apiVersion: 'v1', kind: 'Namespace', name: 'fresh' });
    assert.equal(namespace.metadata.labels?.team, 'a');
  });

  it('refuses options that it does not know by their name', async () => {
    const state = await cluster.step(cluster.desired(configMap('a')), undefined, {
      syncOptions: ['Foo=true', 'Prune=maybe'],
    });
    assert.equal(state.phase, 'Error');
    assert.deepEqual(
      state.diagnoses.map(({ code }) => code),
      ['SyncOptionUnsupported', 'SyncOptionUnsupported'],
    );
    assert.match(state.message, /"Foo=true" is not known/);
  });

  it('prunes only what is confirmed where Prune=confirm', async () => {
    const option = { 'argocd.argoproj.io/sync-options': 'Prune=confirm' };
    await cluster.step(cluster.desired(configMap('precious', option)));
    const waiting = await cluster.step([], undefined, { prune: true });
    assert.equal(waiting.message, 'waiting for pruning confirmation of /ConfigMap/precious');
    const stale = await cluster.step([], waiting, { prune: true, deletionApprovedAt: '2025-12-31T00:00:00Z' });
    assert.equal(stale.phase, 'Running');
    const done = await cluster.step([], waiting, {
      prune: true,
      deletionApprovedAt: '2026-01-01T00:01:00Z',
      syncOptions: ['PrunePropagationPolicy=background'],
    });
    assert.equal(done.phase, 'Succeeded');
    assert.equal(await find('ConfigMap', 'precious'), undefined);
  });

  it('syncs a selection without hooks and leaves the rest alone', async () => {
    const desired = cluster.desired(configMap('a') + configMap('b') + job('h', hook('PreSync')));
    const state = await cluster.step(desired, undefined, { resources: [{ kind: 'ConfigMap', name: 'b' }] });
    assert.equal(state.phase, 'Succeeded');
    assert.deepEqual(
      state.resources.map(({ name }) => name),
      ['b'],
    );
    await clear();
  });

  it('replaces, and takes over fields by server-side apply', async () => {
    await cluster.client.create(
      {
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: { name: 'taken', namespace: 'shop' },
        data: { key: 'theirs', other: 'kept' },
      },
      { fieldManager: 'someone' },
    );
    const desired = cluster.desired(configMap('taken', { 'argocd.argoproj.io/sync-options': 'ServerSideApply=true' }));
    const applied = await cluster.step(desired);
    assert.deepEqual(summary(applied), ['ConfigMap taken Synced Running: configmap/taken serverside-applied']);
    assert.deepEqual((await find('ConfigMap', 'taken'))?.data, { key: 'x', other: 'kept' });
    const replaced = await cluster.step(
      cluster.desired(configMap('taken', { 'argocd.argoproj.io/sync-options': 'Replace=true' })),
    );
    assert.deepEqual(summary(replaced), ['ConfigMap taken Synced Running: configmap/taken replaced']);
    assert.deepEqual((await find('ConfigMap', 'taken'))?.data, { key: 'x' });
    await clear();
  });
});

describe('a cascading deletion', () => {
  it('leaves what says so, deletes waves in reverse and names what is stuck', async () => {
    await cluster.step(
      cluster.desired(
        configMap('keep', { 'argocd.argoproj.io/sync-options': 'Delete=false' }) +
          configMap('first', { 'argocd.argoproj.io/sync-wave': '1' }) +
          configMap('last', { 'argocd.argoproj.io/sync-wave': '-1' }),
      ),
    );
    await cluster.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', name: 'first', namespace: 'shop' }, 'merge', {
      metadata: { finalizers: ['example.com/wait'] },
    });
    const request = {
      cache: cluster.cache,
      client: cluster.client,
      instance: 'app',
      propagationPolicy: 'Background' as const,
      signal: AbortSignal.timeout(120_000),
    };
    const stuck = await deleteCascade(request);
    assert.equal(stuck.done, false);
    assert.deepEqual(
      stuck.remaining.map(({ description }) => description),
      ['ConfigMap shop/first is kept by the finalizers example.com/wait'],
    );
    assert.equal(stuck.remaining[0]?.diagnosis.cause, 'C11');
    assert.notEqual(await find('ConfigMap', 'last'), undefined, 'the next wave waits');
    await cluster.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', name: 'first', namespace: 'shop' }, 'merge', {
      metadata: { finalizers: null },
    });
    assert.equal((await deleteCascade(request)).done, true);
    assert.equal(await find('ConfigMap', 'last'), undefined);
    assert.notEqual(await find('ConfigMap', 'keep'), undefined);
  });

  it('waits for an approval that was given after it began, of an object or of the whole application', async () => {
    await cluster.step(cluster.desired(configMap('precious')));
    const request = {
      cache: cluster.cache,
      client: cluster.client,
      instance: 'app',
      propagationPolicy: 'Background' as const,
      syncOptions: ['Delete=confirm'],
      deletionRequestedAt: '2026-01-01T00:00:00Z',
      signal: AbortSignal.timeout(120_000),
    };
    assert.equal((await deleteCascade({ ...request, deletionApprovedAt: '2025-12-31T00:00:00Z' })).done, false);
    assert.notEqual(await find('ConfigMap', 'precious'), undefined);
    assert.equal((await deleteCascade({ ...request, deletionApprovedAt: '2026-01-01T00:00:00Z' })).done, true);
    assert.equal(await find('ConfigMap', 'precious'), undefined);
  });
});
