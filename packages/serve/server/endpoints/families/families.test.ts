import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { startTestServer } from '../../testing/start-test-server.ts';

const own = '/api/tiphys/v1';
const api = 'argoproj.io/v1alpha1';

async function define(client: Client, kind: string, plural: string): Promise<void> {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const subresources = kind === 'Rollout' ? { subresources: { status: {} } } : {};
  await client.create({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.argoproj.io` },
    spec: {
      group: 'argoproj.io',
      scope: 'Namespaced',
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [{ name: 'v1alpha1', served: true, storage: true, schema, ...subresources }],
    },
  });
  const limit = AbortSignal.timeout(120_000);
  while (!(await client.discovery.find(api, kind))) {
    limit.throwIfAborted();
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const template = { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:2' }] } };

function rollout(name: string): KubeObject {
  return {
    apiVersion: api,
    kind: 'Rollout',
    metadata: { namespace: 'shop', name, annotations: { 'rollout.argoproj.io/revision': '2' } },
    spec: {
      replicas: 2,
      selector: { matchLabels: { app: 'web' } },
      template,
      strategy: { canary: { steps: [{ setWeight: 20 }, { pause: {} }] } },
    },
  };
}

test('Rollouts and Workflows are served to who has the right over clusters', async (t) => {
  const { client, call, login, configure } = await startTestServer(t);
  const token = await login();
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });

  await t.test('kinds that are not installed are an empty list with a sentence', async () => {
    for (const kind of ['Rollout', 'Workflow']) {
      const { status, body } = await call(`${own}/${kind.toLowerCase()}s`, { token });
      assert.equal(status, 200);
      assert.deepEqual(body.items, []);
      assert.match(String(body.note), new RegExp(`no ${kind}s: .* not installed`));
    }
    assert.equal((await call(`${own}/rollouts/shop/web`, { token })).status, 404);
  });

  await define(client, 'Rollout', 'rollouts');
  await define(client, 'AnalysisRun', 'analysisruns');
  await define(client, 'Workflow', 'workflows');
  const created = await client.create(rollout('web'));
  const ref = { apiVersion: api, kind: 'Rollout', namespace: 'shop', name: 'web' };
  const status = {
    phase: 'Paused',
    message: 'CanaryPauseStep',
    currentStepIndex: 1,
    currentPodHash: 'bbb',
    stableRS: 'aaa',
    selector: 'app=web,rollouts-pod-template-hash=aaa',
    pauseConditions: [{ reason: 'CanaryPauseStep', startTime: '2026-01-02T03:04:05Z' }],
  };
  await client.patch(ref, 'merge', { status }, { subresource: 'status' });
  const owner = { apiVersion: api, kind: 'Rollout', name: 'web', uid: created.metadata.uid ?? '', controller: true };
  for (const [name, hash, ours] of [
    ['web-bbb', 'bbb', true],
    ['other', 'ccc', false],
  ] as const)
    await client.create({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: {
        namespace: 'shop',
        name,
        labels: { app: 'web', 'rollouts-pod-template-hash': hash },
        annotations: { 'rollout.argoproj.io/revision': '2' },
        ownerReferences: ours ? [owner] : [],
      },
      spec: { replicas: 0, selector: { matchLabels: { app: 'web' } }, template },
    });
  await client.create({
    apiVersion: api,
    kind: 'AnalysisRun',
    metadata: { namespace: 'shop', name: 'web-2', ownerReferences: [owner] },
    spec: {
      metrics: [{ name: 'rate', successCondition: 'result > 1', provider: { web: { url: 'http://x/?key=s3cret' } } }],
      args: [{ name: 'token', value: 's3cret' }],
    },
    status: {
      phase: 'Running',
      metricResults: [{ name: 'rate', phase: 'Running', measurements: [{ phase: 'Successful', value: '3' }] }],
    },
  });

  await t.test('a Rollout is told with its own revisions and measurements, without arguments', async () => {
    const { body: list } = await call(`${own}/rollouts`, { token });
    assert.deepEqual(
      (list.items as { name: string; phase: string }[]).map(({ name, phase }) => [name, phase]),
      [['web', 'Paused']],
    );
    const { body } = await call(`${own}/rollouts/shop/web`, { token });
    const { revisions, analyses, mayAct } = body as {
      revisions: { name: string; roles: string[]; images: string[] }[];
      analyses: { metrics: { success: string; measurements: { value: string }[] }[] }[];
      mayAct: boolean;
    };
    assert.deepEqual(
      revisions.map(({ name, roles, images }) => [name, roles, images]),
      [['web-bbb', ['canary'], ['web:2']]],
    );
    assert.equal(analyses[0]?.metrics[0]?.measurements[0]?.value, '3');
    assert.equal(mayAct, true);
    assert.ok(!JSON.stringify(body).includes('s3cret'));
    assert.match(String((body.notes as string[])[0]), /no Experiments/);
  });

  await t.test('actions write what the plugin writes', async () => {
    const act = async (verb: string, body: unknown = {}) =>
      (await call(`${own}/rollouts/shop/web/${verb}`, { token, body })).status;
    const read = async () => (await client.get<KubeObject & { spec: never; status: never }>(ref)) as never as Shape;
    interface Shape {
      spec: { restartAt?: string; template?: { spec?: { containers?: { image: string }[] } } };
      status: { abort?: boolean; pauseConditions?: unknown[]; promoteFull?: boolean };
    }
    assert.equal(await act('promote'), 200);
    assert.equal((await read()).status.pauseConditions, undefined);
    assert.equal(await act('abort'), 200);
    assert.equal((await read()).status.abort, true);
    assert.equal(await act('retry'), 200);
    assert.equal((await read()).status.abort, false);
    assert.equal(await act('restart'), 200);
    assert.match((await read()).spec.restartAt ?? '', /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    assert.equal(await act('promote', { full: true }), 200);
    assert.equal((await read()).status.promoteFull, true);
    assert.equal(await act('image', { container: 'web', image: 'web:3' }), 200);
    const images = async () => (await read()).spec.template?.spec?.containers?.map(({ image }) => image);
    assert.deepEqual(await images(), ['web:3']);
    assert.equal(await act('undo', { revision: 2 }), 200);
    assert.deepEqual(await images(), ['web:2']);
    assert.equal(await act('undo', { revision: 2 }), 400);
    for (const body of [{}, { revision: -1 }, { revision: '2' }]) assert.equal(await act('undo', body), 400);
    for (const body of [{}, { container: 'web' }, { container: 1, image: 'web:3' }])
      assert.equal(await act('image', body), 400);
    assert.equal(await act('promote', []), 400);
    assert.equal(await act('promote', { padding: 'x'.repeat(2000) }), 400);
    assert.equal(await act('delete'), 404);
    assert.equal((await call(`${own}/rollouts/shop/web/abort`, { token })).status, 405);
    assert.equal((await call(`${own}/rollouts/shop/none/abort`, { token, body: {} })).status, 404);
  });

  await t.test('a Workflow is told with its nodes, packed or not; its parameters stay', async () => {
    const nodes = { w: { id: 'w', name: 'w', type: 'Pod', phase: 'Failed', message: 'exit code 1', startedAt: null } };
    const packed = gzipSync(JSON.stringify(nodes)).toString('base64');
    for (const [name, kept] of [
      ['plain', { nodes }],
      ['packed', { compressedNodes: packed }],
    ] as const)
      await client.create({
        apiVersion: api,
        kind: 'Workflow',
        metadata: { namespace: 'shop', name },
        spec: { arguments: { parameters: [{ name: 'token', value: 's3cret' }] } },
        status: { phase: 'Failed', progress: '0/1', ...kept },
      });
    for (const name of ['plain', 'packed']) {
      const { body } = await call(`${own}/workflows/shop/${name}`, { token });
      assert.equal(body.phase, 'Failed');
      assert.equal((body.nodes as { message: string }[])[0]?.message, 'exit code 1');
      assert.ok(!JSON.stringify(body).includes('s3cret'));
    }
    assert.equal(((await call(`${own}/workflows`, { token })).body.items as unknown[]).length, 2);
    assert.equal((await call(`${own}/workflows/shop/none`, { token })).status, 404);
  });

  await t.test('more than 500 are cut, and it is said', async () => {
    const many = Array.from({ length: 500 }, (_, index) => rollout(`many-${index}`));
    await Promise.all(many.map((object) => client.create(object)));
    const { body } = await call(`${own}/rollouts`, { token });
    assert.equal((body.items as unknown[]).length, 500);
    assert.match(String(body.note), /more than 500 Rollouts/);
  });

  await t.test('others are refused with the right that is missing', async () => {
    assert.equal((await call(`${own}/rollouts`)).status, 401);
    await configure('argocd-cm', { 'accounts.eve': 'apiKey' });
    const policy = (rows: string) => configure('argocd-rbac-cm', { 'policy.csv': rows });
    await policy('p, eve, clusters, get, https://one.example.com, allow');
    const eve = String((await call('/api/v1/account/eve/token', { token, body: {} })).body.token);
    for (const path of ['rollouts', 'rollouts/shop/web', 'workflows', 'workflows/shop/plain']) {
      const { status: code, body } = await call(`${own}/${path}`, { token: eve });
      assert.equal(code, 403, path);
      assert.match(String(body.message), /clusters, get, \*/);
    }
    await policy('p, eve, clusters, get, *, allow');
    const { body } = await call(`${own}/rollouts/shop/web`, { token: eve });
    assert.equal(body.mayAct, false);
    const refused = await call(`${own}/rollouts/shop/web/abort`, { token: eve, body: {} });
    assert.equal(refused.status, 403);
    assert.match(String(refused.body.message), /clusters, update, \*/);
  });
});
