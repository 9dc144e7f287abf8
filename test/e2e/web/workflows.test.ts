import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

const apiVersion = 'argoproj.io/v1alpha1';
// A script for the browser, as text: its globals are none of ours.
const overflowScript = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const boxesScript = "document.querySelectorAll('.flow-box').length";
const shots = process.env.TIPHYS_SCREENSHOTS;

const shell = (command: string) => ({ image: 'alpine', command: ['sh', '-c', command] });

describe('the pages of workflows', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  let space: string;

  const create = (kind: string, name: string, spec: object, metadata: object = {}) =>
    world.client.create<KubeObject>({
      apiVersion,
      kind,
      metadata: { name, namespace: space, ...metadata },
      spec,
    } as KubeObject);

  const phase = (name: string, wanted: string) =>
    world.waitFor<KubeObject & { status?: { phase?: string } }>(
      { apiVersion, kind: 'Workflow', namespace: space, name },
      `${name} to be ${wanted}`,
      (object) => object?.status?.phase === wanted,
      (object) => JSON.stringify(object?.status, undefined, 1),
    );

  const shot = async (name: string) => {
    if (shots) await web.page.screenshot({ path: `${shots}/${name}.png` });
  };

  before(async () => {
    world = await World.start({ web: true, workflows: true });
    space = await world.targetNamespace();
    const diamond = {
      entrypoint: 'main',
      arguments: { parameters: [{ name: 'who', value: 'world' }] },
      templates: [
        {
          name: 'main',
          dag: {
            tasks: [
              {
                name: 'first',
                template: 'say',
                arguments: { parameters: [{ name: 'text', value: 'hello {{workflow.parameters.who}}' }] },
              },
              {
                name: 'left',
                template: 'say',
                depends: 'first',
                arguments: { parameters: [{ name: 'text', value: 'left' }] },
              },
              { name: 'right', template: 'fail', depends: 'first' },
              {
                name: 'last',
                template: 'say',
                depends: 'left && right',
                arguments: { parameters: [{ name: 'text', value: 'never' }] },
              },
            ],
          },
        },
        {
          name: 'say',
          inputs: { parameters: [{ name: 'text' }] },
          container: shell('echo {{inputs.parameters.text}}'),
        },
        { name: 'fail', container: shell('exit 3') },
      ],
    };
    await create('Workflow', 'diamond', diamond, { labels: { team: 'sea' } });
    await create('Workflow', 'waits', {
      entrypoint: 'main',
      templates: [
        { name: 'main', steps: [[{ name: 'approve', template: 'approve' }], [{ name: 'after', template: 'after' }]] },
        { name: 'approve', suspend: {} },
        { name: 'after', container: shell('echo after') },
      ],
    });
    await create('WorkflowTemplate', 'greet', {
      entrypoint: 'main',
      arguments: { parameters: [{ name: 'tone', value: 'calm', enum: ['calm', 'loud'] }, { name: 'whom' }] },
      templates: [{ name: 'main', container: shell('echo {{workflow.parameters.tone}} {{workflow.parameters.whom}}') }],
    });
    await create('WorkflowTemplate', 'reader', {
      entrypoint: 'main',
      arguments: { artifacts: [{ name: 'letter' }] },
      templates: [
        {
          name: 'main',
          inputs: { artifacts: [{ name: 'letter', path: '/tmp/letter' }] },
          container: shell('cat {{inputs.artifacts.letter.path}}'),
        },
      ],
    });
    await create('CronWorkflow', 'nightly', {
      schedules: ['0 3 * * *'],
      timezone: 'Europe/Athens',
      workflowSpec: { entrypoint: 'main', templates: [{ name: 'main', container: shell('echo night') }] },
    });
    await phase('diamond', 'Failed');
    await phase('waits', 'Running');
    web = await WebPage.open(world);
    await web.logIn();
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  const go = (path: string) => web.page.goto(`${world.url}/${path}`);

  test('the list filters by name, phase and label', async () => {
    const { page } = web;
    await go('workflows');
    await page.waitForSelector('td:has-text("diamond")');
    await page.waitForSelector('td:has-text("waits")');
    await shot('list');
    await page.getByLabel('Labels').fill('team=sea');
    await page.waitForSelector('td:has-text("waits")', { state: 'detached' });
    await page.waitForSelector('td:has-text("diamond")');
    await go('workflows?phase=Running');
    await page.waitForSelector('td:has-text("waits")');
    assert.equal(await page.locator('td:has-text("diamond")').count(), 0);
    await go('workflows?name=iamon');
    await page.waitForSelector('td:has-text("diamond")');
    assert.equal(await page.locator('td:has-text("waits")').count(), 0);
  });

  test('a node says why it was left out, what it was given, and what it wrote', async () => {
    const { page } = web;
    await go(`workflows/${space}/diamond`);
    await page.waitForSelector('.flow-box');
    await shot('graph');
    await page.getByRole('button', { name: /^last / }).click();
    await page.waitForSelector('section[aria-label="Why"]');
    assert.match((await page.locator('section[aria-label="Why"]').textContent()) ?? '', /depends|omitted|right/i);
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^first / }).focus();
    await page.keyboard.press('Enter');
    await page.waitForSelector('.log-line:has-text("hello world")');
    await shot('drawer');
    await page.getByRole('tab', { name: 'Inputs and outputs' }).click();
    await page.waitForSelector('td:text-is("hello world")');
    assert.deepEqual(await web.barriers(), []);
  });

  test('a node tells the Events of its pod as they come', async () => {
    const { page } = web;
    const pods = await world.client.list<KubeObject>(
      { apiVersion: 'v1', kind: 'Pod', namespace: space },
      { labelSelector: 'workflows.argoproj.io/workflow=diamond' },
    );
    const pod = pods.items.find(({ metadata }) => /say/.test(metadata.name ?? ''))?.metadata.name ?? '';
    const node = pods.items.find(({ metadata }) => metadata.name === pod)?.metadata.annotations?.[
      'workflows.argoproj.io/node-name'
    ];
    const now = new Date().toISOString();
    const event = (name: string, message: string) =>
      world.client.create({
        apiVersion: 'v1',
        kind: 'Event',
        metadata: { name, namespace: space },
        involvedObject: { apiVersion: 'v1', kind: 'Pod', namespace: space, name: pod },
        type: 'Warning',
        reason: 'FailedMount',
        message,
        firstTimestamp: now,
        lastTimestamp: now,
      } as unknown as KubeObject);
    await event('diamond-before', 'the volume is not there');
    await go(`workflows/${space}/diamond`);
    await page.getByRole('button', { name: new RegExp(`^${node?.split('.').at(-1)} `) }).click();
    await page.getByRole('tab', { name: 'Events' }).click();
    await page.getByRole('cell', { name: 'the volume is not there' }).waitFor();
    await event('diamond-after', 'it came late');
    await page.getByRole('cell', { name: 'it came late' }).waitFor();
    await shot('events');
    assert.deepEqual(await web.barriers(), []);
  });

  test('a retry says what is kept and what runs again, and goes on', async () => {
    const { page } = web;
    await go(`workflows/${space}/diamond`);
    await web.button('Retry').click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('1 node that failed').waitFor();
    await dialog.getByText('2 nodes that succeeded are kept').waitFor();
    await shot('retry');
    await web.dialogButton('Retry').click();
    await page.waitForSelector('role=dialog', { state: 'detached' });
    await phase('diamond', 'Failed');
  });

  test('what waits is resumed by keys, and what is stopped fails', async () => {
    const { page } = web;
    await go(`workflows/${space}/waits?view=timeline`);
    await page.waitForSelector('.flow-row:has-text("approve")');
    await web.button('Resume').focus();
    await page.keyboard.press('Enter');
    await web.dialogButton('Resume').waitFor();
    await page.keyboard.press('Enter');
    await phase('waits', 'Succeeded');
    await page.waitForSelector('.flow-row:has-text("after")');
    await shot('timeline');
  });

  test('a template is run with a value of its list, and not without one that is wanted', async () => {
    const { page } = web;
    await go('workflows?view=workflow-templates');
    await page.getByRole('button', { name: 'Run greet' }).click();
    await page.getByText('Without a value: whom.').waitFor();
    assert.equal(await web.dialogButton('Submit').isDisabled(), true);
    await page.getByRole('combobox', { name: 'tone' }).click();
    await page.getByRole('option', { name: 'loud' }).click();
    await page.getByLabel('whom').fill('sailor');
    await shot('submit');
    await web.dialogButton('Submit').click();
    await page.waitForURL(/\/workflows\/target-[^/]+\/greet-/);
    const name = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await phase(name, 'Succeeded');
    await go(`workflows/${space}/${name}?view=logs`);
    await page.waitForSelector('.log-line:has-text("loud sailor")');
  });

  test('a file that is chosen for an artifact of a template is what its workflow reads', async () => {
    const { page } = web;
    await go('workflows?view=workflow-templates');
    await page.getByRole('button', { name: 'Run reader' }).click();
    await page.getByText('A file instead of what the template names').waitFor();
    const buffer = Buffer.from('ahoy from a file\n');
    await page.locator('input[type=file]').setInputFiles({ name: 'letter.txt', mimeType: 'text/plain', buffer });
    await shot('upload');
    await web.dialogButton('Submit').click();
    await page.waitForURL(/\/workflows\/target-[^/]+\/reader-/);
    const name = new URL(page.url()).pathname.split('/').at(-1) ?? '';
    await phase(name, 'Succeeded');
    const read = (path: string) => fetch(path).then((answer) => answer.text());
    assert.equal(
      await page.evaluate(read, `/api/tiphys/v1/flow/input-artifacts/${space}/${name}/${name}/letter`),
      'ahoy from a file\n',
    );
  });

  test('a template tells what it takes and is made of, and which workflows came of it', async () => {
    const { page } = web;
    await go('workflows?view=workflow-templates');
    await page.getByRole('button', { name: 'greet', exact: true }).click();
    const drawer = page.getByRole('dialog');
    await drawer.getByRole('cell', { name: 'must be given' }).waitFor();
    await drawer.getByRole('cell', { name: 'main (entrypoint)' }).waitFor();
    await shot('template');
    assert.deepEqual(await web.barriers(), []);
    await drawer.getByRole('tab', { name: 'YAML' }).click();
    await drawer.locator('.cm-line:has-text("kind: WorkflowTemplate")').waitFor();
    await drawer.getByRole('tab', { name: 'Workflows' }).click();
    await drawer.getByRole('link', { name: /^greet-/ }).click();
    await page.waitForURL(/\/workflows\/target-[^/]+\/greet-/);
  });

  test('a CronWorkflow is suspended, resumed and run at once', async () => {
    const { page } = web;
    await go('workflows?view=cron-workflows');
    await page.getByRole('button', { name: 'Suspend nightly' }).click();
    await page.getByRole('button', { name: 'Resume nightly' }).waitFor();
    const cron = await world.client.get<KubeObject & { spec: { suspend?: boolean } }>({
      apiVersion,
      kind: 'CronWorkflow',
      namespace: space,
      name: 'nightly',
    });
    assert.equal(cron.spec.suspend, true);
    await page.getByRole('button', { name: 'Resume nightly' }).click();
    await page.getByRole('button', { name: 'Suspend nightly' }).waitFor();
    await page.getByRole('button', { name: 'Run now nightly' }).click();
    await web.dialogButton('Submit').click();
    await page.waitForURL(/\/nightly-/);
  });

  test('5,000 nodes are placed by a worker, and only those in sight are drawn', async () => {
    const { page } = web;
    const nodes = Array.from({ length: 5000 }, (_, at) => ({
      id: `n${at}`,
      name: `node-${at}`,
      type: at === 0 ? 'DAG' : 'Pod',
      template: 't',
      phase: 'Succeeded',
      started: '2026-01-01T00:00:00Z',
      finished: '2026-01-01T00:01:00Z',
      message: '',
      parent: at === 0 ? '' : 'n0',
      children: at === 0 ? Array.from({ length: 70 }, (_, i) => `n${i + 1}`) : at + 70 < 5000 ? [`n${at + 70}`] : [],
    }));
    const body = {
      namespace: space,
      name: 'large',
      phase: 'Succeeded',
      created: '',
      progress: '5000/5000',
      started: '2026-01-01T00:00:00Z',
      finished: '2026-01-01T01:00:00Z',
      message: '',
      nodes,
      conditions: [],
      diagnoses: [],
      mayAct: true,
    };
    await page.route('**/api/tiphys/v1/workflows/*/large*', (route) => route.fulfill({ json: body }));
    await go(`workflows/${space}/large`);
    await page.waitForSelector('.flow-box');
    const drawn = await page.evaluate<number>(boxesScript);
    assert.ok(drawn > 20 && drawn < 400, `${drawn} boxes are drawn`);
    await shot('large');
    await page.evaluate("document.querySelector('.flow-graph').scrollTo(12000, 2000)");
    await page.waitForSelector('.flow-box:has-text("node-3")');
    assert.ok((await page.evaluate<number>(boxesScript)) < 400);
    await go(`workflows/${space}/large?view=timeline`);
    await page.waitForSelector('.flow-row');
    assert.ok((await page.locator('.flow-row').count()) < 80);
  });

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const)
    test(`every page fits into ${width} pixels, without barriers`, async () => {
      const { page } = web;
      await page.setViewportSize({ width, height: 800 });
      await page.emulateMedia({ colorScheme });
      const pages: [string, string][] = [
        ['workflows', 'td:has-text("diamond")'],
        ['workflows?view=workflow-templates', 'td:has-text("greet")'],
        ['workflows?view=cluster-workflow-templates', 'text=/No cluster templates/'],
        ['workflows?view=cron-workflows', 'td:has-text("nightly")'],
        ['workflows?view=workflow-event-bindings', 'text=/No event bindings/'],
        ['workflows?view=reports', 'svg[role=img]'],
        [`workflows/${space}/diamond?view=graph`, '.flow-box'],
        [`workflows/${space}/diamond?view=timeline`, '.flow-row'],
        [`workflows/${space}/diamond?view=yaml`, '.cm-editor'],
      ];
      for (const [path, shown] of pages) {
        await go(path);
        await page.waitForSelector(shown);
        assert.equal(await page.evaluate<number>(overflowScript), 0, path);
        assert.deepEqual(await web.barriers(), [], path);
        await shot(`${colorScheme}-${path.replace(/[^a-z]+/g, '-')}`);
      }
      assert.deepEqual(web.faults, []);
    });
});
