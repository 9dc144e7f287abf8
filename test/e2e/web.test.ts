import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { configMap, deployment } from './support/manifests.ts';
import type { TestRepository } from './support/repository.ts';
import { World } from './support/world.ts';
import { noBrowser, WebPage } from './web/web-page.ts';

describe('the web page', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  let page: Page;
  let repository: TestRepository;
  let namespace: string;
  before(async () => {
    world = await World.start({ web: true });
    namespace = await world.targetNamespace();
    repository = world.repository({ 'a.yaml': configMap('settings', 'one'), 'b.yaml': deployment('web') });
    await world.createApplication('shop', repository, { targetNamespace: namespace, syncPolicy: { automated: {} } });
    await world.healthy('shop');
    web = await WebPage.open(world);
    page = web.page;
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  test('refuses a wrong password and takes the right one', async () => {
    await page.goto(world.url);
    await page.fill('input[type=password]', 'wrong');
    await page.click('button[type=submit]');
    await page.waitForSelector('text=/Invalid username or password/');
    await page.fill('input[type=password]', world.password);
    await page.click('button[type=submit]');
    await page.waitForSelector('.tile');
    assert.match((await page.textContent('.tile')) ?? '', /shop[\s\S]*Healthy[\s\S]*Synced/);
  });

  test('shows the resource tree of an application', async () => {
    await page.click('.tile-link');
    await page.waitForSelector('.tree-node:has-text("Pod")');
    const kinds = await page.locator('.tree-node .kind').allInnerTexts();
    for (const kind of ['Application', 'ConfigMap', 'Deployment', 'ReplicaSet', 'Pod'])
      assert.ok(
        kinds.some((text) => text.startsWith(kind)),
        `${kind} is in ${kinds.join(' ')}`,
      );
  });

  test('shows drift without a reload, with both values', async () => {
    await world.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'settings' }, 'merge', {
      data: { value: 'by hand' },
    });
    await page.waitForSelector('h2 >> xpath=.. >> text=OutOfSync');
    await page.click('role=tab[name="Diff"]');
    await page.waitForSelector('text=by hand');
    assert.match((await page.locator('.cm-editor').allInnerTexts()).join(), /one/);
  });

  test('a sync from the page brings the cluster back', async () => {
    await page.click('button:has-text("Sync") >> nth=0');
    await page.click('button:has-text("Synchronize")');
    await page.waitForSelector('h2 >> xpath=.. >> text=Synced');
    await world.healthy('shop');
    const live = await world.client.get({ apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'settings' });
    assert.deepEqual(live.data, { value: 'one' });
  });

  test('lists events and history', async () => {
    await page.click('role=tab[name="Events"]');
    await page.waitForSelector('text=OperationCompleted');
    await page.click('role=tab[name="History"]');
    await page.waitForSelector('text=Roll back');
  });

  test('explains a broken manifest with file and line, and clears when it is mended', async () => {
    repository.commit({ 'a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n\tname: settings\n' });
    await page.waitForSelector('.diagnosis:has-text("a.yaml:4")');
    repository.commit({ 'a.yaml': configMap('settings', 'two') });
    await page.waitForSelector('.diagnosis', { state: 'detached' });
  });

  test('makes no elements of text', async () => {
    const write = `document.createElement('div').innerHTML = '<img src=x>'`;
    await assert.rejects(page.evaluate(write), /The page makes no elements of text/);
  });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
