import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { lstat, mkdir, mkdtemp, readFile, readlink, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, test } from 'node:test';
import type { Clock } from '@tiphys/kubernetes';
import { type ArtifactAccess, isMissing, loadArtifact, openStore, saveArtifact } from './index.ts';
import {
  ObjectServer,
  type Speak,
  speakAzure,
  speakGcs,
  speakHdfs,
  speakHttp,
  speakOss,
  speakS3,
} from './testing/object-server.ts';

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
let folder = '';
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tiphys-artifacts-'));
});
after(() => rm(folder, { recursive: true, force: true }));

/** Waits are over at once: what is waited for is counted, not slept. */
const clock: Clock = { now: () => Date.now(), sleep: async () => undefined } as unknown as Clock;

const access = (secrets: Readonly<Record<string, string>>, env: Record<string, string> = {}): ArtifactAccess => ({
  secret: async ({ key }) => secrets[key] ?? '',
  ambient: false,
  env,
  clock,
});
const secret = (key: string) => ({ name: 's', key });
const keys = { accessKeySecret: secret('access'), secretKeySecret: secret('secret') };

interface Case {
  readonly speak: Speak;
  readonly location: (server: ObjectServer, key: string) => object;
  readonly secrets: (server: ObjectServer) => Record<string, string>;
  readonly env?: (server: ObjectServer) => Record<string, string>;
  readonly folders: boolean;
  readonly removes: boolean;
}

const account = (server: ObjectServer) =>
  JSON.stringify({ type: 'service_account', client_email: 'a@b', private_key: pem, token_uri: `${server.url}/token` });

const cases: Readonly<Record<string, Case>> = {
  s3: {
    speak: speakS3,
    location: ({ host }, key) => ({ s3: { endpoint: host, insecure: true, bucket: 'bucket', key, ...keys } }),
    secrets: () => ({ access: 'key', secret: 'secret\n' }),
    folders: true,
    removes: true,
  },
  gcs: {
    speak: speakGcs,
    location: (_, key) => ({ gcs: { bucket: 'bucket', key, serviceAccountKeySecret: secret('account') } }),
    secrets: (server) => ({ account: account(server) }),
    env: ({ host }) => ({ STORAGE_EMULATOR_HOST: host }),
    folders: true,
    removes: true,
  },
  azure: {
    speak: speakAzure,
    location: ({ url }, key) => ({
      azure: { endpoint: `${url}/account`, container: 'box', blob: key, accountKeySecret: secret('account') },
    }),
    secrets: () => ({ account: Buffer.from('secret').toString('base64') }),
    folders: true,
    removes: true,
  },
  oss: {
    speak: speakOss,
    location: ({ url }, key) => ({ oss: { endpoint: url, bucket: 'bucket', key, ...keys } }),
    secrets: () => ({ access: 'key', secret: 'secret' }),
    folders: true,
    removes: true,
  },
  hdfs: {
    speak: speakHdfs,
    location: ({ host }, key) => ({ hdfs: { addresses: [host], path: `/${key}`, hdfsUser: 'user' } }),
    secrets: () => ({}),
    folders: true,
    removes: true,
  },
  http: {
    speak: speakHttp,
    location: ({ url }, key) => ({
      http: {
        url: `${url}/${key}`,
        auth: { basicAuth: { usernameSecret: secret('user'), passwordSecret: secret('pass') } },
      },
    }),
    secrets: () => ({ user: 'key', pass: 'secret' }),
    folders: false,
    removes: false,
  },
  artifactory: {
    speak: speakHttp,
    location: ({ url }, key) => ({
      artifactory: { url: `${url}/${key}`, usernameSecret: secret('user'), passwordSecret: secret('pass') },
    }),
    secrets: () => ({ user: 'key', pass: 'secret' }),
    folders: false,
    removes: false,
  },
};

async function tree(): Promise<{ path: string; big: Buffer }> {
  const path = join(await mkdtemp(join(folder, 'tree-')), 'out');
  await mkdir(join(path, 'sub', 'deep'), { recursive: true });
  await mkdir(join(path, 'nothing'));
  const big = randomBytes(9_000_000);
  await writeFile(join(path, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
  await writeFile(join(path, 'sub', 'ü & b.txt'), 'text');
  await writeFile(join(path, 'sub', 'deep', 'big'), big);
  await writeFile(join(path, 'empty'), '');
  await symlink('run.sh', join(path, 'link'));
  return { path, big };
}

async function same(path: string, big: Buffer): Promise<void> {
  assert.equal(await readFile(join(path, 'run.sh'), 'utf8'), '#!/bin/sh\n');
  assert.equal(await readFile(join(path, 'sub', 'ü & b.txt'), 'utf8'), 'text');
  assert.ok((await readFile(join(path, 'sub', 'deep', 'big'))).equals(big));
  assert.equal((await stat(join(path, 'empty'))).size, 0);
}

for (const [kind, { speak, location, secrets, env, folders, removes }] of Object.entries(cases)) {
  const begin = async () => {
    const server = await ObjectServer.start(speak);
    const open = (key: string, wrong?: Record<string, string>) =>
      openStore(location(server, key), access(wrong ?? secrets(server), env?.(server)));
    return { server, open };
  };

  for (const archive of [undefined, { tar: { compressionLevel: 0 } }, { zip: {} }])
    test(`${kind}: a folder goes and comes as ${archive ? Object.keys(archive) : 'a compressed tar'}`, async () => {
      const { server, open } = await begin();
      await using _ = server;
      const { path, big } = await tree();
      const store = await open('run/1/out');
      const options = { store, clock, ...(archive ? { archive } : {}) };
      assert.equal((await saveArtifact({ ...options, path })).files, 1);
      const to = `${path}-loaded`;
      await loadArtifact({ ...options, path: to });
      await same(to, big);
      assert.equal(await readlink(join(to, 'link')), 'run.sh');
      assert.equal((await stat(join(to, 'run.sh'))).mode & 0o777, 0o755);
      assert.ok((await lstat(join(to, 'nothing'))).isDirectory());
      await store.close();
    });

  test(`${kind}: a file goes and comes as it is, also an empty one`, async () => {
    const { server, open } = await begin();
    await using _ = server;
    const store = await open('plain');
    for (const text of ['a text', '']) {
      const path = join(await mkdtemp(join(folder, 'file-')), 'plain.txt');
      await writeFile(path, text);
      await saveArtifact({ store, path, archive: { none: {} }, clock });
      await loadArtifact({ store, path: `${path}-loaded`, clock, mode: 0o640 });
      assert.equal(await readFile(`${path}-loaded`, 'utf8'), text);
      assert.equal((await stat(`${path}-loaded`)).mode & 0o777, 0o640);
    }
    await store.close();
  });

  test(`${kind}: what is not there is missing, and what is refused says so`, async () => {
    const { server, open } = await begin();
    await using _ = server;
    const store = await open('nothing');
    await assert.rejects(loadArtifact({ store, path: join(folder, 'never'), clock }), isMissing);
    await store.close();
    if (kind === 'hdfs') return;
    const wrong = { access: 'other', secret: 'other', account: 'c2Vjcmx0', user: 'other', pass: 'marker-of-a-secret' };
    await assert.rejects(
      async () => {
        const other = await open('nothing', wrong);
        try {
          await other.read();
        } finally {
          await other.close();
        }
      },
      (error: Error) => {
        assert.match(error.message, kind === 'gcs' ? /no JSON/ : /ArtifactStoreRefuses|answered 40[13]/);
        assert.doesNotMatch(error.message, /marker-of-a-secret/);
        return true;
      },
    );
  });

  test(`${kind}: a store that is busy is asked again`, async () => {
    const { server, open } = await begin();
    await using _ = server;
    const path = join(await mkdtemp(join(folder, 'file-')), 'plain.txt');
    await writeFile(path, 'text');
    const store = await open('busy');
    await saveArtifact({ store, path, archive: { none: {} }, clock });
    server.beBusy(3);
    await loadArtifact({ store, path: `${path}-loaded`, clock });
    assert.equal(await readFile(`${path}-loaded`, 'utf8'), 'text');
    await store.close();
  });

  if (folders)
    test(`${kind}: a folder without archive is as many files`, async () => {
      const { server, open } = await begin();
      await using _ = server;
      const { path, big } = await tree();
      const store = await open('run/1/tree/');
      assert.equal((await saveArtifact({ store, path, archive: { none: {} }, clock })).files, 4);
      const files: string[] = [];
      for await (const file of store.files()) files.push(file);
      assert.deepEqual(files.sort(), ['empty', 'run.sh', 'sub/deep/big', 'sub/ü & b.txt']);
      await loadArtifact({ store, path: `${path}-loaded`, archive: { none: {} }, clock });
      await same(`${path}-loaded`, big);
      server.objects.set(kind === 'hdfs' ? '/run/1/tree-of-another' : 'run/1/tree-of-another', Buffer.from('kept'));
      await store.remove();
      assert.deepEqual([...server.objects.values()].map(String), ['kept']);
      await store.close();
    });

  if (removes)
    test(`${kind}: what is removed is gone, and may be removed again`, async () => {
      const { server, open } = await begin();
      await using _ = server;
      const store = await open('gone');
      await store.write(Readable.from([Buffer.from('x')]));
      assert.equal(server.objects.size, 1);
      await store.remove();
      await store.remove();
      assert.equal(server.objects.size, 0);
      await store.close();
    });
}

test('an upload keeps a part in memory, however large the artifact is', async () => {
  let produced = 0;
  const part = 8 << 20;
  const seen: number[] = [];
  await using server = await ObjectServer.start((asked, objects) => {
    if (asked.method === 'PUT') seen.push(produced);
    return speakS3(asked, objects);
  });
  const { location, secrets } = cases['s3'] as Case;
  const store = await openStore(location(server, 'large'), access(secrets(server)));
  const piece = Buffer.alloc(1 << 20);
  const content = Readable.from(
    (function* () {
      for (let at = 0; at < 64; at += 1) {
        produced += piece.length;
        yield piece;
      }
    })(),
  );
  await store.write(content);
  assert.equal(server.objects.get('large')?.length, 64 << 20);
  assert.ok(
    seen.every((bytes, at) => bytes <= (at + 2) * part + (2 << 20)),
    `produced ${seen}`,
  );
  await store.close();
});

test('the identity of this process is not given to a store that a workflow names', async () => {
  const stores = [
    { s3: { endpoint: 'host', bucket: 'b', key: 'k', useSDKCreds: true } },
    { s3: { endpoint: 'host', bucket: 'b', key: 'k', roleARN: 'arn:aws:iam::1:role/x' } },
    { azure: { endpoint: 'https://a.blob.core.windows.net', container: 'c', blob: 'k', useSDKCreds: true } },
    { oss: { endpoint: 'host', bucket: 'b', key: 'k', useSDKCreds: true } },
  ];
  for (const location of stores)
    await assert.rejects(openStore(location, access({})), /ArtifactLocationInvalid|identity/);
  const gcs = await openStore({ gcs: { bucket: 'b', key: 'k' } }, access({}));
  await assert.rejects(gcs.read(), /identity/);
});

test('addresses of clouds’ metadata are connected to by none of the stores', async () => {
  const host = '169.254.169.254';
  const locations = [
    { s3: { endpoint: host, insecure: true, bucket: 'bucket', key: 'k', ...keys } },
    { azure: { endpoint: `http://${host}/a`, container: 'c', blob: 'k', accountKeySecret: secret('account') } },
    { oss: { endpoint: `http://${host}`, bucket: 'b', key: 'k', ...keys } },
    { hdfs: { addresses: [host], path: '/k', hdfsUser: 'u' } },
    { http: { url: `http://${host}/latest` } },
    { artifactory: { url: `http://${host}/latest` } },
  ];
  for (const location of locations) {
    const store = await openStore(location, access({ access: 'a', secret: 'b', account: 'c2VjcmV0' }));
    await assert.rejects(store.read(), /AddressRefused|not connected to/);
    await store.close();
  }
});

test('a redirect keeps credentials at their own host', async () => {
  await using other = await ObjectServer.start(({ headers }) => ({ body: headers.authorization ?? 'none' }));
  await using server = await ObjectServer.start(() => ({ status: 302, headers: { location: `${other.url}/x` } }));
  const { location, secrets } = cases['http'] as Case;
  const store = await openStore(location(server, 'x'), access(secrets(server)));
  const chunks = await (await store.read()).toArray();
  assert.equal(Buffer.concat(chunks).toString(), 'none');
  await store.close();
});
