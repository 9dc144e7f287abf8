import assert from 'node:assert/strict';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { after, before, test } from 'node:test';
import { type GitServer, startGitServer, TestRepository } from '../../../sources/git/testing/index.ts';
import { loadArtifact, openStore } from '../index.ts';
import { unpack } from '../transfer/unpack.ts';

let folder = '';
let server: GitServer;
let other: GitServer;
let commits: string[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiphys-git-artifact-'));
  const inner = new TestRepository(join(folder, 'elsewhere', 'inner'));
  inner.commit({ 'inner.txt': 'inner' });
  other = await startGitServer(join(folder, 'elsewhere'));
  const repository = new TestRepository(join(folder, 'served', 'repo'));
  commits = [repository.commit({ 'a.txt': 'one' }), repository.commit({ 'a.txt': 'two' })];
  repository.git('tag', 'v1', commits[0] ?? '');
  repository.git('checkout', '--quiet', '-b', 'side');
  repository.commit({ 'a.txt': 'side' });
  repository.git('checkout', '--quiet', '-b', 'with-submodule', 'main');
  repository.git(
    '-c',
    'protocol.file.allow=always',
    'submodule',
    '--quiet',
    'add',
    join(folder, 'elsewhere', 'inner'),
    'sub',
  );
  repository.commit({ '.gitmodules': `[submodule "sub"]\n\tpath = sub\n\turl = ${other.url}/inner\n` });
  repository.git('checkout', '--quiet', 'main');
  server = await startGitServer(join(folder, 'served'), { auth: { username: 'user', password: 'secret' } });
});
after(async () => {
  await server.close();
  await other.close();
  await rm(folder, { recursive: true, force: true });
});

const access = { secret: async ({ key }: { key: string }) => (key === 'user' ? 'user' : 'secret'), ambient: false };

async function load(git: object): Promise<string> {
  const path = join(await mkdtemp(join(folder, 'out-')), 'work');
  const usernameSecret = { name: 's', key: 'user' };
  const passwordSecret = { name: 's', key: 'password' };
  const store = await openStore(
    { git: { repo: `${server.url}/repo`, usernameSecret, passwordSecret, ...git } },
    access,
  );
  await loadArtifact({ store, path });
  return path;
}

const text = (path: string) => readFile(join(path, 'a.txt'), 'utf8');

test('a repository is checked out at its HEAD, a branch, a tag or a commit, with its .git', async () => {
  const head = await load({});
  assert.equal(await text(head), 'two');
  assert.match(await readFile(join(head, '.git', 'HEAD'), 'utf8'), /refs\/heads\/main/);
  assert.doesNotMatch(await readFile(join(head, '.git', 'config'), 'utf8'), /secret/);
  assert.equal(await text(await load({ revision: 'side' })), 'side');
  assert.equal(await text(await load({ revision: 'v1' })), 'one');
  assert.equal(await text(await load({ revision: commits[0] })), 'one');
  assert.equal(await text(await load({ singleBranch: true, branch: 'side' })), 'side');
  assert.ok(existsSync(join(await load({ depth: 1 }), '.git', 'shallow')));
});

test('a download is the checkout as an archive, without its history, and leaves nothing on the disk', async (t) => {
  const scratch = await mkdtemp(join(folder, 'scratch-'));
  const usual = process.env.TMPDIR;
  process.env.TMPDIR = scratch;
  t.after(() => {
    if (usual === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = usual;
  });
  const store = await openStore({ git: { repo: `${other.url}/inner` } }, { secret: async () => '', ambient: false });
  const archive = join(await mkdtemp(join(folder, 'download-')), 'archive.tgz');
  await pipeline(await store.read(), createWriteStream(archive));
  assert.equal((await readdir(scratch)).length, 1);
  await store.close();
  assert.deepEqual(await readdir(scratch), []);
  const path = join(folder, 'unpacked');
  await unpack(archive, 'tar', path);
  assert.deepEqual(await readdir(path), ['inner.txt']);
});

test('submodules come without the credentials of another host', async () => {
  const path = await load({ revision: 'with-submodule' });
  assert.equal(await readFile(join(path, 'sub', 'inner.txt'), 'utf8'), 'inner');
  assert.ok(other.requests.every(({ authorization }) => authorization === undefined));
  const without = await load({ revision: 'with-submodule', disableSubmodules: true });
  assert.ok(!existsSync(join(without, 'sub', 'inner.txt')));
});

test('a revision that is not there, a path of this machine, and outputs are refused', async () => {
  await assert.rejects(load({ revision: 'none' }), /RevisionNotFound|is not in the repository/);
  await assert.rejects(load({ repo: join(folder, 'served', 'repo') }), /path of this machine/);
  await assert.rejects(load({ repo: 'http://169.254.169.254/repo' }), /not connected to/);
  await assert.rejects(load({ singleBranch: true }), /no branch/);
  await assert.rejects(load({ revision: '--upload-pack=x' }), /is not in the repository/);
});
