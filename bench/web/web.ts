import { existsSync } from 'node:fs';
import { loadavg } from 'node:os';
import type { TestContext } from 'node:test';
import type { TreeNode } from '@tiphys/engine';
import type { Client, KubeObject, PodLogOptions } from '@tiphys/kubernetes';
import { type CDPSession, chromium, type Page } from 'playwright-core';
import { buildWebPage, builtWebPage } from '../../packages/serve/cli/up/web-page.ts';
import type { Backend } from '../../packages/serve/server/ports/backend.ts';
import { idleBackend, startTestServer } from '../../packages/serve/server/testing/start-test-server.ts';
import { markdownTable, mebibytes } from '../table.ts';
import { measureLogs, podLog, scrollLogs } from './web-logs.ts';

const executable = process.env.TIPHYS_CHROMIUM ?? '/usr/bin/chromium';
/** Workloads of the large tree; each has a ReplicaSet and five pods. */
const workloads = 715;
const watched = { seconds: 5, changesPerSecond: 50 };

/** The web page in a browser with so many applications on the sandbox, the controllers left out. */
export async function benchWeb(applications: number): Promise<string> {
  if (!existsSync(executable)) return '## Web page\n\nno Chromium: install it or set TIPHYS_CHROMIUM';
  const closers: (() => unknown)[] = [];
  try {
    const scope = { after: (closer: () => unknown) => void closers.push(closer) } as unknown as TestContext;
    const webDir = builtWebPage() ?? (await buildWebPage(new AbortController().signal));
    const { server, client, password } = await startTestServer(scope, { webDir, backend });
    await createApplications(client, applications);
    const browser = await chromium.launch({
      executablePath: executable,
      args: ['--no-sandbox', '--disable-gpu', '--enable-precise-memory-info'],
    });
    closers.push(() => browser.close());
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    const page = await context.newPage();
    page.setDefaultTimeout(120_000);
    const rows = await measure(page, { url: server.url, password, client });
    return `## Web page with ${applications} applications, load average ${(loadavg()[0] ?? 0).toFixed(1)}\n\n${markdownTable(['what', 'measured', 'wanted'], rows)}`;
  } finally {
    for (const close of closers.reverse()) await close();
  }
}

const logged = { name: 'app-00001', pods: 4 };

/** One application has many objects, another one pods that have much to say. */
const backend: Backend = {
  ...idleBackend,
  tree: async ({ name }) => ({ nodes: name === logged.name ? pods() : largeTree(), orphaned: [], hosts: [] }),
  clusterOf: async () => ({
    server: '',
    name: '',
    client: {
      logs: (_pod: unknown, { signal }: PodLogOptions) => podLog(logged.pods, signal ?? new AbortController().signal),
    } as unknown as Client,
  }),
};

const pods = () => Array.from({ length: logged.pods }, (_, index) => treeNode('Pod', '', `web-${index}`));

interface Subject {
  url: string;
  password: string;
  client: Client;
}

const milliseconds = (value: number) => `${Math.round(value)} ms`;
const percent = (value: number) => `${value.toFixed(1)} %`;

async function measure(page: Page, { url, password, client }: Subject): Promise<string[][]> {
  const session = await measuring(page);
  await session.send('Network.enable');
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(url);
  await page.fill('input[type=password]', password);
  const login = await timed(async () => {
    await page.click('button[type=submit]');
    await page.waitForSelector('.tile-link');
  });
  const loaded = bytes;
  await page.waitForTimeout(1000);
  const filter = await inPage(page, typeScript('app-004'));
  // each from a list of all that stands, as a user meets it
  await inPage(page, typeScript(''));
  await page.waitForTimeout(1000);
  const sort = await inPage(page, goScript('?sort=-name'));
  await page.evaluate(goScript('?view=list'));
  // what drawing the list leaves to do is not idling, nor is what the page loads once ahead of its use
  await page.waitForTimeout(3000);
  const idle = await busy(session, () => page.waitForTimeout(watched.seconds * 1000));
  const changing = await busy(session, () => change(client));
  await session.send('HeapProfiler.collectGarbage');
  const { usedSize } = await session.send('Runtime.getHeapUsage');
  const elements = await page.evaluate<number>('document.querySelectorAll("*").length');
  const beforeTree = await taskSeconds(session);
  await page.evaluate(goScript('/applications/argocd/app-00000', '.panel'));
  const treeRead = await inPage(page, untilShown('.tree-node.folded'));
  const treeWork = 1000 * ((await taskSeconds(session)) - beforeTree);
  const treeOpened = await inPage(
    page,
    untilShown('.node-box').replace('const begin', 'document.querySelector(".tree-node.folded").click(); const begin'),
  );
  const frames = await pan(page);
  const { logs, drawn, scrolled } = await measureLogPage(page, url);
  return [
    ['bytes until the first tile, as sent', `${Math.round(loaded / 1000)} kB`, '< 300 kB'],
    ['log in to first tile', milliseconds(login), '< 1000 ms'],
    ['filter', milliseconds(filter), '< 100 ms'],
    ['sort', milliseconds(sort), '< 100 ms'],
    ['main thread, idle', percent(idle), '< 2 %'],
    [`main thread, ${watched.changesPerSecond} changes/s`, percent(changing), '< 10 %'],
    ['memory of scripts', mebibytes(usedSize), '< 150 MiB'],
    ['elements', String(elements), ''],
    [`tree of ${workloads * 7} objects`, milliseconds(treeRead), '< 1000 ms'],
    ['main thread for that', milliseconds(treeWork), ''],
    ['all of it opened', milliseconds(treeOpened), '< 1000 ms'],
    ['pan of that tree', `${frames.toFixed(0)} frames/s`, '60 frames/s'],
    ['page with a log of 100,000 lines', milliseconds(logs), ''],
    ['main thread for that', milliseconds(1000 * drawn), ''],
    ['scroll of that log', `${scrolled.toFixed(0)} frames/s`, '60 frames/s'],
  ];
}

/** In a page of its own, whose main thread has done nothing else. */
async function measureLogPage(beside: Page, url: string) {
  const page = await beside.context().newPage();
  const session = await measuring(page);
  const logs = await measureLogs(page, url, logged.name);
  const drawn = await taskSeconds(session);
  return { logs, drawn, scrolled: await scrollLogs(page) };
}

/** Counts processor time: what others on the machine do is not the page's. */
async function measuring(page: Page): Promise<CDPSession> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.setTimeDomain', { timeDomain: 'threadTicks' });
  await session.send('Performance.enable');
  return session;
}

async function timed(run: () => Promise<void>): Promise<number> {
  const begin = performance.now();
  await run();
  return performance.now() - begin;
}

const inPage = (page: Page, script: string) => page.evaluate<number>(script);

/** Milliseconds until the first name of the list is another one. */
const untilChanged = (act: string) => `new Promise((resolve) => {
  const first = () => document.querySelector('.tile-link, .rows .app-name a')?.textContent;
  const before = first();
  const begin = performance.now();
  const observer = new MutationObserver(() => {
    if (first() === before || first() === undefined) return;
    observer.disconnect();
    resolve(performance.now() - begin);
  });
  observer.observe(document.body, { subtree: true, childList: true, characterData: true });
  ${act}
})`;

/** Milliseconds until something is drawn. */
const untilShown = (selector: string) =>
  `new Promise((resolve) => { const begin = performance.now(); const look = () => document.querySelector(${JSON.stringify(selector)}) ? requestAnimationFrame(() => resolve(performance.now() - begin)) : requestAnimationFrame(look); look(); })`;

const typeScript = (text: string) =>
  untilChanged(`const input = document.querySelector('input[data-search]');
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value').set.call(input, ${JSON.stringify(text)});
  input.dispatchEvent(new Event('input', { bubbles: true }));`);

const goScript = (address: string, shown?: string) => {
  const go = `history.pushState(undefined, '', ${JSON.stringify(address)}); dispatchEvent(new PopStateEvent('popstate'));`;
  return shown
    ? `new Promise((resolve) => { ${go} const look = () => document.querySelector(${JSON.stringify(shown)}) ? resolve() : requestAnimationFrame(look); look(); })`
    : untilChanged(go);
};

/** Seconds of the processor that the main thread has had. */
async function taskSeconds(session: CDPSession): Promise<number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
}

/** Percent of the time that the main thread works while something goes on. */
async function busy(session: CDPSession, during: () => Promise<void>): Promise<number> {
  const read = async () => ({ tasks: await taskSeconds(session), at: performance.now() / 1000 });
  const before = await read();
  await during();
  const after = await read();
  return (100 * (after.tasks - before.tasks)) / (after.at - before.at);
}

async function change(client: Client): Promise<void> {
  const end = performance.now() + watched.seconds * 1000;
  for (let round = 0; performance.now() < end; round++) {
    const begin = performance.now();
    for (let index = 0; index < watched.changesPerSecond; index++) {
      const name = nameOf((round * watched.changesPerSecond + index) % 1000);
      await client.patch({ ...kind, namespace: 'argocd', name }, 'merge', {
        status: { health: { status: round % 2 === 0 ? 'Progressing' : 'Healthy' } },
      });
    }
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, 1000 - (performance.now() - begin))));
  }
}

/** Frames a second while the tree is dragged. */
async function pan(page: Page): Promise<number> {
  await page.evaluate('window.frames_ = 0; (function count() { window.frames_++; requestAnimationFrame(count); })()');
  const before = await page.evaluate<{ frames: number; at: number }>(
    '({ frames: window.frames_, at: performance.now() })',
  );
  // the margin above the boxes, which can be dragged
  const { x, y, width } = (await page.locator('.graph-scroller').boundingBox()) ?? { x: 0, y: 0, width: 900 };
  const from = { x: x + width - 60, y: y + 12 };
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  for (let step = 0; step < 60; step++) await page.mouse.move(from.x - step * 8, from.y - step * 8);
  await page.mouse.up();
  const after = await page.evaluate<{ frames: number; at: number }>(
    '({ frames: window.frames_, at: performance.now() })',
  );
  return (1000 * (after.frames - before.frames)) / (after.at - before.at);
}

const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' };
const nameOf = (index: number) => `app-${String(index).padStart(5, '0')}`;
const healths = ['Healthy', 'Healthy', 'Healthy', 'Healthy', 'Progressing', 'Degraded', 'Missing', 'Suspended'];

async function createApplications(client: Client, count: number): Promise<void> {
  const queue = Array.from({ length: count }, (_, index) => index);
  const worker = async () => {
    for (let index = queue.pop(); index !== undefined; index = queue.pop()) await client.create(application(index));
  };
  await Promise.all(Array.from({ length: 20 }, worker));
}

function application(index: number): KubeObject {
  return {
    ...kind,
    metadata: { name: nameOf(index), namespace: 'argocd', labels: { team: `team-${index % 40}` } },
    spec: {
      project: 'default',
      source: {
        repoURL: `https://git.example.com/team-${index % 40}/app.git`,
        path: `apps/${index}`,
        targetRevision: 'main',
      },
      destination: { server: 'https://kubernetes.default.svc', namespace: `space-${index % 200}` },
    },
    status: {
      health: { status: healths[index % healths.length] },
      sync: { status: index % 10 === 0 ? 'OutOfSync' : 'Synced', revision: 'f'.repeat(40) },
    },
  } as unknown as KubeObject;
}

interface Owner {
  readonly uid: string;
  readonly kind: string;
  readonly name: string;
}

function treeNode(kind: string, group: string, name: string, owner?: Owner): TreeNode {
  return {
    key: { group, kind, namespace: 'shop', name },
    version: 'v1',
    uid: `${kind}-${name}`,
    parents: owner ? [{ ...owner, group: 'apps', namespace: 'shop' }] : [],
    health: { status: 'Healthy' },
    info: [],
    images: [],
  } as unknown as TreeNode;
}

function largeTree(): TreeNode[] {
  return Array.from({ length: workloads }, (_, index) => index).flatMap((index) => {
    const name = `web-${index}`;
    const deployment = { uid: `Deployment-${name}`, kind: 'Deployment', name };
    const set = { uid: `ReplicaSet-${name}-1`, kind: 'ReplicaSet', name: `${name}-1` };
    return [
      treeNode('Deployment', 'apps', name),
      treeNode('ReplicaSet', 'apps', `${name}-1`, deployment),
      ...Array.from({ length: 5 }, (_, pod) => treeNode('Pod', '', `${name}-1-${pod}`, set)),
    ];
  });
}
