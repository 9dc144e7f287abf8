import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

/** Resolves when the list has these names, in this order; rejects after two minutes with those that it has. */
const waitScript = (wanted: readonly string[]) => `new Promise((resolve, reject) => {
  const names = () => JSON.stringify([...document.querySelectorAll('.tile-link, .rows .app-name a')].map((link) => link.textContent));
  const check = () => names() === ${JSON.stringify(JSON.stringify(wanted))} && (observer.disconnect(), resolve());
  const observer = new MutationObserver(check);
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  setTimeout(() => reject(new Error('the list shows ' + names())), 120000);
  check();
})`;

describe('the list of applications', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  let page: Page;
  before(async () => {
    world = await World.start({ web: true });
    const targetNamespace = await world.targetNamespace();
    const repository = world.repository({ 'one/a.yaml': configMap('one', '1'), 'two/b.yaml': configMap('two', '1') });
    const automated = { syncPolicy: { automated: {} } };
    await world.createApplication('list-fine', repository, { path: 'one', targetNamespace, ...automated });
    await world.createApplication(
      'list-manual',
      repository,
      { path: 'two', targetNamespace },
      { labels: { team: 'pay' } },
    );
    await world.createApplication('list-broken', repository, { path: 'absent', targetNamespace, ...automated });
    await world.healthy('list-fine');
    await world.waitForApplication('list-manual', 'OutOfSync', ({ status }) => status?.sync?.status === 'OutOfSync');
    await world.waitForApplication('list-broken', 'diagnosed', ({ status }) => Boolean(status?.conditions?.length));
    web = await WebPage.open(world);
    page = web.page;
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  const names = () => page.locator('.tile-link, .rows .app-name a').allInnerTexts();
  const shows = (...wanted: string[]) => page.evaluate(waitScript(wanted));

  test('shows what is broken first, though its health is fine', async () => {
    await shows('list-broken', 'list-manual', 'list-fine');
    assert.match((await page.locator('.tile').first().textContent()) ?? '', /path does not exist/);
  });

  test('filters by state, label and text, and the address holds it', async () => {
    await page.getByRole('button', { name: /OutOfSync/ }).click();
    await shows('list-manual');
    assert.equal(new URL(page.url()).search, '?sync=OutOfSync');
    await page.goto(`${world.url}/applications?label=team%3Dpay&view=list`);
    await shows('list-manual');
    await page.goto(`${world.url}/applications`);
    await page.getByLabel('Filter', { exact: true }).fill('absent');
    await shows('list-broken');
    await page.getByRole('button', { name: 'Clear all filters' }).click();
    await shows('list-broken', 'list-manual', 'list-fine');
  });

  test('keeps a view under a name, and favourites', async () => {
    await page.getByLabel('Favourite list-fine').click();
    await page.getByLabel('Favourites only').check();
    await shows('list-fine');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByLabel('Name of this view').fill('Mine');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.goto(`${world.url}/applications`);
    await shows('list-broken', 'list-manual', 'list-fine');
    await page.getByRole('button', { name: 'Views' }).click();
    await page.getByRole('menuitem', { name: 'Mine' }).click();
    await shows('list-fine');
  });

  test('the menu of an application refreshes, opens its panels, and leads to its parts', async () => {
    await page.goto(`${world.url}/applications?proj=default&search=list-manual&view=list`);
    await shows('list-manual');
    await web.button('Menu of list-manual').click();
    await page.getByRole('menuitem', { name: 'Sync …' }).click();
    await page.getByRole('dialog', { name: 'Sync list-manual' }).getByText('1 created').waitFor();
    assert.deepEqual(await web.barriers(), []);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.goto(`${world.url}/applications?text=list-fine`);
    await shows('list-fine');
    const before = (await world.application('list-fine')).status?.reconciledAt;
    await web.button('Menu of list-fine').click();
    await page.getByRole('menuitem', { name: 'Refresh: ask the repository now' }).click();
    await world.waitForApplication('list-fine', 'compared again', ({ status }) => status?.reconciledAt !== before);
    await web.button('Menu of list-fine').press('Enter');
    await page.getByRole('menuitem', { name: 'Delete …' }).click();
    await page.getByRole('dialog', { name: 'Delete list-fine' }).waitFor();
    await page.keyboard.press('Escape');
    await web.button('Menu of list-fine').click();
    await page.getByRole('menuitem', { name: 'History' }).click();
    await page.waitForSelector('text="#0"');
  });

  test('syncs many with one preview, and the rows follow without a reload', async () => {
    await page.goto(`${world.url}/applications?view=list&sync=OutOfSync`);
    await page.getByLabel('Select list-manual').check();
    await page.getByRole('toolbar').getByRole('button', { name: 'Sync', exact: true }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 created').waitFor();
    await dialog.getByText('Options').click();
    await dialog.getByRole('checkbox', { name: 'Server-side apply' }).check();
    await dialog.getByText('Options · 1 on').waitFor();
    assert.deepEqual(await web.barriers(), []);
    await dialog.getByRole('button', { name: 'Synchronize' }).click();
    await dialog.getByText('1 of 1 done').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).last().click();
    const { status } = await world.healthy('list-manual');
    assert.deepEqual(status?.operationState?.operation.sync?.syncOptions, ['ServerSideApply=true']);
    await page.getByText('No application matches the filter.').waitFor();
  });

  test('a new application and a deleted one come and go without a reload', async () => {
    await page.goto(`${world.url}/applications?sort=name&text=list-`);
    await shows('list-broken', 'list-fine', 'list-manual');
    await world.client.delete(world.applicationRef('list-broken'));
    await shows('list-fine', 'list-manual');
    assert.deepEqual(await names(), ['list-fine', 'list-manual']);
  });

  test('keys go through the list, select and open, also where columns are sorted', async () => {
    await page.goto(`${world.url}/applications?view=list&text=list-`);
    await page.getByRole('button', { name: 'Name', exact: true }).click();
    await shows('list-fine', 'list-manual');
    await page.getByRole('button', { name: /^Name/ }).click();
    await shows('list-manual', 'list-fine');
    assert.equal(new URL(page.url()).searchParams.get('sort'), '-name');
    for (const key of ['j', 'j', 'x', 'k', 'x']) await page.keyboard.press(key);
    await page.getByText('2 selected').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForSelector('h2:has-text("list-manual")');
    await page.keyboard.press('s');
    await page.getByRole('dialog', { name: 'Sync list-manual' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  test('keys alone select and refresh', async () => {
    await page.goto(`${world.url}/applications?sort=name&text=list-fine`);
    await shows('list-fine');
    await page.getByLabel('Select list-fine').focus();
    await page.keyboard.press('Space');
    await page.getByRole('toolbar').getByRole('button', { name: 'Refresh' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').getByRole('button', { name: 'Go ahead' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByText('1 of 1 done').waitFor();
  });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
