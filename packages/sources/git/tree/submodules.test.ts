import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories } from '../git-repositories.ts';
import type { Repository } from '../repository/credentials.ts';
import { startGitServer, TestRepository } from '../testing/index.ts';
import { parseGitModules, submoduleUrl } from './git-modules.ts';
import type { GitTree } from './git-tree.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-submodules-'));
const git = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
const closing: (() => unknown)[] = [];

after(async () => {
  await git.close();
  for (const close of closing) await close();
  rmSync(folder, { recursive: true, force: true });
});

/** A repository with entries for submodules, as `git submodule add` leaves them. */
function withModules(
  name: string,
  files: Record<string, string>,
  modules: Record<string, [url: string, commit: string]>,
) {
  const repository = new TestRepository(join(folder, name));
  const text = Object.entries(modules).map(
    ([path, [url]]) => `[submodule "${path}"]\n\tpath = ${path}\n\turl = ${url}\n`,
  );
  for (const [path, content] of Object.entries({ ...files, '.gitmodules': text.join('') })) {
    mkdirSync(join(repository.path, path, '..'), { recursive: true });
    writeFileSync(join(repository.path, path), content);
  }
  repository.git('add', '--all');
  for (const [path, [, commit]] of Object.entries(modules))
    repository.git('update-index', '--add', '--cacheinfo', `160000,${commit},${path}`);
  repository.git('commit', '--quiet', '--message', 'Change');
  return { repository, commit: repository.git('rev-parse', 'HEAD') };
}

const listed = async (tree: GitTree, path = '') => {
  const found: string[] = [];
  for await (const entry of tree.list(path, { recursive: true })) found.push(`${entry.kind} ${entry.path}`);
  return found;
};
const textAt = async (tree: GitTree, path: string) => Buffer.from(await tree.read(path)).toString('utf8');

async function refusalOf(promise: Promise<unknown>) {
  const error = await promise.then(
    () => assert.fail('it could be read'),
    (caught: unknown) => caught,
  );
  assert.ok(error instanceof DiagnosisError, String(error));
  return error.diagnosis;
}

const inner = new TestRepository(join(folder, 'inner'));
const innerCommit = inner.commit({ 'deep.yaml': 'deep\n', 'up.yaml': { link: '../../../top.yaml' } });
const middle = withModules('middle', { 'm.yaml': 'middle\n' }, { 'vendor/inner': ['../inner', innerCommit] });
const outer = withModules(
  'outer',
  { 'top.yaml': 'top\n', 'apps/a.yaml': 'a\n' },
  { 'apps/middle': ['../middle', middle.commit] },
);

test('submodules are folders: listed, read, links within the whole, nested ones by relative URLs', async () => {
  const asked: string[] = [];
  const seen = new Map<string, string | undefined>();
  const opened = await git.open({ url: outer.repository.path }, outer.commit, {
    submodules: (url) => {
      asked.push(url);
      return { url };
    },
  });
  const tree = opened.observedBy((path, oid) => seen.set(path, oid));
  assert.equal(await textAt(tree, 'apps/a.yaml'), 'a\n');
  assert.deepEqual(asked, [], 'nothing is fetched that nobody reads');
  assert.deepEqual(await listed(tree, 'apps'), [
    'file apps/a.yaml',
    'folder apps/middle',
    'file apps/middle/.gitmodules',
    'file apps/middle/m.yaml',
    'folder apps/middle/vendor',
    'folder apps/middle/vendor/inner',
    'file apps/middle/vendor/inner/deep.yaml',
    'link apps/middle/vendor/inner/up.yaml',
  ]);
  assert.equal(await textAt(tree, 'apps/middle/vendor/inner/deep.yaml'), 'deep\n');
  assert.equal(
    (await tree.resolve('apps/middle/vendor/inner/up.yaml'))?.path,
    undefined,
    'a link that leads to nothing',
  );
  assert.equal(seen.get('apps/middle/vendor/inner/deep.yaml'), inner.git('rev-parse', 'HEAD:deep.yaml'));
  assert.deepEqual(asked, [join(folder, 'middle'), join(folder, 'inner')]);
  const without = await git.open({ url: outer.repository.path }, outer.commit);
  assert.equal((await without.entry('apps/middle'))?.kind, 'submodule');
});

test('over HTTP: what may be used is what is asked for, and a failure names submodule and URL', async () => {
  const server = await startGitServer(folder, { auth: { username: 'u', password: 'MARKER' } });
  closing.push(() => server.close());
  const url = `${server.url}/outer`;
  const credentials = { username: 'u', password: 'MARKER' };
  const open = (repositoryOf: (url: string) => Repository) =>
    git.open({ url, credentials }, outer.commit, { submodules: repositoryOf });
  const tree = await open((wanted) => ({ url: wanted, credentials }));
  assert.equal(await textAt(tree, 'apps/middle/vendor/inner/deep.yaml'), 'deep\n');
  const refused = await refusalOf(textAt(await open((wanted) => ({ url: wanted })), 'apps/middle/m.yaml'));
  assert.equal(refused.cause, 'R13');
  assert.match(refused.message, new RegExp(`^The submodule apps/middle at ${server.url}/middle can not be read: `));
  assert.doesNotMatch(JSON.stringify(refused), /MARKER/);
});

test('a remote repository can not name folders of this machine, and what it does not name is said', async () => {
  const server = await startGitServer(folder);
  closing.push(() => server.close());
  const evil = withModules(
    'evil',
    {},
    { here: [`file://${folder}/inner`, innerCommit], there: [join(folder, 'inner'), innerCommit] },
  );
  const tree = await git.open({ url: `${server.url}/evil` }, evil.commit, { submodules: (url) => ({ url }) });
  for (const path of ['here', 'there'])
    assert.match((await refusalOf(textAt(tree, `${path}/deep.yaml`))).message, /It is a folder of this machine/);
  const unnamed = withModules('unnamed', {}, {});
  unnamed.repository.git('update-index', '--add', '--cacheinfo', `160000,${innerCommit},lost`);
  unnamed.repository.git('commit', '--quiet', '--message', 'Lose');
  const commit = unnamed.repository.git('rev-parse', 'HEAD');
  const lost = await git.open({ url: unnamed.repository.path }, commit, { submodules: (url) => ({ url }) });
  assert.match((await refusalOf(listed(lost))).message, /No url found for submodule path 'lost' in .gitmodules/);
});

test('the syntax of .gitmodules, and relative URLs as git reads them', () => {
  const modules = parseGitModules(
    '# c\n[core]\n\tpath = x\n[submodule "a b"]\n  path = "a b" ; comment\n\turl=../x.git\n[submodule "n"]\npath = n/\nurl = https://h/#y\nupdate = none\n',
  );
  assert.deepEqual(
    [...modules.values()].map(({ path, url, update }) => [path, url, update]),
    [
      ['a b', '../x.git', ''],
      ['n/', 'https://h/', 'none'],
    ],
  );
  for (const [parent, url, wanted] of [
    ['https://h/org/repo.git', '../other.git', 'https://h/org/other.git'],
    ['https://h/org/repo.git/', './sub', 'https://h/org/repo.git/sub'],
    ['git@h:org/repo.git', '../../x/y.git', 'git@h:x/y.git'],
    ['ssh://git@h:22/a/b', '../c/', 'ssh://git@h:22/a/c'],
    ['/srv/repo', '../x', '/srv/x'],
    ['https://h/a', 'https://other/b', 'https://other/b'],
  ] as const)
    assert.equal(submoduleUrl(parent, url), wanted);
});

const attributes = '[ab].yaml filter=lfs diff=lfs merge=lfs -text\n';

function largeFile(content: string) {
  const oid = createHash('sha256').update(content).digest('hex');
  return {
    content,
    oid,
    pointer: `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${content.length}\n`,
  };
}

test('files of Git LFS: from the folder of a local repository, with their own size; pointers without enableLfs', async () => {
  const { content, oid, pointer } = largeFile('kind: Local\n');
  const large = new TestRepository(join(folder, 'large'));
  const commit = large.commit({
    'a.yaml': pointer,
    'b.yaml': 'plain\n',
    'c.yaml': pointer,
    '.gitattributes': attributes,
  });
  mkdirSync(join(large.path, '.git/lfs/objects', oid.slice(0, 2), oid.slice(2, 4)), { recursive: true });
  writeFileSync(join(large.path, '.git/lfs/objects', oid.slice(0, 2), oid.slice(2, 4), oid), content);
  const tree = await git.open({ url: large.path, credentials: { lfs: true } }, commit);
  assert.equal(await textAt(tree, 'a.yaml'), content);
  assert.equal(await textAt(tree, 'b.yaml'), 'plain\n');
  assert.equal(await textAt(tree, 'c.yaml'), pointer, 'it has no filter by .gitattributes');
  const entry = await tree.resolve('a.yaml');
  assert.equal(entry && (await tree.size(entry)), content.length);
  assert.equal(await textAt(await git.open({ url: large.path }, commit), 'a.yaml'), pointer);
});

test('files of Git LFS by the batch API: credentials to the own host only, contents checked, fetched once', async () => {
  const { content, oid, pointer } = largeFile('kind: Remote\n');
  const large = new TestRepository(join(folder, 'remote-large'));
  large.commit({ 'a.yaml': pointer, '.gitattributes': attributes });
  const server = await startGitServer(folder, { auth: { username: 'u', password: 'MARKER' } });
  const seen: string[] = [];
  let sent = content;
  const store = createServer((request, response) => {
    seen.push(`${request.url} ${request.headers.authorization ?? 'anonymous'} ${request.headers['x-token'] ?? ''}`);
    if (request.url?.endsWith('/objects/batch')) {
      const href = `http://127.0.0.1:${port()}/file`;
      const download = { href, header: { 'X-Token': 'signed' } };
      response.end(JSON.stringify({ objects: [{ oid, actions: { download } }] }));
    } else response.end(sent);
  });
  const port = () => (store.address() as AddressInfo).port;
  await new Promise<void>((resolve) => store.listen(0, '127.0.0.1', resolve));
  closing.push(
    () => server.close(),
    () => store.close(),
  );
  const configured = large.commit({ '.lfsconfig': `[lfs]\n\turl = http://127.0.0.1:${port()}/lfs\n` });
  const repository = {
    url: `${server.url}/remote-large`,
    credentials: { username: 'u', password: 'MARKER', lfs: true },
  };
  sent = `${content}#`;
  const refused = await refusalOf(textAt(await git.open(repository, configured), 'a.yaml'));
  assert.deepEqual([refused.code, refused.cause], ['LargeFileMissing', 'R13']);
  sent = content;
  const tree = await git.open(repository, configured);
  assert.equal(await textAt(tree, 'a.yaml'), content);
  const asked = seen.length;
  assert.equal(await textAt(await git.open(repository, configured), 'a.yaml'), content);
  assert.equal(seen.length, asked, 'it is kept by its content');
  assert.deepEqual(seen.slice(-2), ['/lfs/objects/batch anonymous ', '/file anonymous signed']);
  const other = createHash('sha256').update('other').digest('hex');
  const bare = large.commit({ '.lfsconfig': null, 'a.yaml': pointer.replace(oid, other) });
  await refusalOf(textAt(await git.open(repository, bare), 'a.yaml'));
  const basic = `Basic ${Buffer.from('u:MARKER').toString('base64')}`;
  assert.equal(
    server.requests.find(({ url }) => url === '/remote-large.git/info/lfs/objects/batch')?.authorization,
    basic,
  );
});
