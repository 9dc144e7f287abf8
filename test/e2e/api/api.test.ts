import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Application } from '@tiphys/api';
import type { KubeObject } from '@tiphys/kubernetes';
import { packageChart, startHelmRepository, startOciRegistry } from '@tiphys/registry/testing';
import { configMap, deployment } from '../support/manifests.ts';
import { World } from '../support/world.ts';
import { apiCases } from './api-cases.ts';
import { type Answer, callGrpc, callRest, methodNames } from './api-client.ts';
import type { Fixture } from './api-method-cases.ts';

/** Served by parts that are not there yet; docs/limits.md lists them. */
const elsewhere = /^(applicationset|gpgkey|notification)\./;

let world: World;
let fixture: Fixture;
let nobody: string;
const closers: (() => Promise<void>)[] = [];

before(async () => {
  world = await World.start();
  const charts = await startHelmRepository();
  const registry = await startOciRegistry();
  closers.push(
    () => charts.close(),
    () => registry.close(),
  );
  const archive = packageChart('web', '1.0.0');
  charts.add('web', '1.0.0', archive);
  registry.pushChart('charts/web', '1.0.0', archive);
  const repository = world.repository({
    'app/a.yaml': configMap('api-settings', 'one'),
    'app/b.yaml': deployment('api-web'),
    'app/c.yaml': 'apiVersion: v1\nkind: Secret\nmetadata: {name: api-hidden}\nstringData: {password: hush}\n',
    'helm/Chart.yaml': 'apiVersion: v2\nname: chart\nversion: 1.0.0\n',
    'helm/values.yaml': 'replicas: 1\n',
  });
  const target = await world.targetNamespace();
  const oci = `oci://${registry.host}/charts/web`;
  fixture = {
    namespace: world.namespace,
    target,
    repository: repository.url,
    commit: repository.git('rev-parse', 'HEAD'),
    charts: charts.url,
    registry: oci,
    cluster: await clusterOfAccount(),
    deployment: 0,
    settled: () => world.waitForApplication('api-shop', 'no operation', (app) => !app.operation && ended(app)),
    stuck: () =>
      world.waitForApplication('api-stuck', 'a second attempt that waits', ({ status }) =>
        Boolean(status?.operationState?.retryCount),
      ),
  };
  await world.client.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' },
    'merge',
    {
      data: {
        'accounts.api-nobody': 'apiKey',
        'accounts.api-robot': 'apiKey',
        'application.links': links('app'),
        'resource.links': links('resource'),
        'project.links': links('project'),
      },
    },
  );
  const team = {
    sourceRepos: ['*'],
    destinations: [{ server: '*', namespace: '*' }],
    roles: [{ name: 'ci', policies: [] }],
    syncWindows: [{ kind: 'allow', schedule: '* * * * *', duration: '1h', applications: ['*'] }],
  };
  for (const [path, body] of [
    ['projects', { project: { metadata: { name: 'api-team' }, spec: team } }],
    ['repositories', { repo: charts.url, type: 'helm', name: 'api-charts' }],
    ['repositories', { repo: oci, type: 'oci', name: 'api-oci', insecureOCIForceHttp: true }],
  ] as const) {
    const made = await world.rest('POST', `/api/v1/${path}`, body);
    assert.equal(made.status, 200, JSON.stringify(made.body));
  }
  await world.createApplication(
    'api-shop',
    repository,
    { path: 'app', targetNamespace: target, syncPolicy: {} },
    { labels: { team: 'api' } },
  );
  const other = { targetNamespace: target, syncPolicy: {} };
  await world.createApplication('api-chart', repository, {
    ...other,
    source: { repoURL: charts.url, chart: 'web', targetRevision: '1.0.0' },
  });
  await world.createApplication('api-artifact', repository, {
    ...other,
    source: { repoURL: oci, path: '.', targetRevision: '1.0.0' },
  });
  await world.waitForApplication('api-shop', 'OutOfSync', (app) => app.status?.sync?.status === 'OutOfSync');
  assert.equal((await world.rest('POST', '/api/v1/applications/api-shop/sync', {})).status, 200);
  const { status } = await world.healthy('api-shop');
  fixture = { ...fixture, deployment: status?.history?.[0]?.id ?? 0 };
  // nothing can be applied in a namespace that is not there, so that its operation waits for another attempt
  await world.createApplication('api-stuck', repository, { path: 'app', targetNamespace: `${target}-absent` });
  const retryStrategy = { limit: 5, backoff: { duration: '1h', factor: 1, maxDuration: '1h' } };
  const stuck = await world.rest('POST', '/api/v1/applications/api-stuck/sync', { retryStrategy });
  assert.equal(stuck.status, 200, JSON.stringify(stuck.body));
  nobody = (await world.rest<{ token: string }>('POST', '/api/v1/account/api-nobody/token', {})).body.token;
});
after(async () => {
  await world.client.delete({ ...bindingKind, name: world.namespace });
  await world.close();
  for (const close of closers) await close();
});

const ended = ({ status }: Application) => status?.operationState?.phase !== 'Running';
const bindingKind = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRoleBinding' } as const;

/** The cluster under its own address, with the token of an account that may do everything, as `argocd cluster add` registers it. */
async function clusterOfAccount(): Promise<Fixture['cluster']> {
  const { client, namespace } = world;
  const account = { kind: 'ServiceAccount', name: 'api-manager', namespace };
  await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: account.name, namespace } });
  await client.create({
    ...bindingKind,
    metadata: { name: namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [account],
  });
  const annotations = { 'kubernetes.io/service-account.name': account.name };
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'api-manager-token-first' };
  await client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: secret.name, namespace, annotations },
    type: 'kubernetes.io/service-account-token',
  });
  type Filled = KubeObject & { data?: { token?: string } };
  const filled = await world.waitFor<Filled>(secret, 'its token', (object) => Boolean(object?.data?.token));
  const { server, tls = {} } = world.cluster.config;
  const caData = tls.ca && { caData: Buffer.from(tls.ca).toString('base64') };
  const bearerToken = Buffer.from(filled?.data?.token ?? '', 'base64').toString();
  return { server, config: { bearerToken, tlsClientConfig: { insecure: tls.insecure ?? false, ...caData } } };
}

const links = (subject: string) => `- url: https://wiki.example.test/{{.${subject}.metadata.name}}\n  title: Wiki`;

/** By both ways, unless the request can be made once alone. */
async function answers(name: string, request: object, token: string | undefined, once = false): Promise<Answer[]> {
  const byGrpc = await callGrpc(world.url, token, name, request);
  const byRest = once ? undefined : await callRest(world.url, token, name, request as Record<string, unknown>);
  return byRest ? [byGrpc, byRest] : [byGrpc];
}

test('every method of the API has cases', () => {
  const covered = Object.keys(apiCases(fixture));
  assert.deepEqual(
    methodNames().filter((name) => !elsewhere.test(name) && !covered.includes(name)),
    [],
  );
  assert.equal(methodNames().length, 109);
});

test('methods answer a right request, and refuse others with the codes of Argo CD, by gRPC and by REST', async (t) => {
  for (const [name, { right, missing, denied, bad }] of Object.entries(apiCases(fixture))) {
    await t.test(name, async () => {
      const admin = await world.token();
      const refuses = async (what: string, found: typeof bad, token: string) => {
        if (!found) return;
        const [request, code] = found;
        for (const answer of await answers(name, request, token))
          assert.equal(answer.code, code, `${what}: ${answer.message} ${JSON.stringify(answer.value ?? '')}`);
      };
      await refuses('missing', missing, admin);
      await refuses('denied', denied, nobody);
      await right?.before?.();
      for (const answer of right ? await answers(name, right.request, admin, right.changes) : []) {
        assert.equal(answer.code, 'OK', answer.message);
        assert.ok(right?.holds?.(answer.value as never) ?? true, JSON.stringify(answer.value));
      }
      await refuses('bad', bad, admin);
    });
  }
});

test('a session ends with its deletion', async () => {
  const { value } = await callGrpc(world.url, undefined, 'session.create', {
    username: 'admin',
    password: world.password,
  });
  const { token } = value as { token: string };
  const user = () => callGrpc(world.url, token, 'account.listAccounts', {});
  assert.equal((await user()).code, 'OK');
  assert.equal((await callGrpc(world.url, token, 'session.delete', {})).code, 'OK');
  assert.equal((await user()).code, 'Unauthenticated');
});

test('without a session every method but the open ones refuses', async () => {
  const open = /^(session|version|settings\.get$)/;
  for (const name of methodNames().filter((method) => !open.test(method)))
    assert.equal((await callGrpc(world.url, undefined, name, {})).code, 'Unauthenticated', name);
});

test('what is told to whom is listed by each way', async () => {
  const token = await world.token();
  const codes = async (name: string) => (await answers(name, {}, token)).map(({ code }) => code);
  for (const name of ['notification.listServices', 'notification.listTriggers', 'notification.listTemplates'])
    assert.deepEqual(await codes(name), ['OK', 'OK'], name);
  assert.equal((await callGrpc(world.url, undefined, 'version.version', {})).code, 'OK');
});

test('a stream is refused by REST in the form of its items, and other paths as text', async () => {
  const get = async (path: string, method = 'GET') => {
    const response = await fetch(`${world.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${nobody}`, 'content-type': 'application/json' },
    });
    return { status: response.status, text: await response.text() };
  };
  const logs = await get('/api/v1/applications/api-shop/logs');
  assert.deepEqual(
    [logs.status, JSON.parse(logs.text)],
    [403, { error: { grpc_code: 7, http_code: 403, message: 'permission denied', http_status: 'Forbidden' } }],
  );
  assert.deepEqual(await get('/api/v1/nothing'), { status: 404, text: 'Not Found\n' });
  assert.deepEqual(await get('/api/v1/applications', 'PUT'), { status: 405, text: 'Method Not Allowed\n' });
});

test('logs are filtered, limited and downloaded as asked', async () => {
  const token = await world.token();
  const lines = async (request: object) => {
    const { code, value, message } = await callGrpc(
      world.url,
      token,
      'application.podLogs',
      { name: 'api-shop', namespace: fixture.target, container: 'main', ...request },
      50,
    );
    assert.equal(code, 'OK', message);
    return (value as { content: string; last: boolean; podName: string; timeStampStr: string }[]).filter(
      ({ last }) => !last,
    );
  };
  const all = await lines({});
  assert.ok(all.length > 0);
  const [first] = all;
  assert.equal((await lines({ tailLines: 1 })).length, 1);
  assert.equal((await lines({ tailLines: -1 })).length, all.length);
  assert.equal((await lines({ sinceSeconds: 86_400 })).length, all.length);
  assert.equal((await lines({ sinceTime: '2020-01-01T00:00:00Z' })).length, all.length);
  assert.equal((await lines({ filter: 'no line has this' })).length, 0);
  assert.equal((await lines({ filter: '!no line has this' })).length, all.length);
  const upper = first?.content.toUpperCase() ?? '';
  assert.ok((await lines({ filter: upper })).length > 0);
  assert.equal((await lines({ filter: upper, matchCase: true })).length, 0);
  assert.equal((await lines({ filter: '^.*$', regex: true })).length, all.length);
  assert.equal((await lines({ filter: '!^.*$', regex: true })).length, 0);
  const refused = await callGrpc(world.url, token, 'application.podLogs', {
    name: 'api-shop',
    filter: '(',
    regex: true,
  });
  assert.equal(refused.code, 'InvalidArgument');
  assert.match(refused.message ?? '', /filter is not a regular expression/);
  assert.ok((await lines({ group: 'apps', kind: 'Deployment', resourceName: 'api-web' })).length > 0);
  assert.equal((await lines({ kind: 'ConfigMap', resourceName: 'api-settings' })).length, 0);
  assert.equal((await lines({ podName: 'absent' })).length, 0);
  const [previous] = await lines({ previous: true });
  assert.match(previous?.content ?? '', /previous terminated container "main" in pod .* not found/);
  assert.deepEqual([previous?.podName, previous?.timeStampStr], ['', '0001-01-01T00:00:00Z']);
  const query = `namespace=${fixture.target}&podName=${first?.podName}&container=main&download=true`;
  const file = await fetch(`${world.url}/api/v1/applications/api-shop/logs?${query}`, {
    headers: { authorization: `Bearer ${token}` },
  });
  assert.equal(
    file.headers.get('content-disposition'),
    `attachment;filename="${fixture.target}-${first?.podName}-main.log"`,
  );
  assert.equal(await file.text(), all.map(({ content }) => `${content}\n`).join(''));
});
