import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

const overflowScript = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';

describe('the settings of the web page', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  let page: Page;
  before(async () => {
    world = await World.start({ web: true });
    web = await WebPage.open(world);
    page = web.page;
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  const dialog = () => page.getByRole('dialog');
  const closed = () => dialog().waitFor({ state: 'detached' });

  test('a repository is told what is wrong at the field, tried, connected, and removed', async () => {
    const repository = world.repository({ 'a.yaml': configMap('a', '1') });
    await page.goto(`${world.url}/settings/repos`);
    await web.button('Connect a repository').click();
    await web.dialogButton('Connect').click();
    await dialog().getByText('A value is needed').waitFor();
    await dialog().getByLabel('Address').fill('not an address');
    await dialog().getByText('An address has no spaces').waitFor();
    await dialog().getByLabel('Address').fill(`${repository.url}-that-is-not-there`);
    await web.dialogButton('Test connection').click();
    await dialog().getByRole('alert').waitFor();
    await dialog().getByLabel('Address').fill(repository.url);
    await web.dialogButton('Test connection').click();
    await dialog().getByText('It answers, and the credentials are taken.').waitFor();
    await web.dialogButton('Connect').click();
    await closed();
    await page.getByText(repository.url, { exact: true }).waitFor();
    await web.button('Remove').click();
    await web.dialogButton('Remove').click();
    await page.getByText(repository.url, { exact: true }).waitFor({ state: 'detached' });
  });

  test('a credential template is kept without its password being told', async () => {
    await web.button('Add a template').click();
    await dialog().getByLabel('Beginning of addresses').fill('https://example.com/team');
    await dialog().getByLabel('User name').fill('robot');
    await dialog().getByLabel('Password or token').fill('hidden-word');
    await web.dialogButton('Save').click();
    await closed();
    await page.getByText('as robot').waitFor();
    assert.ok(!(await page.content()).includes('hidden-word'));
  });

  test('a cluster is added by a kubeconfig, whose files of another machine are refused', async () => {
    await page.goto(`${world.url}/settings/clusters`);
    await web.button('Add a cluster').click();
    const kubeconfig = (user: string) =>
      `contexts: [{name: east, context: {cluster: c, user: u}}]\nclusters: [{name: c, cluster: {server: 'https://127.0.0.1:1'}}]\nusers: [{name: u, user: {${user}}}]\n`;
    await dialog().getByLabel('Kubeconfig').fill(kubeconfig('client-key: /home/key'));
    await dialog()
      .getByText(/names a file of your machine/)
      .waitFor();
    await dialog().getByLabel('Kubeconfig').fill(kubeconfig('token: abc'));
    await dialog().getByRole('textbox', { name: 'Name', exact: true }).fill('east');
    await web.dialogButton('Add').click();
    // nothing listens there, which is told rather than stored
    await dialog().getByRole('alert').waitFor();
    await page.keyboard.press('Escape');
    await closed();
  });

  test('a project is made, asked what it allows, given a window and a role with a token', async () => {
    await page.goto(`${world.url}/settings/projects`);
    await web.button('New project').click();
    await dialog().getByRole('textbox', { name: 'Name', exact: true }).fill('payments');
    await dialog().getByLabel('Repositories').fill('https://git.example.com/pay/*');
    await dialog().getByLabel('Destinations').fill('in-cluster pay-*');
    await dialog().getByLabel('Signatures that commits need').fill('https://git.example.com/pay/* strict');
    await dialog().getByLabel('Objects that may belong to nobody').fill('ConfigMap kube-root-ca.crt');
    await web.dialogButton('Create').click();
    await dialog().getByText('A line is patterns of repositories, none, head or strict').waitFor();
    await dialog()
      .getByLabel('Signatures that commits need')
      .fill('https://git.example.com/pay/* head 4AEE18F83AFDEB23');
    await web.dialogButton('Create').click();
    await closed();
    await world.client.patch(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' },
      'merge',
      { data: { 'project.links': '- {title: Costs, url: "https://costs.example.com/{{.project.metadata.name}}"}' } },
    );
    await page.getByRole('link', { name: 'payments' }).click();
    const link = page.getByRole('link', { name: 'Costs' });
    assert.equal(await link.getAttribute('href'), 'https://costs.example.com/payments');
    await page.getByText('https://git.example.com/pay/* head 4AEE18F83AFDEB23').waitFor();
    await page.getByText('ConfigMap kube-root-ca.crt').waitFor();
    await page.getByRole('tab', { name: 'Is this allowed?' }).click();
    await page.getByLabel('Repository').fill('https://git.example.com/other/app');
    await page.getByRole('textbox', { name: 'Cluster', exact: true }).fill('in-cluster');
    await page.getByRole('textbox', { name: 'Namespace', exact: true }).fill('pay-1');
    await web.button('Is this allowed?').click();
    await page.waitForSelector('.rulings li:has-text("refused"):has-text("none of spec.sourceRepos matches")');
    await page.waitForSelector('.rulings li:has-text("allowed"):has-text("pay-*")');
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.locator('td').getByText('ResourceCreated').first().waitFor();
    await page.getByRole('tab', { name: 'Sync windows' }).click();
    await web.button('Add a window').click();
    await dialog().getByLabel('Begins').fill('0 22 * *');
    await dialog().getByLabel('For how long').fill('8h');
    await dialog()
      .getByText(/Five parts/)
      .waitFor();
    await dialog().getByLabel('Begins').fill('0 22 * * *');
    await web.dialogButton('Add').click();
    await closed();
    await page.waitForSelector('.lane-mark.span');
    await web.button('Edit').click();
    await dialog().getByLabel('For how long').fill('9h');
    await dialog().getByLabel('Clusters').fill('in-cluster');
    await dialog().getByLabel('Only what matches all of these').check();
    await web.dialogButton('Save').click();
    await closed();
    await page.getByText('deny 0 22 * * * for 9h').first().waitFor();
    await page.getByText(/only what matches all of these/).waitFor();
    await page.getByRole('tab', { name: 'Roles' }).click();
    await web.button('Add a role').click();
    await dialog().getByRole('textbox', { name: 'Name', exact: true }).fill('ci');
    await dialog().getByLabel('What it may do').fill('sync *\nsecrets get *');
    await web.dialogButton('Add').click();
    await dialog()
      .getByText(/A line is an action and an application/)
      .waitFor();
    await dialog().getByLabel('What it may do').fill('sync *\nlogs get shop-*');
    await web.dialogButton('Add').click();
    await closed();
    await page.getByText('p, proj:payments:ci, applications, sync, payments/*, allow').waitFor();
    await page.getByText('p, proj:payments:ci, logs, get, payments/shop-*, allow').waitFor();
    await web.button('New token').click();
    await dialog().getByLabel('Valid for').fill('1d');
    await web.dialogButton('Make the token').click();
    await dialog().getByText('It is shown this once').waitFor();
    await page.keyboard.press('Escape');
    await page.waitForSelector('button:has-text("Delete")');
  });

  test('certificates, host keys and keys of signatures are added and removed', async () => {
    await page.goto(`${world.url}/settings/certs`);
    await web.button('Add host keys').click();
    await dialog().getByLabel('Lines of known_hosts').fill('|1|abc= ssh-ed25519 AAAA');
    await dialog().getByLabel('Lines of known_hosts').blur();
    await dialog()
      .getByText(/Hashed names cannot be read/)
      .waitFor();
    const key = 'AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl';
    await dialog().getByLabel('Lines of known_hosts').fill(`git.test.example ssh-ed25519 ${key}`);
    await web.dialogButton('Add').click();
    await closed();
    const row = page.locator('tr:has-text("git.test.example")');
    await row.getByRole('button', { name: 'Remove' }).click();
    await web.dialogButton('Remove').click();
    await row.waitFor({ state: 'detached' });
    await page.goto(`${world.url}/settings/gpgkeys`);
    await web.button('Add a key').click();
    await dialog().getByLabel('Public key').fill('-----BEGIN PGP PRIVATE KEY BLOCK-----');
    await web.dialogButton('Add').click();
    await dialog()
      .getByText(/This is a private key/)
      .waitFor();
  });

  test('one asks what one may do, and finds the methods of the API', async () => {
    await page.goto(`${world.url}/user-info`);
    await web.button('Ask').click();
    await page.getByText('Yes, you may.').waitFor();
    await page.getByRole('link', { name: 'All methods' }).click();
    await page.getByLabel('Search').fill('syncwindows');
    await page.waitForSelector('.api-method:has-text("/api/v1/projects/{name}/syncwindows")');
    await page.getByLabel('Search').fill('ApplicationService_Rollback');
    const method = page.locator('.api-method:has-text("/rollback")');
    await method.locator('summary').first().click();
    const body = method.locator('.api-type').first();
    await body.locator('summary').first().click();
    await body.getByText('dryRun').waitFor();
    assert.deepEqual(await web.barriers(), []);
  });

  const all = [
    'repos',
    'clusters',
    'projects',
    'projects/payments',
    'projects/payments?tab=roles',
    'projects/payments?tab=windows',
    'projects/payments?tab=allowed',
    'accounts',
    'certs',
    'gpgkeys',
    'plugins',
    'appearance',
  ];
  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const)
    test(`fits into ${width} pixels, without barriers`, async () => {
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      for (const path of all) {
        await page.goto(`${world.url}/settings/${path}`);
        await page.waitForSelector('h2');
        await page.waitForLoadState('networkidle');
        assert.equal(await page.evaluate<number>(overflowScript), 0, path);
        assert.deepEqual(await web.barriers(), [], path);
      }
    });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
