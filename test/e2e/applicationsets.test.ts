import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import type { Application, ApplicationSet, ApplicationSetSpec } from '@tiphys/api';
import { systemClock } from '@tiphys/kubernetes';
import { configMap } from './support/manifests.ts';
import { World } from './support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const setRef = (name: string) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'ApplicationSet',
  namespace: world.namespace,
  name,
});

function createSet(name: string, spec: Partial<ApplicationSetSpec>): Promise<ApplicationSet> {
  const { apiVersion, kind, namespace } = setRef(name);
  return world.client.create<ApplicationSet>({
    apiVersion,
    kind,
    metadata: { name, namespace },
    spec: { goTemplate: true, ...spec },
  } as ApplicationSet);
}

const template = (name: string, repoURL: string, path: string) => ({
  metadata: { name },
  spec: {
    project: 'default',
    source: { repoURL, path, targetRevision: 'main' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'default' },
  },
});

const gone = (name: string) =>
  world.waitFor<Application>(world.applicationRef(name), `${name} to go`, (object) => object === undefined);

const settled = (name: string, holds: (set: ApplicationSet) => boolean) =>
  world.waitFor<ApplicationSet>(setRef(name), `${name} to settle`, (set) => set !== undefined && holds(set));

const condition = (set: ApplicationSet | undefined, type: string) =>
  set?.status?.conditions?.find((item) => item.type === type);

test('folders of a repository become Applications, and go with their folders', async () => {
  const repository = world.repository({
    'apps/one/a.yaml': configMap('one', '1'),
    'apps/two/a.yaml': configMap('two', '2'),
    'apps/.hidden/a.yaml': configMap('hidden', '3'),
  });
  await createSet('folders', {
    generators: [{ git: { repoURL: repository.url, revision: 'main', directories: [{ path: 'apps/*' }] } }],
    template: template('folder-{{.path.basename}}', repository.url, '{{.path.path}}'),
  });
  const one = await world.waitForApplication('folder-one', 'made', () => true);
  await world.waitForApplication('folder-two', 'made', () => true);
  assert.equal(one.spec.source?.path, 'apps/one');
  assert.deepEqual(one.metadata.finalizers, ['resources-finalizer.argocd.argoproj.io']);
  assert.equal(one.metadata.ownerReferences?.[0]?.name, 'folders');
  const set = await settled('folders', ({ status }) => status?.resources?.length === 2);
  assert.equal(condition(set, 'ResourcesUpToDate')?.status, 'True');
  assert.equal(condition(set, 'ErrorOccurred')?.status, 'False');
  repository.commit({ 'apps/two/a.yaml': undefined, 'apps/three/a.yaml': configMap('three', '3') });
  await world.waitForApplication('folder-three', 'made', () => true);
  await gone('folder-two');
  await world.client.delete(setRef('folders'));
  await gone('folder-one');
});

test('an element that is changed costs one write of one Application', async () => {
  const repository = world.repository({ 'a.yaml': configMap('many', '1') });
  const elements = Array.from({ length: 20 }, (_, index) => ({ name: `many-${index}`, path: 'a' }));
  const made = await createSet('many', {
    generators: [{ list: { elements } }],
    template: template('{{.name}}', repository.url, '{{.path}}'),
  });
  await settled('many', ({ status }) => status?.resources?.length === 20);
  const changed = elements.map((element, index) => (index === 7 ? { ...element, path: 'b' } : element));
  await world.client.patch(setRef('many'), 'merge', { spec: { generators: [{ list: { elements: changed } }] } });
  await world.waitForApplication('many-7', 'changed', ({ spec }) => spec.source?.path === 'b');
  const events = { apiVersion: 'v1', kind: 'Event', namespace: world.namespace };
  const told = async () => {
    const fieldSelector = `involvedObject.uid=${made.metadata.uid}`;
    const { items } = await world.client.list(events, { fieldSelector });
    return items.filter(({ reason }) => reason === 'updated').map(({ message }) => message);
  };
  // Events of one set come in order: when the last creation is reported, so is every write before the change
  for (let seen = await told(); ; seen = await told()) {
    if (seen.length === 0) {
      await systemClock.sleep(50);
      continue;
    }
    assert.deepEqual(seen, ['updated Application "many-7"']);
    break;
  }
});

test('an error changes nothing, and is told with its place', async () => {
  await createSet('broken', {
    goTemplateOptions: ['missingkey=error'],
    generators: [{ list: { elements: [{ name: 'fine' }] } }],
    template: template('{{.nmae}}', 'https://git.example.com/x', 'x'),
  });
  const set = await settled('broken', (item) => condition(item, 'ErrorOccurred')?.status === 'True');
  assert.equal(condition(set, 'ErrorOccurred')?.reason, 'RenderTemplateParamsError');
  assert.match(condition(set, 'ErrorOccurred')?.message ?? '', /map has no entry for key "nmae"/);
  assert.equal(condition(set, 'ParametersGenerated')?.status, 'False');
  const [problem] = set?.status?.diagnoses ?? [];
  assert.ok(problem?.evidence.some(({ name, value }) => name === 'element' && value === 'elements[0]'));
});

test('deletions beyond the limit wait until they are confirmed', async () => {
  const repository = world.repository({ 'a.yaml': configMap('held', '1') });
  const elements = Array.from({ length: 8 }, (_, index) => ({ name: `held-${index}` }));
  await createSet('held', {
    generators: [{ list: { elements } }],
    template: template('{{.name}}', repository.url, '.'),
  });
  await settled('held', ({ status }) => status?.resources?.length === 8);
  await world.client.patch(setRef('held'), 'merge', {
    spec: { generators: [{ list: { elements: elements.slice(0, 2) } }] },
  });
  const set = await settled('held', (item) => condition(item, 'ResourcesUpToDate')?.reason === 'DeletionsHeld');
  assert.match(condition(set, 'ResourcesUpToDate')?.message ?? '', /^6 of 8 Applications would be deleted/);
  await world.application('held-7');
  const preview = await world.rest<{ applications: { name: string; change: string }[] }>(
    'GET',
    '/api/tiphys/v1/applicationsets/held/preview',
  );
  assert.equal(preview.body.applications.filter(({ change }) => change === 'delete').length, 6);
  const confirmed = await world.rest('POST', '/api/tiphys/v1/applicationsets/held/confirm-deletions', {});
  assert.equal(confirmed.status, 200);
  await gone('held-7');
  await settled(
    'held',
    ({ status, metadata }) =>
      status?.resources?.length === 2 && !metadata.annotations?.['tiphys.dev/pending-deletions'],
  );
});

test('the API creates, previews and deletes sets', async () => {
  const set = {
    metadata: { name: 'by-api' },
    spec: {
      generators: [{ list: { elements: [{ name: 'api-one' }] } }],
      template: template('{{name}}', 'https://git.example.com/x', 'x'),
    },
  };
  const generated = await world.rest<{ applications: Application[] }>('POST', '/api/v1/applicationsets/generate', {
    applicationSet: set,
  });
  assert.deepEqual(
    generated.body.applications.map(({ metadata }) => metadata.name),
    ['api-one'],
  );
  assert.equal((await world.rest('POST', '/api/v1/applicationsets', set)).status, 200);
  await world.waitForApplication('api-one', 'made', () => true);
  const elements = await world.rest<{ items: { application: string; origin: { element: string } }[] }>(
    'GET',
    '/api/tiphys/v1/applicationsets/by-api/elements',
  );
  assert.deepEqual(
    elements.body.items.map(({ application, origin }) => [application, origin.element]),
    [['api-one', 'elements[0]']],
  );
  assert.equal((await world.rest('DELETE', '/api/v1/applicationsets/by-api')).status, 200);
  await gone('api-one');
});
