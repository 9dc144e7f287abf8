import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { test } from 'node:test';
import { startEvents } from '@tiphys/events';
import { type KubeObject, systemClock } from '@tiphys/kubernetes';
import { applicationNotifications, startNotifications } from '@tiphys/notifications';
import { startRolloutsFamily } from '@tiphys/rollouts';
import { openPageAccess } from '@tiphys/workflow-server';
import { Registry } from 'prom-client';
import { startWorkflows } from '../../packages/automate/workflows/controller/start-workflows.ts';
import { startTestServer, type TestServer } from '../../packages/serve/server/testing/start-test-server.ts';

const marker = 'MARKER0fam1ly';
const shown = new RegExp(`${marker}|${Buffer.from(marker).toString('base64').replace(/=+$/, '')}`, 'i');
const argo = 'argoproj.io/v1alpha1';
const timeout = 60_000;

/** Everything that somebody who may look, and no more, is told; and what is written for operators. */
class Told {
  readonly #texts: [where: string, text: string][] = [];

  add(where: string, what: unknown): void {
    this.#texts.push([where, typeof what === 'string' ? what : JSON.stringify(what)]);
  }

  leaks(): string[] {
    return this.#texts.flatMap(([where, text]) => {
      const at = text.search(shown);
      return at < 0 ? [] : [`${where}: …${text.slice(Math.max(0, at - 160), at + 30)}…`];
    });
  }

  get places(): number {
    return this.#texts.length;
  }
}

const secretKey = { name: 'credentials', key: 'password' };
const address = `http://robot:${marker}@127.0.0.1:1`;

/** Each fails in its own way while it holds, or was sent, the marker. */
const triggers = (namespace: string): object[] => [
  { name: 'url', http: { url: `${address}/x?token=${marker}`, method: 'POST' } },
  {
    name: 'header',
    http: {
      url: 'http://127.0.0.1:1/x',
      secureHeaders: [{ name: 'Authorization', valueFrom: { secretKeyRef: secretKey } }],
      basicAuth: { username: secretKey, password: secretKey },
    },
  },
  { name: 'slack', slack: { slackToken: secretKey, channel: 'c', message: marker } },
  {
    name: 'secret',
    k8s: {
      operation: 'create',
      source: {
        resource: {
          apiVersion: 'v1',
          kind: 'Secret',
          metadata: { name: 'made', namespace },
          data: { password: `${marker}!` },
        },
      },
    },
  },
  {
    name: 'inline',
    k8s: { operation: 'create', source: { inline: `kind: Secret\nstringData: {a: "${marker}\n b: [` } },
  },
  {
    name: 'git',
    k8s: { operation: 'create', source: { git: { url: `${address}/x.git`, filePath: 'a', cloneDirectory: '/tmp' } } },
  },
  {
    name: 'bucket',
    k8s: {
      operation: 'create',
      source: { s3: { endpoint: '127.0.0.1:1', bucket: { name: 'b', key: 'k' }, accessKey: secretKey, secretKey } },
    },
  },
  {
    name: 'kafka',
    kafka: {
      payload: [{ src: { dependencyName: 'push', dataKey: 'body.password' }, dest: 'a' }],
      url: '127.0.0.1:1',
      topic: 't',
      partition: 0,
      sasl: { mechanism: 'PLAIN', userSecret: secretKey, passwordSecret: secretKey },
    },
  },
  {
    name: 'nats',
    nats: {
      url: `nats://robot:${marker}@127.0.0.1:1`,
      subject: 's',
      payload: [{ src: { dependencyName: 'push', dataKey: 'body.password' }, dest: 'a' }],
    },
  },
];

const filters: Readonly<Record<string, object>> = {
  value: { data: [{ path: 'body.password', type: 'string', value: ['other'] }] },
  wanted: { data: [{ path: 'body.token', type: 'string', value: [marker] }] },
  number: { data: [{ path: 'body.api_key', type: 'number', comparator: '>', value: [marker] }] },
  header: { data: [{ path: 'header.Authorization', type: 'string', value: ['other'] }] },
  expression: { exprs: [{ expr: 'password == "other"', fields: [{ name: 'password', path: 'body.password' }] }] },
  script: { script: 'error(event.body.password)' },
};

async function startSweep(world: TestServer, told: Told, close: (closer: () => Promise<unknown>) => void) {
  const { client } = world;
  const namespace = `swept-${randomBytes(4).toString('hex')}`;
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const stop = new AbortController();
  close(async () => stop.abort(new Error('over')));
  const onError = (key: string, error: unknown) =>
    told.add(`error of ${key}`, error instanceof Error ? `${error.stack}\n${String(error.cause)}` : String(error));
  const log = (level: string, message: string, fields?: unknown) => told.add(`log (${level})`, [message, fields]);
  const registry = new Registry();
  const shared = { client, namespace: 'argocd', clock: systemClock, signal: stop.signal, onError, log };
  const events = await startEvents({
    ...shared,
    env: { TIPHYS_EVENTS_IMPERSONATE: 'true' },
    sandbox: true,
    host: '127.0.0.1',
    scratch: '/nonexistent',
    random: () => 0,
    metrics: registry,
  } as never);
  close(() => events.close());
  return { namespace, shared, events, registry };
}

test('a marker in what events, analyses, notifications and workflows are given is in nothing that is told of them', async (t) => {
  const told = new Told();
  const closers: (() => Promise<unknown>)[] = [];
  t.after(async () => {
    for (const closer of closers.reverse()) await closer();
  });
  const close = (closer: () => Promise<unknown>) => void closers.push(closer);
  const world = await startTestServer(t);
  const { namespace, shared, events, registry } = await startSweep(world, told, close);
  const { client } = world;
  const apply = (kind: string, name: string, spec: object, apiVersion = argo, more: object = {}) =>
    client.create({ apiVersion, kind, metadata: { name, namespace }, spec, ...more });
  await client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'credentials', namespace },
    stringData: { password: marker },
  });
  const until = async (kind: string, name: string, what: (object: KubeObject) => boolean) => {
    const signal = AbortSignal.timeout(timeout);
    for (;;) {
      const found = await client.find({ apiVersion: argo, kind, namespace, name });
      if (found && what(found)) return;
      if (signal.aborted) throw new Error(`waited for ${kind} ${name}: ${JSON.stringify(found?.status)}`);
      await systemClock.sleep(100);
    }
  };
  const conditions = ({ status }: KubeObject) =>
    (status as { conditions?: { status: string }[] } | undefined)?.conditions ?? [];
  const ready = (object: KubeObject) =>
    conditions(object).length > 0 && conditions(object).every(({ status }) => status === 'True');

  await apply('EventBus', 'default', { nats: { native: { auth: 'token' } } });
  await until('EventBus', 'default', ready);
  await apply('EventSource', 'hooks', { calendar: { push: { schedule: '0 0 1 1 *' } } });
  await apply('EventSource', 'brokers', {
    amqp: {
      a: { url: `amqp://robot:${marker}@127.0.0.1:1`, exchangeName: 'x', exchangeType: 'topic', routingKey: 'k' },
    },
    mqtt: { m: { url: `mqtt://robot:${marker}@127.0.0.1:1`, topic: 't', clientId: 'c' } },
    nats: { n: { url: `nats://robot:${marker}@127.0.0.1:1`, subject: 's' } },
    redis: { r: { hostAddress: '127.0.0.1:1', db: 0, channels: ['c'], password: secretKey } },
  });
  await until('EventSource', 'hooks', ready);
  const dependency = { name: 'push', eventSourceName: 'hooks', eventName: 'push' };
  await apply('Sensor', 'acts', {
    dependencies: [dependency],
    triggers: triggers(namespace).map((template) => ({ template, retryStrategy: { steps: 1 } })),
  });
  for (const [name, filter] of Object.entries(filters))
    await apply('Sensor', `filters-${name}`, {
      dependencies: [{ ...dependency, filters: filter }],
      triggers: [{ template: { name: 'log', log: {} } }],
    });
  await apply('Sensor', 'transforms', {
    dependencies: [{ ...dependency, transform: { jq: '.body.password | tonumber' } }],
    triggers: [{ template: { name: 'log', log: {} } }],
  });
  const sensors = ['acts', 'transforms', ...Object.keys(filters).map((name) => `filters-${name}`)];
  for (const name of sensors) await until('Sensor', name, ready);
  const body = { password: marker, token: marker, api_key: marker, nested: { client_secret: marker } };
  const data = { header: { Authorization: [`Bearer ${marker}`] }, body };
  const id = await events.access.send({ namespace, source: 'hooks', event: 'push' }, JSON.stringify(data));
  const acted = () => (events.access.way(namespace, id)?.steps ?? []).filter(({ kind }) => kind === 'failed').length;
  const signal = AbortSignal.timeout(timeout);
  while (acted() < triggers(namespace).length - 1 && !signal.aborted) await systemClock.sleep(200);

  const rollouts = await startRolloutsFamily({ ...shared, scratch: tmpdir(), env: {}, sandbox: true } as never);
  close(() => rollouts.close());
  const provider = (name: string, given: object) => ({ name, count: 1, failureLimit: 0, provider: given });
  const args = [{ name: 'password', valueFrom: { secretKeyRef: secretKey } }];
  await apply('AnalysisRun', 'measures', {
    args,
    metrics: [
      provider('web', {
        web: {
          url: `${address}/{{args.password}}?key={{args.password}}`,
          headers: [{ key: 'Authorization', value: '{{args.password}}' }],
        },
      }),
      provider('prometheus', { prometheus: { address: `${address}/`, query: 'up{token="{{args.password}}"}' } }),
      {
        ...provider('condition', { web: { url: `http://127.0.0.1:1/` } }),
        successCondition: 'result == "{{args.password}}" &&',
      },
    ],
  });
  await until('AnalysisRun', 'measures', ({ status }) =>
    /Error|Failed|Inconclusive|Successful/.test((status as { phase?: string } | undefined)?.phase ?? ''),
  );

  const hook = createServer((_, response) => response.writeHead(500).end(`no: ${marker}`));
  await new Promise<void>((resolve) => hook.listen(0, '127.0.0.1', resolve));
  close(async () => hook.close());
  const { port } = hook.address() as AddressInfo;
  await world
    .configure('argocd-notifications-cm', {
      'service.webhook.one': `url: http://robot:${marker}@127.0.0.1:${port}/$key\nheaders: [{name: Authorization, value: $key}]\nretryMax: 0`,
      'service.slack': 'token: $key\napiURL: http://127.0.0.1:1/',
      'template.t': 'message: hello\nwebhook: {one: {method: POST, body: "$key"}}',
      'trigger.on': '- when: "true"\n  send: [t]',
    })
    .catch(() => undefined);
  const settings = { apiVersion: 'v1', metadata: { namespace: 'argocd' } };
  const found = await client.find({
    ...settings,
    kind: 'ConfigMap',
    namespace: 'argocd',
    name: 'argocd-notifications-cm',
  });
  assert.ok(found);
  await client.apply(
    {
      ...settings,
      kind: 'Secret',
      metadata: { name: 'argocd-notifications-secret', namespace: 'argocd' },
      stringData: { key: marker },
    },
    { fieldManager: 'test', force: true },
  );
  const application = {
    metadata: {
      name: 'told',
      namespace: 'argocd',
      annotations: {
        'notifications.argoproj.io/subscribe.on.one': 'x',
        'notifications.argoproj.io/subscribe.on.slack': 'y',
      },
    },
    spec: {
      project: 'default',
      source: { repoURL: 'https://127.0.0.1:1/x', path: '.', helm: { parameters: [{ name: 'color', value: 'red' }] } },
      destination: { server: 'https://kubernetes.default.svc', namespace },
    },
  };
  await client.create({ apiVersion: argo, kind: 'Application', ...application });
  const notifications = await startNotifications({
    ...shared,
    family: applicationNotifications({
      namespace: 'argocd',
      applicationNamespaces: () => [],
      selfService: false,
      project: () => undefined,
      questions: undefined,
    }),
  } as never);
  close(() => notifications.close());

  const workflows = await startWorkflows({
    ...shared,
    base: { env: {}, executorImage: 'argoexec', wrapsCommands: false },
  } as never);
  close(() => workflows.close());
  const access = await openPageAccess({
    client,
    namespace: 'argocd',
    clock: systemClock,
    log: shared.log as never,
    version: '0',
    env: {},
  });
  close(() => access.close());
  await apply('Workflow', 'build', {
    entrypoint: 'main',
    arguments: { parameters: [{ name: 'password', value: marker }] },
    templates: [
      {
        name: 'main',
        inputs: {
          artifacts: [{ name: 'code', path: '/src', git: { repo: `${address}/x.git`, passwordSecret: secretKey } }],
        },
        container: {
          image: 'x',
          command: ['x'],
          args: ['{{workflow.parameters.password}}'],
          env: [{ name: 'PASSWORD', value: marker }],
        },
      },
    ],
  });
  await apply('Workflow', 'wrong', {
    entrypoint: 'none',
    arguments: { parameters: [{ name: 'password', value: marker }] },
    templates: [{ name: 'main', container: { image: 'x', env: [{ name: 'PASSWORD', value: marker }] } }],
  });
  for (const name of ['build', 'wrong']) await until('Workflow', name, ({ status }) => status !== undefined);

  // who may look at clusters and applications, and change nothing
  await world.configure('argocd-cm', { 'accounts.guest': 'login' });
  await world.configure('argocd-rbac-cm', {
    'policy.csv':
      'p, guest, clusters, get, *, allow\np, guest, applications, get, *, allow\np, guest, projects, get, *, allow\np, guest, repositories, get, *, allow',
  });
  const password = 'guests-password-1';
  const admin = await world.login();
  await world.call('/api/v1/account/password', {
    method: 'PUT',
    token: admin,
    headers: { 'content-type': 'application/json' },
    body: { name: 'guest', currentPassword: world.password, newPassword: password },
  });
  const served = await world.beside({ eventWays: events.access, workflows: access, log: shared.log as never });
  const guest = await served.login('guest', password);
  const own = '/api/tiphys/v1';
  for (const path of [
    ...['sources', 'sensors', 'ways?limit=1000', `ways/${namespace}/${encodeURIComponent(id)}`].map(
      (each) => `${own}/events/${each}`,
    ),
    `${own}/rollouts`,
    `/api/v1/rollouts/${namespace}/info`,
    `${own}/workflows`,
    ...['build', 'wrong'].map((name) => `${own}/workflows/${namespace}/${name}`),
    `${own}/workflows/${namespace}/build/nodes/build`,
    `${own}/notifications`,
    `${own}/history`,
    `${own}/upgrade`,
    `${own}/self-management`,
    `${own}/repositories`,
    '/api/v1/applications/told/events',
    '/api/v1/applications/told/resource-tree',
    '/api/v1/notifications/services',
    '/api/v1/notifications/templates',
    '/api/v1/settings',
    '/api/v1/clusters',
    '/api/v1/projects/default/detailed',
    '/api/v1/stream/applications/told',
  ]) {
    if (path.includes('/stream/')) continue;
    const { status, body: answer } = await served.call(path, { token: guest });
    told.add(`${path} (${status})`, answer);
  }
  for (const what of ['trigger', 'template', 'send'])
    told.add(
      `try ${what}`,
      (
        await served.call(`${own}/notifications/try`, {
          token: guest,
          body: { application: 'told', trigger: 'on', template: 't', kind: what },
        })
      ).body,
    );
  for (const kind of ['EventBus', 'EventSource', 'Sensor', 'AnalysisRun', 'Workflow']) {
    const { items } = await client.list({ apiVersion: argo, kind, namespace });
    // a Workflow's own parameters are in its nodes, for who may read Workflows
    for (const { metadata, status } of items)
      if (kind !== 'Workflow') told.add(`status of ${kind} ${metadata.name}`, status ?? {});
      else told.add(`message of ${kind} ${metadata.name}`, (status as { message?: string } | undefined)?.message ?? '');
  }
  const app = await client.get({ apiVersion: argo, kind: 'Application', namespace: 'argocd', name: 'told' });
  told.add('annotations of the application', [app.metadata.annotations, app.status ?? {}]);
  for (const from of [namespace, 'argocd']) {
    const { items } = await client.list({ apiVersion: 'v1', kind: 'Event', namespace: from });
    told.add(`events of ${from}`, items);
  }
  told.add('metrics', await registry.metrics());
  assert.ok(told.places > 40, String(told.places));
  assert.deepEqual(told.leaks(), []);
});
