import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { getOption } from '@bufbuild/protobuf';
import { httpRule, loadWorkflowServices, workflowsDefinitions } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { openPersistence } from '@tiphys/workflow-database';
import { startWorkflowServer, type WorkflowServer } from '@tiphys/workflow-server';
import fc from 'fast-check';

/** Few in the gate, many by `npm run fuzz`. */
const numRuns = Math.max(60, Math.floor(Number(process.env['FUZZ_RUNS'] ?? 200) / 4));
const seed = Number(process.env['FAST_CHECK_SEED'] ?? 14);

const closers: (() => unknown)[] = [];
const logged: string[] = [];
let client: Client;
let server: WorkflowServer;
let administrator: string;
let guest: string;
let reader: string;

const apiVersion = 'argoproj.io/v1alpha1';
const uid = randomUUID();

/** A ServiceAccount of the namespace `mine` with verbs on some resources there. */
async function account(name: string, rules: object[]): Promise<string> {
  const metadata = { name, namespace: 'mine' };
  await client.create({ apiVersion: 'v1', kind: 'ServiceAccount', metadata });
  await client.create({ apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata, rules } as KubeObject);
  await client.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name },
    subjects: [{ kind: 'ServiceAccount', name, namespace: 'mine' }],
  } as KubeObject);
  const answer = await client.request('POST', `/api/v1/namespaces/mine/serviceaccounts/${name}/token`, {
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
  });
  return ((await answer.json()) as { status: { token: string } }).status.token;
}

before(async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-workflow-attacks-'));
  closers.push(() => rmSync(folder, { recursive: true, force: true }));
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  closers.push(() => sandbox.close());
  client = connect(sandbox.config, { caller: { component: 'test', purpose: 'attacks' } });
  closers.push(() => client.close());
  administrator = sandbox.config.bearerToken ?? '';
  await ensureDefinitions(client, workflowsDefinitions(), systemClock);
  for (const name of ['argo', 'mine', 'yours'])
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  guest = await account('guest', []);
  reader = await account('reader', [{ apiGroups: ['argoproj.io'], resources: ['*'], verbs: ['get', 'list', 'watch'] }]);
  const archiveFile = join(folder, 'archive.db');
  const kept = await openPersistence({
    ...{ persistence: undefined, file: archiveFile, instanceId: '', client, namespace: 'argo' },
    onError: (error) => logged.push(String(error)),
  });
  await kept?.archive.keep({
    ...{ apiVersion, kind: 'Workflow' },
    metadata: { name: 'secretive', namespace: 'yours', uid, labels: { project: 'MARKER' } },
    spec: { entrypoint: 'main', arguments: { parameters: [{ name: 'x', value: 'MARKER' }] } },
    status: { phase: 'Succeeded', startedAt: '2026-01-01T00:00:00Z', finishedAt: '2026-01-01T00:00:01Z' },
  } as never);
  await kept?.close();
  server = await startWorkflowServer({
    ...{ client, config: sandbox.config, namespace: 'argo', port: 0, archiveFile, clock: systemClock, version: '0' },
    connect: (config) => connect(config, { caller: { component: 'test', purpose: 'workflows' } }),
    log: (_level, message, fields) => void logged.push(`${message} ${JSON.stringify(fields)}`),
    env: { ARGO_API_RATE_LIMIT: '1000000' },
  });
  closers.push(() => server.close());
});

after(async () => {
  for (const close of closers.reverse()) await close();
});

interface Answer {
  readonly status: number;
  readonly text: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A request with the target exactly as it is written here: no client makes it tidy. */
function ask(method: string, path: string, options: { token?: string; body?: string | Buffer; headers?: object } = {}) {
  const { token, body, headers = {} } = options;
  return new Promise<Answer>((resolve, reject) => {
    const asked = httpRequest(
      {
        ...{ host: '127.0.0.1', port: server.port, path, method, agent: false },
        headers: {
          'content-type': 'application/json',
          ...(token ? { authorization: `Bearer ${token}` } : {}),
          ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }),
          ...headers,
        },
      },
      (answer) => {
        let text = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
        answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, headers: answer.headers }));
        answer.on('error', reject);
      },
    );
    asked.on('error', reject).end(body);
  });
}

/** Words of a failure that nobody foresaw, in an answer or in the log. */
const unforeseen =
  /TypeError|RangeError|SyntaxError|URIError|Cannot read|is not a function|is not iterable|native code|internal error|SQLITE/;

function assertForeseen(what: string, answer: Answer): void {
  const told = logged.splice(0).join('\n');
  assert.doesNotMatch(answer.text, unforeseen, `${what}: ${answer.status}; log: ${told}`);
  assert.doesNotMatch(told, unforeseen, what);
}

async function routes(): Promise<{ verb: string; path: string; streams: boolean }[]> {
  const methods = Object.values(await loadWorkflowServices()).flatMap((service) => service.methods);
  const rest = methods.flatMap((method) => {
    const rule = getOption(method, httpRule);
    return [rule, ...rule.additionalBindings].flatMap(({ pattern }) =>
      pattern.case === undefined
        ? []
        : [{ verb: pattern.case.toUpperCase(), path: String(pattern.value), streams: method.methodKind !== 'unary' }],
    );
  });
  const artifacts = [
    ...['/artifacts/{ns}/{w}/{n}/{a}', '/input-artifacts/{ns}/{w}/{n}/{a}', '/artifacts-by-uid/{u}/{n}/{a}'],
    ...['/artifact-files/{ns}/workflows/{w}/{n}/outputs/{a}/{f}', '/artifact-files/{ns}/{k}/{u}/{n}/{d}/{a}'],
  ];
  return [...rest, ...artifacts.map((path) => ({ verb: 'GET', path, streams: false }))];
}

describe('The API of Argo Workflows', () => {
  test('lets nobody in without a token that the cluster knows, whatever the route (GHSA-rc7p-gmvh-xfx2, GHSA-prqf-xr2j-xf65, CVE-2024-53862, CVE-2026-28229, CVE-2026-42297)', async () => {
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const claims = Buffer.from(JSON.stringify({ sub: 'system:admin', groups: ['system:masters'] })).toString(
      'base64url',
    );
    const [head, , signature] = administrator.split('.');
    const tokens = ['', 'nothing', `${none}.${claims}.`, `${head}.${claims}.${signature}`, 'v2:x', 'null', `${guest}x`];
    const all = await routes();
    assert.ok(all.length > 68, String(all.length));
    for (const { verb, path } of all)
      for (const token of tokens) {
        const target = path.replace(/\{[^}]+\}/g, (name) => (name === '{uid}' || name === '{u}' ? uid : 'yours'));
        const body = verb === 'GET' || verb === 'DELETE' ? {} : { body: '{}' };
        const answer = await ask(verb, target, { ...body, ...(token ? { token } : {}) });
        const isRefused = answer.status === 401 || (answer.status === 400 && target.startsWith('/artifact-files/'));
        assert.ok(isRefused, `${verb} ${target} with "${token.slice(0, 8)}": ${answer.status} ${answer.text}`);
        assert.doesNotMatch(answer.text, /MARKER/);
        assertForeseen(`${verb} ${target}`, answer);
      }
    for (const headers of [
      ...[{ authorization: 'Basic eDp5' }, { authorization: 'Bearer' }, { authorization: 'Bearer ' }],
      ...[
        { cookie: 'authorization=nothing' },
        { cookie: 'authorization="Bearer nothing"' },
        { 'grpcgateway-cookie': 'x' },
      ],
      ...[
        { 'impersonate-user': 'system:admin' },
        { 'x-remote-user': 'system:admin', 'x-remote-group': 'system:masters' },
      ],
    ])
      assert.equal((await ask('GET', '/api/v1/workflows/', { headers })).status, 401, JSON.stringify(headers));
    // whom headers name is nobody's business: the rights stay those of the token
    const headers = { 'impersonate-user': 'system:admin', 'x-remote-user': 'system:admin' };
    assert.equal((await ask('GET', '/api/v1/workflows/yours', { token: reader, headers })).status, 403);
  });

  test('gives who has no rights nothing, live or archived, templates or limits (CVE-2026-28229, CVE-2026-42297, CVE-2024-53862)', async () => {
    for (const { verb, path, streams } of await routes()) {
      const target = path.replace(/\{[^}]+\}/g, (name) => (name === '{uid}' || name === '{u}' ? uid : 'yours'));
      if (
        streams ||
        /\/(userinfo|info|version|tracking|events|lint)\b/.test(target) ||
        target.startsWith('/artifact-files')
      )
        continue;
      const body = verb === 'GET' || verb === 'DELETE' ? {} : { body: JSON.stringify(everything) };
      const answer = await ask(verb, `${target}?${everyQuery}`, { ...body, token: guest });
      assert.ok(
        [403, 404, 400, 500, 501].includes(answer.status),
        `${verb} ${target}: ${answer.status} ${answer.text}`,
      );
      assert.doesNotMatch(answer.text, /MARKER/, `${verb} ${target}`);
      assertForeseen(`${verb} ${target}`, answer);
    }
  });

  test('lists the archive of a namespace for who may list it, whatever the selector says (CVE-2026-93991)', async () => {
    const selectors = [
      ...[
        'metadata.namespace!=x',
        'metadata.namespace!=',
        'metadata.namespace=',
        'metadata.namespace==',
        'metadata.namespace=yours',
      ],
      ...['metadata.namespace=mine,metadata.namespace=yours', 'metadata.namespace!=mine,metadata.namespace=mine'],
      ...[
        'metadata.namespace=mine,metadata.namespace!=mine',
        'metadata.namespace>a',
        'metadata.namespace notin (mine)',
      ],
      ...['ext.showRemainingItemCount=true,metadata.namespace!=mine', ' metadata.namespace=yours', ''],
    ];
    for (const list of ['archived-workflows', 'workflows/', 'workflows/mine'])
      for (const selector of selectors)
        for (const go of ['', '0', 'archive~0', '1'])
          for (const namespace of ['', 'mine']) {
            const query = `listOptions.fieldSelector=${encodeURIComponent(selector)}&listOptions.continue=${go}${namespace && list !== 'workflows/mine' ? `&namespace=${namespace}` : ''}`;
            const answer = await ask('GET', `/api/v1/${list}?${query}`, { token: reader });
            assert.doesNotMatch(answer.text, /MARKER|secretive/, `${list} ${query}`);
            assertForeseen(`${list} ${query}`, answer);
          }
    const seen = await ask('GET', '/api/v1/archived-workflows', { token: administrator });
    assert.match(seen.text, /MARKER/);
  });

  test('tells the labels of archived workflows to who may list them all', async () => {
    const paths = [
      'archived-workflows-label-keys',
      'archived-workflows-label-values?listOptions.labelSelector=project',
    ];
    for (const path of paths)
      for (const token of [guest, reader]) {
        const answer = await ask('GET', `/api/v1/${path}`, { token });
        assert.equal(answer.status, 403, answer.text);
        assert.doesNotMatch(answer.text, /MARKER|project/);
      }
    assert.match((await ask('GET', `/api/v1/${paths[1]}`, { token: administrator })).text, /MARKER/);
  });

  test('gives out what workflows wrote as text that runs nowhere, and no credentials of its stores (CVE-2022-29164, CVE-2025-62157, CVE-2026-42295)', async () => {
    const secret = { name: 'store', key: 'MARKER' };
    const data = { MARKER: Buffer.from('TELLTALE').toString('base64') };
    await client.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'store', namespace: 'mine' },
      data,
    } as KubeObject);
    const keys = { accessKeySecret: secret, secretKeySecret: secret };
    const account = Buffer.from(
      JSON.stringify({
        type: 'service_account',
        client_email: 'a@b',
        private_key: 'TELLTALE',
        token_uri: 'http://127.0.0.1:1/',
      }),
    );
    await client.patch({ apiVersion: 'v1', kind: 'Secret', namespace: 'mine', name: 'store' }, 'merge', {
      data: { account: account.toString('base64') },
    });
    const stores: Record<string, object> = {
      s3: { endpoint: '127.0.0.1:1', bucket: 'b', key: 'k', insecure: true, ...keys },
      oss: { endpoint: 'http://127.0.0.1:1', bucket: 'b', key: 'k', ...keys },
      gcs: { bucket: 'b', key: 'k', serviceAccountKeySecret: { name: 'store', key: 'account' } },
      azure: { endpoint: 'http://127.0.0.1:1', container: 'c', blob: 'k', accountKeySecret: secret },
      http: { url: 'http://127.0.0.1:1/x', auth: { basicAuth: { usernameSecret: secret, passwordSecret: secret } } },
      artifactory: { url: 'http://127.0.0.1:1/x', usernameSecret: secret, passwordSecret: secret },
      git: { repo: 'http://127.0.0.1:1/x.git', usernameSecret: secret, passwordSecret: secret },
      hdfs: { addresses: ['127.0.0.1:1'], path: '/x', hdfsUser: 'x' },
      raw: { data: '<script>1</script>' },
    };
    const artifacts = Object.entries(stores).map(([name, place]) => ({ name: `${name}.html`, [name]: place }));
    const status = { phase: 'Succeeded', nodes: { n: { id: 'n', name: 'n', type: 'Pod', outputs: { artifacts } } } };
    await client.create({
      apiVersion,
      kind: 'Workflow',
      metadata: { name: 'wrote', namespace: 'mine' },
      spec: {},
      status,
    } as KubeObject);
    for (const { name } of artifacts) {
      const answer = await ask('GET', `/artifacts/mine/wrote/n/${name}`, { token: administrator });
      const told = JSON.stringify(answer) + logged.splice(0).join();
      assert.doesNotMatch(told, /TELLTALE|VEVMTFRBTEU/, name);
      assert.doesNotMatch(told, unforeseen, name);
      assert.match(
        String(answer.headers['content-security-policy']),
        /^sandbox(?!.*allow-scripts).*default-src 'none'/,
        name,
      );
      assert.equal(answer.headers['x-content-type-options'], 'nosniff');
      assert.equal(answer.status === 200, name === 'raw.html', `${name}: ${answer.status} ${answer.text}`);
      assert.ok(
        [401, 403].includes((await ask('GET', `/artifacts/mine/wrote/n/${name}`, { token: guest })).status),
        name,
      );
    }
    for (const name of ['constructor', '__proto__', '..%2f..%2fetc%2fpasswd', '%00', 'x'.repeat(2_000)])
      for (const node of ['n', 'constructor', '__proto__'])
        assertForeseen(name, await ask('GET', `/artifacts/mine/wrote/${node}/${name}`, { token: administrator }));
  });

  test('reads no more of an event without a token than its limit (CVE-2026-42294)', async () => {
    const size = 3 << 20;
    for (const path of [
      '/api/v1/events/mine/',
      '/api/v1/events/mine/x',
      '/api/v1/events/%2e%2e/x',
      '/api/v1/events/../x',
    ]) {
      const answer = await ask('POST', path, { body: Buffer.alloc(size, 0x20) }).catch((error: Error) => error);
      // who goes on sending may find the connection closed before the answer
      if (!(answer instanceof Error))
        assert.ok([413, 401, 403, 404].includes(answer.status), `${path}: ${answer.status}`);
    }
    assert.equal((await ask('GET', '/healthz')).status, 200);
    assert.equal((await ask('GET', `/api/v1/workflows/${'a'.repeat(20_000)}`)).status, 431);
    assert.equal((await ask('GET', '/healthz', { headers: { 'x-long': 'a'.repeat(20_000) } })).status, 431);
  });

  test('says nothing of the secret of a Git host that cannot be read', async () => {
    const data = { guest: Buffer.from('type: github\nsecret: [MARKER: : {').toString('base64') };
    const metadata = { name: 'argo-workflows-webhook-clients', namespace: 'mine' };
    await client.create({ apiVersion: 'v1', kind: 'Secret', metadata, data } as KubeObject);
    const answer = await ask('POST', '/api/v1/events/mine/', { body: '{}', headers: { 'x-github-event': 'push' } });
    assert.ok([401, 403].includes(answer.status), String(answer.status));
    assert.doesNotMatch(answer.text + logged.splice(0).join(), /MARKER/);
  });

  test('goes on after nesting that no reader follows, long lists of fields, and floods of keys', async () => {
    const depth = 20_000;
    const bodies = [
      '['.repeat(depth),
      `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`,
      `{"workflow":${'{"metadata":'.repeat(depth)}1${'}'.repeat(depth + 1)}`,
      `{"workflow":{"spec":{"templates":[${'{"steps":[['.repeat(5_000)}${']]}'.repeat(5_000)}]}}}`,
      `{"payload":${'['.repeat(depth)}${']'.repeat(depth)}}`,
      `{${Array.from({ length: 10_000 }, (_, index) => `"k${index}":1`).join()}}`,
      `{"workflow":{"metadata":{"labels":{"__proto__":"x","constructor":{"prototype":{"y":1}}}}}}`,
    ];
    for (const { verb, path } of await routes()) {
      if (verb === 'GET' || verb === 'DELETE') continue;
      const target = path.replace(/\{[^}]+\}/g, 'mine');
      for (const body of bodies) {
        const answer = await ask(verb, target, { body, token: administrator });
        assertForeseen(`${verb} ${target} ${body.slice(0, 40)}`, answer);
      }
    }
    const fields = Array.from({ length: 1_500 }, (_, index) => `f${index}`).join();
    const chosen = await ask('GET', `/api/v1/workflows/yours?fields=${fields}`, { token: administrator });
    assert.equal(chosen.status, 400);
    assert.equal(({} as Record<string, unknown>).y, undefined);
    assert.equal((await ask('GET', '/healthz')).status, 200);
  });

  test('answers bodies, names and queries of any shape, none by a mistake of ours', async () => {
    const all = (await routes()).filter(({ streams }) => !streams);
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...all),
        json,
        fc.array(odd, { maxLength: 4 }),
        queries,
        async (route, body, names, query) => {
          let index = 0;
          const path = route.path.replace(/\{[^}]+\}/g, () => names[index++ % Math.max(1, names.length)] || 'yours');
          const sent = route.verb === 'GET' || route.verb === 'DELETE' ? {} : { body };
          const target = `${path}${query}`;
          const answer = await ask(route.verb, target, { ...sent, token: administrator });
          assertForeseen(`${route.verb} ${target} ${body.toString('utf8').slice(0, 300)}`, answer);
          const stranger = await ask(route.verb, target, sent);
          assert.ok(stranger.status >= 400 || stranger.status === 307 || !stranger.text.includes('MARKER'), target);
          assertForeseen(`${route.verb} ${target} of a stranger`, stranger);
        },
      ),
      { numRuns, seed },
    );
  });
});

const everything = {
  ...{ namespace: 'yours', name: 'secretive', uid, type: 0, cmName: 'argo', key: 'x', limit: 1 },
  workflow: { metadata: { name: 'x' }, spec: { entrypoint: 'm', templates: [{ name: 'm', suspend: {} }] } },
  template: { metadata: { name: 'x' }, spec: { entrypoint: 'm', templates: [{ name: 'm', suspend: {} }] } },
};
const everyQuery = `name=secretive&cmName=argo&namespace=yours&listOptions.labelSelector=project`;

const odd = fc.constantFrom(
  ...[
    '__proto__',
    'constructor',
    'toString',
    '..',
    '.',
    '%2e%2e',
    '%2e%2e%2f%2e%2e',
    '%00',
    '%',
    '%zz',
    '%ff',
    '%c0%ae',
  ],
  ...[
    '%ef%bc%8e%ef%bc%8e',
    '%e2%80%ae',
    '%0d%0aX:%20y',
    '@latest',
    '*',
    '-',
    'a'.repeat(2_500),
    "'%20or%201=1--",
    '%5c',
    'yours',
  ],
);
const queryNames = [
  ...['listOptions.fieldSelector', 'listOptions.labelSelector', 'listOptions.limit', 'listOptions.continue', 'fields'],
  ...[
    'nameFilter',
    'namePrefix',
    'createdAfter',
    'finishedBefore',
    'uid',
    'force',
    'logOptions.grep',
    'grep',
    'selector',
  ],
  ...[
    '__proto__',
    'listOptions.__proto__',
    'listOptions',
    'type',
    'cmName',
    'nodeFieldSelector',
    'deleteOptions.gracePeriodSeconds',
  ],
];
const queryValues = fc.oneof(
  odd,
  fc.constantFrom(
    ...[
      '-1',
      '1e999',
      'NaN',
      '0x10',
      '9'.repeat(400),
      '(((((',
      'a%20in%20(',
      '!a%3Db',
      'a%3E1',
      '2026-13-99T99:99:99Z',
    ],
    ...[
      '%EF%BF%BF',
      'metadata.name%3D',
      'spec.startedAt%3E2026',
      'true',
      '%5B%5D',
      '{',
      'Contains',
      `a%20in%20(${'a,'.repeat(5_000)})`,
    ],
  ),
);
const queries = fc
  .array(fc.tuple(fc.constantFrom(...queryNames), queryValues), { maxLength: 3 })
  .map((pairs) => (pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`));

const fields = fc.constantFrom(
  ...[
    'metadata',
    'name',
    'namespace',
    'spec',
    'workflow',
    'template',
    'cronWorkflow',
    'templates',
    'steps',
    'dag',
    'tasks',
  ],
  ...['arguments', 'parameters', 'value', 'labels', 'annotations', 'entrypoint', 'container', 'image', 'submitOptions'],
  ...[
    'resourceKind',
    'resourceName',
    'payload',
    'discriminator',
    'nodeFieldSelector',
    'phase',
    'outputParameters',
    'uid',
  ],
  ...[
    'eventSource',
    'sensor',
    'listOptions',
    'workflowTemplateRef',
    'limit',
    'type',
    'cmName',
    'key',
    '__proto__',
    'status',
  ],
);
const { body } = fc.letrec((tie) => ({
  body: fc.oneof(
    { depthSize: 'small' },
    fc.jsonValue({ maxDepth: 2 }),
    fc.constantFrom('WorkflowTemplate', 'workflow', '{{x}}', '{{=1+}}', '..', '\0', 'a=b', '-1', 1e300, -1, null),
    fc.dictionary(fields, tie('body'), { maxKeys: 6 }),
    fc.array(tie('body'), { maxLength: 4 }),
  ),
}));
/** What is sent as JSON, some of it cut or with other bytes in it. */
const json = fc
  .tuple(body, fc.nat(200), fc.constantFrom('whole', 'whole', 'cut', 'changed'))
  .map(([value, at, how]) => {
    const bytes = Buffer.from(JSON.stringify(value) ?? '');
    if (how === 'cut') return bytes.subarray(0, at);
    if (how === 'changed' && bytes.length > 0) bytes[at % bytes.length] = 0xff;
    return bytes;
  });
