import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { configMap } from '../support/manifests.ts';
import type { TestRepository } from '../support/repository.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

const overflowScript = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

describe('an application set on the page', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  let page: Page;
  let repository: TestRepository;
  let namespace: string;
  before(async () => {
    world = await World.start({ web: true });
    namespace = await world.targetNamespace();
    repository = world.repository({
      'apps/pay/a.yaml': configMap('pay', '1'),
      'apps/shop/a.yaml': configMap('shop', '1'),
    });
    web = await WebPage.open(world);
    page = web.page;
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  const yaml = (directories: string, more = '') => `apiVersion: argoproj.io/v1alpha1
kind: ApplicationSet
metadata: {name: teams}
spec:
  goTemplate: true
  generators:
  - git: {repoURL: ${repository.url}, revision: HEAD, directories: [{path: ${directories}}]}
  - list: {elements: [{path: {basename: extra, path: apps/pay}}]}
  template:
    metadata: {name: 'team-{{.path.basename}}'${more}}
    spec:
      project: default
      source: {repoURL: ${repository.url}, path: '{{.path.path}}'}
      destination: {server: 'https://kubernetes.default.svc', namespace: ${namespace}}
`;
  const write = async (text: string) => {
    await page.getByLabel('ApplicationSet as YAML').click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(text);
  };

  test('is made by keys alone: what it would create is shown before anything is stored', async () => {
    await page.goto(`${world.url}/applicationsets`);
    await web.button('New ApplicationSet').press('Enter');
    await page.getByLabel('ApplicationSet as YAML').getByText('generators').waitFor();
    await write(yaml('apps/*'));
    await web.dialogButton('Show what would change').press('Enter');
    await page.getByText('3 create').waitFor();
    const made = page.getByRole('dialog').getByRole('button', { name: 'team-shop' });
    await made.press('Enter');
    await page.getByRole('dialog').getByText('path: apps/shop').waitFor();
    assert.deepEqual(await web.barriers(), []);
    const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'ApplicationSet', namespace: world.namespace };
    assert.equal(await world.client.find({ ...ref, name: 'teams' }), undefined);
    await web.dialogButton('Create').press('Enter');
    await page.waitForSelector('h2:has-text("teams")');
  });

  test('its graph leads from each generator to the applications that it made', async () => {
    const graph = page.getByRole('region', { name: 'Applications of teams by what made them' });
    await graph.getByText('2 applications · generators[0].git').waitFor();
    await graph.getByText('1 application · generators[1].list').waitFor();
    await graph.getByText('Application · directory apps/shop').waitFor();
    await graph.getByRole('button', { name: 'Menu of Application team-shop' }).click();
    await page.getByRole('menuitem', { name: 'Refresh' }).click();
    await world.waitForApplication('team-shop', 'refreshed', ({ status }) =>
      Boolean(status?.reconciledAt && !status.conditions?.length),
    );
    await graph.getByRole('button', { name: 'Menu of Application team-shop' }).click();
    await page.getByRole('menuitem', { name: 'Diff' }).click();
    await page.waitForURL(/team-shop\/diff$/);
    await page.goBack();
    await page.getByLabel('Filter applications').fill('elements[0]');
    await graph.getByText('team-shop').waitFor({ state: 'detached' });
    assert.equal(await graph.locator('.tree-node:has-text("team-extra")').count(), 1);
    assert.match(page.url(), /text=elements/);
    await page.getByLabel('Filter applications').fill('');
    await page.click('label:has-text("List")');
    await page.getByRole('button', { name: 'team-pay' }).click();
    await page.waitForSelector('h2:has-text("team-pay")');
  });

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const)
    test(`graph and list fit into ${width} pixels, without barriers`, async () => {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      for (const view of ['graph', 'list']) {
        await page.goto(`${world.url}/applicationsets/${world.namespace}/teams?view=${view}`);
        await page.getByText('team-shop').first().waitFor();
        assert.equal(await page.evaluate<number>(overflowScript), 0, view);
        assert.deepEqual(await web.barriers(), [], view);
      }
    });

  test('an edit says per application what it creates, changes and deletes', async () => {
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${world.url}/applicationsets/${world.namespace}/teams/edit`);
    await page.getByLabel('ApplicationSet as YAML').getByText('generators').waitFor();
    await write(yaml('apps/shop', ', labels: {tier: front}'));
    await web.button('Show what would change').click();
    const table = page.getByRole('region', { name: 'Applications of the set' });
    await table.locator('tr:has-text("delete"):has-text("team-pay")').waitFor();
    const changed = table.locator('tr:has-text("update"):has-text("team-shop")');
    await changed.getByRole('button', { name: 'team-shop' }).click();
    await changed.locator('.cm-changedLine, .cm-insertedLine').getByText('tier: front').waitFor();
    assert.deepEqual(await web.barriers(), []);
    await web.button('Save').click();
    await page.getByRole('tab', { name: 'Applications', selected: true }).waitFor();
    await page.getByText('team-pay').first().waitFor({ state: 'detached' });
  });

  test('its Events are told', async () => {
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.locator('td').getByText('ResourceUpdated').first().waitFor();
  });

  test('is deleted, after it has said what becomes of its applications', async () => {
    await web.button('Delete').click();
    await page.getByText('Its 2 applications are deleted, and all objects that they have deployed.').waitFor();
    await web.dialogButton('Delete').click();
    await page.getByText('No application sets yet.').waitFor();
  });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
