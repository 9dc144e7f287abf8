import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { configMap, deployment } from '../support/manifests.ts';
import type { TestRepository } from '../support/repository.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

describe('the page of one application', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  let page: Page;
  let first: string;
  let namespace: string;
  let repository: TestRepository;
  before(async () => {
    world = await World.start({ web: true });
    namespace = await world.targetNamespace();
    repository = world.repository({ 'a.yaml': configMap('settings', 'one'), 'b.yaml': deployment('web') });
    await world.createApplication('shop', repository, {
      targetNamespace: namespace,
      source: {
        repoURL: repository.url,
        path: '.',
        targetRevision: 'main',
        directory: { recurse: true },
      },
      syncPolicy: { automated: { prune: true } },
    });
    const { status } = await world.healthy('shop');
    first = String(status?.sync?.revision);
    repository.commit({ 'a.yaml': configMap('settings', 'two'), 'c.yaml': configMap('more', 'three') });
    await world.waitForApplication(
      'shop',
      'the second revision is deployed',
      (app) => app.status?.history?.length === 2 && app.status.sync?.status === 'Synced',
    );
    web = await WebPage.open(world);
    page = web.page;
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  test('the history tells what a commit says and who made it, and with which parameters it was deployed', async () => {
    await web.application('shop', 'history');
    const row = page.locator(`tr:has-text("${first.slice(0, 12)}")`);
    await row.getByText('Begin', { exact: true }).waitFor();
    await row.getByText(/^Test · /).waitFor();
    await row.getByRole('button', { name: 'Parameters' }).click();
    await row.getByText('recurse: true').waitFor();
    assert.deepEqual(await web.barriers(), []);
  });

  test('two revisions are compared; the address holds which', async () => {
    await page
      .locator(`tr:has-text("${first.slice(0, 12)}")`)
      .getByRole('button', { name: 'Compare' })
      .click();
    const titles = page.locator('section.panel');
    await titles.nth(1).waitFor();
    assert.deepEqual(await titles.evaluateAll((sections) => sections.map((one) => one.getAttribute('aria-label'))), [
      'ConfigMap more',
      'ConfigMap settings',
    ]);
    await page.reload();
    await titles.nth(1).waitFor();
    await page.getByRole('combobox', { name: 'To revision' }).fill('no-such-branch');
    await page.keyboard.press('Escape');
    await web.button('Compare').click();
    await page.waitForSelector('text=/no-such-branch/ >> visible=true');
    await page.getByRole('combobox', { name: 'To revision' }).fill(first);
    await page.keyboard.press('Escape');
    await web.button('Compare').click();
    await page.waitForSelector('text=Both deploy the same.');
    await page.getByRole('combobox', { name: 'To revision' }).fill('live');
    await page.keyboard.press('Escape');
    await web.button('Compare').click();
    await page.getByRole('region', { name: /^ConfigMap .*\/settings$/ }).waitFor();
    assert.deepEqual(
      await titles.evaluateAll((sections) => sections.map((one) => one.getAttribute('aria-label')?.split('/').at(-1))),
      ['more', 'settings'],
    );
    repository.git('checkout', '--quiet', '-b', 'proposal');
    repository.commit({ 'a.yaml': configMap('settings', 'proposed') });
    repository.git('update-ref', 'refs/pull/7/head', 'HEAD');
    repository.git('checkout', '--quiet', 'main');
    await page.getByRole('combobox', { name: 'To revision' }).fill('#7');
    await page.keyboard.press('Escape');
    await web.button('Compare').click();
    await page.getByText('proposed').first().waitFor();
    await page.click('label:has-text("Live and desired")');
    await page.waitForSelector('text=Live and desired state are the same.');
    assert.equal(new URL(page.url()).search, '');
  });

  test('a difference tells who wrote each field, in the cluster and in the repository', async () => {
    const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'settings' };
    await world.client.patch(ref, 'merge', { data: { value: 'by hand' } });
    await web.application('shop', 'diff');
    await web.button('Who wrote this …').click();
    const row = page.getByRole('dialog').locator('tr:has-text("/data/value")');
    await row.waitFor();
    const text = (await row.textContent()) ?? '';
    assert.match(text, /Update/);
    assert.match(text, /Test/);
    assert.match(text, /a\.yaml:\d+/);
    assert.deepEqual(await web.barriers(), []);
    await page.keyboard.press('Escape');
    await world.client.patch(ref, 'merge', { data: { value: 'two' } });
    await page.getByText('Live and desired state are the same.').waitFor();
  });

  test('an object tells from which lines it comes, and who wrote each', async () => {
    await web.application('shop');
    await web.object('ConfigMap', 'settings');
    await page.click('role=dialog >> role=tab[name="Origin"]');
    const lines = page.getByRole('region', { name: 'Lines with their authors' });
    await lines
      .getByText(/^Test, .*: Begin$/)
      .first()
      .waitFor();
    await lines.getByText(/^Test, .*: Change$/).waitFor();
    await page.getByText(/^a\.yaml:1 @ /).waitFor();
    assert.match((await lines.textContent()) ?? '', /kind: ConfigMap[\s\S]*two/);
    assert.deepEqual(await web.barriers(), []);
    await page.keyboard.press('Escape');
  });

  test('an application says something to who looks at it, and how its objects are shown', async () => {
    const application = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      namespace: world.namespace,
      name: 'shop',
    };
    const annotate = (values: Record<string, string | null>) =>
      world.client.patch(application, 'merge', { metadata: { annotations: values } });
    const notice = 'notice.argocd.argoproj.io';
    await annotate({
      [`${notice}/content`]: 'Moves on Friday',
      [`${notice}/severity`]: 'warning',
      [`${notice}/url`]: 'https://example.com/plan',
      'pref.argocd.argoproj.io/default-view': 'list',
      'link.argocd.argoproj.io/runbook': 'https://example.com/runbook',
    });
    await page.goto(`${world.url}/applications`);
    await page.getByRole('img', { name: 'Moves on Friday' }).waitFor();
    await web.application('shop');
    const link = page.getByRole('link', { name: 'Moves on Friday' });
    assert.equal(await link.getAttribute('href'), 'https://example.com/plan');
    await page
      .locator('label:has-text("List") input:checked, input[value="list"]:checked')
      .waitFor({ state: 'attached' });
    await page.getByRole('link', { name: 'https://example.com/runbook' }).waitFor();
    assert.deepEqual(await web.barriers(), []);
    await page.getByRole('button', { name: 'Close the notice' }).click();
    await page.reload();
    await page.waitForSelector('h2:has-text("shop")');
    assert.equal(await link.count(), 0, 'it stays closed');
    await annotate({ [`${notice}/content`]: 'Moves on Monday' });
    await page.getByRole('link', { name: 'Moves on Monday' }).waitFor();
    await annotate({ [`${notice}/content`]: null, 'pref.argocd.argoproj.io/default-view': null });
    await page.getByRole('link', { name: 'Moves on Monday' }).waitFor({ state: 'detached' });
  });

  test('the facts of the header fold, and stay so', async () => {
    const facts = page.getByRole('button', { name: 'Facts of the application' });
    assert.equal(await facts.getAttribute('aria-expanded'), 'true');
    await facts.click();
    await page.waitForSelector('text=Destination', { state: 'detached' });
    await page.reload();
    await page.waitForSelector('.summary-line');
    assert.equal(await facts.getAttribute('aria-expanded'), 'false');
    await facts.click();
    await page.waitForSelector('text=Destination');
    await page.evaluate('localStorage.removeItem("tiphys.header")');
  });

  test('sync windows say what may happen now, with the week ahead', async () => {
    const project = {
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'AppProject',
      namespace: world.namespace,
      name: 'default',
    };
    const window = { kind: 'deny', schedule: '* * * * *', duration: '2h', applications: ['shop'], manualSync: true };
    await world.client.patch(project, 'merge', { spec: { syncWindows: [window] } });
    await web.application('shop');
    const windows = page.getByRole('region', { name: 'Sync windows', exact: true });
    await windows.getByText(/^Ⅱ A person may sync; automated syncs wait/).waitFor();
    await windows.getByRole('button', { name: '1 sync window' }).click();
    await windows.getByRole('region', { name: 'Sync windows in the week ahead' }).waitFor();
    assert.deepEqual(await web.barriers(), []);
    await world.client.patch(project, 'merge', { spec: { syncWindows: null } });
    await page.reload();
    await page.waitForSelector('h2:has-text("shop")');
    await windows.waitFor({ state: 'detached' });
  });

  test('the status badge is there to be pasted, where the settings offer it', async () => {
    const settings = { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' };
    await world.client.patch(settings, 'merge', { data: { 'statusbadge.enabled': 'true' } });
    await web.application('shop');
    await web.button('Status badge').click();
    const text = await page.getByRole('textbox', { name: 'Markdown' }).inputValue();
    const [, image = '', link = ''] = /^\[!\[Status of shop\]\((.*)\)\]\((.*)\)$/.exec(text) ?? [];
    assert.match(await (await fetch(image)).text(), /<svg[\s\S]*Synced/);
    assert.equal(new URL(link).pathname, `/applications/${world.namespace}/shop`);
    assert.deepEqual(await web.barriers(), []);
    await page.keyboard.press('Escape');
  });

  test('times are told in the zone that was chosen', async () => {
    await page.goto(`${world.url}/settings/appearance`);
    await page.getByRole('combobox', { name: 'Time zone' }).click();
    await page.getByRole('combobox', { name: 'Time zone' }).fill('Asia/Tokyo');
    // it begins anew with the zone
    const loaded = page.waitForEvent('load');
    await page.getByRole('option', { name: 'Asia/Tokyo' }).click();
    await loaded;
    await web.application('shop', 'history');
    const deployed = (await world.application('shop')).status?.history?.at(-1)?.deployedAt ?? '';
    const there = await page.evaluate<string>(
      `new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'Asia/Tokyo' }).format(new Date(${JSON.stringify(deployed)}))`,
    );
    await page.locator(`td[title="${there}"]`).first().waitFor();
    await page.evaluate('localStorage.removeItem("tiphys.zone")');
  });

  test('on a phone the history is cards that are not cut', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await web.application('shop', 'history');
    await page.getByRole('button', { name: 'Roll back' }).waitFor();
    const width = await page.getByRole('region', { name: 'History' }).evaluate((panel) => panel.scrollWidth);
    assert.ok(width <= 390, `${width} pixels`);
    const button = await page.getByRole('button', { name: 'Roll back' }).boundingBox();
    assert.ok(button && button.x + button.width <= 390);
    assert.deepEqual(await web.barriers(), []);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('on a phone the log begins in the upper half, its options are at hand, and nothing is cut', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await web.application('shop', 'logs');
    await page.waitForSelector('.log-line');
    const top = (await page.locator('.log-lines').boundingBox())?.y ?? 844;
    assert.ok(top < 422, `the log begins at ${top}`);
    await page.getByText(/^1 line · /).waitFor();
    assert.equal(await page.getByLabel('Time stamps').isVisible(), false);
    await web.button('Options').click();
    await page.getByLabel('Time stamps').check();
    assert.ok((await page.evaluate<number>('document.documentElement.scrollWidth')) <= 390);
    assert.deepEqual(await web.barriers(), []);
    await page.setViewportSize({ width: 1440, height: 900 });
  });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
