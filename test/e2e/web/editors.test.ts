import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { eventsDefinitions } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import { systemClock } from '@tiphys/kubernetes';
import type { Page } from 'playwright-core';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

describe('objects of the other families are edited on their pages, by the schema of the cluster', {
  skip: noBrowser,
}, () => {
  let world: World;
  let web: WebPage;
  let page: Page;
  let namespace: string;
  before(async () => {
    world = await World.start({ web: true, workflows: true });
    await ensureDefinitions(world.client, eventsDefinitions(), systemClock);
    namespace = await world.targetNamespace();
    web = await WebPage.open(world);
    page = web.page;
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  const ref = (kind: string, name: string) => ({ apiVersion: 'argoproj.io/v1alpha1', kind, namespace, name });
  const object = (kind: string, name: string, spec: object) =>
    world.client.create({ ...ref(kind, name), metadata: { name, namespace }, spec } as never);
  const write = async (label: string, text: string) => {
    await page.getByLabel(label).click();
    await page.keyboard.press('Control+A');
    await page.keyboard.insertText(text);
  };
  const template = (args: string) => `apiVersion: argoproj.io/v1alpha1
kind: WorkflowTemplate
metadata: {name: greet, namespace: ${namespace}}
spec:
  entrypoint: main
  templates: [{name: main, container: {image: alpine, args: ["${args}"]}}]
`;

  test('a template is created, changed and deleted; what is no field of it is marked', async () => {
    await page.goto(`${world.url}/workflows?view=workflow-templates&namespace=${namespace}`);
    await page.getByRole('button', { name: 'New WorkflowTemplate' }).press('Enter');
    await write('WorkflowTemplate as YAML', `${template('one')}  entrypont: x\n`);
    await page.locator('.cm-lintRange-error:has-text("entrypont")').waitFor();
    assert.deepEqual(await web.barriers(), []);
    await write('WorkflowTemplate as YAML', template('one'));
    await web.dialogButton('Create').click();
    await page.getByRole('button', { name: 'greet', exact: true }).click();
    await page.getByRole('tab', { name: 'Edit' }).click();
    await write('WorkflowTemplate as YAML', template('two'));
    await web.dialogButton('Save').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const stored = await world.client.get(ref('WorkflowTemplate', 'greet'));
    assert.match(JSON.stringify(stored), /"args":\["two"\]/);
    await page.getByRole('button', { name: 'greet', exact: true }).click();
    await page.getByRole('tab', { name: 'Edit' }).click();
    await web.dialogButton('Delete').click();
    await page.getByRole('dialog', { name: 'Delete greet?' }).getByRole('button', { name: 'Delete' }).click();
    await page.getByText('No templates yet.').waitFor();
    assert.equal(await world.client.find(ref('WorkflowTemplate', 'greet')), undefined);
  });

  test('a mistake of a workflow that is submitted is told where it is written', async () => {
    await page.goto(`${world.url}/workflows`);
    await page.getByRole('button', { name: 'Submit a workflow' }).click();
    await write(
      'Workflow as YAML',
      template('x').replace('WorkflowTemplate', 'Workflow').replace('entrypoint: main', 'entrypoint: none'),
    );
    await web.dialogButton('Submit').click();
    await page.getByRole('alert').getByText(/none/).waitFor();
  });

  test('a sensor is changed', async () => {
    const trigger = { template: { name: 'say', log: {} } };
    await object('Sensor', 'hears', {
      dependencies: [{ name: 'a', eventSourceName: 's', eventName: 'e' }],
      triggers: [trigger],
    });
    await page.goto(`${world.url}/events`);
    await page.getByRole('button', { name: 'hears', exact: true }).click();
    const yaml = page.getByLabel('Sensor as YAML');
    await yaml.getByText('eventName').waitFor();
    await yaml.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('  replicas: 2\n');
    await web.dialogButton('Save').click();
    await page.getByRole('dialog').waitFor({ state: 'hidden' });
    const { spec } = (await world.client.get(ref('Sensor', 'hears'))) as unknown as { spec: { replicas?: number } };
    assert.equal(spec.replicas, 2);
  });

  test('an application set is changed', async () => {
    const source = { repoURL: 'https://example.com/none.git', path: '.', targetRevision: 'HEAD' };
    await world.client.create({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'ApplicationSet',
      metadata: { name: 'edited', namespace: world.namespace },
      spec: {
        generators: [{ list: { elements: [] } }],
        template: { metadata: { name: 'x' }, spec: { project: 'default', source, destination: {} } },
      },
    } as never);
    await page.goto(`${world.url}/applicationsets/${world.namespace}/edited/edit`);
    const yaml = page.getByLabel('ApplicationSet as YAML');
    await yaml.getByText('generators').waitFor();
    await yaml.click();
    await page.keyboard.press('Control+End');
    await page.keyboard.insertText('  goTemplate: true\n');
    await web.button('Save').click();
    await page.getByRole('tab', { name: 'Applications', selected: true }).waitFor();
    const set = await world.client.get({ ...ref('ApplicationSet', 'edited'), namespace: world.namespace });
    assert.equal((set as unknown as { spec: { goTemplate?: boolean } }).spec.goTemplate, true);
  });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
