import assert from 'node:assert/strict';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { privateDatabase, privateFile, privateFolder, writePrivate } from './index.ts';

const folder = mkdtempSync(join(tmpdir(), 'tiphys-private-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);
const skip = process.platform === 'win32';

test('privateFolder() makes folders, and tightens those that are there', { skip }, () => {
  const path = join(folder, 'a', 'b');
  privateFolder(path);
  assert.deepEqual([modeOf(join(folder, 'a')), modeOf(path)], ['700', '700']);
  mkdirSync(join(folder, 'wide'));
  chmodSync(join(folder, 'wide'), 0o777);
  privateFolder(join(folder, 'wide'));
  assert.equal(modeOf(join(folder, 'wide')), '700');
});

test('privateFile() and writePrivate() leave nobody else in', { skip }, () => {
  const path = join(folder, 'file');
  writeFileSync(path, 'longer than what comes');
  chmodSync(path, 0o666);
  privateFile(path);
  assert.deepEqual([modeOf(path), readFileSync(path, 'utf8')], ['600', 'longer than what comes']);
  chmodSync(path, 0o644);
  writePrivate(path, 'new');
  assert.deepEqual([modeOf(path), readFileSync(path, 'utf8')], ['600', 'new']);
  privateFile(join(folder, 'other'));
  assert.equal(modeOf(join(folder, 'other')), '600');
});

test('privateDatabase() leaves nobody else in, in what SQLite keeps beside it neither', { skip }, () => {
  const path = join(folder, 'data.sqlite');
  writeFileSync(`${path}-wal`, '');
  chmodSync(`${path}-wal`, 0o644);
  privateDatabase(path);
  const database = new DatabaseSync(path);
  database.exec('pragma journal_mode = wal; create table a (b)');
  for (const part of [path, `${path}-wal`, `${path}-shm`]) assert.equal(modeOf(part), '600', part);
  database.close();
});

test('privateFolder() refuses what stays open, with the command that mends it', {
  skip: skip || !statSync('/proc'),
}, () => {
  assert.throws(
    () => privateFolder('/proc/self/net'),
    (error: unknown) =>
      error instanceof DiagnosisError && /chmod -R go= '\/proc\/self\/net'/.test(JSON.stringify(error.diagnosis)),
  );
});
