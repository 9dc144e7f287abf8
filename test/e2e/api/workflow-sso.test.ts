import assert from 'node:assert/strict';
import { after, before, type TestContext, test } from 'node:test';
import { workflowsDefinitions } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import type { DiagnosisError } from '@tiphys/diagnosis';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startWorkflowServer, type WorkflowServer, type WorkflowServerOptions } from '@tiphys/workflow-server';
import { startTestProvider, type TestProvider } from '../../../packages/serve/server/testing/identity-provider.ts';
import { startCluster, type TestCluster } from '../support/cluster.ts';

const suffix = `${process.pid}-${Math.floor(performance.now())}`;
const tenant = `sso-tenant-${suffix}`;
const closers: (() => Promise<unknown>)[] = [];
let cluster: TestCluster;
let client: Client;
let count = 0;

before(async () => {
  cluster = await startCluster();
  closers.unshift(() => cluster.close());
  client = connect(cluster.config, { caller: { component: 'test', purpose: 'single sign-on' } });
  closers.unshift(() => client.close());
  await ensureDefinitions(client, workflowsDefinitions(), systemClock, { keepsOthers: true });
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: tenant } });
});

after(async () => {
  for (const close of closers) await close();
});

interface Given {
  /** Of `sso`, beside the provider and the Secrets. */
  readonly sso?: object;
  readonly env?: Record<string, string>;
  readonly modes?: string;
  readonly alias?: boolean;
}

/** A namespace of its own with settings, a provider, and a server for them. */
async function start(t: TestContext, { sso = {}, env = {}, modes = 'sso', alias = false }: Given = {}) {
  count += 1;
  const namespace = `sso-${count}-${suffix}`;
  const provider = await startTestProvider(t, { clock: systemClock, clientId: 'flows' });
  const discovered = provider.issuer;
  if (alias) provider.issuer = discovered.replace('127.0.0.1', 'localhost');
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const data = { id: Buffer.from('flows').toString('base64'), secret: Buffer.from('secret\n').toString('base64') };
  await client.create({ apiVersion: 'v1', kind: 'Secret', metadata: { name: 'provider', namespace }, data });
  const settings = {
    issuer: discovered,
    ...(alias ? { issuerAlias: provider.issuer } : {}),
    clientId: { name: 'provider', key: 'id' },
    clientSecret: { name: 'provider', key: 'secret' },
    ...sso,
  };
  await client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'workflow-controller-configmap', namespace },
    data: { sso: JSON.stringify(settings) },
  });
  const options: WorkflowServerOptions = {
    client,
    config: cluster.config,
    connect: (config) => connect(config, { caller: { component: 'test', purpose: 'single sign-on' } }),
    namespace,
    authModes: modes,
    port: 0,
    clock: systemClock,
    log: () => undefined,
    version: '0.0.0',
    env,
  };
  const server = await startWorkflowServer(options);
  t.after(() => server.close());
  return { server, provider, namespace, options };
}

/** Keeps cookies, follows nothing by itself. */
function browserOf(server: WorkflowServer) {
  const cookies = new Map<string, string>();
  return {
    cookies,
    async get(path: string, headers: Record<string, string> = {}) {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
      const answer = await fetch(new URL(path, server.url), { redirect: 'manual', headers: { cookie, ...headers } });
      for (const line of answer.headers.getSetCookie()) {
        const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
        if (value) cookies.set(name, value);
        else cookies.delete(name);
      }
      const location = answer.headers.get('location') ?? '';
      return { status: answer.status, location, text: await answer.text(), headers: answer.headers };
    },
  };
}

async function logIn(server: WorkflowServer, provider: TestProvider, query = '') {
  const browser = browserOf(server);
  const begun = await browser.get(`/oauth2/redirect${query}`);
  assert.equal(begun.status, 302, begun.text);
  const { pathname, search } = provider.follow(begun.location);
  const done = await browser.get(`${pathname}${search}`);
  return { browser, begun, done, path: `${pathname}${search}` };
}

/** A ServiceAccount with a rule, that may do some verbs with workflows of the tenant. */
async function account(namespace: string, name: string, annotations: Record<string, string>, verbs: string[]) {
  const prefixed = Object.entries(annotations).map(([key, value]) => [`workflows.argoproj.io/${key}`, value]);
  await client.create({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name, namespace, annotations: Object.fromEntries(prefixed) },
  });
  const answer = await client.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`, {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  const { token } = ((await answer.json()) as { status: { token: string } }).status;
  const data = { token: Buffer.from(token).toString('base64') };
  const secret = { name: `${name}.service-account-token`, namespace };
  await client.create({ apiVersion: 'v1', kind: 'Secret', metadata: secret, data });
  const role = { name: `${namespace}-${name}`, namespace: tenant };
  const rbac = 'rbac.authorization.k8s.io';
  const rules = [{ apiGroups: ['argoproj.io'], resources: ['workflows'], verbs }];
  await client.create({ apiVersion: `${rbac}/v1`, kind: 'Role', metadata: role, rules } as KubeObject);
  await client.create({
    apiVersion: `${rbac}/v1`,
    kind: 'RoleBinding',
    metadata: role,
    roleRef: { apiGroup: rbac, kind: 'Role', name: role.name },
    subjects: [{ kind: 'ServiceAccount', name, namespace }],
  } as KubeObject);
}

const list = `/api/v1/workflows/${tenant}`;
const newRules = { rbac: { enabled: true } };

test('a user logs in with a browser, whose page has the token for clients', async (t) => {
  const { server, provider } = await start(t);
  provider.claims = { sub: 'u-1', email: 'ada@example.com', groups: ['devs'], name: '<b>Ada</b>' };
  assert.match((await browserOf(server).get('/')).text, /href="\/oauth2\/redirect"/);
  const { browser, begun, done } = await logIn(server, provider, '?redirect=/after%3Fa=b');
  const asked = new URL(begun.location).searchParams;
  assert.equal(asked.get('redirect_uri'), `${server.url}/oauth2/callback`);
  assert.equal(asked.get('scope'), 'openid');
  assert.match(begun.headers.getSetCookie()[0] ?? '', /HttpOnly; SameSite=Lax$/);
  assert.equal(done.status, 302, done.text);
  assert.equal(done.location, '/after?a=b');
  assert.deepEqual([...browser.cookies.keys()], ['authorization'], 'the attempt was taken away');
  assert.deepEqual(JSON.parse((await browser.get('/api/v1/userinfo')).text), {
    subject: 'u-1',
    issuer: 'argo-server',
    groups: ['devs'],
    email: 'ada@example.com',
    name: '<b>Ada</b>',
  });
  const page = await browser.get('/');
  const [, token = ''] = /ARGO_TOKEN='(Bearer v2:[\w.-]+)'/.exec(page.text) ?? [];
  assert.equal(page.headers.get('cache-control'), 'no-store');
  assert.ok(!page.text.includes('<b>'));
  const byClient = browserOf(server);
  assert.equal((await byClient.get(list, { authorization: token })).status, 200, 'with the rights of the server');
  assert.equal((await byClient.get(list, { authorization: `${token}x` })).status, 401);
  assert.equal((await byClient.get(list)).status, 401);
});

test('the rule of highest precedence that fits says whose rights a user has', async (t) => {
  const { server, provider, namespace } = await start(t, { sso: newRules });
  await account(namespace, 'reader', { 'rbac-rule': 'true' }, ['list']);
  await account(namespace, 'admin', { 'rbac-rule': "'admins' in groups", 'rbac-rule-precedence': '1' }, ['*']);
  await account(namespace, 'unruly', {}, ['*']);
  const claimsOf = async (groups: string[]) => {
    provider.claims = { sub: 'u-1', groups };
    const { browser } = await logIn(server, provider);
    const info = JSON.parse((await browser.get('/api/v1/userinfo')).text) as Record<string, string>;
    const get = (await browser.get(`${list}/none`)).status;
    return [info.serviceAccountName, (await browser.get(list)).status, get];
  };
  assert.deepEqual(await claimsOf(['devs']), ['reader', 200, 403]);
  assert.deepEqual(await claimsOf(['admins']), ['admin', 200, 404]);
  provider.claims = { sub: 'u-2' };
  const { browser } = await logIn(server, provider);
  assert.equal((await browser.get(list)).status, 403, 'a rule that cannot be evaluated lets nobody through');
});

test('nobody without a rule that fits gets in; a namespace that is delegated to can say otherwise', async (t) => {
  const { server, provider, namespace, options } = await start(t, { sso: newRules });
  await account(namespace, 'ada', { 'rbac-rule': "sub == 'ada'", 'rbac-rule-precedence': '5' }, ['list']);
  await account(tenant, 'bob', { 'rbac-rule': "sub == 'bob'" }, ['list']);
  await account(tenant, 'ada', { 'rbac-rule': "sub == 'ada'", 'rbac-rule-precedence': '1' }, ['*']);
  provider.claims = { sub: 'bob' };
  const { browser } = await logIn(server, provider);
  assert.equal((await browser.get(list)).status, 403);
  assert.equal((await browser.get('/metrics')).status, 403);

  const delegating = await startWorkflowServer({ ...options, env: { SSO_DELEGATE_RBAC_TO_NAMESPACE: 'true' } });
  t.after(() => delegating.close());
  const bob = (await logIn(delegating, provider)).browser;
  assert.equal((await bob.get(list)).status, 200);
  assert.equal((await bob.get(`/api/v1/workflows/${namespace}`)).status, 403, 'elsewhere he has none');
  assert.equal((await bob.get('/metrics')).status, 403);
  assert.equal((await bob.get(`/artifacts/${tenant}/none/node/out`)).status, 403);
  provider.claims = { sub: 'ada' };
  const ada = (await logIn(delegating, provider)).browser;
  assert.equal((await ada.get(`${list}/none`)).status, 403, 'the rule of higher precedence is that of the server');
});

test('a session of another installation, one that is over, and the seal of a login are no sessions', async (t) => {
  const { server } = await start(t);
  const other = await start(t);
  const { browser } = await logIn(other.server, other.provider);
  const foreign = browser.cookies.get('authorization')?.replaceAll('"', '') ?? '';
  assert.equal((await browserOf(server).get(list, { authorization: foreign })).status, 401);
  const begun = browserOf(server);
  await begun.get('/oauth2/redirect');
  const [attempt = ''] = begun.cookies.values();
  assert.equal((await begun.get(list, { authorization: `Bearer v2:${attempt}` })).status, 401);
  const ended = await startWorkflowServer({
    ...other.options,
    clock: { ...systemClock, now: () => Date.now() + 11 * 3_600_000 },
  });
  t.after(() => ended.close());
  assert.equal((await browserOf(other.server).get(list, { authorization: foreign })).status, 200);
  assert.equal((await browserOf(ended).get(list, { authorization: foreign })).status, 401);
});

test('nobody can be made to end a login that they did not begin, or be led elsewhere', async (t) => {
  const { server, provider } = await start(t);
  const { path } = await logIn(server, provider);
  const victim = browserOf(server);
  await victim.get('/oauth2/redirect');
  assert.equal((await victim.get(path)).status, 400);
  assert.equal((await victim.get('/oauth2/callback?code=x&state="><script>')).status, 400);
  for (const target of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/.//evil.example',
    'javascript:alert(1)',
  ])
    assert.equal((await logIn(server, provider, `?redirect=${encodeURIComponent(target)}`)).done.location, '/', target);
  provider.away = true;
  const unreachable = await start(t);
  unreachable.provider.away = true;
  const answer = await browserOf(unreachable.server).get('/oauth2/redirect');
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [503, 'text/plain; charset=utf-8']);
});

test('groups come from another claim, from the address of the user, and are filtered', async (t) => {
  const groupsOf = async (sso: object, change: (provider: TestProvider) => void, alias = false) => {
    const { server, provider } = await start(t, { sso, alias });
    change(provider);
    const { browser, done } = await logIn(server, provider);
    assert.equal(done.status, 302, done.text);
    return (JSON.parse((await browser.get('/api/v1/userinfo')).text) as { groups?: string[] }).groups;
  };
  const claims = { sub: 'u-1', roles: ['a-dev', 'b-ops'], groups: ['c'] };
  const withClaims = (provider: TestProvider) => void Object.assign(provider, { claims });
  const filtered = { customGroupClaimName: 'roles', filterGroupsRegex: ['^a-', 'never'] };
  assert.deepEqual(await groupsOf(filtered, withClaims), ['a-dev']);
  const asked = (provider: TestProvider) =>
    void Object.assign(provider, { claims, userInfo: { sub: 'u-1', groups: ['d'] } });
  assert.deepEqual(await groupsOf({ userInfoPath: '/userinfo' }, asked), ['d']);
  assert.deepEqual(await groupsOf({}, withClaims, true), ['c'], 'with an alias of the issuer');
});

test('settings that cannot be honoured keep the server from starting, with what to correct', async (t) => {
  const cases: [object, string][] = [
    [{ issuer: 'nowhere' }, 'sso.issuer'],
    [{ clientId: { name: 'provider', key: 'none' } }, 'sso.clientId'],
    [{ clientSecret: { name: 'none', key: 'secret' } }, 'sso.clientSecret'],
    [{ sessionExpiry: 'long' }, 'sso.sessionExpiry'],
    [{ filterGroupsRegex: ['('] }, 'sso.filterGroupsRegex'],
  ];
  for (const [sso, field] of cases)
    await assert.rejects(start(t, { sso }), (error: DiagnosisError) => {
      assert.equal(error.diagnosis.code, 'WorkflowSsoSettingsInvalid');
      assert.equal(error.diagnosis.place?.field, field);
      return true;
    });
});
