import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

const overflowScript = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

describe('the timeline', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  before(async () => {
    world = await World.start({ web: true });
    const targetNamespace = await world.targetNamespace();
    const repository = world.repository({ 'a.yaml': configMap('settings', 'one') });
    await world.createApplication('web-timeline', repository, { targetNamespace, syncPolicy: { automated: {} } });
    await world.healthy('web-timeline');
    web = await WebPage.open(world);
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  test('tells of a sync in the lane of its application, and what it changed', async () => {
    const { page } = web;
    await page.getByRole('link', { name: 'Timeline', exact: true }).click();
    await page.waitForSelector('.lane:has-text("web-timeline") .lane-mark');
    await page.waitForSelector('.happenings li:has-text("succeeded")');
    await page.locator('.lane:has-text("web-timeline") button.lane-mark').first().press('Enter');
    await web.button('Show all again').click();
    await page.getByRole('tab', { name: 'What changed' }).click();
    await page.waitForSelector('tr:has-text("ConfigMap settings")');
  });

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const)
    test(`fits into ${width} pixels, without barriers`, async () => {
      await web.page.setViewportSize({ width, height: 800 });
      await web.page.emulateMedia({ colorScheme });
      await web.page.goto(`${world.url}/timeline`);
      await web.page.waitForSelector('.happenings li');
      assert.equal(await web.page.evaluate<number>(overflowScript), 0);
      const actors = await web.page.evaluate<number[]>(
        '[...document.querySelectorAll(".happenings li > :last-child")].map((actor) => actor.clientWidth)',
      );
      assert.ok(Math.min(...actors) > 70, 'who did it is not squeezed into a column of letters');
      assert.deepEqual(await web.barriers(), []);
    });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
