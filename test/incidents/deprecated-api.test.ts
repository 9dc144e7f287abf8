import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { type ClusterConfig, connect, type KubeObject } from '@tiphys/kubernetes';
import { configMap } from '../e2e/support/manifests.ts';
import { World } from '../e2e/support/world.ts';
import { Terminal } from './terminal.ts';

const endpoints = `apiVersion: v1
kind: Endpoints
metadata: {name: legacy}
subsets: []
`;
const scraper = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'scraper' },
  spec: {
    selector: { matchLabels: { app: 'scraper' } },
    template: {
      metadata: { labels: { app: 'scraper' } },
      spec: { serviceAccountName: 'scraper', containers: [{ name: 'scraper', image: 'registry.example/scraper:1' }] },
    },
  },
};
const account = 'apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: scraper}\n';

interface AuditLine {
  readonly userAgent?: string;
  readonly verb: string;
  readonly objectRef?: { readonly resource?: string; readonly name?: string };
}

test('"deprecated API in use", says the cloud: the manifest, its line and its application are named, and so is the program that calls', async (t) => {
  const log: string[] = [];
  const world = await World.start({ audit: (line) => void log.push(line) });
  t.after(() => world.close());
  // Endpoints are left out by default, as in Argo CD's own manifests
  const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' };
  await world.client.patch(settings, 'merge', { data: { 'resource.exclusions': '[]' } });
  const terminal = await Terminal.of(world);
  t.after(() => terminal.close());
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-audit-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const namespace = await world.targetNamespace();
  const automated = { syncPolicy: { automated: { prune: true } } };

  // one application writes the old version, another one runs a program that reads it
  const legacy = world.repository({ 'app/a.yaml': configMap('a', 'one'), 'app/old.yaml': `# kept\n${endpoints}` });
  await world.createApplication('legacy', legacy, { path: 'app', targetNamespace: namespace, ...automated });
  const monitoring = world.repository({
    'app/scraper.json': JSON.stringify(scraper),
    'app/account.yaml': account,
  });
  await world.createApplication('monitoring', monitoring, { path: 'app', targetNamespace: namespace, ...automated });
  await world.healthy('legacy');
  await world.healthy('monitoring');

  // the application that writes it says so by itself
  const told = await world.waitForApplication('legacy', 'the warning in its status', ({ status }) =>
    (status?.diagnoses ?? []).some(({ code }) => code === 'ManifestVersionDeprecated'),
  );
  const diagnosis = told.status?.diagnoses?.find(({ code }) => code === 'ManifestVersionDeprecated');
  assert.match(JSON.stringify(diagnosis), /app\/old\.yaml.*"line":2/);
  assert.match(JSON.stringify(diagnosis), /EndpointSlice/);
  assert.equal(told.status?.conditions, undefined, 'it fails nothing');
  assert.match((await terminal.run('app', 'get', 'legacy')).text, /ManifestVersionDeprecated: .*app\/old\.yaml:2/);

  // the program that reads it, with the token of its pod
  const pod = await podOf(world, namespace, 'scraper');
  await callAs(world, { namespace, pod });
  const file = join(folder, 'audit.log');
  writeFileSync(file, log.join('\n'));
  await world.rest('POST', '/api/tiphys/v1/upgrade/audit', {
    kind: 'EventList',
    items: log.map((line) => JSON.parse(line) as object),
  });
  const { text } = await terminal.run('upgrade', 'check', '--to', '1.35');
  assert.match(text, /legacy uses v1 Endpoints.*\n +at: app\/old\.yaml:2/);
  assert.match(text, /\(scraper; -; list\)/, 'the user agent, as the cloud tells it');
  assert.match(text, new RegExp(`${namespace}/${pod}`), 'its pod');
  assert.match(text, /Deployment \S+\/scraper/, 'its workload');
  assert.match(text, /monitoring/, 'and its application');

  // calls of Tiphys itself tell who they are for
  const own = log.map((line) => JSON.parse(line) as AuditLine);
  const applied = own.find(
    ({ verb, objectRef }) => verb !== 'get' && objectRef?.resource === 'endpoints' && objectRef.name === 'legacy',
  );
  assert.match(applied?.userAgent ?? '', new RegExp(`^tiphys/\\S+ \\(controller; ${world.namespace}/legacy; sync\\)$`));
  const nameless = own.filter(
    ({ userAgent = '' }) => userAgent.startsWith('tiphys/') && !/\((\S.*); .+; .+\)$/.test(userAgent),
  );
  assert.deepEqual(nameless.slice(0, 3), []);

  // what is mended is told no more
  legacy.commit({ 'app/old.yaml': undefined });
  await world.rest('GET', '/api/v1/applications/legacy?refresh=normal');
  await world.waitForApplication(
    'legacy',
    'nothing of it any more',
    ({ status }) =>
      status?.sync?.status === 'Synced' &&
      !(status.diagnoses ?? []).some(({ code }) => code === 'ManifestVersionDeprecated'),
  );
  const after = await terminal.run('upgrade', 'check', '--to', '1.35');
  assert.doesNotMatch(after.text, /legacy uses v1 Endpoints/);
});

async function podOf(world: World, namespace: string, app: string): Promise<string> {
  const selector = { labelSelector: `app=${app}` };
  for (;;) {
    const ref = { apiVersion: 'v1', kind: 'Pod', namespace };
    const { items, metadata } = await world.client.list(ref, selector);
    if (items[0]) return items[0].metadata.name ?? '';
    const signal = AbortSignal.timeout(120_000);
    for await (const { type } of world.client.watch(ref, {
      ...selector,
      resourceVersion: metadata.resourceVersion ?? '0',
      signal,
    }))
      if (type === 'ADDED') break;
  }
}

/** Lists Endpoints as the pod's program does. */
async function callAs(world: World, { namespace, pod }: { namespace: string; pod: string }): Promise<void> {
  await world.client.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'RoleBinding',
    metadata: { name: 'scraper', namespace },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' },
    subjects: [{ kind: 'ServiceAccount', name: 'scraper', namespace }],
  } as KubeObject);
  const answer = await world.client.request('POST', `/api/v1/namespaces/${namespace}/serviceaccounts/scraper/token`, {
    body: {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { boundObjectRef: { kind: 'Pod', apiVersion: 'v1', name: pod } },
    },
  });
  const { token } = ((await answer.json()) as { status: { token: string } }).status;
  const { server, tls } = world.cluster.config as ClusterConfig & { tls?: Record<string, unknown> };
  const { clientCertificate: _, clientKey: __, ...authorities } = (tls ?? {}) as Record<string, unknown>;
  const client = connect(
    { server, tls: authorities as never, bearerToken: token },
    { caller: { component: 'scraper', purpose: 'list' } },
  );
  await client.request('GET', `/api/v1/namespaces/${namespace}/endpoints`);
  await client.close();
}
