import assert from 'node:assert/strict';
import { basename, dirname } from 'node:path';
import { after, before, test } from 'node:test';
import { startGitServer } from '@tiphys/git/testing';
import { configMap } from './manifests.ts';
import { World } from './world.ts';

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
