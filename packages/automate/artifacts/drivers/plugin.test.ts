import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Http2Server } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import { Code, ConnectError } from '@connectrpc/connect';
import { connectNodeAdapter } from '@connectrpc/connect-node';
import { loadArtifactServices } from '@tiphys/api';
import { isMissing, loadArtifact, openStore, saveArtifact } from '../index.ts';

let folder = '';
let server: Http2Server;
const objects = new Map<string, Buffer>();
const seen: string[] = [];

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiphys-plugin-'));
  const { artifact } = await loadArtifactServices();
  const keyOf = (one: { plugin?: { key: string; configuration: string } | undefined } | undefined) => {
    seen.push(one?.plugin?.configuration ?? '');
    return one?.plugin?.key ?? '';
  };
  const handler = connectNodeAdapter({
    routes: (router) =>
      router.service(artifact, {
        load: async ({ inputArtifact, path }) => {
          const content = objects.get(keyOf(inputArtifact));
          if (!content) return { success: false, error: 'object not found' };
          await writeFile(path, content);
          return { success: true };
        },
        save: async ({ outputArtifact, path }) => {
          objects.set(keyOf(outputArtifact), await readFile(path));
          return { success: true };
        },
        openStream: async function* ({ artifact: wanted }) {
          const content = objects.get(keyOf(wanted));
          if (!content) throw new ConnectError('there is no such object', Code.NotFound);
          yield { data: content.subarray(0, 2) };
          yield { data: content.subarray(2) };
          yield { isEnd: true };
        },
        delete: async ({ artifact: wanted }) => ({ success: objects.delete(keyOf(wanted)) }),
        listObjects: async ({ artifact: wanted }) => {
          const prefix = `${keyOf(wanted)}/`;
          return { objects: [...objects.keys()].filter((key) => key.startsWith(prefix)) };
        },
        isDirectory: async ({ artifact: wanted }) => {
          const prefix = `${keyOf(wanted)}/`;
          return { isDirectory: [...objects.keys()].some((key) => key.startsWith(prefix)) };
        },
        getCapabilities: async () => ({ supportsSaveStream: true }),
        saveStream: async (frames) => {
          let key = '';
          const chunks: Uint8Array[] = [];
          for await (const { outputArtifact, chunk } of frames) {
            if (outputArtifact) key = keyOf(outputArtifact);
            chunks.push(chunk);
          }
          objects.set(key, Buffer.concat(chunks));
          return { success: true };
        },
      }),
  });
  server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(join(folder, 'socket'), resolve));
});
after(async () => {
  await new Promise((resolve) => server.close(resolve));
  await rm(folder, { recursive: true, force: true });
});

const open = (key: string) =>
  openStore(
    { plugin: { name: 'mine', key, configuration: 'bucket: b' } },
    { secret: async () => '', ambient: false, pluginSocket: () => join(folder, 'socket') },
  );

test('a plugin saves, streams, lists and removes over its socket', async () => {
  const path = join(folder, 'out.txt');
  await writeFile(path, 'content');
  const store = await open('dir/out.txt');
  await saveArtifact({ store, path, archive: { none: {} } });
  assert.equal(Buffer.concat(await (await store.read()).toArray()).toString(), 'content');
  await loadArtifact({ store, path: `${path}-loaded` });
  assert.equal(await readFile(`${path}-loaded`, 'utf8'), 'content');
  await store.write(Readable.from([Buffer.from('stre'), Buffer.from('amed')]));
  assert.equal(objects.get('dir/out.txt')?.toString(), 'streamed');
  const above = await open('dir');
  const files: string[] = [];
  for await (const file of above.files()) files.push(file);
  assert.deepEqual(files, ['out.txt']);
  await store.remove();
  assert.equal(objects.size, 0);
  assert.ok(seen.every((configuration) => configuration === 'bucket: b'));
  await store.close();
  await above.close();
});

test('a plugin that has no such thing says so, by a status or by a text', async () => {
  const store = await open('none');
  await assert.rejects(store.read(), isMissing);
  await assert.rejects(loadArtifact({ store, path: join(folder, 'never') }), isMissing);
  await store.close();
});
