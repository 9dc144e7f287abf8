import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { systemClock } from '@tiphys/kubernetes';
import { applicationNotifications, startNotifications } from '@tiphys/notifications';
import { startTestServer } from '../testing/start-test-server.ts';

const own = '/api/tiphys/v1/notifications';

test('subscriptions are listed, tried and delivered on a cluster', async (t) => {
  const received: string[] = [];
  const receiver = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => received.push(String(chunk)));
    request.on('end', () => response.end());
  });
  await new Promise<void>((resolve) => receiver.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => receiver.close(resolve)));
  const { call, login, client } = await startTestServer(t);
  const token = await login();
  const abort = new AbortController();
  const errors: string[] = [];
  const runtime = await startNotifications({
    client,
    namespace: 'argocd',
    clock: systemClock,
    signal: abort.signal,
    onError: (key, error) => errors.push(`${key}: ${String(error)}`),
    env: {},
    family: applicationNotifications({
      namespace: 'argocd',
      applicationNamespaces: () => [],
      selfService: false,
      project: () => undefined,
    }),
  });
  t.after(() => runtime.close());
  const port = (receiver.address() as AddressInfo).port;
  await client.patch(
    { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-notifications-secret' },
    'merge',
    { stringData: { receiver: `http://127.0.0.1:${port}` } },
  );
  await client.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'argocd', name: 'argocd-notifications-cm' },
    'merge',
    {
      data: {
        'service.webhook.hook': 'url: $receiver',
        'trigger.on-named': '- when: app.metadata.name == "shop"\n  send: [named]\n  oncePer: app.metadata.name',
        'template.named': 'webhook:\n  hook:\n    method: POST\n    body: "{{.app.metadata.name}} to {{.recipient}}"',
        'template.asking': 'message: "a {{ (call .repo.GetAppDetails).Type }}"',
      },
    },
  );
  await client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: {
      name: 'shop',
      namespace: 'argocd',
      annotations: { 'notifications.argoproj.io/subscribe.on-named.hook': 'team' },
    },
    spec: {
      project: 'default',
      source: { repoURL: 'https://example.test/r', path: '.' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
    },
  });
  const until = async (holds: () => Promise<boolean>, what: string): Promise<void> => {
    const end = Date.now() + 120_000;
    while (!(await holds())) {
      if (Date.now() > end) throw new Error(`${what} did not come: ${errors.join('\n')}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  await until(async () => received.length > 0, 'the notification');
  assert.deepEqual(received, ['shop to team']);

  interface ShownKind {
    readonly kind: string;
    readonly services: readonly { readonly name: string }[];
    readonly triggers: readonly string[];
    readonly objects: readonly {
      readonly name: string;
      readonly told: readonly unknown[];
      readonly waiting: readonly unknown[];
      readonly subscriptions: readonly unknown[];
    }[];
  }
  const kinds = async (as = token) => {
    const { kinds: all } = (await call(own, { token: as })).body as unknown as { kinds: readonly ShownKind[] };
    return new Map(all.map((kind) => [kind.kind, kind]));
  };
  const shown = async () => (await kinds()).get('Application');
  await until(async () => (await shown())?.objects[0]?.waiting.length === 0, 'the end of the delivery');
  const { objects = [], services } = (await shown()) ?? {};
  assert.deepEqual(services, [{ name: 'hook', type: 'webhook' }]);
  assert.deepEqual(objects[0]?.subscriptions, [{ trigger: 'on-named', service: 'hook', recipient: 'team' }]);
  assert.equal(objects[0]?.told.length, 1);

  const annotations = { 'notifications.argoproj.io/subscribe.on-appset-created.hook': 'fleet' };
  await client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'ApplicationSet',
    metadata: { name: 'fleet', namespace: 'argocd', annotations },
    spec: {
      generators: [],
      template: { metadata: { name: 'x' }, spec: { project: 'default', destination: {} } },
    },
  });
  await until(async () => (await kinds()).get('ApplicationSet')?.objects.length === 1, 'the ApplicationSet');
  const fleet = (await kinds()).get('ApplicationSet');
  assert.deepEqual(fleet?.objects[0]?.subscriptions, [
    { trigger: 'on-appset-created', service: 'hook', recipient: 'fleet' },
  ]);
  assert.ok(!fleet?.triggers.includes('on-deployed'), 'triggers of Applications ask nothing about a set');

  for (const [kind, name] of [
    ['triggers', 'on-named'],
    ['services', 'hook'],
  ])
    assert.deepEqual((await call(`/api/v1/notifications/${kind}`, { token })).body, { items: [{ name }] });
  const templates = (await call('/api/v1/notifications/templates', { token })).body as { items: { name: string }[] };
  assert.deepEqual(templates.items.map(({ name }) => name).sort(), ['asking', 'named']);

  const tried = async (body: object): Promise<{ status: number; body: unknown }> =>
    await call(`${own}/try`, { token, body });
  const evaluated = (await tried({ name: 'shop', trigger: 'on-named' })).body as {
    conditions: { triggered: boolean; oncePer: string }[];
  };
  assert.deepEqual([evaluated.conditions[0]?.triggered, evaluated.conditions[0]?.oncePer], [true, 'shop']);
  const rendered = await tried({ name: 'shop', template: 'named', service: 'hook', recipient: 'you' });
  assert.match(JSON.stringify(rendered.body), /shop to you/);
  const asked = await tried({ name: 'shop', template: 'asking' });
  assert.match(JSON.stringify(asked.body), /a Directory/, 'what templates ask of the repository is answered');
  assert.equal(received.length, 1);
  assert.deepEqual(
    (await tried({ name: 'shop', template: 'named', service: 'hook', recipient: 'me', send: true })).body,
    { sent: true },
  );
  assert.deepEqual(received, ['shop to team', 'shop to me']);
  const set = await tried({ kind: 'ApplicationSet', name: 'fleet', template: 'appset-created' });
  assert.match(JSON.stringify(set.body), /ApplicationSet fleet was created/);
  assert.equal((await tried({ kind: 'Rollout', name: 'nobody', template: 'rollout-paused' })).status, 404);
  const odd = await tried({ kind: 'Pod', name: 'shop', template: 'named' });
  assert.match(JSON.stringify(odd.body), /one of Application, ApplicationSet, Rollout, Workflow/);
  assert.equal((await tried({ name: 'nobody', template: 'named' })).status, 403);
  assert.equal((await call(`${own}/try`, { body: { name: 'shop', template: 'named' } })).status, 401);
  assert.deepEqual(errors, []);
});
