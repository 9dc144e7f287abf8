import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import type { ComparedResource, TreeNode } from '@tiphys/engine';
import type { KubeObject } from '@tiphys/kubernetes';
import { idleBackend, startTestServer, TestClock, type TestServer } from '../../testing/start-test-server.ts';

const spec = {
  project: 'default',
  source: { repoURL: 'https://example.test/r', path: 'p' },
  destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
};
const application = (name: string, changes: object = {}) => ({ metadata: { name }, spec: { ...spec, ...changes } });

type Answer = Awaited<ReturnType<TestServer['call']>>;
const words = ({ body }: Answer) => String(body.message);

test('an application is created once, listed, refused when it differs, and changed with upsert', async (t) => {
  const { call, login } = await startTestServer(t);
  const token = await login();
  const create = (body: unknown, query = '') => call(`/api/v1/applications${query}`, { token, body });
  assert.equal((await create(application('shop'))).status, 200);
  assert.equal((await create(application('shop'))).status, 200, 'the same again is no error');
  const differs = await create(application('shop', { source: { ...spec.source, path: 'other' } }));
  assert.equal(differs.status, 400);
  assert.equal(words(differs), 'existing application spec is different, use upsert flag to force update');
  assert.equal(
    (await create(application('shop', { source: { ...spec.source, path: 'other' } }), '?upsert=true')).status,
    200,
  );
  const { items } = (await call('/api/v1/applications?fields=items.metadata.name,items.spec.source', { token })).body;
  assert.deepEqual(items, [
    { metadata: { name: 'shop' }, spec: { source: { repoURL: 'https://example.test/r', path: 'other' } } },
  ]);
});

test('what may not be stored is refused in the words of Argo CD', async (t) => {
  const missing = defineDiagnosis('TestPathMissing', 'A test');
  const backend = {
    ...idleBackend,
    checkSources: async (app: KubeObject) =>
      JSON.stringify(app.spec).includes('missing')
        ? [failure(missing, { message: 'there is no folder missing' }).diagnosis]
        : [],
  };
  const { call, login } = await startTestServer(t, { backend });
  const token = await login();
  const refusal = async (changes: object, query = '') =>
    words(await call(`/api/v1/applications${query}`, { token, body: application('shop', changes) }));
  assert.equal(
    await refusal({ source: { repoURL: 'x' } }),
    'application spec for shop is invalid: InvalidSpecError: spec.source.repoURL and either spec.source.path or spec.source.chart are required',
  );
  assert.equal(
    await refusal({ source: { ...spec.source, path: 'missing' } }),
    'application spec for shop is invalid: InvalidSpecError: there is no folder missing',
  );
  assert.equal(
    await refusal({ project: 'none' }),
    'app is not allowed in project "none", or the project does not exist',
  );
  assert.match(
    await refusal({ destination: { name: 'mars' } }),
    /^application destination spec for shop is invalid: there are no clusters with this name: mars$/,
  );
  await call('/api/v1/projects', {
    token,
    body: {
      project: {
        metadata: { name: 'narrow' },
        spec: { sourceRepos: ['https://example.test/*'], destinations: [{ server: '*', namespace: 'shop-*' }] },
      },
    },
  });
  assert.match(
    await refusal({ project: 'narrow' }),
    /application destination server 'https:\/\/kubernetes\.default\.svc' and namespace 'shop' do not match any of the allowed destinations in project 'narrow'/,
  );
  assert.match(
    await refusal({ project: 'narrow', source: { repoURL: 'https://else.test/r', path: 'p' } }),
    /application repo https:\/\/else\.test\/r is not permitted in project 'narrow'/,
  );
  assert.equal(
    (
      await call('/api/v1/applications?validate=false', {
        token,
        body: application('shop', { source: { ...spec.source, path: 'missing' } }),
      })
    ).status,
    200,
  );
});

test('who may not see an application cannot tell whether it exists (CVE-2022-41354, CVE-2024-36106)', async (t) => {
  const { call, login, client } = await startTestServer(t);
  const token = await login();
  await call('/api/v1/applications', { token, body: application('secret') });
  await client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd', name: 'argocd-cm' }, 'merge', {
    data: { 'accounts.eve': 'apiKey' },
  });
  const eve = String((await call('/api/v1/account/eve/token', { token, body: {} })).body.token);
  const about = async (path: string, method = 'GET') => {
    const { status, body } = await call(path, { token: eve, method });
    return { status, message: String(body.message).replaceAll('secret', 'X').replaceAll('absent', 'X') };
  };
  for (const [path, method] of [
    ['', 'GET'],
    ['', 'DELETE'],
    ['/resource-tree', 'GET'],
    ['/manifests', 'GET'],
    ['/events', 'GET'],
  ] as const) {
    const hidden = await about(`/api/v1/applications/secret${path}`, method);
    assert.deepEqual(hidden, { status: 403, message: 'permission denied' });
    assert.deepEqual(hidden, await about(`/api/v1/applications/absent${path}`, method));
  }
  assert.deepEqual(
    await about('/api/v1/applications/secret?project=default'),
    await about('/api/v1/applications/absent?project=default'),
  );
  assert.equal((await call('/api/v1/applications', { token: eve })).body.items, null);
  const absent = await call('/api/v1/applications/absent?project=default', { token });
  assert.deepEqual([absent.status, words(absent)], [404, 'applications.argoproj.io "absent" not found']);
});

test('a deletion leaves the finalizer that the cascade asks for', async (t) => {
  const { call, login, client } = await startTestServer(t);
  const token = await login();
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: 'shop' };
  const finalizers = async (query: string) => {
    await call('/api/v1/applications', { token, body: application('shop') });
    const answer = await call(`/api/v1/applications/shop${query}`, { token, method: 'DELETE' });
    if (answer.status !== 200) return words(answer);
    const left = await client.find(ref);
    if (left) await client.patch(ref, 'merge', { metadata: { finalizers: null } });
    return left?.metadata.finalizers;
  };
  assert.deepEqual(await finalizers(''), ['resources-finalizer.argocd.argoproj.io']);
  assert.deepEqual(await finalizers('?propagationPolicy=background'), [
    'resources-finalizer.argocd.argoproj.io/background',
  ]);
  assert.equal(await finalizers('?cascade=false'), undefined);
  assert.equal(await finalizers('?propagationPolicy=sideways'), 'invalid propagation policy: sideways');
  assert.equal(
    await finalizers('?cascade=false&propagationPolicy=foreground'),
    'cannot set propagation policy when cascading is disabled',
  );
});

test('a sync becomes an operation on the resolved commit; a second one waits for the first', async (t) => {
  const { call, login } = await startTestServer(t);
  const token = await login();
  await call('/api/v1/applications', { token, body: application('shop') });
  const { body } = await call('/api/v1/applications/shop/sync', {
    token,
    body: { revision: 'main', prune: true, strategy: { hook: {} } },
  });
  assert.deepEqual((body as { operation: object }).operation, {
    sync: { revision: '1'.repeat(40), prune: true, syncStrategy: { hook: {} }, source: spec.source },
    initiatedBy: { username: 'admin' },
    retry: {},
  });
  assert.equal(
    words(await call('/api/v1/applications/shop/sync', { token, body: {} })),
    'another operation is already in progress',
  );
  assert.equal(
    words(await call('/api/v1/applications/shop/rollback', { token, body: { id: 7 } })),
    'application argocd/shop does not have deployment with id 7',
  );
});

test('a sync that replaces is refused where the server does not allow it', async (t) => {
  const { call, login, configure } = await startTestServer(t);
  const token = await login();
  await call('/api/v1/applications', { token, body: application('shop') });
  await configure('argocd-cmd-params-cm', { 'server.sync.replace.allowed': 'false' });
  const replace = { syncOptions: { items: ['Replace=true'] } };
  assert.match(
    words(await call('/api/v1/applications/shop/sync', { token, body: replace })),
    /^sync with replace was disabled on the API Server level via the server configuration/,
  );
  const { body } = await call('/api/v1/applications/shop/sync', { token, body: {} });
  assert.ok((body as { operation?: object }).operation);
});

test('with automated sync no other revision can be deployed by hand', async (t) => {
  const { call, login } = await startTestServer(t);
  const token = await login();
  await call('/api/v1/applications', { token, body: application('shop', { syncPolicy: { automated: {} } }) });
  assert.equal(
    words(await call('/api/v1/applications/shop/sync', { token, body: { revision: 'v1' } })),
    'Cannot sync to v1: auto-sync currently set to ',
  );
  assert.equal(
    words(await call('/api/v1/applications/shop/rollback', { token, body: { id: 0 } })),
    'rollback cannot be initiated when auto-sync is enabled',
  );
});

test('a sync window that denies is named', async (t) => {
  const { call, login } = await startTestServer(t);
  const token = await login();
  const window = { kind: 'deny', schedule: '* * * * *', duration: '1h', applications: ['*'] };
  const project = {
    metadata: { name: 'closed' },
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: '*' }], syncWindows: [window] },
  };
  assert.equal((await call('/api/v1/projects', { token, body: { project } })).status, 200);
  await call('/api/v1/applications', { token, body: application('shop', { project: 'closed' }) });
  const refused = await call('/api/v1/applications/shop/sync', { token, body: {} });
  assert.deepEqual(
    [refused.status, words(refused)],
    [403, 'cannot sync: blocked by sync window: deny * * * * * for 1h'],
  );
  assert.deepEqual((await call('/api/v1/applications/shop/syncwindows', { token })).body.canSync, false);
});

test('who stores an application that was read a while ago does not take back what was told meanwhile', async (t) => {
  const { call, login, client } = await startTestServer(t);
  const token = await login();
  const read = (await call('/api/v1/applications', { token, body: application('told') })).body;
  const told = { 'notified.notifications.argoproj.io': '{"a":1}', 'tiphys.dev/notification-outbox': '[]' };
  await client.patch(
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: 'told' },
    'merge',
    { metadata: { annotations: { ...told, other: 'x' } } },
  );
  const annotationsOf = ({ body }: Answer) => (body.metadata as KubeObject['metadata']).annotations;
  const stored = await call('/api/v1/applications/told', { token, method: 'PUT', body: read });
  assert.deepEqual(annotationsOf(stored), told);
  const stale = {
    ...read,
    metadata: { name: 'told', annotations: { ...told, 'tiphys.dev/notification-outbox': '[1]' } },
  };
  const upserted = await call('/api/v1/applications?upsert=true', { token, body: stale });
  assert.deepEqual(annotationsOf(upserted), told);
  const patch = JSON.stringify({ metadata: { annotations: { 'notified.notifications.argoproj.io': null } } });
  const again = await call('/api/v1/applications/told', {
    token,
    method: 'PATCH',
    body: { patchType: 'merge', patch },
  });
  assert.deepEqual(Object.keys(annotationsOf(again) ?? {}), ['tiphys.dev/notification-outbox'], 'a patch is exact');
});

test('a patch changes the stored application, and a bad one says why', async (t) => {
  const { call, login } = await startTestServer(t);
  const token = await login();
  await call('/api/v1/applications', { token, body: application('shop') });
  const patch = (patchType: string, text: unknown) =>
    call('/api/v1/applications/shop', { token, method: 'PATCH', body: { patchType, patch: JSON.stringify(text) } });
  const merged = await patch('merge', { spec: { source: { path: 'other' } } });
  assert.equal((merged.body.spec as typeof spec).source.path, 'other');
  const replaced = await patch('json', [{ op: 'replace', path: '/spec/source/path', value: 'third' }]);
  assert.equal((replaced.body.spec as typeof spec).source.path, 'third');
  assert.match(
    words(await patch('json', [{ op: 'remove', path: '/spec/none' }])),
    /error applying patch: there is nothing to remove at \/spec\/none/,
  );
  assert.equal(words(await patch('strategic', {})), "Patch type 'strategic' is not supported");
});

test('a watch over REST sends what is there and then what changes', async (t) => {
  const { call, login, server } = await startTestServer(t);
  const token = await login();
  await call('/api/v1/applications', { token, body: application('first') });
  const abort = new AbortController();
  const answer = await fetch(
    `${server.url}/api/v1/stream/applications?fields=result.type,result.application.metadata.name`,
    { headers: { authorization: `Bearer ${token}`, accept: 'text/event-stream' }, signal: abort.signal },
  );
  assert.equal(answer.headers.get('content-type'), 'text/event-stream');
  const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
  const events: unknown[] = [];
  let text = '';
  const until = async (count: number) => {
    while (events.length < count) {
      text += (await reader?.read())?.value ?? '';
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: ')) events.push(JSON.parse(line.slice(6)));
    }
  };
  await until(1);
  await call('/api/v1/applications', { token, body: application('second') });
  await until(2);
  await call('/api/v1/applications/first?cascade=false', { token, method: 'DELETE' });
  await until(3);
  assert.deepEqual(events, [
    { result: { type: 'ADDED', application: { metadata: { name: 'first' } } } },
    { result: { type: 'ADDED', application: { metadata: { name: 'second' } } } },
    { result: { type: 'DELETED', application: { metadata: { name: 'first' } } } },
  ]);
  abort.abort();
});

test('a watch that begins after its application was deleted tells of that, once and for a while', async (t) => {
  const clock = new TestClock();
  const { call, login, server } = await startTestServer(t, { clock });
  const token = await login();
  const first = async (): Promise<unknown> => {
    const abort = new AbortController();
    const answer = await fetch(
      `${server.url}/api/v1/stream/applications?name=swift&fields=result.type,result.application.metadata.name`,
      { headers: { authorization: `Bearer ${token}` }, signal: abort.signal },
    );
    const reader = answer.body?.pipeThrough(new TextDecoderStream()).getReader();
    const { value = '' } = (await reader?.read()) ?? {};
    abort.abort();
    return JSON.parse(value.trim().split('\n')[0] ?? '');
  };
  const told = (type: string) => ({ result: { type, application: { metadata: { name: 'swift' } } } });
  await call('/api/v1/applications', { token, body: application('swift') });
  await call('/api/v1/applications/swift?cascade=false', { token, method: 'DELETE' });
  let seen = await first();
  // the server's own watch may be a moment behind
  while (JSON.stringify(seen) === JSON.stringify(told('ADDED'))) seen = await first();
  assert.deepEqual(seen, told('DELETED'));
  await call('/api/v1/applications', { token, body: application('swift') });
  assert.deepEqual(await first(), told('ADDED'), 'another one of the name is there');
  await call('/api/v1/applications/swift?cascade=false', { token, method: 'DELETE' });
  while (JSON.stringify(await first()) !== JSON.stringify(told('DELETED')));
  clock.advance(31);
  const late = first();
  await call('/api/v1/applications', { token, body: application('swift') });
  assert.deepEqual(await late, told('ADDED'), 'what was deleted long ago is told no more');
});

test('what Kubernetes refuses of a new application is told with what was being done', async (t) => {
  const { call, login } = await startTestServer(t);
  const { status, body } = await call('/api/v1/applications', { token: await login(), body: application('Bad_Name') });
  assert.equal(status, 400);
  assert.match(String(body.message), /^error creating application: Application\.argoproj\.io "Bad_Name" is invalid/);
});

test('resources are shown with Secrets masked, and acted on only inside the tree', async (t) => {
  const live = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'shop', uid: 'u' },
    data: { k: 'TUFSS0VS' },
  };
  const key = { group: '', kind: 'Secret', namespace: 'shop', name: 's' };
  const compared: ComparedResource = {
    key,
    version: 'v1',
    desired: live,
    live,
    status: 'Synced',
    hook: false,
    requiresPruning: false,
    wave: 0,
    differences: [],
  };
  const node: TreeNode = {
    key,
    version: 'v1',
    uid: 'u',
    resourceVersion: '1',
    createdAt: '2026-01-02T03:04:05Z',
    parents: [],
    images: [],
    info: [],
  };
  const started = await startTestServer(t, {
    backend: {
      ...idleBackend,
      comparison: async () => ({ status: 'Synced', resources: [compared], conditions: [] }),
      tree: async () => ({ nodes: [node], orphaned: [], hosts: [] }),
      clusterOf: async () => ({ server: 'https://kubernetes.default.svc', name: 'in-cluster', client: started.client }),
    },
  });
  const { call, login, client } = started;
  const token = await login();
  await call('/api/v1/applications', { token, body: application('shop') });
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  await client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'shop' },
    data: { k: 'TUFSS0VS' },
  } as never);
  const managed = await call('/api/v1/applications/shop/managed-resources', { token });
  assert.ok(!JSON.stringify(managed.body).includes('TUFSS0VS') && JSON.stringify(managed.body).includes('++++++++'));
  const one = (path: string, query: string) => call(`/api/v1/applications/shop/resource${path}?${query}`, { token });
  const shown = await one('', 'kind=Secret&version=v1&namespace=shop&resourceName=s');
  assert.deepEqual((JSON.parse(String(shown.body.manifest)) as typeof live).data, { k: '++++++++' });
  const outside = await one('', 'kind=Secret&version=v1&namespace=argocd&resourceName=argocd-secret');
  assert.deepEqual(
    [outside.status, words(outside)],
    [400, 'Secret  argocd-secret not found as part of application shop'],
  );
  const tree = (await call('/api/v1/applications/shop/resource-tree', { token })).body;
  assert.deepEqual(tree.nodes, [
    {
      version: 'v1',
      kind: 'Secret',
      namespace: 'shop',
      name: 's',
      uid: 'u',
      resourceVersion: '1',
      createdAt: '2026-01-02T03:04:05Z',
    },
  ]);
  assert.equal(
    (
      await call('/api/v1/applications/shop/resource?kind=Secret&version=v1&namespace=shop&resourceName=s', {
        token,
        method: 'DELETE',
      })
    ).status,
    200,
  );
});

test('a server-side diff tries what the source renders, and no manifest of somebody who may only read (CVE-2026-42880)', async (t) => {
  const object = (name: string, data: Record<string, string>) => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace: 'shop' },
    data,
  });
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'shop' },
    data: { k: 'TUFSS0VS' },
  };
  const compare = (desired: KubeObject, live: KubeObject): ComparedResource => ({
    key: { group: '', kind: desired.kind, namespace: 'shop', name: desired.metadata.name as string },
    version: 'v1',
    desired,
    live,
    status: 'Synced',
    hook: false,
    requiresPruning: false,
    wave: 0,
    differences: [],
  });
  const resources = [
    compare(object('c', { a: '2' }), object('c', { a: '1' })),
    compare(secret, { ...secret, data: { k: 'b2xk' } }),
  ];
  const tried: KubeObject[] = [];
  const { call, login, client } = await startTestServer(t, {
    backend: {
      ...idleBackend,
      comparison: async () => ({ status: 'Synced', resources, conditions: [] }),
      render: async () => ({
        objects: [{ object: object('c', { a: 'old' }) }],
        revisions: ['old'],
        sourceType: 'Directory',
        warnings: [],
      }),
      compareByServer: async (_app, desired, live) => {
        tried.push(desired);
        return { live, predicted: desired, modified: true };
      },
    },
  });
  const token = await login();
  await call('/api/v1/applications', { token, body: application('shop') });
  await client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd', name: 'argocd-cm' }, 'merge', {
    data: { 'accounts.eve': 'apiKey' },
  });
  await client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd', name: 'argocd-rbac-cm' }, 'merge', {
    data: { 'policy.csv': 'g, eve, role:readonly' },
  });
  const eve = String((await call('/api/v1/account/eve/token', { token, body: {} })).body.token);
  const diff = (caller: string, ...manifests: object[]) =>
    call(
      `/api/v1/applications/shop/server-side-diff?${manifests.map((manifest) => `targetManifests=${encodeURIComponent(JSON.stringify(manifest))}`).join('&')}`,
      { token: caller },
    );
  const own = await diff(eve, object('c', { a: '2' }), { ...secret, data: { k: 'x' } });
  assert.equal(own.status, 200, JSON.stringify(own.body));
  const [first, second] = own.body.items as { targetState: string; modified: boolean }[];
  assert.deepEqual([JSON.parse(first?.targetState ?? '').data, first?.modified], [{ a: '2' }, true]);
  assert.deepEqual([JSON.parse(second?.targetState ?? '').data, second?.modified], [{ k: '++++++++' }, true]);
  assert.ok(!JSON.stringify(own.body).includes('TUFSS0VS'));
  assert.equal((await diff(eve, object('c', { a: 'mine' }))).status, 403);
  assert.equal((await diff(token, object('c', { a: 'mine' }))).status, 200);
  const shown = await call('/api/v1/applications/shop/manifests?revision=old', { token: eve });
  assert.equal(shown.status, 200);
  assert.equal((await diff(eve, object('c', { a: 'old' }))).status, 200, 'another revision, rendered here');
  tried.length = 0;
  const created = await diff(eve, object('elsewhere', { a: 'new' }));
  const [item] = created.body.items as { targetState: string; liveState: string; modified: boolean }[];
  assert.deepEqual(
    [JSON.parse(item?.targetState ?? '').data, item?.liveState, item?.modified],
    [{ a: 'new' }, 'null', true],
  );
  assert.deepEqual(tried, [], 'what is not part of the application is shown as it came, and never tried');
});

test('what users do is told in Events with the reasons of Argo CD', async (t) => {
  const { call, login, client } = await startTestServer(t);
  const token = await login();
  await call('/api/v1/applications', { token, body: application('shop') });
  let reasons: string[] = [];
  while (reasons.length === 0)
    reasons = (await client.list({ apiVersion: 'v1', kind: 'Event', namespace: 'argocd' })).items.map(
      (event) => `${event.reason}: ${event.message}`,
    );
  assert.deepEqual(reasons, ['ResourceCreated: admin created application']);
  const events = (await call('/api/v1/applications/shop/events', { token })).body.items as { reason: string }[];
  assert.deepEqual(
    events.map(({ reason }) => reason),
    ['ResourceCreated'],
  );
});

test('what is live of an application is told without a question to the API server about the application', async (t) => {
  const asked: string[] = [];
  const { call, login } = await startTestServer(
    t,
    {},
    {
      audit: {
        log: (line: string) => {
          const { verb, requestURI = '' } = JSON.parse(line) as { verb?: string; requestURI?: string };
          if (verb === 'get' && /\/(?:applications|appprojects)\//.test(requestURI)) asked.push(requestURI);
        },
      },
    },
  );
  const token = await login();
  await call('/api/v1/applications', { token, body: application('shop') });
  asked.length = 0;
  for (const path of ['resource-tree', 'managed-resources'])
    assert.equal((await call(`/api/v1/applications/shop/${path}`, { token })).status, 200);
  assert.deepEqual(asked, []);
  await call('/api/v1/applications/shop', { token });
  const stored = '/apis/argoproj.io/v1alpha1/namespaces/argocd/applications/shop';
  assert.deepEqual([...new Set(asked)], [stored], 'the application itself is told as it is stored');
});
