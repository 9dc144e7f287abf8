import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { configMap } from '../support/manifests.ts';
import type { TestRepository } from '../support/repository.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

describe('applications are made and changed on the page', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  let page: Page;
  let repository: TestRepository;
  let tools: TestRepository;
  let namespace: string;
  before(async () => {
    world = await World.start({ web: true });
    namespace = await world.targetNamespace();
    repository = world.repository({
      'one/a.yaml': configMap('edit-one', '1'),
      'two/b.yaml': configMap('edit-two', '1'),
      'chart/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
      'chart/values.yaml': '# How many there are\ncount: 2\ntag: "1.20"\n',
      'chart/values-prod.yaml': 'count: 5\n',
      'chart/templates/shop.yaml':
        'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: shop}\ndata: {count: "{{ .Values.count }}", tag: {{ .Values.tag | quote }}}\n',
      'kust/kustomization.yaml': 'resources: [pod.yaml]\n',
      'kust/pod.yaml':
        'apiVersion: v1\nkind: Pod\nmetadata: {name: web}\nspec: {containers: [{name: web, image: "nginx:1.26"}]}\n',
    });
    tools = world.repository({
      'kust/kustomization.yaml': 'resources: [web.yaml]\n',
      'kust/web.yaml':
        'apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: web}\nspec: {replicas: 1, selector: {matchLabels: {app: web}}, template: {metadata: {labels: {app: web}}, spec: {containers: [{name: web, image: nginx}]}}}\n',
      'jsonnet/main.jsonnet':
        "function(name) {apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: name + '-' + std.extVar('zone')}}\n",
      'chart/Chart.yaml': 'apiVersion: v2\nname: shop\nversion: 1.0.0\n',
      'chart/greeting.txt': 'hello',
      'chart/crds/thing.yaml':
        'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: things.example.com}\nspec: {group: example.com, scope: Namespaced, names: {kind: Thing, plural: things}, versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]}\n',
      'chart/templates/shop.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Values.greeting }}-shop"}\n',
    });
    web = await WebPage.open(world);
    page = web.page;
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  const dialog = () => page.getByRole('dialog');

  test('the form names what is missing, and shows what would be deployed before anything is stored', async () => {
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await dialog().getByRole('button', { name: 'Create' }).click();
    await dialog().getByText('3 fields are not right yet').waitFor();
    await dialog().getByRole('textbox', { name: 'Name', exact: true }).fill('Web-Edit');
    await dialog().getByText('Small letters, digits').waitFor();
    await dialog().getByRole('textbox', { name: 'Name', exact: true }).fill('web-edit');
    await dialog().getByRole('combobox', { name: 'Repository', exact: true }).fill(repository.url);
    await dialog().getByRole('textbox', { name: 'Path', exact: true }).fill('absent');
    await dialog()
      .getByText(/app path does not exist/)
      .first()
      .waitFor();
    await dialog().getByRole('textbox', { name: 'Path', exact: true }).fill('one');
    await dialog().getByText('1 objects would be deployed').waitFor();
    await dialog().getByText('one/a.yaml:1').waitFor();
    assert.equal(await world.client.find(world.applicationRef('web-edit')), undefined);
  });

  test('the YAML beside it is the same application, both ways; then it is created', async () => {
    await dialog().getByRole('textbox', { name: 'Namespace', exact: true }).fill(namespace);
    const yaml = dialog().getByLabel('Application as YAML');
    await yaml.getByText(`namespace: ${namespace}`).waitFor();
    await yaml.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('  syncPolicy:\n    automated: {}\n');
    await dialog().getByRole('checkbox', { name: 'Automated', exact: true, checked: true }).waitFor();
    assert.deepEqual(await web.barriers(), []);
    await dialog().getByRole('button', { name: 'Create' }).click();
    await page.waitForSelector('h2:has-text("web-edit")');
    const { spec } = await world.healthy('web-edit');
    assert.deepEqual(
      [spec.source?.path, spec.destination.namespace, spec.syncPolicy],
      ['one', namespace, { automated: {} }],
    );
  });

  test('an edit sends what was changed', async () => {
    await web.application('web-edit', 'edit');
    await page.getByText('None of these objects is other than what is stored makes.').waitFor();
    await page.getByRole('textbox', { name: 'Path', exact: true }).fill('two');
    const changes = page.getByRole('region', { name: 'What it changes', exact: true });
    await changes.getByText('2 objects differ').waitFor();
    await changes.getByRole('region', { name: new RegExp(`ConfigMap ${namespace}/edit-one`) }).waitFor();
    assert.deepEqual(await web.barriers(), []);
    await page.getByRole('checkbox', { name: 'Create the namespace' }).check();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    await world.waitForApplication('web-edit', 'the other folder', ({ status }) =>
      Boolean(status?.resources?.some(({ name, status: sync }) => name === 'edit-two' && sync === 'Synced')),
    );
    const { spec } = await world.application('web-edit');
    assert.deepEqual([spec.source?.path, spec.syncPolicy?.syncOptions], ['two', ['CreateNamespace=true']]);
  });

  test('a second source is added by the form, and taken away again', async () => {
    await web.application('web-edit', 'edit');
    await web.button('Add a source').click();
    const second = page.getByRole('group', { name: 'Source 2' });
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('2 fields are not right yet').waitFor();
    await second.getByRole('combobox', { name: 'Repository', exact: true }).fill(repository.url);
    await second.getByRole('textbox', { name: 'Path', exact: true }).fill('one');
    await page.keyboard.press('Escape');
    await page.getByText('2 objects would be deployed').waitFor();
    assert.deepEqual(await web.barriers(), []);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const { spec } = await world.application('web-edit');
    assert.deepEqual([spec.source, spec.sources?.map(({ path }) => path)], [undefined, ['two', 'one']]);
    await page.reload();
    await second.getByRole('button', { name: 'Remove Source 2' }).click();
    await page.getByText('1 objects would be deployed').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const after = (await world.application('web-edit')).spec;
    assert.deepEqual([after.source?.path, after.sources], ['two', undefined]);
  });

  test('values of a chart are fields with who says each, set and taken back by keys', async () => {
    await world.createApplication('web-chart', repository, { path: 'chart', targetNamespace: namespace });
    await web.application('web-chart', 'edit');
    const values = page.getByRole('region', { name: 'Values of the chart' });
    const value = (name: string) => values.getByRole('textbox', { name, exact: true });
    await values.getByText('chart/values.yaml:2').waitFor();
    await values.getByText('How many there are').waitFor();
    await page.getByRole('checkbox', { name: 'values-prod.yaml' }).check();
    await values.getByText('chart/values-prod.yaml:1').waitFor();
    assert.equal(await value('count').inputValue(), '5');
    await value('tag').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('1.30');
    await value('count').focus();
    await page.keyboard.press('Control+A');
    await page.keyboard.type('7');
    await page.getByLabel('Application as YAML').getByText('forceString').waitFor();
    assert.deepEqual(await web.barriers(), []);
    await page.keyboard.press('Tab');
    await values.getByRole('button', { name: 'Take back count' }).press('Enter');
    await values.getByText('chart/values-prod.yaml:1').waitFor();
    await page.getByRole('button', { name: 'Save' }).press('Enter');
    await page.getByText('Saved').waitFor();
    const { spec } = await world.application('web-chart');
    assert.deepEqual(spec.source?.helm, {
      valueFiles: ['values-prod.yaml'],
      parameters: [{ name: 'tag', value: '1.30', forceString: true }],
    });
  });

  test('images of a kustomization are fields, too', async () => {
    await world.createApplication('web-kust', repository, { path: 'kust', targetNamespace: namespace });
    await web.application('web-kust', 'edit');
    await page.getByRole('textbox', { name: 'Tag of nginx' }).fill('1.27');
    await page.getByText('set by this application').waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const { spec } = await world.application('web-kust');
    assert.deepEqual(spec.source?.kustomize, { images: ['nginx:1.27'] });
  });

  const preview = () => page.getByRole('region', { name: 'Preview', exact: true });

  test('patches and replicas of a kustomization are rows of fields', async () => {
    await world.createApplication('web-patch', tools, { path: 'kust', targetNamespace: namespace });
    await web.application('web-patch', 'edit');
    await page.getByRole('button', { name: 'Add replicas' }).click();
    const replicas = page.getByRole('region', { name: 'Replicas', exact: true });
    await replicas.getByLabel('Name').fill('web');
    await replicas.getByLabel('Count').fill('3');
    await page.getByRole('button', { name: 'Add a patch' }).click();
    const patches = page.getByRole('region', { name: 'Patches', exact: true });
    await patches.getByLabel('Kind').fill('Deployment');
    const renames = '[{"op": "replace", "path": "/metadata/name", "value": "renamed"}]';
    await patches.getByLabel('Patch', { exact: true }).fill(renames);
    await page.getByRole('button', { name: 'Add a patch' }).click();
    await page.getByRole('button', { name: 'Remove entry 2 of Patches' }).click();
    await preview().getByText('renamed').waitFor();
    assert.deepEqual(await web.barriers(), []);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved').waitFor();
    const { spec } = await world.application('web-patch');
    assert.deepEqual(spec.source?.kustomize, {
      replicas: [{ name: 'web', count: 3 }],
      patches: [{ target: { kind: 'Deployment' }, patch: renames }],
    });
  });

  test('variables of Jsonnet are rows of fields, and what they make is seen at once', async () => {
    await world.createApplication('web-jsonnet', tools, { path: 'jsonnet', targetNamespace: namespace });
    await web.application('web-jsonnet', 'edit');
    await page.getByRole('button', { name: 'Add an argument' }).click();
    const given = page.getByRole('region', { name: 'Top-level arguments of Jsonnet' });
    await given.getByLabel('Name').fill('name');
    await given.getByLabel('Value', { exact: true }).fill('"a" + "b"');
    await given.getByLabel('The value is Jsonnet').check();
    await page.getByRole('button', { name: 'Add a variable' }).click();
    const outside = page.getByRole('region', { name: 'External variables of Jsonnet' });
    await outside.getByLabel('Name').fill('zone');
    await outside.getByLabel('Value', { exact: true }).fill('west');
    await preview().getByText('ab-west').waitFor();
  });

  test('parameters of a chart come from files, and its definitions are left out', async () => {
    await world.createApplication('web-files', tools, { path: 'chart', targetNamespace: namespace });
    await web.application('web-files', 'edit');
    await preview().getByText('things.example.com').waitFor();
    await page.getByLabel('Leave definitions (CRDs) of the chart out').check();
    await page.getByRole('button', { name: 'Add a file parameter' }).click();
    const files = page.getByRole('region', { name: 'Parameters from files' });
    await files.getByLabel('Name').fill('greeting');
    await files.getByLabel('Path').fill('greeting.txt');
    await preview().getByText('hello-shop').waitFor();
    await preview().getByText('things.example.com').waitFor({ state: 'detached' });
  });

  test('the YAML offers the fields of an Application, and marks what there is not', async () => {
    await web.application('web-edit', 'edit');
    const yaml = page.getByLabel('Application as YAML');
    await yaml.getByText(`namespace: ${namespace}`).waitFor();
    await yaml.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('  revisionHistoryLim');
    await page.keyboard.press('Control+Space');
    const offered = page.getByRole('option', { name: /^revisionHistoryLimit/ });
    await offered.waitFor();
    await offered.click();
    await page.keyboard.insertText('many\n  nothingOfThatName: 1\n');
    await page.locator('.cm-lintRange-error:has-text("many")').waitFor();
    await page.locator('.cm-lintRange-error:has-text("nothingOfThatName")').waitFor();
    assert.deepEqual(await web.barriers(), []);
  });

  test('a difference is ignored by a click, and keys alone go anywhere', async () => {
    await world.client.patch(world.applicationRef('web-edit'), 'merge', { spec: { syncPolicy: { automated: null } } });
    await world.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'edit-two' }, 'merge', {
      data: { value: 'by hand' },
    });
    await web.application('web-edit', 'diff');
    const section = page.getByRole('region', { name: /edit-two/ });
    await section.getByRole('button', { name: 'Ignore …' }).click();
    await dialog().getByText('/data/value').waitFor();
    await dialog().getByRole('button', { name: 'Ignore', exact: true }).click();
    await section.waitFor({ state: 'detached' });
    const { spec } = await world.application('web-edit');
    assert.deepEqual(spec.ignoreDifferences, [
      { kind: 'ConfigMap', name: 'edit-two', namespace, jsonPointers: ['/data/value'] },
    ]);
    await page.keyboard.press('Control+k');
    // nobody waits for the palette: what is typed meanwhile is not lost, and no shortcut
    await page.keyboard.type('repositories');
    await page.locator('[aria-label="Command"]:focus').waitFor();
    assert.equal(await page.getByRole('combobox', { name: 'Command' }).inputValue(), 'repositories');
    await page.keyboard.press('Enter');
    await page.waitForSelector('h2:has-text("Repositories")');
    await page.keyboard.press('?');
    await dialog().getByText('Keyboard shortcuts').waitFor();
  });

  test('a source is hydrated, and the namespace gets labels, by fields alone', async () => {
    await page.goto(`${world.url}/applications`);
    await page.getByRole('button', { name: 'New', exact: true }).click();
    const field = (name: string) => dialog().getByRole('textbox', { name, exact: true });
    await field('Name').fill('web-hydrated');
    await dialog().getByRole('combobox', { name: 'Repository', exact: true }).fill(tools.url);
    await field('Path').fill('kust');
    await dialog().getByRole('checkbox', { name: 'Commit the rendered manifests to a branch, and sync that' }).check();
    await field('Branch that is synced').fill('env/test');
    await field('Folder in it').fill('web');
    await field('Branch that is written').fill('env/test-next');
    await dialog().getByRole('checkbox', { name: 'Create the namespace' }).check();
    await field('Labels of the namespace').fill('tier');
    await dialog().getByText('tier has no =').waitFor();
    await field('Labels of the namespace').fill('tier=front\nteam=shop');
    // the source has a field of that name, too, once it is known to be a kustomization
    await dialog()
      .getByRole('group', { name: 'Destination' })
      .getByRole('textbox', { name: 'Namespace' })
      .fill(namespace);
    assert.deepEqual(await web.barriers(), []);
    await dialog().getByRole('button', { name: 'Create' }).click();
    await page.waitForSelector('h2:has-text("web-hydrated")');
    const { spec } = await world.application('web-hydrated');
    assert.equal(spec.source, undefined);
    assert.deepEqual(
      [spec.sourceHydrator, spec.syncPolicy?.managedNamespaceMetadata],
      [
        {
          drySource: { repoURL: tools.url, path: 'kust', targetRevision: 'HEAD' },
          syncSource: { targetBranch: 'env/test', path: 'web' },
          hydrateTo: { targetBranch: 'env/test-next' },
        },
        { labels: { tier: 'front', team: 'shop' } },
      ],
    );
  });

  test('kustomize is told its version, labels and Kubernetes by fields that few need', async () => {
    await page.goto(`${world.url}/applications`);
    await page.getByRole('button', { name: 'New', exact: true }).click();
    await dialog().getByRole('combobox', { name: 'Tool', exact: true }).click();
    await page.getByRole('option', { name: 'Kustomize' }).click();
    await dialog().getByText('More fields').press('Enter');
    await dialog().getByRole('combobox', { name: 'Version of kustomize' }).fill('v5.8.0');
    await dialog().getByRole('textbox', { name: 'Version of Kubernetes' }).fill('1.34.0');
    await dialog().getByRole('textbox', { name: 'Labels of all objects' }).fill('team=shop');
    await dialog().getByRole('checkbox', { name: 'Labels leave selectors as they are' }).check();
    const yaml = dialog().getByLabel('Application as YAML');
    for (const line of ['version: v5.8.0', 'kubeVersion: 1.34.0', 'team: shop', 'labelWithoutSelector: true'])
      await yaml.getByText(line).waitFor();
    await page.keyboard.press('Escape');
  });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
