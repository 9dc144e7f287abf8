import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { type Rollout, rolloutsDefinitions } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { isOwnHost } from './own-host.ts';
import { startDashboard } from './start-dashboard.ts';

const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', namespace: 'shop', name: 'web' };

async function open(t: TestContext, rootPath: string) {
  const sandbox = await startSandbox({ nodes: 0 });
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { caller: { component: 'cli', purpose: 'rollouts' }, clock: systemClock });
  t.after(() => client.close());
  await ensureDefinitions(client, rolloutsDefinitions(), systemClock);
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  await client.create({
    ...{ apiVersion: ref.apiVersion, kind: 'Rollout', metadata: { namespace: 'shop', name: 'web' } },
    spec: {
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
      strategy: { canary: {} },
    },
  });
  const folder = mkdtempSync(join(tmpdir(), 'dashboard-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  writeFileSync(join(folder, 'index.html'), '<html lang="en"><head></head><body>page</body></html>');
  const options = { client, version: '1.2.3', port: 0, host: '127.0.0.1', rootPath, webDir: async () => folder };
  const dashboard = await startDashboard(options);
  t.after(() => dashboard.close());
  /** A request by node:http, which lets a test say any Host. */
  const ask = (path: string, { method = 'GET', headers = {} }: { method?: string; headers?: object } = {}) =>
    new Promise<{ status: number; text: string; location: string | undefined }>((resolve, reject) => {
      const asked = request(
        { host: '127.0.0.1', port: dashboard.port, path, method, headers: { ...headers } },
        (answer) => {
          let text = '';
          answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
          answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text, location: answer.headers.location }));
        },
      );
      asked.on('error', reject).end();
    });
  return { client, dashboard, ask };
}

test('page and API of Rollouts are served below the root path, with the rights of the client', async (t) => {
  const { client, dashboard, ask } = await open(t, 'rollouts');
  assert.equal(dashboard.url, `http://127.0.0.1:${dashboard.port}/rollouts/`);
  assert.equal((await ask('/')).location, '/rollouts/');
  assert.match((await ask('/rollouts/')).text, /<html data-only="rollouts" lang="en"><head><base href="\/rollouts\/">/);
  assert.match((await ask('/rollouts/rollouts/shop/web')).text, /page/);
  assert.match((await ask('/rollouts/api/v1/namespace')).text, /"availableNamespaces":\["shop"\]/);
  assert.match((await ask('/rollouts/api/v1/version')).text, /v1\.2\.3/);
  assert.match((await ask('/rollouts/api/v1/rollouts/shop/info')).text, /"name":"web"/);
  assert.match((await ask('/rollouts/api/v1/session/userinfo')).text, /"loggedIn":true/);
  assert.match((await ask('/rollouts/api/tiphys/v1/rollouts/shop/web')).text, /"mayAct":true/);
  assert.equal((await ask('/rollouts/api/v1/rollouts/shop/web/abort', { method: 'PUT' })).status, 200);
  assert.equal((await client.get<Rollout>(ref)).status?.abort, true);
  assert.equal((await ask('/rollouts/api/v1/applications')).status, 404);
});

test('the page is told of the analyses of a Rollout and of its Experiments, and of no others', async (t) => {
  const { client, ask } = await open(t, 'rollouts');
  const { apiVersion } = ref;
  const owned = async (kind: string, name: string, owner: KubeObject, spec: object) => {
    const { uid = '', name: ownerName = '' } = owner.metadata;
    const ownerReferences = [{ apiVersion, kind: owner.kind, name: ownerName, uid, controller: true }];
    return client.create({ apiVersion, kind, metadata: { namespace: 'shop', name, ownerReferences }, spec });
  };
  const metrics = [{ name: 'm', provider: { job: { spec: { template: { spec: { containers: [] } } } } } }];
  const rollout = await client.get<Rollout>(ref);
  const experiment = await owned('Experiment', 'try', rollout, { templates: [] });
  await owned('AnalysisRun', 'of-rollout', rollout, { metrics });
  await owned('AnalysisRun', 'of-experiment', experiment, { metrics });
  await owned('AnalysisRun', 'of-another', { ...rollout, metadata: { name: 'web', uid: 'another' } }, { metrics });
  const { text } = await ask('/rollouts/api/tiphys/v1/rollouts/shop/web');
  const { analyses, experiments } = JSON.parse(text) as Record<'analyses' | 'experiments', { name: string }[]>;
  assert.deepEqual(analyses.map(({ name }) => name).sort(), ['of-experiment', 'of-rollout']);
  assert.deepEqual(
    experiments.map(({ name }) => name),
    ['try'],
  );
});

test('without a root path everything is at the top', async (t) => {
  const { ask } = await open(t, '');
  assert.match((await ask('/api/v1/namespace')).text, /shop/);
  assert.match((await ask('/')).text, /<base href="\/">/);
});

test('other names of this machine, and pages of other sites that want to change something, are refused (CVE-2026-82277)', async (t) => {
  const { client, ask } = await open(t, 'rollouts');
  const path = '/rollouts/api/v1/rollouts/shop/web/abort';
  for (const headers of [{ host: 'attacker.example:3100' }, { origin: 'https://attacker.example' }])
    assert.equal((await ask(path, { method: 'PUT', headers })).status, 403);
  assert.equal((await ask('/rollouts/api/v1/namespace', { headers: { host: 'attacker.example' } })).status, 403);
  assert.equal((await client.get<Rollout>(ref)).status?.abort, undefined);
  assert.equal((await ask('/rollouts/api/v1/namespace', { headers: { host: 'localhost:3100' } })).status, 200);
});

test('a host is asked for by names of loopback addresses, and nothing else is listened on', async () => {
  for (const name of ['localhost', 'localhost:3100', '127.0.0.1:3100', '[::1]:3100', 'a.localhost'])
    assert.equal(isOwnHost(name), true, name);
  for (const name of ['', 'example.com', 'localhost.example.com', '10.0.0.1', '::1', 'a b'])
    assert.equal(isOwnHost(name), false, name);
  const options = { client: {} as Client, version: '1', port: 0, rootPath: '', webDir: async () => '' };
  for (const host of ['0.0.0.0', '::', '10.0.0.1'])
    await assert.rejects(startDashboard({ ...options, host }), /has no login/);
});
