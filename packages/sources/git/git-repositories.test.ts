import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { GitRepositories } from './git-repositories.ts';
import { startGitServer, TestRepository } from './testing/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-git-'));
const repositories = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
const origin = new TestRepository(join(folder, 'shop'));
const first = origin.commit({ 'apps/web/deployment.yaml': 'kind: Deployment\n', 'README.md': 'x' }, 'Start');
origin.git('tag', '-a', 'v1.0.0', '-m', 'One');
const second = origin.commit({ 'apps/web/deployment.yaml': 'kind: Deployment\nspec: {}\n' }, 'Second\n\nWith a body');
origin.git('tag', 'v1.2.3');
origin.git('branch', 'release');

after(async () => {
  await repositories.close();
  rmSync(folder, { recursive: true, force: true });
});

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const item of items) all.push(item);
  return all;
}

for (const where of ['local', 'http'] as const) {
  test(`${where}: revisions resolve, files and metadata are read`, async () => {
    const server = where === 'http' ? await startGitServer(folder) : undefined;
    const repository = { url: server ? `${server.url}/shop` : join(folder, 'shop') };
    try {
      for (const [revision, commit, ref] of [
        ['', second, 'refs/heads/main'],
        ['HEAD', second, 'refs/heads/main'],
        ['main', second, 'refs/heads/main'],
        ['v1.0.0', first, 'refs/tags/v1.0.0'],
        ['refs/tags/v1.0.0', first, 'refs/tags/v1.0.0'],
        ['v1.0.*', first, 'refs/tags/v1.0.0'],
        ['>=1.0.0 <2', second, 'refs/tags/v1.2.3'],
        ['refs/heads/release', second, 'refs/heads/release'],
      ] as const) {
        assert.deepEqual(await repositories.resolve(repository, revision), { commit, ref }, revision);
      }
      assert.deepEqual(await repositories.resolve(repository, first), { commit: first });
      assert.deepEqual(await repositories.resolve(repository, first.slice(0, 8)), { commit: first });

      const tree = await repositories.open(repository, first);
      const paths = (await collect(tree.list('', { recursive: true }))).map(({ path, kind }) => `${kind} ${path}`);
      assert.deepEqual(paths, ['file README.md', 'folder apps', 'folder apps/web', 'file apps/web/deployment.yaml']);
      assert.equal(Buffer.from(await tree.read('apps/web/deployment.yaml')).toString(), 'kind: Deployment\n');

      const info = await repositories.commitInfo(repository, second);
      assert.equal(info.message, 'Second\n\nWith a body\n');
      assert.equal(info.author.name, 'Test Author');
      assert.deepEqual([info.parents, info.tags, info.signature], [[first], ['v1.2.3'], 'unsigned']);
      assert.deepEqual(
        (await repositories.diff(repository, first, second)).map(({ path }) => path),
        ['apps/web/deployment.yaml'],
      );
    } finally {
      await server?.close();
    }
  });
}
