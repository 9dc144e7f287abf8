import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { makeCertificate } from '@tiphys/git/testing';
import type { KubeObject } from '@tiphys/kubernetes';
import {
  type HelmRepositoryServer,
  type OciRegistryServer,
  packageChart,
  startHelmRepository,
  startOciRegistry,
} from '@tiphys/registry/testing';
import { World } from '../support/world.ts';

let world: World;
let repository: HelmRepositoryServer;
let registry: OciRegistryServer;
const secret = 'MARKER-chart-password';
const user = { username: 'robot', password: secret };

before(async () => {
  world = await World.start();
  repository = await startHelmRepository({ auth: user });
  registry = await startOciRegistry({ auth: { kind: 'bearer', ...user } });
  for (const version of ['1.0.0', '1.2.0']) publish(version);
  await register('helm-charts', { type: 'helm', name: 'mine', url: repository.url, ...user });
  await register('oci-charts', {
    type: 'helm',
    enableOCI: 'true',
    insecureOCIForceHttp: 'true',
    url: `${registry.host}/charts`,
    ...user,
  });
});
after(async () => {
  await world.close();
  await repository.close();
  await registry.close();
});

function publish(version: string): void {
  const details = `apiVersion: v2\nname: web\nversion: ${version}\ndescription: Serves pages\nhome: https://example.com\nmaintainers: [{name: M, email: m@example.com}]\n`;
  const archive = packageChart('web', version, { 'Chart.yaml': details });
  repository.add('web', version, archive);
  registry.pushChart('charts/web', version, archive);
}

async function register(name: string, data: Record<string, string>): Promise<void> {
  await world.client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name,
      namespace: world.namespace,
      labels: { 'argocd.argoproj.io/secret-type': 'repository' },
    },
    stringData: data,
  } as KubeObject);
}

async function create(name: string, source: object): Promise<string> {
  const namespace = await world.targetNamespace();
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: world.namespace },
    spec: {
      project: 'default',
      source,
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
  } as KubeObject);
  return namespace;
}

const versionIn = async (namespace: string, name: string): Promise<unknown> =>
  ((await world.client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name })).data as Record<string, string>)
    .version;

async function conditionOf(name: string): Promise<string> {
  const { status } = await world.waitForApplication(name, 'a condition', (app) =>
    Boolean(app.status?.conditions?.length),
  );
  return JSON.stringify(status);
}

test('a chart of a Helm repository is delivered, and a newer version in the range follows a refresh', async () => {
  const source = { repoURL: repository.url, chart: 'web', targetRevision: '1.x' };
  const namespace = await create('from-helm', source);
  const { status } = await world.healthy('from-helm');
  assert.equal(status?.sync?.revision, '1.2.0');
  assert.equal(status?.sourceType, 'Helm');
  assert.equal(status?.history?.at(-1)?.revision, '1.2.0');
  assert.equal(await versionIn(namespace, 'from-helm-web'), '1.2.0');
  publish('1.3.0');
  await world.rest('GET', '/api/v1/applications/from-helm?refresh=normal');
  await world.waitForApplication(
    'from-helm',
    'the newer version',
    (app) => app.status?.history?.at(-1)?.revision === '1.3.0',
  );
  assert.equal(await versionIn(namespace, 'from-helm-web'), '1.3.0');
  const details = await world.rest('GET', '/api/v1/applications/from-helm/revisions/1.2.0/chartdetails');
  assert.deepEqual(details.body, {
    description: 'Serves pages',
    home: 'https://example.com',
    maintainers: ['M <m@example.com>'],
  });
});

test('a chart of a registry is delivered with the credentials of its Secret', async () => {
  const source = { repoURL: `${registry.host}/charts`, chart: 'web', targetRevision: '1.0.0' };
  const namespace = await create('from-oci', source);
  const { status } = await world.healthy('from-oci');
  assert.equal(status?.sync?.revision, '1.0.0');
  assert.equal(await versionIn(namespace, 'from-oci-web'), '1.0.0');
});

test('a repository with an authority of its own is believed by argocd-tls-certs-cm, and is shown the client certificate', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-chart-tls-'));
  const tls = makeCertificate(folder);
  const secure = await startHelmRepository({ tls: { ...tls, clientCa: tls.cert } });
  try {
    secure.add('web', '1.0.0', packageChart('web', '1.0.0'));
    await register('secure-charts', {
      type: 'helm',
      url: secure.url,
      tlsClientCertData: tls.cert,
      tlsClientCertKey: tls.key,
    });
    const namespace = await create('over-tls', { repoURL: secure.url, chart: 'web', targetRevision: '1.0.0' });
    assert.match(await conditionOf('over-tls'), /The certificate of 127\.0\.0\.1:\d+ is not accepted/);
    const certificates = {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: world.namespace,
      name: 'argocd-tls-certs-cm',
    };
    await world.client.patch(certificates, 'merge', { data: { '127.0.0.1': tls.cert } });
    // The controller takes up the ConfigMap by its watch: an early refresh may still see the old one.
    for (let tries = 0; tries < 100; tries += 1) {
      await world.rest('GET', '/api/v1/applications/over-tls?refresh=normal');
      if ((await world.application('over-tls')).status?.sync?.status === 'Synced') break;
    }
    await world.healthy('over-tls');
    assert.equal(await versionIn(namespace, 'over-tls-web'), '1.0.0');
  } finally {
    await world.client.delete({ apiVersion: 'v1', kind: 'Secret', namespace: world.namespace, name: 'secure-charts' });
    await secure.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test('a chart in Git gets the dependencies that it does not hold from the registered repository', async () => {
  const git = world.repository({
    'Chart.yaml': `apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n- {name: web, version: 1.2.0, repository: "${repository.url}"}\n- {name: web, alias: again, version: 1.0.0, repository: "@mine"}\n`,
    'templates/own.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: own}\n',
  });
  const namespace = await create('with-dependencies', { repoURL: git.url, path: '.', targetRevision: 'main' });
  const { status } = await world.healthy('with-dependencies');
  assert.equal(status?.resources?.length, 3);
  assert.equal(await versionIn(namespace, 'with-dependencies-again'), '1.0.0');
});

test('what can not be had is a condition that names it, what there is, and whose credentials were used', async () => {
  await create('no-version', { repoURL: repository.url, chart: 'web', targetRevision: '^7' });
  const version = await conditionOf('no-version');
  assert.match(version, /has no version \^7/);
  assert.match(version, /1\.2\.0, 1\.0\.0/);
  const git = world.repository({
    'Chart.yaml': `apiVersion: v2\nname: app\nversion: 1.0.0\ndependencies:\n- {name: gone, version: 1.x, repository: "${repository.url}"}\n`,
  });
  await create('no-dependency', { repoURL: git.url, path: '.', targetRevision: 'main' });
  const dependency = await conditionOf('no-dependency');
  assert.match(dependency, /The dependency gone 1\.x of http:\S+ can not be fetched/);
  assert.match(dependency, /user \\\\?"robot\\\\?" from Secret helm-charts|charts there/);
  repository.behaviour.auth = { username: 'robot', password: 'changed' };
  try {
    await create('refused', { repoURL: repository.url, chart: 'web', targetRevision: '>=1.0' });
    // what was read before the source was named is not believed
    const refused = await conditionOf('refused');
    assert.match(refused, /refused the credentials/);
    for (const text of [version, dependency, refused]) assert.ok(!text.includes(secret));
  } finally {
    repository.behaviour.auth = user;
  }
});

test('the API tells the state of the connections, the charts of a repository and the tags of a registry', async () => {
  const { body } = await world.rest<{
    items: { repo: string; connectionState: { status: string; message: string } }[];
  }>('GET', '/api/v1/repositories?forceRefresh=true');
  const states = Object.fromEntries(body.items.map(({ repo, connectionState }) => [repo, connectionState.status]));
  assert.deepEqual(states, { [repository.url]: 'Successful', [`${registry.host}/charts`]: 'Successful' });
  const of = (url: string): string => `/api/v1/repositories/${encodeURIComponent(url)}`;
  const charts = await world.rest<{ items: { name: string; versions: string[] }[] }>(
    'GET',
    `${of(repository.url)}/helmcharts`,
  );
  assert.deepEqual(
    charts.body.items.map(({ name, versions }) => [name, versions.at(-1)]),
    [['web', '1.0.0']],
  );
  const wrong = await world.rest(
    'POST',
    `${of(repository.url)}/validate?type=helm&username=robot&password=wrong`,
    repository.url,
  );
  assert.notEqual(wrong.status, 200);
  assert.match(JSON.stringify(wrong.body), /refused the credentials/);
});

test('an artifact of a registry is delivered by its digest', async () => {
  await register('oci-apps', {
    type: 'oci',
    url: `oci://${registry.host}/charts/web`,
    insecureOCIForceHttp: 'true',
    ...user,
  });
  const repoURL = `oci://${registry.host}/charts/web`;
  const namespace = await create('from-artifact', { repoURL, path: '.', targetRevision: '1.2.0' });
  const { status } = await world.healthy('from-artifact');
  assert.match(status?.sync?.revision ?? '', /^sha256:[0-9a-f]{64}$/);
  assert.equal(await versionIn(namespace, 'from-artifact-web'), '1.2.0');
  const tags = await world.rest<{ tags: string[] }>(
    'GET',
    `/api/v1/repositories/${encodeURIComponent(repoURL)}/oci-tags`,
  );
  assert.ok(tags.body.tags.includes('1.2.0'));
  const revision = encodeURIComponent(status?.sync?.revision ?? '');
  const metadata = await world.rest('GET', `/api/v1/applications/from-artifact/revisions/${revision}/ocimetadata`);
  assert.equal((metadata.body as { version?: string }).version, '1.2.0');
});
