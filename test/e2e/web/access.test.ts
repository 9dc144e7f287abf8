import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, type TestContext, test } from 'node:test';
import { systemClock } from '@tiphys/kubernetes';
import type { Page } from 'playwright-core';
import { startTestProvider } from '../../../packages/serve/server/testing/identity-provider.ts';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

const colourScript = 'getComputedStyle(document.querySelector(".brand")).color';

describe('who comes to the page, and what an administrator says there', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  let page: Page;
  const stylesDir = mkdtempSync(join(tmpdir(), 'tiphys-styles-'));
  before(async () => {
    writeFileSync(join(stylesDir, 'mine.css'), '.brand { color: rgb(1, 2, 3) !important; }');
    world = await World.start({ web: true, stylesDir });
    const targetNamespace = await world.targetNamespace();
    const repository = world.repository({ 'a.yaml': configMap('settings', '1') });
    await world.createApplication('web-access', repository, { targetNamespace, syncPolicy: { automated: {} } });
    await world.healthy('web-access');
    web = await WebPage.open(world);
    page = web.page;
  });
  after(async () => {
    await web?.close();
    await world?.close();
    rmSync(stylesDir, { recursive: true, force: true });
  });

  const configure = (data: Readonly<Record<string, string | null>>, name = 'argocd-cm') =>
    world.client.patch({ apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name }, 'merge', { data });
  const password = () => page.locator('input[type=password]');
  const banner = () => page.getByRole('complementary', { name: 'Notice' });

  test('a notice of the administrator can be closed, and comes again with other words', async () => {
    await configure({ 'ui.bannercontent': 'Maintenance at noon', 'ui.bannerurl': 'https://status.example.com/' });
    await web.logIn();
    await banner().waitFor();
    assert.equal(await banner().getByRole('link').getAttribute('href'), 'https://status.example.com/');
    assert.deepEqual(await web.barriers(), []);
    await web.button('Close the notice').click();
    await banner().waitFor({ state: 'detached' });
    await page.reload();
    await page.waitForSelector('.tile');
    assert.equal(await banner().count(), 0);
    await configure({
      'ui.bannercontent': 'Maintenance at one',
      'ui.bannerurl': 'javascript:alert(1)',
      'ui.bannerpermanent': 'true',
      'ui.bannerposition': 'both',
    });
    await page.reload();
    await banner().nth(1).waitFor();
    assert.equal(await banner().getByRole('link').count(), 0);
    assert.equal(await web.button('Close the notice').count(), 0);
    await configure({ 'ui.bannercontent': null });
  });

  test('the style sheet of the settings is applied, and help is where they say', async () => {
    await configure({
      'ui.cssurl': './custom/mine.css',
      'help.chatUrl': 'https://chat.example.com/',
      'help.chatText': 'Ask us',
      'help.download.linux-amd64': 'https://example.com/argocd',
    });
    await page.reload();
    await page.waitForSelector('link[href*="custom/mine.css"]', { state: 'attached' });
    await page.waitForFunction(`${colourScript} === 'rgb(1, 2, 3)'`);
    await web.button('User admin').click();
    const chat = page.getByRole('menuitem', { name: 'Ask us' });
    assert.equal(await chat.getAttribute('href'), 'https://chat.example.com/');
    await page.getByRole('menuitem', { name: 'Command line for linux-amd64' }).waitFor();
    await page.keyboard.press('Escape');
  });

  test('a session that ends asks for a login, which leads back to the same page', async () => {
    await web.application('web-access', 'history');
    await page.context().clearCookies();
    await web.button('Refresh').click();
    await page.getByRole('menuitem', { name: 'Refresh: ask the repository now' }).click();
    await password().fill(world.password);
    assert.match(page.url(), /web-access\/history$/);
    await page.click('button[type=submit]');
    await page.waitForSelector('h2:has-text("web-access")');
    await page.waitForSelector('text="#0"');
  });

  test('who has no account is let in where the settings say so, and can log in', async () => {
    await configure({ 'policy.default': 'role:readonly' }, 'argocd-rbac-cm');
    await configure({ 'users.anonymous.enabled': 'true' });
    await page.context().clearCookies();
    await page.goto(`${world.url}/applications`);
    await page.waitForSelector('.tile:has-text("web-access")');
    await web.button('Log in').click();
    await password().fill(world.password);
    await page.click('button[type=submit]');
    await web.button('User admin').waitFor();
    await configure({ 'users.anonymous.enabled': 'false' });
    await page.context().clearCookies();
    await page.goto(`${world.url}/applications`);
    await password().waitFor();
  });

  test('single sign-on has its button, and nobody is asked for a password that cannot log in', async (t: TestContext) => {
    const provider = await startTestProvider(t, { clock: systemClock });
    provider.claims = { sub: 'ada', email: 'ada@example.com', name: 'ada', groups: ['devs'] };
    await world.client.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'sso', namespace: world.namespace, labels: { 'app.kubernetes.io/part-of': 'argocd' } },
      data: { secret: Buffer.from(provider.clientSecret).toString('base64') },
    });
    await configure({
      url: world.url,
      'oidc.config': `name: Corp\nissuer: ${provider.issuer}\nclientID: tiphys\nclientSecret: $sso:secret\n`,
      'admin.enabled': 'false',
    });
    await page.goto(`${world.url}/login?has_sso_error=true&error=words+of+a+stranger`);
    await page.getByRole('alert').getByText('Single sign-on failed.').waitFor();
    assert.equal(await page.getByText('words of a stranger').count(), 0);
    const button = page.getByRole('link', { name: 'Log in via Corp' });
    await button.waitFor();
    assert.equal(await password().count(), 0);
    assert.deepEqual(await web.barriers(), []);
    await configure({ 'ui.loginButtonText': 'Enter with the badge of Corp' });
    await page.reload();
    await page.getByRole('link', { name: 'Enter with the badge of Corp', exact: true }).waitFor();
    await configure({ 'ui.loginButtonText': null });
    await page.goto(`${world.url}/applications/${world.namespace}/web-access/history`);
    await button.click();
    await page.waitForSelector('h2:has-text("web-access")');
    assert.match(page.url(), /web-access\/history$/);
    await page.goto(`${world.url}/user-info`);
    await page.getByText(`By ${provider.issuer}`).waitFor();
    await page.getByText('devs', { exact: true }).waitFor();
  });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
