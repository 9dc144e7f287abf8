import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { Application } from '@tiphys/api';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

const hook = `apiVersion: batch/v1
kind: Job
metadata:
  name: stuck
  annotations: {argocd.argoproj.io/hook: Sync}
spec:
  template:
    metadata:
      annotations: {sandbox.tiphys.dev/behavior: "run:1h"}
    spec:
      restartPolicy: Never
      containers: [{name: main, image: registry.example/app:1}]
`;

describe('the page asks for syncs, rollbacks and deletions', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  before(async () => {
    world = await World.start({ web: true });
    web = await WebPage.open(world);
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  const openSync = async () => {
    await web.button('Sync').click();
    await web.page.waitForSelector('text=What it will do');
  };
  const rowOf = (name: string) => web.page.locator(`[role=dialog] tr:has-text("${name}")`);
  const operationOf = (app: Application) => app.status?.operationState?.operation;
  const compared = (name: string) =>
    world.waitForApplication(name, 'compared', ({ status }) => (status?.resources?.length ?? 0) > 0);
  const synced = (name: string) =>
    world.waitForApplication(name, 'synced', ({ status }) => status?.operationState?.phase === 'Succeeded');

  test('the preview says what is done to each object, and the sync does it', async () => {
    const targetNamespace = await world.targetNamespace();
    const repository = world.repository({ 'a.yaml': configMap('one', '1'), 'b.yaml': configMap('two', '2') });
    await world.createApplication('web-preview', repository, { targetNamespace });
    await compared('web-preview');
    await web.application('web-preview');
    await openSync();
    assert.match((await rowOf('one').textContent()) ?? '', /created/);
    await web.page.waitForSelector('text="2 created"');
    await web.button('Synchronize').click();
    await synced('web-preview');
    repository.commit({ 'a.yaml': configMap('one', 'changed'), 'b.yaml': undefined });
    await world.waitForApplication('web-preview', 'left over', ({ status }) =>
      Boolean(status?.resources?.some(({ requiresPruning }) => requiresPruning)),
    );
    await web.page.waitForSelector('text=OutOfSync');
    await openSync();
    assert.match((await rowOf('one').textContent()) ?? '', /changed/);
    assert.match((await rowOf('two').textContent()) ?? '', /left over, stays: prune is off/);
    await web.page.getByLabel('Prune', { exact: true }).check();
    await web.page.waitForSelector('text="1 changed, 1 deleted"');
    await web.button('Synchronize').click();
    await world.waitFor(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: targetNamespace, name: 'two' },
      'deleted',
      (object) => object === undefined,
    );
  });

  test('the preview is of the revision that is asked for', async () => {
    const targetNamespace = await world.targetNamespace();
    const repository = world.repository({ 'a.yaml': configMap('one', '1') });
    repository.git('checkout', '--quiet', '-b', 'proposal');
    repository.commit({ 'a.yaml': undefined, 'b.yaml': configMap('two', '2'), 'c.yaml': configMap('three', '3') });
    repository.git('checkout', '--quiet', 'main');
    await world.createApplication('web-elsewhere', repository, { targetNamespace });
    await compared('web-elsewhere');
    await web.application('web-elsewhere');
    await openSync();
    await web.page.waitForSelector('text="1 created"');
    await web.page.getByLabel('Revision').fill('nowhere');
    await web.page.waitForSelector('[role=dialog] >> text=/nowhere/');
    await web.page.getByLabel('Revision').fill('proposal');
    await web.page.waitForSelector('text="2 created"');
    await web.page.getByLabel(/ConfigMap .*two/).uncheck();
    await web.page.waitForSelector('text="1 created"');
    await web.button('Synchronize').click();
    const app = await synced('web-elsewhere');
    assert.deepEqual(
      operationOf(app)?.sync?.resources?.map(({ name }) => name),
      ['three'],
      'an object of that revision alone can be chosen',
    );
  });

  test('every option arrives at the operation', async () => {
    const targetNamespace = await world.targetNamespace();
    const repository = world.repository({ 'a.yaml': configMap('one', '1') });
    await world.createApplication('web-options', repository, {
      targetNamespace,
      syncPolicy: { syncOptions: ['FailOnSharedResource=true', 'Validate=false'] },
    });
    await compared('web-options');
    await web.application('web-options');
    await openSync();
    const { page } = web;
    await page.getByLabel('Revision').fill('main');
    for (const name of ['Prune', 'Dry run', 'Apply only', 'Force'])
      await page.getByLabel(name, { exact: true }).check();
    await page.waitForSelector('text=/their pods, addresses and data go with them/');
    await web.button('Options · 1 on').click();
    assert.equal(await page.getByLabel('Skip schema validation').isChecked(), true, 'as the application says');
    for (const name of ['Out of sync only', 'Replace', 'Server-side apply', 'Create the namespace', 'Prune last'])
      await page.getByLabel(name, { exact: true }).check();
    await page.getByLabel('Respect ignored differences').check();
    await page.getByRole('combobox', { name: 'Propagation of deletions' }).click();
    await page.getByRole('option', { name: /^background/ }).click();
    await web.button('Retries').click();
    await page.getByLabel('Try again if it fails').check();
    await page.getByLabel('Limit').fill('4');
    await page.getByLabel('First wait').fill('soon');
    await page.waitForSelector('text=/"soon" is no duration/');
    assert.equal(await web.button('Try').isDisabled(), true);
    await page.getByLabel('First wait').fill('7s');
    await page.getByLabel('Factor').fill('3');
    await page.getByLabel('Longest wait').fill('2m');
    await page.getByLabel('Refresh', { exact: true }).check();
    await web.button('Try').click();
    const app = await world.waitForApplication('web-options', 'an operation', (it) => operationOf(it) !== undefined);
    const { sync, retry } = operationOf(app) ?? {};
    assert.deepEqual([...(sync?.syncOptions ?? [])].sort(), [
      'ApplyOutOfSyncOnly=true',
      'CreateNamespace=true',
      'FailOnSharedResource=true',
      'PruneLast=true',
      'PrunePropagationPolicy=background',
      'Replace=true',
      'RespectIgnoreDifferences=true',
      'ServerSideApply=true',
      'Validate=false',
    ]);
    assert.deepEqual([sync?.prune, sync?.dryRun, sync?.syncStrategy], [true, true, { apply: { force: true } }]);
    assert.deepEqual(retry, { limit: 4, refresh: true, backoff: { duration: '7s', factor: 3, maxDuration: '2m' } });
  });

  test('single objects, those out of sync, or none can be chosen', async () => {
    const targetNamespace = await world.targetNamespace();
    const repository = world.repository({ 'a.yaml': configMap('one', '1'), 'b.yaml': configMap('two', '2') });
    await world.createApplication('web-chosen', repository, { targetNamespace });
    await compared('web-chosen');
    await web.application('web-chosen');
    await openSync();
    const { page } = web;
    await web.button('None').click();
    await page.waitForSelector('text="Choose at least one object."');
    assert.equal(await web.button('Synchronize').isDisabled(), true);
    await page.getByRole('checkbox', { name: /ConfigMap .*two/ }).check();
    await page.waitForSelector('text=/hooks do not run, and the history gets no entry/');
    await web.button('Synchronize').click();
    const app = await synced('web-chosen');
    assert.deepEqual(
      operationOf(app)?.sync?.resources?.map(({ name }) => name),
      ['two'],
    );
    await page.waitForSelector('text=/synced/');
    await openSync();
    await web.button('Out of sync').click();
    await page.waitForSelector('text="1 created"');
    assert.match((await rowOf('two').textContent()) ?? '', /not chosen/);
    await page.keyboard.press('Escape');
    await page.waitForSelector('[role=dialog]', { state: 'detached' });
  });

  test('a refused sync is told in the panel, which stays open', async () => {
    const targetNamespace = await world.targetNamespace();
    const repository = world.repository({ 'a.yaml': configMap('one', '1') });
    await world.createApplication('web-refused', repository, { targetNamespace });
    await compared('web-refused');
    await web.application('web-refused');
    await openSync();
    await web.page.getByLabel('Revision').fill('no-such-branch');
    await web.button('Synchronize').click();
    await web.page.waitForSelector('[role=dialog] [role=alert] >> text=/no-such-branch/');
    await web.page.keyboard.press('Escape');
  });

  test('a sync that waits for ever is terminated', async () => {
    const targetNamespace = await world.targetNamespace();
    const repository = world.repository({ 'a.yaml': configMap('one', '1'), 'hook.yaml': hook });
    await world.createApplication('web-stuck', repository, { targetNamespace });
    await compared('web-stuck');
    await web.application('web-stuck');
    await openSync();
    await web.button('Synchronize').click();
    await web.button('Terminate').click();
    await world.waitForApplication('web-stuck', 'ended', ({ status }) => status?.operationState?.phase === 'Failed');
    await web.page.waitForSelector('text=/Operation terminated/');
  });

  test('a rollback turns automated sync off first, if it is told to', async () => {
    const targetNamespace = await world.targetNamespace();
    const repository = world.repository({ 'a.yaml': configMap('one', 'first') });
    await world.createApplication('web-rollback', repository, { targetNamespace, syncPolicy: { automated: {} } });
    await world.healthy('web-rollback');
    repository.commit({ 'a.yaml': configMap('one', 'second') });
    const twice = ({ status }: Application) =>
      status?.history?.length === 2 && status.operationState?.phase === 'Succeeded';
    await world.waitForApplication('web-rollback', 'deployed twice', twice);
    await web.application('web-rollback', 'history');
    const { page } = web;
    await web.button('Roll back').click();
    const confirm = web.dialogButton('Roll back');
    assert.equal(await confirm.isDisabled(), true);
    await page.getByLabel('Turn automated sync off first').check();
    await confirm.click();
    await world.waitFor(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: targetNamespace, name: 'one' },
      'what it was at first',
      (object) => (object?.data as { value?: string } | undefined)?.value === 'first',
    );
    const { spec } = await world.application('web-rollback');
    assert.equal(spec.syncPolicy?.automated?.enabled, false);
  });

  test('what a project does not permit is added to it by a button, which shows what', async () => {
    const targetNamespace = await world.targetNamespace();
    const repository = world.repository({ 'a.yaml': configMap('one', '1') });
    const project = {
      metadata: { name: 'narrow' },
      spec: { sourceRepos: ['https://git.example.com/*'], destinations: [{ server: '*', namespace: '*' }] },
    };
    await world.rest('POST', '/api/v1/projects', { project });
    await world.createApplication('web-narrow', repository, { targetNamespace, project: 'narrow' });
    await web.application('web-narrow');
    const { page } = web;
    await web.button('Allow it in project narrow').click();
    await page.getByRole('dialog').getByText(`- ${repository.url}`).waitFor();
    assert.deepEqual(await web.barriers(), []);
    await web.dialogButton('Allow it in project narrow').click();
    await compared('web-narrow');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await web.button('Allow it in project narrow').waitFor({ state: 'detached' });
  });

  test('what is deleted only when a person agrees is confirmed by a button', async () => {
    const targetNamespace = await world.targetNamespace();
    const guarded = configMap('guarded', '1', { 'argocd.argoproj.io/sync-options': 'Prune=confirm' });
    const repository = world.repository({ 'a.yaml': configMap('one', '1'), 'b.yaml': guarded });
    await world.createApplication('web-confirm', repository, { targetNamespace });
    await compared('web-confirm');
    const sync = () =>
      world.rest('POST', '/api/v1/applications/web-confirm/sync', { prune: true, appNamespace: world.namespace });
    await sync();
    await synced('web-confirm');
    repository.commit({ 'b.yaml': undefined });
    await sync();
    await web.application('web-confirm');
    await web.button('Confirm the deletion').click();
    await web.dialogButton('Confirm the deletion').click();
    await world.waitFor(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: targetNamespace, name: 'guarded' },
      'pruned',
      (object) => object === undefined,
    );
    // while the dialog closes there are two of that name
    await web.dialogButton('Confirm the deletion').waitFor({ state: 'detached' });
    await web.button('Confirm the deletion').waitFor({ state: 'detached' });
  });

  test('a deletion wants the name, and says what goes with it', async () => {
    const targetNamespace = await world.targetNamespace();
    const repository = world.repository({ 'a.yaml': configMap('one', '1') });
    await world.createApplication('web-delete', repository, { targetNamespace, syncPolicy: { automated: {} } });
    await world.healthy('web-delete');
    await web.application('web-delete');
    const { page } = web;
    await web.button('Delete').click();
    await page.waitForSelector('text=/1 object and all that belongs to them are deleted/');
    await page.getByLabel('Non-cascading').check();
    await page.waitForSelector('text="1 object stays in the cluster."');
    await page.getByLabel('Type web-delete to confirm').fill('web-delet');
    const confirm = web.dialogButton('Delete');
    assert.equal(await confirm.isDisabled(), true);
    await page.getByLabel('Type web-delete to confirm').fill('web-delete');
    await confirm.click();
    await world.waitFor(world.applicationRef('web-delete'), 'deleted', (object) => object === undefined);
    await page.waitForSelector('h2:has-text("Applications")');
    const left = await world.client.find({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      namespace: targetNamespace,
      name: 'one',
    });
    assert.ok(left, 'the object stays');
  });

  test('a hard refresh renders anew, and the page tells', async () => {
    await web.application('web-chosen');
    await web.page.click('role=tab[name="Renders"]');
    await web.page.waitForSelector('dt:text-is("Inputs")');
    await web.button('Refresh').click();
    await web.page.getByRole('menuitem', { name: /^Hard refresh/ }).click();
    await web.page.waitForSelector('text=/a hard refresh was asked for/');
  });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
