import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Rollout, rolloutsDefinitions } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import { type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startTestServer } from '../../testing/start-test-server.ts';

const api = 'argoproj.io/v1alpha1';
const base = '/api/v1/rollouts/shop';
const ref = { apiVersion: api, kind: 'Rollout', namespace: 'shop', name: 'web' };
const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:2' }] } };

test('the dashboard of Argo Rollouts is told of Rollouts, follows them and changes them', async (t) => {
  const { client, call, login, configure, server } = await startTestServer(t);
  const token = await login();
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  await ensureDefinitions(client, rolloutsDefinitions(), systemClock);
  const created: KubeObject = await client.create<KubeObject>({
    apiVersion: api,
    kind: 'Rollout',
    metadata: { namespace: 'shop', name: 'web', annotations: { 'rollout.argoproj.io/revision': '2' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template,
      strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
    },
  });
  const status = {
    ...{ phase: 'Paused', message: 'CanaryPauseStep', observedGeneration: String(created.metadata.generation) },
    ...{ currentStepIndex: 1, currentPodHash: 'bbb', stableRS: 'aaa', replicas: 2 },
    pauseConditions: [{ reason: 'CanaryPauseStep', startTime: '2026-01-02T03:04:05Z' }],
  };
  await client.patch(ref, 'merge', { status }, { subresource: 'status' });
  const owner = { apiVersion: api, kind: 'Rollout', name: 'web', uid: created.metadata.uid ?? '', controller: true };
  const metadata = (name: string) => ({
    ...{ namespace: 'shop', name, ownerReferences: [owner] },
    annotations: { 'rollout.argoproj.io/revision': '2' },
  });
  await client.create({
    ...{ apiVersion: 'apps/v1', kind: 'ReplicaSet' },
    metadata: { ...metadata('web-bbb'), labels: { app: 'web', 'rollouts-pod-template-hash': 'bbb' } },
    spec: { replicas: 0, selector: { matchLabels: { app: 'web' } }, template },
  });
  await client.create({
    ...{ apiVersion: api, kind: 'AnalysisRun' },
    metadata: metadata('web-2'),
    spec: {
      metrics: [{ name: 'rate', successCondition: 'result > 1', provider: { web: { url: 'http://x/?k=s3cret' } } }],
    },
    status: {
      ...{ phase: 'Failed', metricResults: [] },
      metricResults: [{ name: 'rate', phase: 'Failed', failed: 1, measurements: [{ phase: 'Failed', value: '0' }] }],
    },
  });

  await t.test('one, a list, namespaces, version', async () => {
    const { body } = await call(`${base}/web/info`, { token });
    const {
      status: phase,
      icon,
      strategy,
      step,
      setWeight,
      replicaSets,
      analysisRuns,
      containers,
    } = body as never as {
      [field: string]: string;
    } & { replicaSets: Record<string, unknown>[]; analysisRuns: Record<string, unknown>[]; containers: unknown };
    assert.deepEqual([phase, icon, strategy, step, setWeight], ['Paused', '॥', 'Canary', '1/2', '20']);
    assert.deepEqual(containers, [{ name: 'web', image: 'web:2' }]);
    assert.deepEqual(
      replicaSets.map(({ canary, revision, images }) => [canary, revision, images]),
      [[true, 2, ['web:2']]],
    );
    assert.deepEqual(
      analysisRuns.map(({ failed, nonJobInfo }) => [failed, nonJobInfo]),
      [[1, [{ value: '0', status: 'Failed', metricName: 'rate' }]]],
    );
    assert.ok(!JSON.stringify(body).includes('s3cret'));
    const { body: list } = await call(`${base}/info`, { token });
    assert.deepEqual(
      (list.rollouts as { objectMeta: { name: string } }[]).map(({ objectMeta }) => objectMeta.name),
      ['web'],
    );
    assert.deepEqual((await call('/api/v1/namespace', { token })).body.availableNamespaces, ['shop']);
    assert.match(String((await call('/api/v1/version', { token })).body.rolloutsVersion), /^v\d/);
    assert.equal((await call(`${base}/none/info`, { token })).status, 404);
  });

  await t.test('what is sent is what the plugin sends', async () => {
    const put = async (path: string, body: unknown = {}) =>
      await call(`${base}/web/${path}`, { token, body, method: 'PUT' });
    const read = () => client.get<Rollout>(ref);
    assert.equal((await put('abort')).status, 200);
    assert.equal((await read()).status?.abort, true);
    assert.equal((await put('retry')).status, 200);
    assert.equal((await read()).status?.abort, false);
    assert.equal((await put('restart')).status, 200);
    assert.ok((await read()).spec.restartAt);
    const promoted = await put('promote', { full: true });
    assert.equal((promoted.body as never as Rollout).status?.promoteFull, true);
    assert.equal((await put(`set/web/${encodeURIComponent('example.com/web')}/3`)).status, 200);
    assert.deepEqual((await read()).spec.template?.spec?.containers, [{ name: 'web', image: 'example.com/web:3' }]);
    assert.equal((await put('undo/2')).status, 200);
    assert.match(JSON.stringify((await read()).spec.template?.spec?.containers), /"image":"web:2"/);
    assert.equal((await put('delete')).status, 404);
  });

  await t.test('a watch tells what is, and what changes', async () => {
    const stop = new AbortController();
    for (const [path, messageOf] of [
      [`${base}/web/info/watch`, (result: Record<string, unknown>) => result.message],
      [
        `${base}/info/watch`,
        ({ rolloutInfo }: Record<string, unknown>) => (rolloutInfo as { message: string }).message,
      ],
    ] as const) {
      const headers = { authorization: `Bearer ${token}` };
      const response = await fetch(`${server.url}${path}`, { headers, signal: stop.signal });
      assert.match(String(response.headers.get('content-type')), /^text\/event-stream/);
      let text = '';
      const wanted = `changed for ${path}`;
      let isAsked = false;
      for await (const part of response.body as AsyncIterable<Uint8Array>) {
        text += Buffer.from(part).toString();
        const messages = text
          .split('\n')
          .flatMap((line) => (line.startsWith('data: ') ? [JSON.parse(line.slice(6)).result as never] : []));
        if (messages.length > 0 && !isAsked) {
          isAsked = true;
          const { metadata } = await client.get<Rollout>(ref);
          const observedGeneration = String(metadata.generation);
          await client.patch(
            ref,
            'merge',
            { status: { message: wanted, observedGeneration } },
            { subresource: 'status' },
          );
        }
        if (messages.some((message) => messageOf(message) === wanted)) break;
      }
    }
    stop.abort();
  });

  await t.test('who may not read or change is told so before anything else', async () => {
    await configure('argocd-cm', { 'accounts.eve': 'apiKey' });
    await configure('argocd-rbac-cm', { 'policy.csv': 'p, eve, clusters, get, *, allow' });
    const eve = String((await call('/api/v1/account/eve/token', { token, body: {} })).body.token);
    assert.equal((await call(`${base}/web/info`, { token: eve })).status, 200);
    assert.equal((await call(`${base}/web/abort`, { token: eve, body: {}, method: 'PUT' })).status, 403);
    await configure('argocd-rbac-cm', { 'policy.csv': '' });
    for (const path of [`${base}/info`, `${base}/web/info/watch`, `${base}/info/watch`, '/api/v1/version'])
      assert.equal((await call(path, { token: eve })).status, 403, path);
    assert.equal((await call(`${base}/info`)).status, 401);
  });
});
