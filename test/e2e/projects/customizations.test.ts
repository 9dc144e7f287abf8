import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { Application } from '@tiphys/api';
import { argocdVersion, findProgram } from '../support/find-program.ts';
import { configMap, deployment } from '../support/manifests.ts';
import { World } from '../support/world.ts';

/** Scripts of argocd-cm: health checks and actions in Lua. */
let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const automated = { automated: { prune: true, selfHeal: true } };
const healthKey = 'resource.customizations.health.ConfigMap';
const actionsKey = 'resource.customizations.actions.ConfigMap';

const configure = (data: Readonly<Record<string, string | null>>) =>
  world.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' }, 'merge', {
    data,
  });

const healthIs =
  (status: string, message = '') =>
  (app: Application) =>
    app.status?.health?.status === status && (app.status.resources?.[0]?.health?.message ?? '') === message;

test('health by a script follows its object and its settings at once; a broken script changes nothing', async () => {
  const namespace = await world.targetNamespace();
  await configure({
    [healthKey]: 'local hs = {}\nhs.status = obj.data.value\nhs.message = "it says " .. obj.data.value\nreturn hs',
  });
  const repository = world.repository({ 'a.yaml': configMap('judged', 'Degraded') });
  await world.createApplication('judged', repository, { targetNamespace: namespace, syncPolicy: automated });
  await world.waitForApplication('judged', 'Degraded', healthIs('Degraded', 'it says Degraded'));

  repository.commit({ 'a.yaml': configMap('judged', 'Suspended') });
  await world.client.patch(world.applicationRef('judged'), 'merge', {
    metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
  });
  await world.waitForApplication('judged', 'Suspended', healthIs('Suspended', 'it says Suspended'));

  await configure({ [healthKey]: 'return {status = "Healthy", message = "always"}' });
  await world.waitForApplication('judged', 'Healthy by the new script', healthIs('Healthy', 'always'));

  await configure({ [healthKey]: 'return {status = ' });
  const refused = await world.waitForApplication('judged', 'the refusal', (app) =>
    JSON.stringify(app.status?.conditions ?? []).includes(healthKey),
  );
  assert.ok(healthIs('Healthy', 'always')(refused));

  await configure({ [healthKey]: null });
  const without = await world.waitForApplication(
    'judged',
    'no condition',
    ({ status }) => status?.conditions === undefined,
  );
  assert.equal(without.status?.resources?.[0]?.health, undefined);
});

test('a script that fails or does not end makes the object Unknown, and the condition says where it failed', async () => {
  const namespace = await world.targetNamespace();
  await configure({ [healthKey]: 'local x\n\nreturn x.y' });
  const repository = world.repository({ 'a.yaml': configMap('failing', 'a') });
  await world.createApplication('failing', repository, { targetNamespace: namespace, syncPolicy: automated });
  const { status } = await world.waitForApplication('failing', 'the condition', (app) =>
    Boolean(app.status?.conditions?.length),
  );
  assert.equal(status?.health?.status, 'Unknown');
  assert.equal(status?.conditions?.[0]?.type, 'ComparisonError');
  assert.match(
    status?.conditions?.[0]?.message ?? '',
    /failed to get resource health for "ConfigMap" with name "failing" in namespace ".*": <string>:3: attempt to index a non-table object\(nil\) with key 'y'/,
  );
  await configure({ [healthKey]: 'while true do end' });
  await world.waitForApplication('failing', 'the end of the script', (app) =>
    /stopped: it ran for more than/.test(app.status?.conditions?.[0]?.message ?? ''),
  );
  await configure({ [healthKey]: null });
  await world.waitForApplication('failing', 'no condition', (app) => app.status?.conditions === undefined);
});

const actions = `mergeBuiltinActions: true
discovery.lua: |
  return {
    ["set"] = {disabled = false, displayName = "Set value", iconClass = "fa fa-pen", params = {{name = "value"}}},
    ["copy"] = {},
    ["escape"] = {},
  }
definitions:
- name: set
  action.lua: |
    obj.data.value = actionParams["value"]
    return obj
- name: copy
  action.lua: |
    local copy = {apiVersion = "v1", kind = "ConfigMap", data = obj.data}
    copy.metadata = {name = obj.metadata.name .. "-copy", namespace = obj.metadata.namespace}
    return {{operation = "create", resource = copy}}
- name: escape
  action.lua: |
    return {{operation = "create", resource = {apiVersion = "v1", kind = "Namespace", metadata = {name = "escaped"}}}}
`;

/** A project of its own that permits no cluster-scoped kinds. */
async function confined(name: string, namespace: string): Promise<void> {
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name, namespace: world.namespace },
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace }] },
  });
}

test('actions of the settings are listed, take parameters, patch and create, and stay inside the project', async () => {
  const namespace = await world.targetNamespace();
  await confined('confined', namespace);
  await configure({ [actionsKey]: actions });
  const repository = world.repository({ 'a.yaml': configMap('acted', 'one') });
  await world.createApplication('acted', repository, { project: 'confined', targetNamespace: namespace });
  await world.waitForApplication('acted', 'compared', (app) => app.status?.sync?.status === 'OutOfSync');
  await world.rest('POST', '/api/v1/applications/acted/sync', {});
  await world.healthy('acted');

  const query = new URLSearchParams({ namespace, resourceName: 'acted', version: 'v1', group: '', kind: 'ConfigMap' });
  const listed = await world.rest<{ actions: { name: string; params?: { name: string }[] }[] }>(
    'GET',
    `/api/v1/applications/acted/resource/actions?${query}`,
  );
  assert.equal(listed.status, 200, JSON.stringify(listed.body));
  assert.deepEqual(
    listed.body.actions.map(({ name }) => name),
    ['copy', 'escape', 'set'],
  );
  assert.deepEqual(listed.body.actions[2]?.params, [{ name: 'value' }]);

  const run = (action: string, resourceActionParameters: { name: string; value: string }[] = []) =>
    world.rest<{ message?: string }>('POST', '/api/v1/applications/acted/resource/actions/v2', {
      ...Object.fromEntries(query),
      action,
      resourceActionParameters,
    });
  assert.equal((await run('set', [{ name: 'value', value: 'two' }])).status, 200);
  const live = (name: string) => world.client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name });
  assert.deepEqual((await live('acted')).data, { value: 'two' });

  assert.equal((await run('copy')).status, 200);
  assert.deepEqual((await live('acted-copy')).data, { value: 'two' });

  const escaped = await run('escape');
  assert.notEqual(escaped.status, 200);
  assert.match(escaped.body.message ?? '', /application is not permitted to manage \/Namespace\/escaped/);
  const { items } = await world.client.list({ apiVersion: 'v1', kind: 'Namespace' });
  assert.ok(!items.some(({ metadata }) => metadata.name === 'escaped'));

  const unknown = await run('none');
  assert.equal(unknown.status, 500);
  assert.match(unknown.body.message ?? '', /available: copy, escape, set/);
  await configure({ [actionsKey]: null });
});

test('an action that the caller may not run is refused, by group, kind and name of the action', async () => {
  const namespace = await world.targetNamespace();
  await world.client.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' },
    'merge',
    { data: { 'accounts.operator': 'apiKey' } },
  );
  await world.client.patch(
    { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-rbac-cm' },
    'merge',
    {
      data: {
        'policy.csv': [
          'p, operator, applications, get, */*, allow',
          'p, operator, applications, action/apps/Deployment/restart, */*, allow',
        ].join('\n'),
      },
    },
  );
  const repository = world.repository({ 'a.yaml': deployment('web') });
  await world.createApplication('operated', repository, { targetNamespace: namespace, syncPolicy: automated });
  await world.healthy('operated');
  const { body } = await world.rest<{ token: string }>('POST', '/api/v1/account/operator/token', {});
  const run = async (action: string) => {
    const response = await fetch(`${world.url}/api/v1/applications/operated/resource/actions/v2`, {
      method: 'POST',
      headers: { authorization: `Bearer ${body.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        namespace,
        resourceName: 'web',
        version: 'v1',
        group: 'apps',
        kind: 'Deployment',
        action,
      }),
    });
    return response.status;
  };
  assert.equal(await run('pause'), 403);
  assert.equal(await run('restart'), 200);
});

/** A kind of KEDA as its project defines it, so far as the check and the actions look at it. */
const scaledJob = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'scaledjobs.keda.sh' },
  spec: {
    group: 'keda.sh',
    scope: 'Namespaced',
    names: { plural: 'scaledjobs', singular: 'scaledjob', kind: 'ScaledJob', listKind: 'ScaledJobList' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
      },
    ],
  },
};

test('kinds of well-known projects have their health and actions without any settings; settings go before them', async (t) => {
  const definition = { apiVersion: scaledJob.apiVersion, kind: scaledJob.kind, name: scaledJob.metadata.name };
  await world.client.create(scaledJob);
  t.after(() => world.client.delete(definition));
  await world.waitFor(definition, 'the kind is served', (object) =>
    JSON.stringify(object?.status ?? {}).includes('"type":"Established"'),
  );
  const namespace = await world.targetNamespace();
  const manifest = `apiVersion: keda.sh/v1alpha1\nkind: ScaledJob\nmetadata: {name: queue}\nspec: {}\n`;
  const repository = world.repository({ 'a.yaml': manifest });
  await world.createApplication('scaled', repository, { targetNamespace: namespace, syncPolicy: { automated: {} } });
  await world.waitForApplication('scaled', 'Progressing', healthIs('Progressing', 'Waiting for ScaledJob'));

  const ref = { apiVersion: 'keda.sh/v1alpha1', kind: 'ScaledJob', namespace, name: 'queue' };
  const conditions = [{ type: 'Ready', status: 'True', reason: 'Ready', message: 'it scales' }];
  await world.client.patch(ref, 'merge', { status: { conditions } }, { subresource: 'status' });
  await world.waitForApplication('scaled', 'Healthy', healthIs('Healthy', 'it scales'));

  const key = 'resource.customizations.health.keda.sh_ScaledJob';
  await configure({ [key]: 'return {status = "Suspended", message = "ours"}' });
  await world.waitForApplication('scaled', 'the settings’ health', healthIs('Suspended', 'ours'));
  await configure({ [key]: null });
  await world.waitForApplication('scaled', 'Healthy again', healthIs('Healthy', 'it scales'));

  const { status } = await world.rest('POST', '/api/v1/applications/scaled/resource/actions/v2', {
    namespace,
    resourceName: 'queue',
    version: 'v1alpha1',
    group: 'keda.sh',
    kind: 'ScaledJob',
    action: 'pause',
  });
  assert.equal(status, 200);
  const paused = await world.client.get(ref);
  assert.equal(paused.metadata.annotations?.['autoscaling.keda.sh/paused'], 'true');
});

const argocdPath = findProgram('argocd', 'TIPHYS_ARGOCD', { version: argocdVersion });
const skip = argocdPath ? false : 'no argocd CLI: set TIPHYS_ARGOCD or put it on PATH';

test('the argocd CLI lists and runs actions', { skip }, async (t) => {
  const namespace = await world.targetNamespace();
  await configure({ [actionsKey]: actions });
  const repository = world.repository({ 'a.yaml': `${configMap('cli', 'one')}---\n${deployment('cli')}` });
  await world.createApplication('cli', repository, { targetNamespace: namespace, syncPolicy: { automated: {} } });
  await world.healthy('cli');
  const home = mkdtempSync(join(tmpdir(), 'tiphys-argocd-'));
  t.after(() => rmSync(home, { recursive: true, force: true }));
  const { host } = new URL(world.url);
  const argocd = (...args: string[]) =>
    new Promise<{ code: number; text: string }>((resolve) => {
      execFile(
        argocdPath as string,
        [...args, '--config', join(home, 'config'), '--server', host, '--plaintext'],
        { env: { PATH: process.env.PATH ?? '', HOME: home }, timeout: 60_000 },
        (error, stdout, stderr) => resolve({ code: error ? 1 : 0, text: stdout + stderr }),
      );
    });
  const login = await argocd('login', host, '--username', 'admin', '--password', world.password);
  assert.equal(login.code, 0, login.text);
  const listed = await argocd('app', 'actions', 'list', 'cli', '--kind', 'ConfigMap');
  assert.equal(listed.code, 0, listed.text);
  assert.match(listed.text, /ConfigMap\s+cli\s+copy\s+false/);
  const ran = await argocd('app', 'actions', 'run', 'cli', 'copy', '--kind', 'ConfigMap', '--resource-name', 'cli');
  assert.equal(ran.code, 0, ran.text);
  const copied = await world.client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'cli-copy' });
  assert.deepEqual(copied.data, { value: 'one' });
  const restarted = await argocd('app', 'actions', 'run', 'cli', 'restart', '--kind', 'Deployment', '--all');
  assert.equal(restarted.code, 0, restarted.text);
  await configure({ [actionsKey]: null });
});
