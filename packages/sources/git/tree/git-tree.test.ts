import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories } from '../git-repositories.ts';
import { TestRepository } from '../testing/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-tree-'));
const git = new GitRepositories({ cacheDir: join(folder, 'cache'), localRepositories: 'any' });
writeFileSync(join(folder, 'MARKER'), 'outside');

after(async () => {
  await git.close();
  rmSync(folder, { recursive: true, force: true });
});

const origin = new TestRepository(join(folder, 'repo'));
const commit = origin.commit({
  'real/a.yaml': 'a\n',
  'real/deep/b.yaml': 'b\n',
  inside: { link: 'real' },
  'real/self.yaml': { link: 'a.yaml' },
  'real/up.yaml': { link: '../real/deep/b.yaml' },
  chain1: { link: 'chain2' },
  chain2: { link: 'inside/deep' },
  absolute: { link: '/etc/passwd' },
  escape: { link: '../MARKER' },
  'real/deep/escape': { link: '../../../MARKER' },
  chained: { link: 'escape' },
  throughFolder: { link: 'real/deep/escape/x' },
  circle1: { link: 'circle2' },
  circle2: { link: 'circle1' },
  root: { link: '/' },
  dangling: { link: 'nothing' },
  big: 'x'.repeat(5000),
  'odd \n "name"é': 'odd',
});
const opened = git.open({ url: origin.path }, commit);

for (const [path, expected] of [
  ['real/a.yaml', 'a\n'],
  ['inside/a.yaml', 'a\n'],
  ['real/self.yaml', 'a\n'],
  ['inside/up.yaml', 'b\n'],
  ['chain1/b.yaml', 'b\n'],
  ['./real//deep/../a.yaml', 'a\n'],
  ['odd \n "name"é', 'odd'],
] as const) {
  test(`reads ${JSON.stringify(path)}`, async () => {
    const tree = await opened;
    assert.equal(Buffer.from(await tree.read(path)).toString(), expected);
  });
}

for (const [path, named] of [
  ['absolute', 'absolute'],
  ['escape', 'escape'],
  ['chained', 'escape'],
  ['real/deep/escape', 'real/deep/escape'],
  ['throughFolder', 'real/deep/escape'],
  ['circle1', 'circle1'],
  ['root/etc/passwd', 'root'],
] as const) {
  test(`the link ${path} is refused by the name of the link that leaves`, async () => {
    const tree = await opened;
    await assert.rejects(tree.read(path), (error: unknown) => {
      assert.ok(error instanceof DiagnosisError);
      assert.equal(error.diagnosis.code, 'LinkLeavesRepository');
      assert.equal(error.diagnosis.place?.file, named);
      assert.ok(!JSON.stringify(error.diagnosis).includes('outside'));
      return true;
    });
  });
}

// The containment corpus of advisories.md.
for (const path of [
  '../MARKER',
  '../../MARKER',
  'real/../../MARKER',
  '/etc/passwd',
  '//etc/passwd',
  'real/../../../etc/passwd',
  'file:///etc/passwd',
  'http:/../MARKER',
  '..',
  '.git/config',
  'real/a.yaml/../../../MARKER',
  'REAL/A.yaml',
  'real\\..\\..\\MARKER',
  'real/%2e%2e/%2e%2e/MARKER',
  'real/a.yaml\0',
  '\u2025/MARKER',
  '..\uff0fMARKER',
]) {
  test(`the path ${JSON.stringify(path)} leads to nothing`, async () => {
    const tree = await opened;
    assert.equal(await tree.resolve(path), undefined);
    await assert.rejects(tree.read(path), /not in the repository/);
  });
}

test('a file over the limit is refused by its size', async () => {
  const tree = await opened;
  await assert.rejects(
    tree.read('big', { maxBytes: 4999 }),
    (error: unknown) => error instanceof DiagnosisError && error.diagnosis.cause === 'M15',
  );
  assert.equal((await tree.read('big', { maxBytes: 5000 })).length, 5000);
});

test('an observer is told every path that the answer depends on', async () => {
  const seen = new Map<string, string | undefined>();
  const tree = (await opened).observedBy((path, oid) => seen.set(path, oid));
  await tree.read('chain1/b.yaml');
  await tree.entry('missing.yaml');
  assert.deepEqual([...seen.keys()], ['chain1', 'chain2', 'inside', 'real/deep/b.yaml', 'missing.yaml']);
  assert.equal(seen.get('missing.yaml'), undefined);
});
