import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import {
  auditLines,
  checkCluster,
  countCalls,
  parseRelease,
  RecordedCalls,
  type UpgradeReport,
  useDiagnosis,
} from './index.ts';

/* A cloud says "deprecated API in use", with a user agent as the only clue: who calls it is found from the audit log. */

const log: string[] = [];
let sandbox: Sandbox;
let client: Client;
before(async () => {
  sandbox = await startSandbox({ nodes: 1, audit: { log: (line) => void log.push(line) } });
  client = connect(sandbox.config, { caller: { component: 'test', purpose: 'upgrade' } });
});
after(async () => {
  await client.close();
  await sandbox.close();
});

const inOps = (kind: string, name: string, rest: object): KubeObject =>
  ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'ops' }, ...rest }) as KubeObject;

async function deployController(): Promise<string> {
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'ops' } });
  await client.create(inOps('ServiceAccount', 'scaler', {}));
  const labels = { app: 'scaler' };
  const template = {
    metadata: { labels },
    spec: { serviceAccountName: 'scaler', containers: [{ name: 'a', image: 'b' }] },
  };
  await client.create({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: {
      name: 'scaler',
      namespace: 'ops',
      labels: { 'helm.sh/chart': 'scaler-1.2.3' },
      annotations: { 'argocd.argoproj.io/tracking-id': 'autoscaling:apps/Deployment:ops/scaler' },
    },
    spec: { replicas: 1, selector: { matchLabels: labels }, template },
  });
  const signal = AbortSignal.timeout(120_000);
  const pods = { apiVersion: 'v1', kind: 'Pod', namespace: 'ops' };
  for (;;) {
    const { items, metadata } = await client.list(pods, { signal });
    if (items[0]) return items[0].metadata.name ?? '';
    for await (const { type } of client.watch(pods, { resourceVersion: metadata.resourceVersion ?? '', signal }))
      if (type === 'ADDED') break;
  }
}

async function callAs(pod: string): Promise<void> {
  const token = (await (
    await client.request('POST', '/api/v1/namespaces/ops/serviceaccounts/scaler/token', {
      body: {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenRequest',
        spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: pod } },
      },
    })
  ).json()) as { status: { token: string } };
  const { clientCertificate: _, clientKey: __, ...tls } = (sandbox.config.tls ?? {}) as Record<string, unknown>;
  const scaler = connect(
    { server: sandbox.config.server, tls: tls as never, bearerToken: token.status.token },
    { caller: { component: 'scaler', purpose: 'old' } },
  );
  const path = '/apis/autoscaling/v2beta2/horizontalpodautoscalers';
  await assert.rejects(scaler.request('GET', path));
  await scaler.close();
}

function assertFound({ uses }: UpgradeReport, pod: string): void {
  const [use] = uses.filter(({ origin, caller }) => origin === 'call' && caller);
  assert.equal(use?.state, 'removed');
  assert.equal(use?.api.version, 'v2beta2');
  assert.equal(use?.caller?.pod, `ops/${pod}`);
  assert.equal(use?.caller?.workload, 'Deployment ops/scaler');
  assert.equal(use?.application, 'autoscaling');
  assert.equal(use?.chart, 'scaler-1.2.3');
}

test('a controller that still lists autoscaling/v2beta2 is found with its pod and its application', async () => {
  const pod = await deployController();
  await callAs(pod);
  const target = parseRelease('1.34');
  const { calls } = auditLines(log.join('\n'), target);
  assertFound(await checkCluster(client, { target, calls: countCalls(calls) }), pod);

  const recorded = new RecordedCalls({ client, namespace: 'ops', clock: systemClock });
  await recorded.record(calls);
  const another = new RecordedCalls({ client, namespace: 'ops', clock: systemClock });
  await another.record(calls);
  const kept = await recorded.list();
  assert.equal(kept.find(({ api }) => api.version === 'v2beta2')?.caller?.count, 2);
  assertFound(await checkCluster(client, { target, calls: kept }), pod);
});

test('who writes an object by an old version is told from its managed fields, and drains from budgets', async () => {
  await client.create(inOps('ServiceAccount', 'other', {}));
  const path = '/apis/policy/v1/namespaces/ops/poddisruptionbudgets';
  const body = {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: {
      name: 'all',
      annotations: {
        'kubectl.kubernetes.io/last-applied-configuration':
          '{"apiVersion":"policy/v1beta1","kind":"PodDisruptionBudget"}',
      },
    },
    spec: { minAvailable: 1, selector: { matchLabels: { app: 'scaler' } } },
  };
  await client.request('POST', path, { body });
  const { uses, readiness, unseen } = await checkCluster(client, { target: [1, 35], calls: [] });
  assert.deepEqual(unseen, []);
  const [use] = uses.filter(({ origin }) => origin === 'live');
  assert.deepEqual([use?.object, use?.manager, use?.state], ['PodDisruptionBudget ops/all', 'last-applied', 'removed']);
  assert.ok(readiness.some(({ code, message }) => code === 'UpgradeSingleReplica' && message.includes('ops/scaler')));
});

const widgets = (versions: readonly object[]): KubeObject =>
  ({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: 'widgets.shop.example' },
    spec: {
      group: 'shop.example',
      scope: 'Namespaced',
      names: { kind: 'Widget', plural: 'widgets', singular: 'widget', listKind: 'WidgetList' },
      versions,
    },
  }) as KubeObject;
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

test('a version that a definition gives up is found in live objects, in calls and in the metrics', async () => {
  await client.create(
    widgets([
      { name: 'v1', served: true, storage: true, schema },
      { name: 'v1beta1', served: true, storage: false, deprecated: true, deprecationWarning: 'go to v1', schema },
    ]),
  );
  const path = '/apis/shop.example/v1beta1/namespaces/ops/widgets';
  const body = {
    apiVersion: 'shop.example/v1beta1',
    kind: 'Widget',
    metadata: { name: 'one' },
    spec: { colour: 'red' },
  };
  for (const signal = AbortSignal.timeout(30_000); ; )
    try {
      await client.request('POST', `${path}?fieldManager=painter`, { body });
      break;
    } catch (error) {
      signal.throwIfAborted();
      if (!/could not find|404|not found/i.test(String(error))) throw error;
    }
  const target = parseRelease('1.35');
  const { calls } = auditLines(
    JSON.stringify({
      kind: 'Event',
      stage: 'ResponseComplete',
      verb: 'list',
      user: { username: 'ann' },
      userAgent: 'painter/v1',
      objectRef: { resource: 'widgets', apiGroup: 'shop.example', apiVersion: 'v1beta1' },
      annotations: { 'k8s.io/deprecated': 'true' },
    }),
    target,
  );
  const { uses, unseen, custom } = await checkCluster(client, { target, calls: countCalls(calls) });
  assert.deepEqual(unseen, []);
  assert.deepEqual([...custom.keys()], ['shop.example/v1beta1/Widget']);
  const ours = uses.filter(({ api }) => api.group === 'shop.example');
  assert.deepEqual(
    ours
      .map(({ origin, state, api, manager, caller }) => [origin, state, api.kind, manager ?? caller?.user ?? ''])
      .filter(([, , , who]) => who !== ''),
    [
      ['call', 'deprecated', 'Widget', 'ann'],
      ['live', 'deprecated', 'Widget', 'painter'],
    ],
  );
  const [use] = ours;
  assert.ok(use);
  const diagnosis = useDiagnosis(use, '1.35');
  assert.match(diagnosis.message, /uses shop\.example\/v1beta1 Widget, which its definition calls deprecated$/);
  assert.match(JSON.stringify(diagnosis), /go to v1.*Write shop\.example\/v1 Widget|go to v1.*shop\.example\/v1/);
});

test('what may not be listed takes its own finding away, and is told', async () => {
  await client.create(inOps('ServiceAccount', 'narrow', {}));
  const group = 'rbac.authorization.k8s.io';
  await client.create({
    apiVersion: `${group}/v1`,
    kind: 'ClusterRole',
    metadata: { name: 'narrow' },
    rules: [{ apiGroups: ['apps'], resources: ['deployments'], verbs: ['list'] }],
  } as KubeObject);
  await client.create({
    apiVersion: `${group}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'narrow' },
    roleRef: { apiGroup: group, kind: 'ClusterRole', name: 'narrow' },
    subjects: [{ kind: 'ServiceAccount', name: 'narrow', namespace: 'ops' }],
  } as KubeObject);
  const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
  const answer = await client.request('POST', '/api/v1/namespaces/ops/serviceaccounts/narrow/token', { body });
  const { status } = (await answer.json()) as { status: { token: string } };
  const { clientCertificate: _, clientKey: __, ...tls } = (sandbox.config.tls ?? {}) as Record<string, unknown>;
  const narrow = connect(
    { server: sandbox.config.server, tls: tls as never, bearerToken: status.token },
    { caller: { component: 'test', purpose: 'narrow' } },
  );
  try {
    const { readiness, unseen } = await checkCluster(narrow, { target: [1, 35], calls: [] });
    assert.ok(readiness.some(({ code, message }) => code === 'UpgradeSingleReplica' && message.includes('ops/scaler')));
    assert.ok(!readiness.some(({ code }) => code === 'UpgradeWebhookAlone'), 'without EndpointSlices nobody knows');
    for (const what of ['Nodes', 'PodDisruptionBudgets', 'EndpointSlices'])
      assert.ok(
        unseen.some((each) => each.startsWith(`readiness of ${what}: `)),
        what,
      );
    assert.ok(unseen.some((each) => each.startsWith('custom resources: ')));
  } finally {
    await narrow.close();
  }
});
