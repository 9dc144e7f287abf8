import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Application } from '@tiphys/api';
import { configMap, deployment } from './support/manifests.ts';
import { World } from './support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const ended = ({ status, operation }: Application) =>
  !operation &&
  status?.operationState !== undefined &&
  status.operationState.phase !== 'Running' &&
  status.operationState.phase !== 'Terminating';
const sync = (name: string, body: object = {}) =>
  world.rest('POST', `/api/v1/applications/${name}/sync`, { name, appNamespace: world.namespace, ...body });
const wave = (number: number) => ({ 'argocd.argoproj.io/sync-wave': String(number) });

test('without automated sync nothing is applied until a sync is asked for', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('sync-manual', 'one') });
  await world.createApplication('sync-manual', repository, { targetNamespace: namespace });
  const waiting = await world.waitForApplication(
    'sync-manual',
    'OutOfSync',
    (app) => app.status?.sync?.status === 'OutOfSync',
  );
  assert.equal(waiting.status?.health?.status, 'Missing');
  assert.equal(
    await world.client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'sync-manual' }),
    undefined,
  );
  assert.equal((await sync('sync-manual')).status, 200);
  const { status } = await world.healthy('sync-manual');
  assert.equal(status?.operationState?.phase, 'Succeeded');
  assert.equal(status?.operationState?.operation?.initiatedBy?.username, 'admin');
  assert.match(status?.operationState?.syncResult?.resources?.[0]?.message ?? '', /configmap\/sync-manual created/);
});

test('kubectl can ask for a sync by setting .operation', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('by-operation', 'one') });
  await world.createApplication('operation', repository, { targetNamespace: namespace });
  await world.waitForApplication('operation', 'OutOfSync', (app) => app.status?.sync?.status === 'OutOfSync');
  await world.client.patch(world.applicationRef('operation'), 'merge', {
    operation: { initiatedBy: { username: 'kubectl' }, sync: {} },
  });
  const { status, operation } = await world.healthy('operation');
  assert.equal(operation, undefined);
  assert.equal(status?.operationState?.phase, 'Succeeded');
});

test('waves are applied in order, and a wave waits until the one before is healthy', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({
    'a.yaml': configMap('last', 'x', wave(2)),
    'b.yaml': deployment('first', {
      annotations: wave(-1),
      podAnnotations: { 'sandbox.tiphys.dev/behavior': 'never-ready' },
    }),
  });
  await world.createApplication('sync-waves', repository, { targetNamespace: namespace });
  await world.waitForApplication('sync-waves', 'OutOfSync', (app) => app.status?.sync?.status === 'OutOfSync');
  await sync('sync-waves');
  const waiting = await world.waitForApplication('sync-waves', 'waiting for the first wave', (app) =>
    /waiting for healthy state of apps\/Deployment\/first/.test(app.status?.operationState?.message ?? ''),
  );
  assert.equal(waiting.status?.operationState?.phase, 'Running');
  assert.equal(await world.client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'last' }), undefined);
  await world.client.patch({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'first' }, 'merge', {
    spec: { template: { metadata: { annotations: { 'sandbox.tiphys.dev/behavior': null } } } },
  });
  await world.waitForApplication('sync-waves', 'the end of the operation', ended);
  assert.notEqual(await world.client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'last' }), undefined);
});

test('a running operation can be terminated', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({
    'b.yaml': deployment('stuck', {
      annotations: wave(-1),
      podAnnotations: { 'sandbox.tiphys.dev/behavior': 'never-ready' },
    }),
    'c.yaml': configMap('c', 'x'),
  });
  await world.createApplication('terminate', repository, { targetNamespace: namespace });
  await world.waitForApplication('terminate', 'OutOfSync', (app) => app.status?.sync?.status === 'OutOfSync');
  await sync('terminate');
  await world.waitForApplication('terminate', 'waiting', (app) =>
    /waiting for healthy state/.test(app.status?.operationState?.message ?? ''),
  );
  assert.equal(
    (await world.rest('DELETE', `/api/v1/applications/terminate/operation?appNamespace=${world.namespace}`)).status,
    200,
  );
  const { status } = await world.waitForApplication('terminate', 'the end of the operation', ended);
  assert.equal(status?.operationState?.phase, 'Failed');
});

test('an operation that takes longer than it may is terminated, and not tried again', async () => {
  const namespace = await world.targetNamespace();
  const parameters = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    namespace: world.namespace,
    name: 'argocd-cmd-params-cm',
  };
  const key = 'controller.sync.timeout.seconds';
  await world.client.patch(parameters, 'merge', { data: { [key]: '3' } });
  const repository = world.repository({
    'b.yaml': deployment('late', {
      annotations: wave(-1),
      podAnnotations: { 'sandbox.tiphys.dev/behavior': 'never-ready' },
    }),
    'c.yaml': configMap('c', 'x'),
  });
  await world.createApplication('sync-timeout', repository, { targetNamespace: namespace });
  await world.waitForApplication('sync-timeout', 'OutOfSync', (app) => app.status?.sync?.status === 'OutOfSync');
  await sync('sync-timeout', { retryStrategy: { limit: 5 } });
  const { status } = await world.waitForApplication('sync-timeout', 'the end of the operation', ended);
  assert.equal(status?.operationState?.phase, 'Failed');
  assert.match(status?.operationState?.message ?? '', /, triggered by controller sync timeout$/);
  await world.client.patch(parameters, 'merge', { data: { [key]: null } });
});

const hook = (name: string, phase: string, command: string, extra: Record<string, string> = {}) => `apiVersion: batch/v1
kind: Job
metadata:
  name: ${name}
  annotations: ${JSON.stringify({ 'argocd.argoproj.io/hook': phase, ...extra })}
spec:
  backoffLimit: 0
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: registry.example/job:1
        command: ["sh", "-c", "${command}"]
`;

test('hooks run in their phases, and a hook that fails fails the sync before anything is applied', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({
    'a.yaml': configMap('after-hook', 'one'),
    'hook.yaml': hook('migrate', 'PreSync', 'exit 1'),
  });
  await world.createApplication('sync-hooks', repository, { targetNamespace: namespace });
  await world.waitForApplication('sync-hooks', 'OutOfSync', (app) => app.status?.sync?.status === 'OutOfSync');
  await sync('sync-hooks');
  const failed = await world.waitForApplication('sync-hooks', 'the end of the operation', ended);
  assert.equal(failed.status?.operationState?.phase, 'Failed');
  const result = failed.status?.operationState?.syncResult?.resources?.find(({ name }) => name === 'migrate');
  assert.equal(result?.hookPhase, 'Failed');
  const shown = await world.waitForApplication('sync-hooks', 'the hook among its objects', ({ status }) =>
    Boolean(status?.resources?.some(({ hook }) => hook)),
  );
  const migrate = shown.status?.resources?.find(({ name }) => name === 'migrate');
  assert.deepEqual([migrate?.hook, migrate?.status], [true, undefined], 'hooks are not said to be synced or not');
  assert.equal(
    await world.client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'after-hook' }),
    undefined,
  );

  const commit = repository.commit({
    'hook.yaml': hook('migrate', 'PreSync', 'true', {
      'argocd.argoproj.io/hook-delete-policy': 'BeforeHookCreation,HookSucceeded',
    }),
  });
  await world.waitForApplication('sync-hooks', 'the new revision', (app) => app.status?.sync?.revision === commit);
  await sync('sync-hooks');
  const succeeded = await world.waitForApplication(
    'sync-hooks',
    'success',
    (app) => ended(app) && app.status?.operationState?.syncResult?.revision === commit,
  );
  assert.equal(succeeded.status?.operationState?.phase, 'Succeeded', succeeded.status?.operationState?.message ?? '');
  assert.notEqual(
    await world.client.find({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'after-hook' }),
    undefined,
  );
  await world.waitFor(
    { apiVersion: 'batch/v1', kind: 'Job', namespace, name: 'migrate' },
    'the hook to be deleted',
    (object) => object === undefined,
  );
});

test('a rollback deploys an earlier revision again and is refused while automated sync is on', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': configMap('rolled', 'one') });
  await world.createApplication('rollback', repository, { targetNamespace: namespace, syncPolicy: { automated: {} } });
  await world.healthy('rollback');
  const commit = repository.commit({ 'a.yaml': configMap('rolled', 'two') });
  await world.waitForApplication('rollback', 'two', (app) => app.status?.history?.at(-1)?.revision === commit);
  const request = { name: 'rollback', appNamespace: world.namespace, id: 0 };
  const refused = await world.rest('POST', '/api/v1/applications/rollback/rollback', request);
  assert.equal(refused.status, 400);
  assert.match(JSON.stringify(refused.body), /auto-sync/);
  await world.client.patch(world.applicationRef('rollback'), 'merge', { spec: { syncPolicy: null } });
  assert.equal((await world.rest('POST', '/api/v1/applications/rollback/rollback', request)).status, 200);
  await world.waitForApplication('rollback', 'the third entry', (app) => app.status?.history?.length === 3);
  const live = await world.client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'rolled' });
  assert.deepEqual(live.data, { value: 'one' });
});

test('a failed automated sync is retried as its strategy says, then given up with every object that failed', async () => {
  const namespace = await world.targetNamespace();
  const invalid = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: invalid\nspec:\n  ports:\n  - port: 123456\n';
  const repository = world.repository({ 'a.yaml': configMap('fine', 'one'), 'b.yaml': invalid });
  await world.createApplication('retry', repository, {
    targetNamespace: namespace,
    syncPolicy: { automated: {}, retry: { limit: 1, backoff: { duration: '1s', factor: 1, maxDuration: '1s' } } },
  });
  const { status } = await world.waitForApplication('retry', 'the end of the retries', (app) =>
    JSON.stringify(app.status?.diagnoses ?? []).includes('"S6"'),
  );
  assert.equal(status?.operationState?.retryCount, 1);
  assert.match(status?.operationState?.message ?? '', /retried 1 times/);
  assert.match(JSON.stringify(status?.diagnoses), /spec\.ports\[0\]\.port/);
  repository.commit({ 'b.yaml': undefined });
  await world.healthy('retry');
});

test('a sync that is retried with the newest commit keeps its source though the application has another by now', async () => {
  const namespace = await world.targetNamespace();
  const invalid = 'apiVersion: v1\nkind: Service\nmetadata:\n  name: invalid\nspec:\n  ports:\n  - port: 123456\n';
  const repository = world.repository({ 'first/a.yaml': invalid, 'second/a.yaml': configMap('second', 'one') });
  await world.createApplication('retry-refresh', repository, {
    targetNamespace: namespace,
    path: 'first',
    syncPolicy: {
      automated: { prune: true },
      retry: { limit: -1, refresh: true, backoff: { duration: '3s', factor: 1, maxDuration: '3s' } },
    },
  });
  await world.waitForApplication(
    'retry-refresh',
    'the first attempt',
    (app) => app.status?.operationState?.retryCount === 1,
  );
  await world.client.patch(world.applicationRef('retry-refresh'), 'merge', { spec: { source: { path: 'second' } } });
  await world.waitForApplication(
    'retry-refresh',
    'its new source',
    (app) => app.status?.sync?.comparedTo?.source?.path === 'second',
  );
  repository.commit({ 'first/a.yaml': configMap('first', 'one') });
  await world.waitForApplication('retry-refresh', 'both syncs', (app) => app.status?.history?.length === 2);
  const { status } = await world.healthy('retry-refresh');
  assert.deepEqual(
    status?.history?.map(({ source }) => source?.path),
    ['first', 'second'],
  );
});
