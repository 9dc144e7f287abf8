import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readlinkSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { readLayer } from './read-layer.ts';
import { type ArchiveEntry, writeArchive } from './write-archive.ts';

const long = `${'deep/'.repeat(40)}ünï.yaml`;
const entries: ArchiveEntry[] = [
  { name: 'a.sh', data: Buffer.from('#!/bin/sh\n'), kind: 'executable' },
  { name: long, data: Buffer.from('x') },
  { name: 'only/links', data: Buffer.alloc(0), kind: 'folder' },
  { name: 'link', data: Buffer.from(long), kind: 'link' },
  { name: 'near', data: Buffer.from('a.sh'), kind: 'link' },
];

test('an archive with modes, links and long names is read back as it was written', () => {
  const read = readLayer(writeArchive(entries), { bytes: 1e6, files: 10 });
  assert.deepEqual(
    read.map(({ path, kind, mode, data }) => [path, kind, mode, Buffer.from(data).toString()]),
    [
      ['a.sh', 'file', 0o755, '#!/bin/sh\n'],
      [long, 'file', 0o644, 'x'],
      ['link', 'link', 0o777, long],
      ['near', 'link', 0o777, 'a.sh'],
    ],
  );
});

test('tar reads what writeArchive() makes', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'archive-'));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, 'it.tgz'), writeArchive(entries));
  execFileSync('tar', ['xzf', 'it.tgz'], { cwd: folder });
  assert.equal(readFileSync(join(folder, long), 'utf8'), 'x');
  assert.equal(readlinkSync(join(folder, 'link')), long);
  assert.ok(statSync(join(folder, 'only/links')).isDirectory());
  assert.equal(statSync(join(folder, 'a.sh')).mode & 0o111, 0o111);
});
