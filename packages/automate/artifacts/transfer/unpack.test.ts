import assert from 'node:assert/strict';
import { lstat, mkdtemp, readdir, readFile, readlink, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { type Header, pack } from 'tar-stream';
import { ZipFile } from 'yazl';
import { archiveKind, unpack } from './unpack.ts';

let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiphys-unpack-'));
});
after(() => rm(folder, { recursive: true, force: true }));

type Entry = Partial<Header> & { readonly name: string; readonly text?: string };

async function tarOf(entries: readonly Entry[]): Promise<string> {
  const tar = pack();
  for (const { text, ...header } of entries) tar.entry(header as Header, text ?? '');
  tar.finalize();
  const file = join(await mkdtemp(join(folder, 'tar-')), 'a.tgz');
  const chunks: Buffer[] = [];
  for await (const chunk of tar as AsyncIterable<Buffer>) chunks.push(chunk);
  await writeFile(file, gzipSync(Buffer.concat(chunks)));
  return file;
}

async function zipOf(entries: readonly { name: string; text: string; mode?: number }[]): Promise<string> {
  const zip = new ZipFile();
  for (const { name, text, mode = 0o100644 } of entries) zip.addBuffer(Buffer.from(text), name, { mode });
  zip.end();
  const file = join(await mkdtemp(join(folder, 'zip-')), 'a.zip');
  // the library that writes refuses such names; archives of strangers have them
  const bytes = Buffer.concat(
    await (zip.outputStream as unknown as NodeJS.ReadableStream & { toArray(): Promise<Buffer[]> }).toArray(),
  );
  await writeFile(file, Buffer.from(bytes.toString('latin1').replaceAll('__/__/', '../../'), 'latin1'));
  return file;
}

const hostile: Readonly<Record<string, readonly Entry[]>> = {
  'a path that goes up': [{ name: '../../outside', text: 'x' }],
  'a path that goes up further on': [{ name: 'a/../../outside', text: 'x' }],
  'an absolute path': [{ name: '/outside', text: 'x' }],
  'a path with backslashes': [{ name: '..\\outside', text: 'x' }],
  'a link that leads out': [{ name: 'l', type: 'symlink', linkname: '../outside' }],
  'an absolute link': [{ name: 'l', type: 'symlink', linkname: '/var/run' }],
  'a link below a link': [
    { name: 'a', type: 'symlink', linkname: 'b' },
    { name: 'a/c', type: 'symlink', linkname: 'd' },
    { name: 'b', type: 'directory' },
  ],
  'a link through another one that leads out': [
    { name: 'sub/d', type: 'symlink', linkname: '..' },
    { name: 'e', type: 'symlink', linkname: 'sub/d/..' },
  ],
  'a hard link that leads out': [{ name: 'h', type: 'link', linkname: '../../etc/passwd' }],
  'an absolute hard link': [{ name: 'h', type: 'link', linkname: '/etc/passwd' }],
  'a device': [{ name: 'd', type: 'character-device' }],
  'a pipe': [{ name: 'p', type: 'fifo' }],
};

for (const [what, entries] of Object.entries(hostile))
  test(`an archive with ${what} is refused, and nothing stays`, async () => {
    const home = await mkdtemp(join(folder, 'home-'));
    const file = await tarOf([{ name: 'good', text: 'good' }, ...entries]);
    await assert.rejects(
      unpack(file, 'tar', join(home, 'in', 'out')),
      /ArtifactArchiveRefused|not unpacked|can not be read/,
    );
    assert.deepEqual(await readdir(join(home, 'in')), []);
    assert.deepEqual(await readdir(home), ['in']);
  });

test('a file is not written through a link of the same archive', async () => {
  const home = await mkdtemp(join(folder, 'home-'));
  const file = await tarOf([
    { name: 'l', type: 'symlink', linkname: 'inside' },
    { name: 'inside', type: 'directory' },
    { name: 'l/argoexec', text: 'theirs' },
  ]);
  await assert.rejects(unpack(file, 'tar', join(home, 'out')), /twice/);
  assert.deepEqual(await readdir(home), []);
});

test('a zip with a path that goes up is refused, and so is a link in it that leads out', async () => {
  const home = await mkdtemp(join(folder, 'home-'));
  await assert.rejects(
    unpack(await zipOf([{ name: '__/__/outside', text: 'x' }]), 'zip', join(home, 'out')),
    /not unpacked|can not be read/,
  );
  await assert.rejects(
    unpack(await zipOf([{ name: 'l', text: '/etc', mode: 0o120777 }]), 'zip', join(home, 'out')),
    /leads out/,
  );
  assert.deepEqual(await readdir(home), []);
});

test('a single entry becomes the path itself, several a folder of it', async () => {
  const home = await mkdtemp(join(folder, 'home-'));
  await unpack(await tarOf([{ name: 'other-name', text: 'one' }]), 'tar', join(home, 'one'));
  assert.equal(await readFile(join(home, 'one'), 'utf8'), 'one');
  await unpack(
    await tarOf([
      { name: 'a', text: 'a' },
      { name: 'b/c', text: 'c' },
    ]),
    'tar',
    join(home, 'two'),
  );
  assert.deepEqual((await readdir(join(home, 'two'))).sort(), ['a', 'b']);
  await unpack(
    await zipOf([
      { name: 'dir/x', text: 'x' },
      { name: 'dir/l', text: 'x', mode: 0o120777 },
    ]),
    'zip',
    join(home, 'three'),
  );
  assert.equal(await readlink(join(home, 'three', 'l')), 'x');
  await unpack(
    await tarOf([
      { name: 'd/f', text: 'f' },
      { name: 'd/g', type: 'link', linkname: 'd/f' },
    ]),
    'tar',
    join(home, 'four'),
  );
  assert.equal((await lstat(join(home, 'four', 'g'))).nlink, 2);
});

test('what is at the path is replaced, and a link there is not followed', async () => {
  const home = await mkdtemp(join(folder, 'home-'));
  await writeFile(join(home, 'kept'), 'kept');
  await symlink(join(home, 'kept'), join(home, 'out'));
  await unpack(await tarOf([{ name: 'x', text: 'new' }]), 'tar', join(home, 'out'));
  assert.equal(await readFile(join(home, 'kept'), 'utf8'), 'kept');
  assert.equal(await readFile(join(home, 'out'), 'utf8'), 'new');
});

test('archives are known by their content, and a compressed text is none', async () => {
  const file = join(folder, 'content');
  const kinds: [Buffer, string | undefined][] = [
    [await readFile(await tarOf([{ name: 'a', text: 'a' }])), 'tar'],
    [await readFile(await zipOf([{ name: 'a', text: 'a' }])), 'zip'],
    [gzipSync('just text'), undefined],
    [gzipSync(Buffer.alloc(2000, 'x')), undefined],
    [Buffer.from('PK text'), undefined],
    [Buffer.from([0x1f, 0x8b, 8, 0, 1]), undefined],
    [Buffer.alloc(0), undefined],
  ];
  for (const [content, kind] of kinds) {
    await writeFile(file, content);
    assert.equal(await archiveKind(file), kind);
  }
});

test('an archive that ends too early is an error that says so', async () => {
  const whole = await readFile(
    await tarOf([
      { name: 'a', text: 'a'.repeat(100_000) },
      { name: 'b', text: 'b' },
    ]),
  );
  const file = join(folder, 'cut.tgz');
  await writeFile(file, whole.subarray(0, whole.length - 20));
  await assert.rejects(unpack(file, 'tar', join(folder, 'cut')), /can not be read/);
});
