import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { GitRepositories } from '../git-repositories.ts';
import type { RefChange } from '../refs/ref-watch.ts';
import { startGitServer, TestRepository } from '../testing/index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-mirror-'));
const origin = new TestRepository(join(folder, 'shop'));
const first = origin.commit({ 'a.yaml': 'a: 1\n', 'dir/b.yaml': 'b: 1\n' });
const server = await startGitServer(folder);
const repository = { url: `${server.url}/shop` };
const cacheDir = join(folder, 'cache');

after(async () => {
  await server.close();
  rmSync(folder, { recursive: true, force: true });
});

async function using<T>(work: (git: GitRepositories) => Promise<T>): Promise<T> {
  const git = new GitRepositories({ cacheDir, localRepositories: 'any' });
  try {
    return await work(git);
  } finally {
    await git.close();
  }
}

async function readA(git: GitRepositories, commit = first): Promise<string> {
  const tree = await git.open(repository, commit);
  return Buffer.from(await tree.read('dir/b.yaml')).toString();
}

function mirrorFolder(): string {
  const mirrors = join(cacheDir, '0', 'mirrors');
  return join(mirrors, readdirSync(mirrors)[0] ?? '');
}

function files(path: string): string[] {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

test('a deleted cache is made again while it is in use', async () => {
  await using(async (git) => {
    assert.equal(await readA(git), 'b: 1\n');
    rmSync(cacheDir, { recursive: true, force: true });
    assert.equal(await readA(git), 'b: 1\n');
    rmSync(mirrorFolder(), { recursive: true, force: true });
    const tree = await git.open(repository, first);
    rmSync(mirrorFolder(), { recursive: true, force: true });
    assert.equal(Buffer.from(await tree.read('a.yaml')).toString(), 'a: 1\n');
  });
});

test('damaged objects, refs, configuration and leftover locks are healed', async () => {
  const damages: ((mirror: string) => void)[] = [
    (mirror) => {
      for (const file of files(join(mirror, 'objects'))) {
        chmodSync(file, 0o600);
        truncateSync(file, 0);
      }
    },
    (mirror) => {
      for (const file of files(join(mirror, 'objects'))) {
        chmodSync(file, 0o600);
        writeFileSync(file, 'garbage');
      }
    },
    (mirror) => rmSync(join(mirror, 'objects'), { recursive: true, force: true }),
    (mirror) => {
      for (const file of files(join(mirror, 'refs'))) writeFileSync(file, 'garbage');
      writeFileSync(join(mirror, 'packed-refs.lock'), '');
      writeFileSync(join(mirror, 'shallow.lock'), '');
    },
    (mirror) => writeFileSync(join(mirror, 'config'), '[core'),
    (mirror) => writeFileSync(join(mirror, 'HEAD'), ''),
  ];
  for (const [index, damage] of damages.entries()) {
    await using((git) => readA(git));
    damage(mirrorFolder());
    // A new commit must arrive and the old one be readable, whatever was damaged.
    const next = origin.commit({ 'dir/b.yaml': `b: ${index + 2}\n` });
    await using(async (git) => {
      assert.equal(await readA(git), 'b: 1\n', `damage ${index}`);
      assert.equal(await readA(git, next), `b: ${index + 2}\n`, `damage ${index}`);
    });
  }
});

test('all who ask for a repository while its copy is made get it: the first copy, and one in place of a damaged one', async () => {
  for (const [transport, url] of Object.entries({ local: origin.path, http: repository.url }))
    for (let round = 0; round < 8; round += 1) {
      const cache = join(folder, 'at-once', transport, String(round));
      const git = new GitRepositories({ cacheDir: cache, localRepositories: 'any' });
      await git.resolve({ url }, 'main');
      const ask = async (index: number) => {
        // each meets the copy at another step of its making
        await new Promise((resolve) => setTimeout(resolve, index * (1 + (round % 4))));
        const tree = await git.open({ url }, first);
        return Buffer.from(await tree.read('dir/b.yaml')).toString();
      };
      const together = async () =>
        assert.deepEqual(
          [...new Set(await Promise.all(Array.from({ length: 12 }, (_, index) => ask(index))))],
          ['b: 1\n'],
        );
      await together();
      const mirrors = join(cache, '0', 'mirrors');
      for (const mirror of readdirSync(mirrors)) rmSync(join(mirrors, mirror, 'objects'), { recursive: true });
      await together();
      await git.close();
    }
});

test('a process killed in the middle of a fetch leaves nothing that hinders the next', async () => {
  origin.commit({ big: Buffer.from(Array.from({ length: 3_000_000 }, (_, index) => (index * 7919) % 251)) });
  const target = origin.git('rev-parse', 'HEAD');
  const script = `import { GitRepositories } from ${JSON.stringify(join(import.meta.dirname, '..', 'git-repositories.ts'))};
    const git = new GitRepositories({ cacheDir: ${JSON.stringify(join(folder, 'killed'))}, localRepositories: 'any' });
    await git.open(${JSON.stringify(repository)}, ${JSON.stringify(target)}); console.log('done');`;
  for (const delay of [150, 220, 300]) {
    const child = spawn(process.execPath, ['--input-type=module', '-e', script], { stdio: 'ignore' });
    // on a fast machine it may have ended by itself before it is killed
    const closed = once(child, 'close');
    await new Promise((resolve) => setTimeout(resolve, delay));
    child.kill('SIGKILL');
    await closed;
  }
  const git = new GitRepositories({ cacheDir: join(folder, 'killed'), localRepositories: 'any' });
  const tree = await git.open(repository, target);
  assert.equal((await tree.read('big')).length, 3_000_000);
  await git.close();
});

test('two processes share a cache folder without sharing mirrors', async () => {
  const shared = join(folder, 'shared');
  const one = new GitRepositories({ cacheDir: shared, localRepositories: 'any' });
  writeFileSync(join(shared, '0', 'owner'), String(process.ppid));
  const two = new GitRepositories({ cacheDir: shared, localRepositories: 'any' });
  assert.deepEqual(await Promise.all([readA(one), readA(two)]), ['b: 1\n', 'b: 1\n']);
  assert.ok(existsSync(join(shared, '1', 'mirrors')));
  await Promise.all([one.close(), two.close()]);
});

test('a commit that is not there is R9, and a shallow fetch reads what it asked for', async () => {
  await using(async (git) => {
    await assert.rejects(
      git.open(repository, 'f'.repeat(40)),
      (error: unknown) => error instanceof DiagnosisError && error.diagnosis.cause === 'R9',
    );
    const shallow = { ...repository, credentials: { depth: 1 } };
    const { commit } = await git.resolve(shallow, 'main');
    assert.equal((await git.commitInfo(shallow, commit)).commit, commit);
  });
});

test('a deleted branch is R9 with the commit that it had', async () => {
  origin.git('branch', 'short-lived', first);
  await using(async (git) => {
    assert.equal((await git.resolve(repository, 'short-lived')).commit, first);
    origin.git('branch', '-D', 'short-lived');
    await assert.rejects(git.resolve(repository, 'short-lived', { maxAge: 0 }), (error: unknown) => {
      assert.ok(error instanceof DiagnosisError);
      assert.match(error.diagnosis.message, /was deleted from the repository; its last commit was/);
      return error.diagnosis.evidence.some(({ name, value }) => name === 'last resolved commit' && value === first);
    });
  });
});

function nextChange(): { listener: (change: RefChange) => void; next: Promise<RefChange> } {
  const { promise, resolve } = Promise.withResolvers<RefChange>();
  return { listener: resolve, next: promise };
}

test('a local repository tells of a commit by itself, also by packed refs, a rename of HEAD and a linked work tree', async () => {
  const work = new TestRepository(join(folder, 'work'));
  work.commit({ 'a.yaml': '1' });
  work.git('worktree', 'add', '-q', join(folder, 'linked'), '-b', 'linked');
  for (const url of [work.path, `file://${work.path}`, join(folder, 'linked')]) {
    await using(async (git) => {
      await git.resolve({ url }, 'HEAD');
      for (const change of [
        () => work.commit({ 'a.yaml': String(Math.random()) }),
        () => work.git('pack-refs', '--all', '--prune'),
        () => work.git('branch', `b${Math.random()}`),
      ]) {
        const before = await git.resolve({ url }, 'main');
        const { listener, next } = nextChange();
        const stop = git.watchRefs({ url }, listener, { interval: 1e9 });
        change();
        if (change.toString().includes('pack-refs')) work.commit({ 'a.yaml': String(Math.random()) });
        assert.equal((await next).kind, 'moved');
        stop();
        const after = await git.resolve({ url }, 'main');
        assert.equal(after.commit === before.commit, change.toString().includes('branch'));
      }
    });
  }
});

test('a remote repository is polled once for all watchers, and tells of failure and recovery', async () => {
  await using(async (git) => {
    await git.resolve(repository, 'main');
    const kinds: string[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    const stop = git.watchRefs(
      repository,
      (change) => {
        kinds.push(change.kind);
        if (change.kind === 'moved') {
          server.behaviour.answer = { status: 503 };
        } else if (change.kind === 'failed') delete server.behaviour.answer;
        else resolve();
      },
      { interval: 30 },
    );
    origin.commit({ 'a.yaml': 'polled' });
    await promise;
    stop();
    assert.deepEqual(kinds, ['moved', 'failed', 'recovered']);
  });
});

test('the history tells which commit removed a path and where it went', async () => {
  const moved = new TestRepository(join(folder, 'moved'));
  moved.commit({ 'old/app/a.yaml': 'aaaaaaaa\nbbbbbbbbbbb\n', 'old/app/b.yaml': 'cccccccc\ndddd\n' });
  moved.git('mv', 'old/app', 'new');
  const commit = moved.commit({}, 'Move the app');
  const later = moved.commit({ x: 'y' });
  await using(async (git) => {
    const removal = await git.removalOf({ url: moved.path }, later, 'old/app');
    assert.deepEqual(
      [removal?.commit, removal?.author, removal?.subject, removal?.movedTo],
      [commit, 'Test Author', 'Move the app', 'new'],
    );
    assert.equal(await git.removalOf({ url: moved.path }, later, 'never'), undefined);
  });
});

test('a repository that asks for programs to be run runs none', async () => {
  const hostile = new TestRepository(join(folder, 'hostile'));
  const commit = hostile.commit({
    'a.yaml': '1',
    'b.yaml': '2',
    '.gitattributes': '*.yaml filter=evil diff=evil\nb.yaml -filter',
    '.gitmodules': '[submodule "x"]\n\tpath = x\n\turl = ext::sh -c "touch ../PWNED"\n',
  });
  const evil = `touch ${join(folder, 'PWNED')}`;
  for (const key of [
    'core.fsmonitor',
    'core.sshCommand',
    'uploadpack.packObjectsHook',
    'filter.evil.smudge',
    'diff.evil.textconv',
    'core.pager',
    'gpg.program',
    'alias.ls-remote',
  ])
    hostile.git('config', key, evil);
  await using(async (git) => {
    const tree = await git.open({ url: hostile.path }, commit);
    await assert.rejects(tree.read('a.yaml'), /the filter "evil", and no filter of a repository is run/);
    assert.equal(Buffer.from(await tree.read('b.yaml')).toString(), '2');
    await git.resolve({ url: hostile.path }, 'main', { maxAge: 0 });
  });
  assert.ok(!existsSync(join(folder, 'PWNED')));
});

test('a local repository that is deleted is told, and followed again when it comes back', async () => {
  const path = join(folder, 'comes-and-goes');
  new TestRepository(path).commit({ a: '1' });
  await using(async (git) => {
    await git.resolve({ url: path }, 'main');
    const seen: string[] = [];
    let wake = () => {};
    const until = async (kind: string) => {
      while (!seen.includes(kind))
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      seen.length = 0;
    };
    const stop = git.watchRefs(
      { url: path },
      (change) => {
        seen.push(change.kind);
        wake();
      },
      { interval: 1e9 },
    );
    rmSync(path, { recursive: true, force: true });
    await until('failed');
    const again = new TestRepository(path);
    again.commit({ a: '2' });
    await until('recovered');
    const third = again.commit({ a: '3' });
    await until('moved');
    assert.equal((await git.resolve({ url: path }, 'main')).commit, third);
    stop();
  });
});
