import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';
import { noBrowser, WebPage } from './web-page.ts';

const longName = 'production-europe-west-1-with-a-name-that-goes-on-for-as-long-as-names-may';

// Scripts for the browser, as texts: its globals are none of ours.
const overflowScript = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
const namelessScript = `[...document.querySelectorAll('button, a[href], input')]
  .filter((element) => element.checkVisibility())
  .filter((element) => {
    const named = element.getAttribute('aria-label') ?? element.getAttribute('aria-labelledby') ?? element.textContent;
    return !named?.trim() && !element.labels?.length;
  })
  .map((element) => element.outerHTML.slice(0, 200))`;

describe('every page of the web page', { skip: noBrowser }, () => {
  let world: World;
  let web: WebPage;
  before(async () => {
    world = await World.start({ web: true });
    const targetNamespace = await world.targetNamespace();
    const repository = world.repository({ 'a.yaml': configMap(longName, '1') });
    await world.createApplication('web-pages', repository, { targetNamespace, syncPolicy: { automated: {} } });
    await world.healthy('web-pages');
    const secret = (name: string, type: string, data: Record<string, string>) =>
      world.client.create({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace: world.namespace, labels: { 'argocd.argoproj.io/secret-type': type } },
        data: Object.fromEntries(
          Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
        ),
      });
    await secret('near', 'repository', { type: 'git', url: repository.url });
    await secret('far', 'repository', { type: 'git', url: `http://127.0.0.1:1/an/organisation/${longName}.git` });
    const project = {
      metadata: { name: 'payments' },
      spec: {
        description: 'Money',
        sourceRepos: [`https://git.example.com/${longName}/*`],
        destinations: [{ name: longName, namespace: 'payments' }],
        sourceNamespaces: ['team-pay'],
      },
    };
    await world.rest('POST', '/api/v1/projects', { project });
    const set = {
      metadata: { name: 'web-set' },
      spec: {
        generators: [{ list: { elements: [{ name: longName }] } }],
        template: {
          metadata: { name: 'x-{{name}}' },
          spec: {
            project: 'default',
            source: { repoURL: repository.url, path: '.' },
            destination: { server: 'https://kubernetes.default.svc', namespace: targetNamespace },
          },
        },
      },
    };
    await world.rest('POST', '/api/v1/applicationsets', set);
    await world.waitForApplication(`x-${longName}`, 'made by the set', () => true);
    web = await WebPage.open(world);
  });
  after(async () => {
    await web?.close();
    await world?.close();
  });

  /** A page's path, and what is there as soon as it has its data. */
  const pages = (): [path: string, shown: string][] => [
    ['applications', '.tile'],
    ['applications?view=list', '.rows .app-name'],
    ['applications?view=summary', '.chart'],
    ['applicationsets', 'text=web-set'],
    [`applicationsets/${world.namespace}/web-set`, 'text=elements[0]'],
    [`applicationsets/${world.namespace}/web-set/preview`, 'text=no change'],
    [`applications/${world.namespace}/web-pages`, `text=/${longName.slice(0, 20)}/`],
    [`applications/${world.namespace}/web-pages/diff`, 'text=/are the same/'],
    [`applications/${world.namespace}/web-pages/events`, 'td'],
    [`applications/${world.namespace}/web-pages/history`, 'text="#0"'],
    [`applications/${world.namespace}/web-pages/renders`, 'dt:text-is("Inputs")'],
    ['resources', '.kind-name'],
    ['resources?health=Degraded&kind=Widget', 'text="Nothing matches the filter."'],
    ['resources?kind=Widget&kind=ConfigMap', '.kind-name'],
    ['diagnoses', 'dt'],
    ['diagnoses/NotPermitted', 'text=/A rule of the project does not permit/'],
    ['rollouts', 'h2:text-is("Rollouts")'],
    ['workflows', 'h2:text-is("Workflows")'],
    ['settings/projects', 'text="team-pay"'],
    ['settings/clusters', 'text="in-cluster"'],
    ['settings/repos', 'text=/the connection was refused/'],
  ];

  /** What can be used and has no name for those who do not see it. */
  const nameless = () => web.page.evaluate<string[]>(namelessScript);

  test('the login page has names for all that it asks for', async () => {
    await web.page.goto(world.url);
    await web.page.waitForSelector('input[type=password]');
    assert.deepEqual(await nameless(), []);
    await web.logIn();
  });

  for (const [width, colorScheme] of [
    [1280, 'light'],
    [390, 'dark'],
  ] as const)
    test(`fits into ${width} pixels, and everything has a name`, async () => {
      await web.page.setViewportSize({ width, height: 800 });
      await web.page.emulateMedia({ colorScheme });
      for (const [path, shown] of pages()) {
        await web.page.goto(`${world.url}/${path}`);
        await web.page.waitForSelector(shown);
        const over = await web.page.evaluate<number>(overflowScript);
        assert.equal(over, 0, `${path} is ${over} pixels too wide`);
        assert.deepEqual(await nameless(), [], path);
        assert.deepEqual(await web.barriers(), [], path);
      }
    });

  test('a repository that cannot be reached is told with the replica, the cause, and the last checks', async () => {
    await web.page.setViewportSize({ width: 1280, height: 800 });
    await web.page.goto(`${world.url}/settings/repos`);
    const row = web.page.locator('tr:has-text("the connection was refused")');
    await row.getByRole('img', { name: /check failed|checks failed/ }).waitFor();
    assert.match((await row.textContent()) ?? '', /Failed.*R8/);
    await web.page.getByLabel('Filter').fill('nothing has this name');
    await web.page.waitForSelector('text="No repository matches the filter."');
  });

  test('resources are filtered by several values, which the address holds', async () => {
    await web.page.goto(`${world.url}/resources?kind=Widget`);
    await web.page.waitForSelector('text="Nothing matches the filter."');
    await web.page.getByRole('combobox', { name: 'Kind' }).click();
    await web.page.getByRole('option', { name: /^ConfigMap / }).click();
    await web.page.waitForSelector('.kind-name');
    assert.deepEqual(new URL(web.page.url()).searchParams.getAll('kind'), ['Widget', 'ConfigMap']);
  });

  test('keys alone open an application, an object, and close it again', async () => {
    await web.page.goto(`${world.url}/applications`);
    await web.page.focus('.tile-link:text-is("web-pages")');
    await web.page.keyboard.press('Enter');
    await web.page.waitForSelector('h2:has-text("web-pages")');
    await web.page.focus(`button.tree-node:has-text("${longName.slice(0, 12)}")`);
    await web.page.keyboard.press('Enter');
    await web.page.waitForSelector('[role=dialog] .cm-editor');
    await web.page.keyboard.press('Escape');
    await web.page.waitForSelector('[role=dialog]', { state: 'detached' });
    assert.equal(await web.page.title(), 'web-pages · Tiphys');
  });

  test('met no script error and no refusal of its own security policy', () => {
    assert.deepEqual(web.faults, []);
  });
});
