import assert from 'node:assert/strict';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import * as openpgp from 'openpgp';
import { GitRepositories } from '../git-repositories.ts';
import { startGitServer, TestRepository } from '../testing/index.ts';
import type { BranchWrite } from './branch-writer.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-git-write-'));
const repositories = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
const author = { name: 'Argo CD', email: 'argo-cd@example.com' };

after(async () => {
  await repositories.close();
  rmSync(folder, { recursive: true, force: true });
});

function origin(name: string): TestRepository {
  const made = new TestRepository(join(folder, name));
  made.git('config', 'http.receivepack', 'true');
  made.commit({ 'app/a.yaml': 'a: 1\n' }, 'Begin');
  return made;
}

const writing = (branch: string, files: Readonly<Record<string, string | undefined>>): BranchWrite => ({
  branch,
  author,
  change: async (tip) => {
    const differing: [string, string | undefined][] = [];
    for (const [path, text] of Object.entries(files)) {
      const there = (await tip.entry(path)) ? Buffer.from(await tip.read(path)).toString() : undefined;
      if (there !== text) differing.push([path, text]);
    }
    return differing.length > 0 ? { message: `Write ${branch}\n`, files: new Map(differing) } : undefined;
  },
});

for (const where of ['local', 'http'] as const) {
  test(`${where}: a branch is made, changed, left alone, and noted, without a work tree`, async () => {
    const remote = origin(`written-${where}`);
    const auth = { username: 'writer', password: 'secret' };
    const server = where === 'http' ? await startGitServer(folder, { auth }) : undefined;
    const repository = server
      ? { url: `${server.url}/written-http`, credentials: auth }
      : { url: join(folder, 'written-local') };
    try {
      const note = (text: string) => ({ note: { namespace: 'hydrator.metadata', text } });
      const odd = 'dir "x"/né\\w.yaml';
      const first = await repositories.writeBranch(repository, {
        ...writing('env/next', { 'out/m.yaml': 'm: 1\n', [odd]: 'o\n' }),
        base: 'env/test',
        ...note('one'),
      });
      assert.equal(first.changed, true);
      assert.equal(remote.git('rev-parse', 'env/next'), first.commit);
      assert.equal(remote.git('ls-tree', 'env/test'), '');
      assert.equal(
        remote.git('log', '--format=%s by %an', 'env/next'),
        'Write env/next by Argo CD\nInitial commit for env/test by Argo CD',
      );
      assert.equal(remote.git('show', `env/next:${odd}`), 'o');
      assert.equal(remote.git('notes', '--ref=hydrator.metadata', 'show', first.commit), 'one');
      const again = await repositories.writeBranch(repository, {
        ...writing('env/next', { 'out/m.yaml': 'm: 1\n' }),
        ...note('two'),
      });
      assert.deepEqual(again, { commit: first.commit, changed: false });
      assert.equal(remote.git('notes', '--ref=hydrator.metadata', 'show', first.commit), 'two');
      await repositories.writeBranch(repository, writing('env/next', { 'out/m.yaml': 'm: 2\n', [odd]: undefined }));
      assert.equal(remote.git('show', 'env/next:out/m.yaml'), 'm: 2');
      assert.equal(remote.git('ls-tree', '-r', '--name-only', 'env/next'), 'out/m.yaml');
    } finally {
      await server?.close();
    }
  });
}

test('writers of one branch at the same time lose nothing of one another', async () => {
  const remote = origin('contended');
  const repository = { url: join(folder, 'contended') };
  await Promise.all(
    [1, 2, 3].map((n) => repositories.writeBranch(repository, writing('out', { [`${n}.yaml`]: `${n}\n` }))),
  );
  assert.equal(remote.git('ls-tree', '--name-only', 'out'), '1.yaml\n2.yaml\n3.yaml');
});

test('a host that refuses is quoted; the checked-out branch of a local repository stays as it is, and its hooks are not run', async () => {
  const remote = origin('refusing');
  const hook = join(folder, 'refusing', '.git', 'hooks', 'pre-receive');
  mkdirSync(dirname(hook));
  const marker = join(folder, 'hook-was-run');
  writeFileSync(hook, `#!/bin/sh\ntouch ${marker}\necho "branch is protected by the owners"\nexit 1\n`, {
    mode: 0o755,
  });
  const local = { url: join(folder, 'refusing') };
  await repositories.writeBranch(local, writing('free', { a: 'a\n' }));
  assert.equal(existsSync(marker), false);
  const refusal = async (url: string, branch: string) => {
    try {
      await repositories.writeBranch({ url }, writing(branch, { b: 'b\n' }));
    } catch (error) {
      assert.ok(error instanceof DiagnosisError, String(error));
      return error.diagnosis;
    }
    throw new Error('nothing was refused');
  };
  assert.equal((await refusal(local.url, 'main')).code, 'PushRefused');
  assert.equal(remote.git('status', '--porcelain'), '');
  const server = await startGitServer(folder);
  try {
    const { code, evidence } = await refusal(`${server.url}/refusing`, 'other');
    assert.equal(code, 'PushRefused');
    assert.match(JSON.stringify(evidence), /branch is protected by the owners/);
  } finally {
    await server.close();
  }
  assert.equal((await refusal(local.url, '../up')).code, 'InvalidRepositoryUrl');
});

test('commits are signed where a key is given', async () => {
  const remote = origin('signed');
  const { privateKey, publicKey } = await openpgp.generateKey({
    type: 'ecc',
    userIDs: [author],
    passphrase: 'open',
    format: 'armored',
  });
  const repository = { url: join(folder, 'signed') };
  const { commit } = await repositories.writeBranch(repository, {
    ...writing('out', { 'a.yaml': 'é\n' }),
    signingKey: { privateKey, passphrase: 'open' },
  });
  assert.equal(remote.git('rev-parse', 'out'), commit);
  assert.equal((await repositories.verifyCommit(repository, commit, { keys: [publicKey] })).result, 'signed');
});
