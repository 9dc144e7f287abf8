import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { configMap, deployment } from '../support/manifests.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

const shell = `apiVersion: v1
kind: Pod
metadata: {name: shell}
spec:
  containers:
  - {name: main, image: local, command: [sleep, "100000"]}
  - {name: side, image: local, command: [sh, -c, "printf 'this is \\\\033[31mthe side\\\\033[0m\\\\n'; sleep 100000"]}
`;

const tint = `discovery.lua: |
  actions = {}
  actions["tint"] = {["params"] = {{["name"] = "colour"}}}
  actions["bleach"] = {["disabled"] = true}
  return actions
definitions:
- name: tint
  action.lua: |
    if actionParams["colour"] == "none" then error("none is no colour") end
    obj.data.value = actionParams["colour"]
    return obj
- name: bleach
  action.lua: return obj
`;

describe('the page does things to objects', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  let namespace: string;
  before(async () => {
    world = await World.start({ web: true, processes: true });
    namespace = await world.targetNamespace();
    await configure({ 'resource.customizations.actions.ConfigMap': tint, 'exec.shells': 'sh' });
    const repository = world.repository({
      'a.yaml': configMap('paint', 'white'),
      'b.yaml': deployment('web'),
      'c.yaml': shell,
    });
    await world.createApplication('web-objects', repository, {
      targetNamespace: namespace,
      syncPolicy: { automated: {} },
    });
    await world.healthy('web-objects');
    web = await WebPage.open(world);
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  const configure = (data: Readonly<Record<string, string>>) =>
    world.client.patch(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace: world.namespace, name: 'argocd-cm' },
      'merge',
      { data },
    );
  const open = async (kind: string, name: string) => {
    await web.application('web-objects');
    await web.object(kind, name);
  };
  const action = async (name: string) => {
    await web.button('Actions').click();
    return web.page.getByRole('menuitem', { name });
  };

  test('an action runs after it was confirmed', async () => {
    await open('Deployment', 'web');
    await (await action('restart')).click();
    await web.dialogButton('Run').click();
    await web.page.waitForSelector('[role=status]:has-text("restart: done")');
    await world.waitFor({ apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' }, 'restarted', (object) =>
      JSON.stringify(object).includes('restartedAt'),
    );
  });

  test('an action asks for its parameters, which begin with what the object has', async () => {
    await open('Deployment', 'web');
    await (await action('scale')).click();
    const field = web.page.getByLabel('replicas');
    assert.equal(await field.inputValue(), '1');
    await field.fill('2');
    await web.page.keyboard.press('Enter');
    await world.waitFor<import('@tiphys/kubernetes').KubeObject & { spec: { replicas?: number } }>(
      { apiVersion: 'apps/v1', kind: 'Deployment', namespace, name: 'web' },
      'scaled',
      (object) => object?.spec.replicas === 2,
    );
  });

  test('custom actions are there too; one that is off cannot be chosen, and one that fails says why', async () => {
    await open('ConfigMap', 'paint');
    const off = await action('bleach');
    assert.equal(await off.isDisabled(), true);
    await web.page.getByRole('menuitem', { name: 'tint' }).click();
    await web.page.getByRole('textbox', { name: 'colour' }).fill('none');
    await web.dialogButton('Run').click();
    await web.page.waitForSelector('[role=alert] >> text=/none is no colour/');
    await web.page.getByRole('textbox', { name: 'colour' }).fill('red');
    await web.dialogButton('Run').click();
    await world.waitFor(
      { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'paint' },
      'red',
      (object) => (object?.data as { value?: string } | undefined)?.value === 'red',
    );
  });

  test('an object is deleted after it was said how', async () => {
    const pods = (await world.client.list({ apiVersion: 'v1', kind: 'Pod', namespace }, { labelSelector: 'app=web' }))
      .items;
    const name = pods[0]?.metadata.name as string;
    await open('Pod', name);
    await (await action('Delete …')).click();
    await web.page.waitForSelector('text=/It goes at once/');
    await web.dialogButton('Force').click();
    await world.waitFor(
      { apiVersion: 'v1', kind: 'Pod', namespace, name },
      'deleted',
      (object) => object === undefined,
    );
  });

  test('logs are of the container that was chosen', async (t) => {
    if (world.cluster.kind !== 'sandbox') return t.skip('containers are processes in the sandbox alone');
    await open('Pod', 'shell');
    const drawer = web.page.getByRole('dialog');
    await drawer.getByRole('tab', { name: 'Logs' }).click();
    await web.page.getByRole('combobox', { name: 'Container' }).click();
    await web.page.getByRole('option', { name: 'side' }).click();
    await web.page.waitForSelector('.log-line:has-text("this is the side")');
    assert.equal(await web.page.locator('.log-part[data-colour=red]').first().textContent(), 'the side');
    await drawer.getByLabel('Search in the log').fill('!the side');
    // what is looked for is in the address
    assert.equal(new URL(web.page.url()).searchParams.get('logText'), '!the side');
    await web.page.waitForSelector('.log-line:has-text("this is the side")', { state: 'detached' });
    await drawer.getByLabel('Search in the log').fill('THE SIDE');
    await web.page.waitForSelector('.log-line:has-text("this is the side")');
    await drawer.getByRole('tab', { name: 'Fields' }).click();
    await drawer.getByRole('cell', { name: 'spec.containers[name=side].image' }).first().waitFor();
    assert.deepEqual(await web.barriers(), []);
    return undefined;
  });

  test('there is no terminal unless the settings allow it; then it says what is wrong, or is a shell', async () => {
    await open('Pod', 'shell');
    assert.equal(await web.page.getByRole('tab', { name: 'Terminal' }).count(), 0);
    await configure({ 'exec.enabled': 'true' });
    await open('Pod', 'shell');
    await web.page.getByRole('tab', { name: 'Terminal' }).click();
    if (world.cluster.kind !== 'sandbox') {
      await web.page.waitForSelector('[role=status]:has-text("The shell has ended.")');
      return;
    }
    await web.page.waitForSelector('[role=status]:has-text("Connected")');
    await web.page.keyboard.type('echo the answer is $((6 * 7))\n');
    await web.page.waitForSelector('.terminal >> text=/the answer is 42/');
    await web.page.keyboard.type('exit\n');
    await web.page.waitForSelector('[role=status]:has-text("The shell has ended.")');
    await configure({ 'exec.enabled': 'false' });
    await web.button('Open again').click();
    await web.page.waitForSelector('[role=status]:has-text("The web terminal is off")');
  });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
