import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Application } from '@tiphys/api';
import { configMap } from '../support/manifests.ts';
import type { TestRepository } from '../support/repository.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

interface Hydrated {
  readonly dry: TestRepository;
  readonly from: string;
  readonly to: string;
  readonly branch: string;
  readonly namespace: string;
}

const hydrator = ({ dry, from, to, branch }: Omit<Hydrated, 'namespace'>) => ({
  drySource: { repoURL: dry.url, path: from, targetRevision: 'main' },
  syncSource: { targetBranch: branch, path: to },
});

async function create(name: string, { namespace, next, ...place }: Hydrated & { next?: string }): Promise<void> {
  await world.client.create({
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name, namespace: world.namespace },
    spec: {
      project: 'default',
      sourceHydrator: { ...hydrator(place), ...(next ? { hydrateTo: { targetBranch: next } } : {}) },
      destination: { server: 'https://kubernetes.default.svc', namespace },
      syncPolicy: { automated: { prune: true } },
    },
  });
}

const operation = ({ status }: Application) => status?.sourceHydrator?.currentOperation;
const hydrated = (sha: string) => (app: Application) =>
  operation(app)?.phase === 'Hydrated' && operation(app)?.drySHA === sha;

test('applications of one dry source and branch are hydrated by one commit, and synced from it', async () => {
  const namespace = await world.targetNamespace();
  const dry = world.repository({ 'a/cm.yaml': configMap('of-a', 'one'), 'b/cm.yaml': configMap('of-b', 'one') });
  const branch = 'env/test';
  await create('hydrated-a', { dry, from: 'a', to: 'out/a', branch, namespace });
  await create('hydrated-b', { dry, from: 'b', to: 'out/b', branch, namespace });
  for (const name of ['hydrated-a', 'hydrated-b']) await world.healthy(name);
  const next = dry.commit(
    { 'a/cm.yaml': configMap('of-a', 'two'), 'b/cm.yaml': configMap('of-b', 'two') },
    'Say two\n\nMore of it',
  );
  const [a, b] = await Promise.all(
    ['hydrated-a', 'hydrated-b'].map((name) => world.waitForApplication(name, 'the commit hydrated', hydrated(next))),
  );
  const sha = operation(a as Application)?.hydratedSHA ?? '';
  assert.equal(operation(b as Application)?.hydratedSHA, sha);
  assert.equal(
    dry.git('log', '-1', '--format=%s|%b', sha),
    `${next.slice(0, 7)}: Say two|More of it\n\nCo-authored-by: Test <test@example.com>`,
  );
  assert.deepEqual(dry.git('diff', '--name-only', `${sha}~`, sha).split('\n'), [
    'hydrator.metadata',
    ...['a', 'b'].flatMap((name) =>
      ['README.md', 'hydrator.metadata', 'manifest.yaml'].map((file) => `out/${name}/${file}`),
    ),
  ]);
  assert.equal(dry.git('notes', '--ref=hydrator.metadata', 'show', sha), JSON.stringify({ drySha: next }));
  assert.equal(JSON.parse(dry.git('show', `${sha}:hydrator.metadata`)).subject, 'Say two');
  for (const name of ['hydrated-a', 'hydrated-b'])
    await world.waitForApplication(
      name,
      'the hydrated commit synced',
      ({ status }) => status?.history?.at(-1)?.revision === sha,
    );

  const irrelevant = dry.commit({ 'notes.txt': 'x' }, 'Note');
  const noted = await world.waitForApplication('hydrated-a', 'the commit without effect', hydrated(irrelevant));
  assert.equal(operation(noted)?.hydratedSHA, sha);

  await world.client.patch(world.applicationRef('hydrated-b'), 'merge', {
    spec: { sourceHydrator: hydrator({ dry, from: 'b', to: 'moved/b', branch }) },
  });
  await world.waitForApplication(
    'hydrated-b',
    'the new folder',
    (app) => app.status?.sourceHydrator?.lastSuccessfulOperation?.sourceHydrator?.syncSource.path === 'moved/b',
  );
  assert.deepEqual(
    dry
      .git('ls-tree', '-r', '--name-only', branch)
      .split('\n')
      .filter((file) => file.endsWith('.yaml')),
    ['moved/b/manifest.yaml', 'out/a/manifest.yaml'],
  );
});

test('one application that cannot be rendered holds up those of its branch, and is named; a correction mends all', async () => {
  const namespace = await world.targetNamespace();
  const dry = world.repository({
    'a/cm.yaml': configMap('good', 'one'),
    'b/cm.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: [',
  });
  await create('broken', { dry, from: 'b', to: 'out/b', branch: 'env/held', namespace });
  const failed = (words: RegExp) => (app: Application) =>
    operation(app)?.phase === 'Failed' && words.test(operation(app)?.message ?? '');
  await world.waitForApplication('broken', 'its own cause', failed(/cm\.yaml/));
  await create('held-up', { dry, from: 'a', to: 'out/a', branch: 'env/held', namespace });
  const { status } = await world.waitForApplication('held-up', 'the other one named', failed(/broken has an error/));
  assert.ok(status?.conditions?.some(({ type }) => type === 'HydrationError'));
  assert.throws(() => dry.git('rev-parse', '--verify', 'env/held'));
  dry.commit({ 'b/cm.yaml': configMap('mended', 'one') });
  for (const name of ['held-up', 'broken']) await world.healthy(name);
});

test('what waits until the branch that it was written to is merged says which, and goes on behind the merge', async () => {
  const namespace = await world.targetNamespace();
  const dry = world.repository({ 'a/cm.yaml': configMap('merged', 'one') });
  await create('unmerged', { dry, from: 'a', to: 'out', branch: 'env/live', next: 'env/live-next', namespace });
  const { status } = await world.waitForApplication('unmerged', 'what it waits for', (app) =>
    (app.status?.conditions ?? []).some(({ message }) =>
      /in branch env\/live-next, and not in env\/live yet/.test(message),
    ),
  );
  const told = status?.conditions?.find(({ type }) => type === 'ComparisonError')?.message ?? '';
  assert.match(told, /spec\.sourceHydrator\.syncSource\./);
  assert.match(told, /Merge env\/live-next into env\/live/);
  dry.git('branch', '--force', 'env/live', 'env/live-next');
  await world.rest('GET', '/api/v1/applications/unmerged?refresh=normal');
  await world.healthy('unmerged');
});

test('the root of a repository, and a folder of another application, are not written to', async () => {
  const namespace = await world.targetNamespace();
  const dry = world.repository({ 'a/cm.yaml': configMap('rooted', 'one') });
  await create('at-root', { dry, from: 'a', to: './', branch: 'env/root', namespace });
  await world.waitForApplication('at-root', 'the refusal', (app) =>
    /repository root/.test(operation(app)?.message ?? ''),
  );
  await create('twin-1', { dry, from: 'a', to: 'same', branch: 'env/twin', namespace });
  await create('twin-2', { dry, from: 'a', to: 'same/', branch: 'env/twin', namespace });
  await world.waitForApplication('twin-2', 'the refusal', (app) =>
    /twin-1 hydrator uses the same destination/.test(operation(app)?.message ?? ''),
  );
});
