import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { GitRepositories } from '@tiphys/git';
import { TestRepository } from '@tiphys/git/testing';
import { systemClock } from '@tiphys/kubernetes';
import { partByChange } from './part-by-change.ts';

const folder = mkdtempSync(join(tmpdir(), 'part-by-change-'));
const git = new GitRepositories({ cacheDir: join(folder, 'cache'), clock: systemClock, localRepositories: 'any' });
after(async () => {
  await git.close();
  rmSync(folder, { recursive: true, force: true });
});

const candidate = (key: string, rendered: string | undefined, path: string, targetRevision = 'main') => ({
  key,
  rendered,
  source: { repoURL: '', path, targetRevision },
});

test('only applications whose path the commit touches have work to do', async () => {
  const repository = new TestRepository(join(folder, 'repository'));
  const before = repository.commit({ 'a/x.yaml': 'one', 'ab/x.yaml': 'one', 'b/x.yaml': 'one' });
  repository.commit({ 'a/x.yaml': 'two' });
  const { touched, others } = await partByChange(git, { url: repository.path }, [
    candidate('a', before, './a/'),
    candidate('ab', before, 'ab'),
    candidate('b', before, 'b'),
    candidate('file', before, 'a/x.yaml'),
    candidate('top', before, '.'),
    candidate('new', undefined, 'b'),
    candidate('several', before, 'b'),
    candidate('several', before, 'a'),
    candidate('lost', before, 'b', 'no-such-branch'),
  ]);
  assert.deepEqual(touched, ['a', 'file', 'top', 'new', 'several', 'lost']);
  assert.deepEqual(others, ['ab', 'b']);
});

for (const [rules, concerned] of [
  ['a/.gitattributes', ['a']],
  ['.gitattributes', ['a', 'ab', 'c']],
] as const)
  test(`rules of ${rules} concern the folders below it`, async () => {
    const repository = new TestRepository(join(folder, `rules-${concerned.length}`));
    const before = repository.commit({ 'a/b/x.yaml': 'one', 'ab/x.yaml': 'one', 'c/x.yaml': 'one' });
    repository.commit({ [rules]: '*.yaml eol=crlf' });
    const candidates = [candidate('a', before, 'a/b'), candidate('ab', before, 'ab'), candidate('c', before, 'c')];
    assert.deepEqual((await partByChange(git, { url: repository.path }, candidates)).touched, concerned);
  });
