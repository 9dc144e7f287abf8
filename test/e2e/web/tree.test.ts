import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { configMap, deployment } from '../support/manifests.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

const overflowScript = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

const service = `apiVersion: v1
kind: Service
metadata:
  name: web
  labels: {team: pay}
  annotations: {link.argocd.argoproj.io/board: 'Board|https://board.example.com/web'}
spec: {selector: {app: web}, ports: [{port: 80}]}
`;

/** An application of applications has one, which waits for somebody to sync it. */
const child = (namespace: string, repository: string) => `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata: {name: web-child, namespace: ${namespace}}
spec:
  project: default
  source: {repoURL: '${repository}', path: .}
  destination: {server: 'https://kubernetes.default.svc', namespace: default}
`;

describe('the objects of an application', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  let page: Page;
  before(async () => {
    world = await World.start({ web: true });
    const targetNamespace = await world.targetNamespace();
    await world.client.patch(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' },
      'merge',
      { data: { 'resource.customLabels': 'team' } },
    );
    const settings = Array.from({ length: 40 }, (_, index) => [`${index}.yaml`, configMap(`settings-${index}`, '1')]);
    const repository = world.repository({
      ...Object.fromEntries(settings),
      'deployment.yaml': deployment('web'),
      'service.yaml': service,
    });
    repository.commit({ 'child.yaml': child(world.namespace, repository.url) });
    await world.createApplication('web-tree', repository, { targetNamespace, syncPolicy: { automated: {} } });
    await world.healthy('web-tree');
    await world.client.create({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'stray', namespace: targetNamespace },
      data: {},
    });
    web = await WebPage.open(world);
    page = web.page;
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  test('what is alike is one box until it is opened', async () => {
    await web.application('web-tree');
    const group = page.locator('.tree-node.folded:has-text("40 of this kind")');
    await group.waitFor();
    assert.equal(await page.locator('.tree-node:has-text("settings-7")').count(), 0);
    await group.press('Enter');
    await page.waitForSelector('.tree-node:has-text("settings-0")');
    assert.equal(await group.getAttribute('aria-expanded'), 'true');
    await group.press('Enter');
    await page.locator('.tree-node:has-text("settings-0")').first().waitFor({ state: 'detached' });
  });

  test('the menu of a box opens its events, and the address holds it', async () => {
    await page.getByRole('button', { name: 'Menu of Deployment web' }).click();
    await page.getByRole('menuitem', { name: 'Events' }).click();
    await page.waitForSelector('[role=dialog] [role=tab][aria-selected=true]:has-text("Events")');
    assert.match(page.url(), /node=apps%2FDeployment/);
    await page.reload();
    await page.waitForSelector('[role=dialog] [role=tab][aria-selected=true]:has-text("Events")');
    await page.keyboard.press('Escape');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
  });

  test('filters keep the owners of what they find', async () => {
    await page.getByLabel('Filter objects').fill('pod web');
    await page.waitForSelector('.tree-node:has-text("Deployment")');
    await page.locator('.tree-node.folded').waitFor({ state: 'detached' });
    await page.getByLabel('Filter objects').fill('');
  });

  test('several kinds are filtered by at once, also by addresses of the peers', async () => {
    await page.getByRole('combobox', { name: 'Kind' }).click();
    await page.getByRole('option', { name: 'Service', exact: true }).click();
    await page.getByRole('option', { name: 'Deployment' }).click();
    await page.keyboard.press('Escape');
    await page.getByText('2 objects', { exact: true }).waitFor();
    assert.deepEqual(new URL(page.url()).searchParams.getAll('kind'), ['Service', 'Deployment']);
    await page.goto(`${world.url}/applications/${world.namespace}/web-tree?resource=kind:Service,name:web&view=tree`);
    await page.getByText('1 object', { exact: true }).waitFor();
  });

  test('labels that the settings name and links of annotations are on the objects', async () => {
    await page.waitForSelector('.tree-node:has-text("Service"):has-text("team: pay")');
    await page.getByRole('button', { name: 'Menu of Service web' }).click();
    const link = page.getByRole('menuitem', { name: 'Board' });
    assert.equal(await link.getAttribute('href'), 'https://board.example.com/web');
    await page.keyboard.press('Escape');
  });

  test('the menu of a box has the actions of its object, which ask for their parameters', async () => {
    await web.application('web-tree');
    await page.getByRole('button', { name: 'Menu of Deployment web' }).click();
    await page.getByRole('menuitem', { name: 'scale' }).click();
    const replicas = page.getByRole('textbox', { name: 'replicas' });
    await replicas.waitFor();
    assert.equal(await replicas.inputValue(), '1');
    await replicas.fill('2');
    await page.keyboard.press('Enter');
    await page.waitForSelector('[role=status]:has-text("scale: done")');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Menu of Service web' }).click();
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await page.getByRole('dialog', { name: 'Delete Service web' }).waitFor();
    await web.dialogButton('Cancel').click();
    await page.keyboard.press('Escape');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
  });

  test('an application among the objects leads to its page, by keys too', async () => {
    const link = page.getByRole('link', { name: 'Go to the page of Application web-child' });
    await link.focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('h2:has-text("web-child")');
    assert.match(page.url(), /\/web-child$/);
    await page.goBack();
    await page.waitForSelector('h2:has-text("web-tree")');
  });

  test('what objects own is folded, all at once or one by one', async () => {
    await page.locator('.tree-node:has-text("ReplicaSet")').waitFor();
    await web.button('What Deployment web owns').press('Enter');
    await page.locator('.tree-node:has-text("ReplicaSet")').waitFor({ state: 'detached' });
    await web.button('Fold all').click();
    assert.match(page.url(), /fold=all/);
    await web.button('What Deployment web owns').click();
    await page.locator('.tree-node:has-text("ReplicaSet")').waitFor();
    assert.equal(await page.locator('.tree-node:has-text("Pod")').count(), 0);
    await web.button('Unfold all').click();
    await page.locator('.tree-node:has-text("Pod")').first().waitFor();
  });

  test('pods are shown by node, owner and state', async () => {
    await page.click('label:has-text("Pods")');
    await page.waitForSelector('.pod-group .pod');
    await page.click('label:has-text("By owner")');
    await page.waitForSelector('.pod-group:has-text("Deployment web")');
    await page.locator('.pod').first().click();
    await page.waitForSelector('[role=dialog]:has-text("Pod")');
    await page.keyboard.press('Escape');
  });

  test('the network goes from the Service to the pods', async () => {
    await page.click('label:has-text("Network")');
    await page.waitForSelector('.tree-node:has-text("Service")');
    await page.waitForSelector('.tree-node:has-text("Pod")');
    assert.equal(await page.locator('.tree-node:has-text("ConfigMap")').count(), 0);
  });

  test('logs are searched by regular expressions, and what is none is told', async () => {
    await web.application('web-tree', 'logs');
    const line = page.locator('.log-line').first();
    await line.waitFor();
    const none = page.getByText(/^0 lines · Live$/);
    const search = page.getByLabel('Search in the log');
    await search.fill('^(');
    await none.waitFor();
    await page.getByLabel('Regular expression').check();
    await page.getByText('filter is not a regular expression').waitFor();
    await search.fill('^.{6}');
    await page.getByText('filter is not a regular expression').waitFor({ state: 'detached' });
    await line.waitFor();
    await search.fill('!^.');
    await none.waitFor();
    assert.deepEqual(await web.barriers(), []);
  });

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const)
    test(`every view fits into ${width} pixels, without barriers`, async () => {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      for (const view of ['graph', 'pods', 'network', 'list']) {
        await page.goto(`${world.url}/applications/${world.namespace}/web-tree?view=${view}`);
        await page.waitForSelector('.tree-node, .pod, tr button');
        assert.equal(await page.evaluate<number>(overflowScript), 0, view);
        assert.deepEqual(await web.barriers(), [], view);
      }
    });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
