import assert from 'node:assert/strict';
import { rename } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import type { Application } from '@tiphys/api';
import { configMap, deployment } from './support/manifests.ts';
import { World } from './support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const automated = { automated: { prune: true, selfHeal: true } };
interface Stored {
  cause: string;
  code: string;
  message: string;
  place?: { file?: string; line?: number; field?: string; object?: string };
  evidence: { name: string; value: string }[];
  remedies: { text: string }[];
}
const diagnoses = ({ status }: Application) => (status?.diagnoses ?? []) as unknown as Stored[];

/** The diagnosis of a cause, once the application shows it; it must be complete. */
async function diagnosed(name: string, cause: string): Promise<{ application: Application; diagnosis: Stored }> {
  const application = await world.waitForApplication(name, `a diagnosis ${cause}`, (app) =>
    diagnoses(app).some((item) => item.cause === cause),
  );
  const diagnosis = diagnoses(application).find((item) => item.cause === cause) as Stored;
  assert.notEqual(diagnosis.message, '');
  assert.ok(diagnosis.remedies.length > 0, 'a diagnosis names a remedy');
  return { application, diagnosis };
}

async function healthyApplication(name: string, files: Record<string, string>) {
  const namespace = await world.targetNamespace();
  const repository = world.repository(files);
  await world.createApplication(name, repository, { path: 'app', targetNamespace: namespace, syncPolicy: automated });
  const application = await world.healthy(name);
  return { namespace, repository, application };
}

/** What a failure must never take away. */
function assertLastGoodState(before: Application, now: Application): void {
  assert.equal(now.status?.sync?.status, 'Unknown');
  assert.equal(now.status?.health?.status, 'Healthy');
  assert.deepEqual(now.status?.resources, before.status?.resources);
  assert.deepEqual(now.status?.history, before.status?.history);
}

test('M9: a broken manifest is named by file, line and text; the last good state stays; a correction recovers', async () => {
  const { namespace, repository, application } = await healthyApplication('invalid-yaml', {
    'app/a.yaml': configMap('a', 'one'),
  });
  repository.commit({ 'app/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: a\n' });
  const { application: broken, diagnosis } = await diagnosed('invalid-yaml', 'M9');
  assert.equal(diagnosis.place?.file, 'app/a.yaml');
  assert.equal(diagnosis.place?.line, 4);
  assert.match(broken.status?.conditions?.[0]?.message ?? '', /app\/a\.yaml:4/);
  assert.equal(broken.status?.conditions?.[0]?.type, 'ComparisonError');
  assertLastGoodState(application, broken);
  repository.commit({ 'app/a.yaml': configMap('a', 'two') });
  const recovered = await world.waitForApplication(
    'invalid-yaml',
    'recovery',
    (app) => app.status?.sync?.status === 'Synced' && !app.status.conditions,
  );
  assert.deepEqual(diagnoses(recovered), []);
  const live = await world.client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'a' });
  assert.deepEqual(live.data, { value: 'two' });
});

test('R9: a deleted branch is named with its last commit and the nearest names', async () => {
  const { repository, application } = await healthyApplication('revision', { 'app/a.yaml': configMap('a', 'one') });
  repository.git('branch', 'release-1');
  await world.client.patch(world.applicationRef('revision'), 'merge', {
    spec: { source: { targetRevision: 'relase-1' } },
  });
  const { application: broken, diagnosis } = await diagnosed('revision', 'R9');
  assert.match(JSON.stringify(diagnosis.evidence), /release-1/);
  assertLastGoodState(application, broken);
  await world.client.patch(world.applicationRef('revision'), 'merge', {
    spec: { source: { targetRevision: 'release-1' } },
  });
  await world.healthy('revision');
});

test('R10: a removed path is named with the commit that removed it', async () => {
  const { repository, application } = await healthyApplication('path', { 'app/a.yaml': configMap('a', 'one') });
  repository.git('mv', 'app', 'deploy');
  const commit = repository.commit({}, 'Move the manifests');
  const { application: broken, diagnosis } = await diagnosed('path', 'R10');
  assert.match(JSON.stringify(diagnosis.evidence), new RegExp(commit.slice(0, 7)));
  assert.match(JSON.stringify(diagnosis), /deploy/);
  assertLastGoodState(application, broken);
  await world.client.patch(world.applicationRef('path'), 'merge', { spec: { source: { path: 'deploy' } } });
  await world.healthy('path');
});

test('R2: a repository that vanished is named; it is found again by itself', async () => {
  const { repository, application } = await healthyApplication('repository', { 'app/a.yaml': configMap('a', 'one') });
  await rename(repository.url, `${repository.url}.away`);
  await world.client.patch(world.applicationRef('repository'), 'merge', {
    metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } },
  });
  const { application: broken } = await diagnosed('repository', 'R2');
  assertLastGoodState(application, broken);
  await rename(`${repository.url}.away`, repository.url);
  await world.waitForApplication(
    'repository',
    'recovery by itself',
    (app) => app.status?.sync?.status === 'Synced' && !app.status.conditions,
  );
});

test('C17: a destination that is not registered is named with those that are', async () => {
  await healthyApplication('cluster', { 'app/a.yaml': configMap('a', 'one') });
  await world.client.patch(world.applicationRef('cluster'), 'merge', {
    spec: { destination: { server: 'https://nowhere.example:6443' } },
  });
  const { application: broken, diagnosis } = await diagnosed('cluster', 'C17');
  assert.equal(broken.status?.conditions?.[0]?.type, 'InvalidSpecError');
  assert.match(JSON.stringify(diagnosis.evidence), /in-cluster/);
  await world.client.patch(world.applicationRef('cluster'), 'merge', {
    spec: { destination: { server: 'https://kubernetes.default.svc' } },
  });
  await world.healthy('cluster');
});

test('C17: a registered cluster that does not answer is named, and the other applications go on', async () => {
  await world.client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      name: 'cluster-dead',
      namespace: world.namespace,
      labels: { 'argocd.argoproj.io/secret-type': 'cluster' },
    },
    stringData: {
      name: 'dead',
      server: 'https://127.0.0.1:1',
      config: JSON.stringify({ bearerToken: 'MARKER-token', tlsClientConfig: { insecure: true } }),
    },
  });
  const repository = world.repository({ 'a.yaml': configMap('a', 'one') });
  await world.createApplication('dead-cluster', repository, {
    targetNamespace: 'default',
    destination: { name: 'dead', namespace: 'default' },
  } as never);
  const { application } = await diagnosed('dead-cluster', 'C17');
  assert.doesNotMatch(JSON.stringify(application), /MARKER/);
  await healthyApplication('beside-dead', { 'app/a.yaml': configMap('a', 'one') });
});

test('C19: what the project does not permit is named with the deciding rule', async () => {
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'narrow', namespace: world.namespace },
    spec: { sourceRepos: ['*'], destinations: [{ server: '*', namespace: 'only-here' }] },
  });
  const repository = world.repository({ 'a.yaml': configMap('a', 'one') });
  await world.createApplication('outside', repository, {
    project: 'narrow',
    targetNamespace: 'elsewhere',
    syncPolicy: automated,
  });
  const { application, diagnosis } = await diagnosed('outside', 'C19');
  assert.equal(application.status?.conditions?.[0]?.type, 'InvalidSpecError');
  assert.match(JSON.stringify(diagnosis.evidence), /only-here/);
});

test('a kind outside the project fails the sync and touches nothing', async () => {
  const namespace = await world.targetNamespace();
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'no-secrets', namespace: world.namespace },
    spec: {
      sourceRepos: ['*'],
      destinations: [{ server: '*', namespace: '*' }],
      namespaceResourceBlacklist: [{ group: '', kind: 'Secret' }],
    },
  });
  const secret = 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: hidden\nstringData:\n  key: value\n';
  const repository = world.repository({ 'a.yaml': configMap('a', 'one'), 'b.yaml': secret });
  await world.createApplication('kinds', repository, {
    project: 'no-secrets',
    targetNamespace: namespace,
    syncPolicy: automated,
  });
  await diagnosed('kinds', 'C19');
  assert.equal(await world.client.find({ apiVersion: 'v1', kind: 'Secret', namespace, name: 'hidden' }), undefined);
});

test('S10: an image that cannot be pulled is the cause that the application shows', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({
    'a.yaml': deployment('web', { podAnnotations: { 'sandbox.tiphys.dev/behavior': 'image-pull-error' } }),
  });
  await world.createApplication('image', repository, { targetNamespace: namespace, syncPolicy: automated });
  const { diagnosis } = await diagnosed('image', 'S10');
  assert.match(JSON.stringify(diagnosis), /registry\.example\/app:1/);
});

test('a host that refuses hydrated manifests is quoted, and nothing is written', async () => {
  const repository = world.repository({ 'app/a.yaml': configMap('a', 'one') });
  await world.createApplication('refused-push', repository, {
    targetNamespace: 'default',
    sourceHydrator: {
      drySource: { repoURL: repository.url, path: 'app', targetRevision: 'main' },
      syncSource: { targetBranch: 'main', path: 'rendered' },
    },
  });
  const { status } = await world.waitForApplication(
    'refused-push',
    'the refusal',
    (app) => app.status?.sourceHydrator?.currentOperation?.phase === 'Failed',
  );
  const told = status?.conditions?.find(({ type }) => type === 'HydrationError')?.message ?? '';
  assert.match(told, /The host refuses commits to main: branch is currently checked out/);
  const remedies = JSON.stringify(status);
  assert.match(remedies, /git config receive\.denyCurrentBranch updateInstead/);
  assert.doesNotMatch(remedies, /protected/);
  assert.equal(repository.git('status', '--porcelain'), '');
});
