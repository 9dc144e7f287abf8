import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { isMissing, openStore } from '@tiphys/artifacts';
import { type LocalStore, startLocalStore } from './start-local-store.ts';

let folder: string;
let store: LocalStore;
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'local-store-'));
  store = await startLocalStore(folder);
});
after(async () => {
  await store.close();
  rmSync(folder, { recursive: true, force: true });
});

const access = { ambient: false, secret: async () => '' };
const at = (key: string, more: object = {}) => openStore({ s3: { ...store.repository.s3, key, ...more } }, access);

test('objects come back as they were written, also those of many parts', async () => {
  for (const content of [Buffer.alloc(0), Buffer.from('text'), randomBytes((9 << 20) + 17)]) {
    const object = await at('w/node/a & b.tgz');
    await object.write(Readable.from([content]), { size: content.length });
    assert.ok((await buffer(await object.read())).equals(content));
    await object.remove();
    await assert.rejects(object.read(), isMissing);
    await object.close();
  }
});

test('a folder lists what is below it, over pages, and goes as a whole', async () => {
  const object = await at('list/');
  const names = Array.from({ length: 1003 }, (_, index) => `f${String(index).padStart(4, '0')}`);
  for (const file of names) await object.write(Readable.from([file]), { file, size: 5 });
  const other = await at('lists');
  await other.write(Readable.from(['x']), { size: 1 });
  assert.deepEqual(await Array.fromAsync(object.files()), names);
  await object.remove();
  assert.deepEqual(await Array.fromAsync(object.files()), []);
  assert.equal(String(await buffer(await other.read())), 'x');
  await object.close();
  await other.close();
});

test('nobody reads without the name of the bucket, which stays with the folder', async () => {
  const stranger = await at('lists', { bucket: 'artifacts' });
  await assert.rejects(stranger.read(), /404|no bucket|There is no/i);
  await stranger.close();
  const { repository } = store;
  await store.close();
  store = await startLocalStore(folder);
  assert.equal(store.repository.s3.bucket, repository.s3.bucket);
  const again = await at('lists');
  assert.equal(String(await buffer(await again.read())), 'x');
  await again.close();
});
