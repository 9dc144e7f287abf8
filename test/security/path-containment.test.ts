import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories } from '@tiphys/git';
import { TestRepository } from '../e2e/support/repository.ts';

describe('Repositories of this machine', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-contained-'));
  const named = join(folder, 'named');
  const data = join(named, 'data');
  const inside = join(named, 'shop');
  const outside = new TestRepository({ 'a.yaml': 'secret: MARKER' });
  let git: GitRepositories;
  before(() => {
    mkdirSync(named);
    const shop = new TestRepository({ 'a.yaml': 'kind: ConfigMap' });
    cpSync(shop.url, inside, { recursive: true });
    shop.remove();
    git = new GitRepositories({
      cacheDir: join(data, 'git'),
      localRepositories: { below: [named], except: [data] },
    });
  });
  after(async () => {
    await git.close();
    outside.remove();
    rmSync(folder, { recursive: true, force: true });
  });

  const refused = async (url: string, repositories = git) => {
    const error = await repositories.resolve({ url }, 'HEAD').then(
      () => undefined,
      (failed: unknown) => failed,
    );
    assert.ok(error instanceof DiagnosisError, `${url} was read`);
    assert.equal(error.diagnosis.code, 'InvalidRepositoryUrl', url);
    assert.match(JSON.stringify(error.diagnosis.remedies), /--local-repositories/);
    return error.diagnosis.message;
  };

  test('are read below a named folder', async () => {
    for (const url of [inside, `${inside}/.git`, `file://${inside}`])
      assert.match((await git.resolve({ url }, 'HEAD')).commit, /^[0-9a-f]{40}$/);
  });

  test('are refused elsewhere, and nobody learns whether there is anything', async () => {
    const told = [outside.url, `${outside.url}-none`, '/etc', `${inside}/../../..${outside.url}`].map((url) =>
      refused(url),
    );
    const words = (await Promise.all(told)).map((message) => message.replace(/\/\S+/, 'PATH'));
    assert.equal(new Set(words).size, 1);
  });

  test('are refused however the path is spelled', async () => {
    for (const url of [`/proc/self/root${outside.url}`, `file:///proc/self/root${inside}`, `/proc/self/cwd`])
      await refused(url);
  });

  test('are not found by way of symbolic links, .git files, linked work trees and alternates', async () => {
    symlinkSync(outside.url, join(named, 'link'));
    mkdirSync(join(named, 'git-link'));
    symlinkSync(join(outside.url, '.git'), join(named, 'git-link', '.git'));
    mkdirSync(join(named, 'git-file'));
    writeFileSync(join(named, 'git-file', '.git'), `gitdir: ${join(outside.url, '.git')}\n`);
    outside.git('worktree', 'add', '--quiet', '--detach', join(named, 'linked'));
    execFileSync('git', ['clone', '--quiet', '--shared', outside.url, join(named, 'shared')]);
    cpSync(inside, join(named, 'objects'), { recursive: true });
    rmSync(join(named, 'objects', '.git', 'objects'), { recursive: true });
    symlinkSync(join(outside.url, '.git', 'objects'), join(named, 'objects', '.git', 'objects'));
    for (const name of ['link', 'git-link', 'git-file', 'linked', 'shared', 'objects'])
      await refused(join(named, name));
  });

  test('are never the mirrors of Tiphys, be it this process or another one', async () => {
    await git.open({ url: inside }, (await git.resolve({ url: inside }, 'HEAD')).commit);
    const mirrors = join(data, 'git', '0', 'mirrors');
    const [mirror = ''] = execFileSync('ls', [mirrors], { encoding: 'utf8' }).split('\n');
    await refused(join(mirrors, mirror));
    await refused(`/proc/self/root${join(mirrors, mirror)}`);
    symlinkSync(join(mirrors, mirror), join(named, 'mirror'));
    await refused(join(named, 'mirror'));
    const other = new GitRepositories({
      cacheDir: join(folder, 'other'),
      localRepositories: { below: [named], except: [join(folder, 'other')] },
    });
    await refused(join(mirrors, mirror), other);
    await other.close();
  });

  test('are refused by a server that was given none', async () => {
    const none = new GitRepositories({ cacheDir: join(folder, 'none') });
    assert.match(await refused(inside, none), /may read none/);
    await none.close();
  });

  test('may keep their objects elsewhere where they are named themselves', async () => {
    const linked = join(folder, 'named-worktree');
    outside.git('worktree', 'add', '--quiet', '--detach', linked);
    const own = new GitRepositories({ cacheDir: join(folder, 'own'), localRepositories: { below: [linked] } });
    const { commit } = await own.resolve({ url: linked }, 'HEAD');
    assert.equal(String(await (await own.open({ url: linked }, commit)).read('a.yaml')), 'secret: MARKER');
    await own.close();
  });
});
