import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { after, before, test } from 'node:test';
import type { Application } from '@tiphys/api';
import { startGitServer } from '@tiphys/git/testing';
import { Informer } from '@tiphys/kubernetes';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const count = 40;

test('one webhook brings a commit to the one application that it touches, with one look at the remote', async (t) => {
  const namespace = await world.targetNamespace();
  const files = Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`apps/${index}/a.yaml`, configMap(`of-${index}`, 'one')]),
  );
  const repository = world.repository(files);
  const server = await startGitServer(dirname(repository.url));
  t.after(() => server.close());
  const repoURL = `${server.url}/${basename(repository.url)}`;
  for (let index = 0; index < count; index++)
    await world.createApplication(`pushed-${index}`, repository, {
      targetNamespace: namespace,
      source: { repoURL, path: `apps/${index}`, targetRevision: 'HEAD' },
      syncPolicy: { automated: {} },
    });
  for (let index = 0; index < count; index++) await world.healthy(`pushed-${index}`);

  const commit = repository.commit({ 'apps/7/a.yaml': configMap('of-7', 'two') });
  const looksBefore = server.requests.filter(({ url }) => url.includes('info/refs')).length;
  const response = await fetch(`${world.url}/api/webhook`, {
    method: 'POST',
    headers: { 'x-gitlab-event': 'Push Hook', 'content-type': 'application/json' },
    body: JSON.stringify({
      object_kind: 'push',
      ref: 'refs/heads/main',
      project: { web_url: repoURL, default_branch: 'main' },
      commits: [{ modified: ['apps/7/a.yaml'] }],
    }),
  });
  assert.equal(response.status, 200);
  await world.waitForApplication('pushed-7', 'the commit synced', ({ status }) => {
    const synced = status?.sync?.status === 'Synced' && status.sync.revision === commit;
    return (
      synced && status?.operationState?.phase === 'Succeeded' && status.operationState.syncResult?.revision === commit
    );
  });
  for (let index = 0; index < count; index++) {
    const { status } = await world.waitForApplication(
      `pushed-${index}`,
      'the commit noted',
      (app) => app.status?.sync?.revision === commit,
    );
    assert.equal(status?.history?.length, index === 7 ? 2 : 1);
  }
  // one for the announcement and one for the fetch
  const looks = server.requests.filter(({ url }) => url.includes('info/refs')).length - looksBefore;
  assert.ok(looks <= 2, `${looks} requests for ${count} applications`);
});

const fleet = 1_000;
/** In milliseconds; it takes seconds. */
const timeout = 300_000;

/** Applications of the world as a watch shows them, for those who wait for very many. */
async function followFleet(signal: AbortSignal) {
  const informer = new Informer<Application>(world.client, {
    ref: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: world.namespace },
  });
  informer.start(signal);
  await informer.synced;
  /** Resolves when it holds of all of the fleet. */
  return (holds: (application: Application) => boolean) =>
    new Promise<void>((resolve, reject) => {
      const waiting = new Set(Array.from({ length: fleet }, (_, index) => `fleet-${index}`));
      const note = (application: Application) => {
        if (holds(application)) waiting.delete(application.metadata.name ?? '');
        if (waiting.size === 0) resolve();
      };
      const stop = informer.subscribe(({ object }) => {
        note(object);
        if (waiting.size === 0) stop();
      });
      for (const application of informer.list()) note(application);
      AbortSignal.timeout(timeout).addEventListener('abort', () =>
        reject(
          new Error(`It does not hold of ${waiting.size} applications, such as ${[...waiting].slice(0, 5).join(', ')}`),
        ),
      );
    });
}

/** How many renders there were, by where they were found. */
async function renders(): Promise<Record<string, number>> {
  const text = await (await fetch(`${world.metrics.repositories}/metrics`)).text();
  const lines = text.matchAll(/^tiphys_renders_total\{found="(\w+)"\} (\d+)$/gm);
  return Object.fromEntries([...lines].map(([, found, count]) => [found, Number(count)]));
}

test('one webhook refreshes 1,000 applications, of which one is rendered again', async (t) => {
  const namespace = await world.targetNamespace();
  const repository = world.repository(
    Object.fromEntries(
      Array.from({ length: fleet }, (_, index) => [`apps/${index}/a.yaml`, configMap(`fleet-${index}`, 'one')]),
    ),
  );
  const server = await startGitServer(dirname(repository.url));
  t.after(() => server.close());
  const repoURL = `${server.url}/${basename(repository.url)}`;
  const end = new AbortController();
  t.after(() => end.abort());
  const everyOne = await followFleet(end.signal);
  const first = repository.git('rev-parse', 'HEAD');
  for (let begin = 0; begin < fleet; begin += 50)
    await Promise.all(
      Array.from({ length: 50 }, (_, offset) =>
        world.createApplication(`fleet-${begin + offset}`, repository, {
          targetNamespace: namespace,
          source: { repoURL, path: `apps/${begin + offset}`, targetRevision: 'HEAD' },
          ...(begin + offset === 7 ? { syncPolicy: { automated: {} } } : {}),
        }),
      ),
    );
  await everyOne(({ status }) => status?.sync?.revision === first);
  await world.healthy('fleet-7');
  const before = await renders();

  const commit = repository.commit({ 'apps/7/a.yaml': configMap('fleet-7', 'two') });
  const looksBefore = server.requests.filter(({ url }) => url.includes('info/refs')).length;
  const response = await fetch(`${world.url}/api/webhook`, {
    method: 'POST',
    headers: { 'x-github-event': 'push', 'content-type': 'application/json' },
    body: JSON.stringify({
      ref: 'refs/heads/main',
      before: first,
      after: commit,
      repository: { html_url: repoURL, default_branch: 'main' },
      commits: [{ added: [], removed: [], modified: ['apps/7/a.yaml'] }],
    }),
  });
  assert.equal(response.status, 200);
  await everyOne(({ status }) => status?.sync?.revision === commit);
  await world.waitForApplication(
    'fleet-7',
    'the commit synced',
    ({ status }) => status?.operationState?.syncResult?.revision === commit && status.sync?.status === 'Synced',
  );
  const after = await renders();
  assert.equal((after.rendered ?? 0) - (before.rendered ?? 0), 1, 'rendered again');
  assert.ok((after.memory ?? 0) - (before.memory ?? 0) >= fleet - 1, 'the others were found again');
  const looks = server.requests.filter(({ url }) => url.includes('info/refs')).length - looksBefore;
  // besides, the remote is looked at every two minutes
  assert.ok(looks < 10, `${looks} requests for ${fleet} applications`);
});
