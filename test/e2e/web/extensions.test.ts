import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

/** As bundlers make them: React and its JSX runtime are the page's own. */
const extension = `((window) => {
  const { createElement: h, useState } = window.React;
  const { jsx } = window.ReactJSXRuntime;
  const api = window.extensionsAPI;
  const Counter = ({ application, resource, tree }) => {
    const [count, setCount] = useState(0);
    return jsx('button', { onClick: () => setCount(count + 1), children:
      resource.kind + ' ' + resource.metadata.name + ' of ' + application.metadata.name + ' in ' + tree.nodes.length + ': ' + count });
  };
  api.registerResourceExtension(Counter, '**', 'ConfigMap', 'Counter', { icon: 'fa-flask' });
  api.registerResourceExtension(Counter, 'argoproj.io', 'Application', 'Whole');
  api.registerResourceExtension(() => { throw new Error('nothing to draw'); }, '**', '*', 'Broken');
  api.registerSystemLevelExtension(() => h('p', {}, 'a page at ' + window.Moment(0).utc().format('YYYY')), 'Costs', '/costs', 'fa-coins');
  api.registerStatusPanelExtension(
    ({ application, openFlyout }) => h('a', { href: '#', onClick: (event) => { event.preventDefault(); openFlyout(); } }, 'score of ' + application.metadata.name),
    'Score', 'score', ({ application }) => h('p', {}, 'why ' + application.metadata.name));
  api.registerTopBarActionMenuExt(() => h('span', {}, 'Approve'), 'Approval', 'approval', () => h('p', {}, 'who approves'), (app) => app.metadata.name === 'shop', 'fa-thumbs-o-up', true);
  api.registerTopBarActionMenuExt(() => h('span', {}, 'Never'), 'Never', 'never', () => null, () => false);
  api.registerAppViewExtension(({ application, tree }) => h('p', {}, 'a view of ' + tree.nodes.length), 'Map', 'fa-map', () => true);
  window.extensions.resources['/ConfigMap'] = { component: () => h('p', {}, 'of the older way') };
  document.createElement('div').innerHTML = '<b>markup</b>';
})(window);`;

/** Code point of an icon's glyph, and whether the font that has it is there. */
const glyph = (selector: string) => `(async () => {
  const { fontFamily, fontWeight, content } = getComputedStyle(document.querySelector(${JSON.stringify(selector)}), '::before');
  const text = content.split('"')[1];
  const [font] = await document.fonts.load(fontWeight + ' 16px ' + fontFamily, text);
  return font?.status + ' ' + text.codePointAt(0).toString(16);
})()`;

describe('extensions of the page', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  let page: Page;
  const dir = mkdtempSync(join(tmpdir(), 'tiphys-extensions-'));
  before(async () => {
    writeFileSync(join(dir, 'extension-all.js'), extension);
    writeFileSync(join(dir, 'extension-failing.js'), 'throw new Error("made for another page");');
    world = await World.start({ web: true, extensionsDir: dir });
    const namespace = await world.targetNamespace();
    const repository = world.repository({ 'a.yaml': configMap('settings', 'one') });
    await world.createApplication('shop', repository, { targetNamespace: namespace, syncPolicy: { automated: {} } });
    await world.healthy('shop');
    web = await WebPage.open(world);
    page = web.page;
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
    rmSync(dir, { recursive: true, force: true });
  });

  test('have pages in the navigation, also when one comes by their address', async () => {
    await page.click('nav >> text=Costs');
    await page.waitForSelector('text=a page at 1970');
    assert.match(await page.title(), /^Costs · /);
    assert.equal(await page.evaluate(glyph('nav i')), 'loaded f51e', 'the icon that it names');
    await page.reload();
    await page.waitForSelector('text=a page at 1970');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('costs');
    await page.getByRole('option', { name: 'Costs' }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('tell something in the header of an application, and have buttons there', async () => {
    await web.application('shop');
    await page.click('text=score of shop');
    await page.waitForSelector('role=dialog >> text=why shop');
    await page.keyboard.press('Escape');
    await page.click('role=button[name="Approve"]');
    await page.waitForSelector('role=dialog >> text=who approves');
    await page.keyboard.press('Escape');
    assert.equal(await page.getByText('Never').count(), 0);
  });

  test('have views of an application and tabs of their own', async () => {
    await page.click('label:has-text("Map")');
    await page.waitForSelector('text=a view of 1');
    await page.click('role=tab[name="Whole"]');
    const whole = page.getByText(/^Application shop of shop in 1: /);
    await whole.click();
    await page.waitForSelector('text=Application shop of shop in 1: 1');
    await page.reload();
    await page.waitForSelector('text=Application shop of shop in 1: 0');
  });

  test('have tabs in the drawer of an object; one that fails says so, and the others go on', async () => {
    await web.application('shop');
    await web.object('ConfigMap', 'settings');
    await page.click('role=dialog >> role=tab[name="Broken"]');
    await page.waitForSelector('text=nothing to draw');
    await page.click('role=dialog >> role=tab[name="Counter"]');
    await page.waitForSelector('text=ConfigMap settings of shop in 1: 0');
    await page.click('role=dialog >> role=tab[name="More"]');
    await page.waitForSelector('text=of the older way');
    assert.deepEqual(await web.barriers(), []);
  });

  test('are told in the settings, with those that could not be run', async () => {
    await page.goto(`${world.url}/settings/plugins`);
    await page.waitForSelector('text=extension-failing.js could not be run');
    await page.waitForSelector('text=made for another page');
    for (const title of ['Counter', 'Costs', 'Map', 'Score', 'Approval'])
      await page.waitForSelector(`main >> text=${title}`);
  });
});
