import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

const overflowScript = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const cronJob =
  'apiVersion: batch/v1beta1\nkind: CronJob\nmetadata:\n  name: nightly\nspec: {schedule: "@daily", jobTemplate: {}}\n';

describe('the page of upgrades', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  before(async () => {
    world = await World.start({ web: true });
    const repository = world.repository({ 'a.yaml': configMap('a', '1'), 'old.yaml': cronJob });
    const targetNamespace = await world.targetNamespace();
    await world.createApplication('web-upgrade', repository, { targetNamespace });
    web = await WebPage.open(world);
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  test('tells who uses what a release removes, where, and the change', async () => {
    const { page } = web;
    await page.getByRole('link', { name: 'Upgrade of Kubernetes', exact: true }).click();
    await page.getByText(/It runs v?1\.\d+/).waitFor();
    await page.getByLabel('To release').fill('soon');
    await page.getByText('Major and minor number, such as 1.35').waitFor();
    await page.getByLabel('To release').fill('1.35');
    await web.button('Check').click();
    const group = page.locator('.upgrade-group:has-text("web-upgrade")');
    await group.getByText('batch/v1beta1 CronJob → batch/v1 CronJob').waitFor();
    await group.getByText(/old\.yaml:1 · [0-9a-f]{12} /).waitFor();
    await group.getByText(/- apiVersion: batch\/v1beta1\s+\+ apiVersion: batch\/v1$/).waitFor();
    await page.locator('.upgrade-readiness', { hasText: /web-upgrade breaks with Kubernetes 1\.35/ }).waitFor();
    await group.getByRole('link', { name: /web-upgrade/ }).click();
    await page.waitForURL(/\/applications\/[^/]+\/web-upgrade/);
  });

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const)
    test(`fits into ${width} pixels, without barriers`, async () => {
      await web.page.setViewportSize({ width, height: 800 });
      await web.page.emulateMedia({ colorScheme });
      await web.page.goto(`${world.url}/upgrade?to=1.35`);
      await web.page.waitForSelector('.upgrade-group');
      assert.equal(await web.page.evaluate<number>(overflowScript), 0);
      assert.deepEqual(await web.barriers(), []);
    });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
