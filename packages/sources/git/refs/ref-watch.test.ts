import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { ScriptedClock } from '../../../foundation/controller/testing/index.ts';
import { GitRepositories } from '../git-repositories.ts';
import { locateRepository } from '../repository/local-repository.ts';
import { startGitServer, TestRepository } from '../testing/index.ts';
import { RefWatch } from './ref-watch.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-ref-watch-'));
after(() => rmSync(folder, { recursive: true, force: true }));

test('a local repository in which nothing moves is looked at once, and again when its refs are others', async () => {
  const origin = new TestRepository(join(folder, 'local'));
  origin.commit({ a: '1' }, 'One');
  const clock = new ScriptedClock();
  let looks = 0;
  const looked = () => looks;
  const watch = new RefWatch({
    clock,
    look: async () => void looks++,
    local: () => locateRepository(join(folder, 'local')),
    invalidate: () => undefined,
  });
  const stop = watch.add(() => undefined, 1_000);
  const interval = async () => {
    await clock.advance(1_000);
    await clock.sleeping();
  };
  await interval();
  assert.equal(looked(), 1);
  for (let intervals = 0; intervals < 5; intervals++) await interval();
  assert.equal(looked(), 1, 'nothing has moved');
  origin.commit({ a: '2' }, 'Two');
  for (let intervals = 0; intervals < 100 && looked() === 1; intervals++) await interval();
  assert.ok(looked() > 1, 'the ref has moved');
  stop();
  watch.close();
});

test('an HTTP host that git has read is asked again by one request, and by git where it does not answer plainly', async () => {
  const origin = new TestRepository(join(folder, 'shop'));
  const first = origin.commit({ a: '1' }, 'One');
  const server = await startGitServer(folder);
  const repositories = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
  const asked = async (work: () => Promise<unknown>) => {
    const before = server.requests.length;
    const outcome = await work().then(
      () => 'well',
      (error: Error) => error.message,
    );
    return { outcome, requests: server.requests.slice(before).map(({ method, url }) => `${method} ${url}`) };
  };
  const [get, post] = ['GET /shop/info/refs?service=git-upload-pack', 'POST /shop/git-upload-pack'];
  try {
    const repository = { url: `${server.url}/shop`, credentials: { username: 'anna', password: 'right' } };
    const look = () => repositories.test(repository);
    assert.deepEqual(await asked(look), { outcome: 'well', requests: [get, post] });
    assert.deepEqual(await asked(look), { outcome: 'well', requests: [get] });
    assert.equal((await repositories.resolve(repository, 'main')).commit, first);
    const second = origin.commit({ a: '2' }, 'Two');
    assert.deepEqual(await asked(look), { outcome: 'well', requests: [get] });
    assert.equal((await repositories.resolve(repository, 'main')).commit, second);
    server.behaviour.auth = { username: 'anna', password: 'another' };
    const refused = await asked(look);
    assert.match(refused.outcome, /refused the credential/);
    assert.ok(refused.requests.length > 1, 'git was asked, and its word counts');
    server.behaviour.auth = { username: 'anna', password: 'right' };
    assert.equal((await asked(look)).outcome, 'well');
    assert.deepEqual(await asked(look), { outcome: 'well', requests: [get] });
  } finally {
    await repositories.close();
    await server.close();
  }
});
