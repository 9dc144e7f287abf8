import assert from 'node:assert/strict';
import { test } from 'node:test';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

test('what an application delivers is shown, and then committed to the sources of another', {
  skip: noBrowser,
}, async (t) => {
  const world = await World.start({ web: true });
  t.after(() => world.close());
  const targetNamespace = await world.targetNamespace();
  const repository = world.repository({ 'app/a.yaml': configMap('settings', 'old') });
  repository.git('branch', 'production');
  const tip = repository.commit({ 'app/a.yaml': configMap('settings', 'new') });
  for (const [name, targetRevision] of [
    ['staging', 'main'],
    ['production', 'production'],
  ] as const)
    await world.createApplication(name, repository, {
      source: { repoURL: repository.url, path: 'app', targetRevision },
      targetNamespace,
    });
  const web = await WebPage.open(world);
  t.after(() => web.close());
  const { page } = web;
  await web.logIn();
  await web.application('staging');
  await page.getByRole('button', { name: 'Promote' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('To application').fill('no-such');
  await page.keyboard.press('Enter');
  await dialog.getByText(/not found, or not permitted/).waitFor();
  await dialog.getByLabel('To application').fill('production');
  await page.keyboard.press('Enter');
  await dialog.getByText('change app/a.yaml').waitFor();
  await dialog.getByText(/value: new/).waitFor();
  assert.deepEqual(await web.barriers(), []);
  await dialog.getByLabel('As a pull request').uncheck();
  await web.dialogButton('Commit to production').click();
  await dialog.getByText(/^Commit [0-9a-f]{12} was pushed to production/).waitFor();
  assert.equal(repository.git('diff', 'production', tip, '--', 'app'), '');
  assert.deepEqual(web.faults, []);
});
