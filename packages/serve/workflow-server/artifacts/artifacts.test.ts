import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { test } from 'node:test';
import { openStore } from '@tiphys/artifacts';
import { startLocalStore } from '@tiphys/workflow-executor';
import type { StoredWorkflow } from '../common/live-workflows.ts';
import { type ArtifactPlace, artifactPlace } from './artifact-place.ts';
import { directoryPage } from './directory-page.ts';
import { mayUseIdentity } from './open-artifact.ts';
import { ArtifactServer, wantedArtifact } from './serve-artifacts.ts';

const workflow = {
  metadata: { name: 'w', namespace: 'n' },
  spec: { templates: [{ name: 'own', archiveLocation: { s3: { endpoint: 'own:9000', bucket: 'mine' } } }] },
  status: {
    artifactRepositoryRef: {
      artifactRepository: { s3: { endpoint: 's3:9000', bucket: 'b', insecure: true, keyFormat: 'x' } },
    },
    nodes: {
      w: {
        id: 'w',
        name: 'w',
        templateName: 'main',
        outputs: {
          artifacts: [
            { name: 'a', s3: { key: 'w/a.tgz' } },
            { name: 'g', git: { repo: 'https://host/r' } },
            { name: 'none' },
          ],
        },
      },
      v: { id: 'v', name: 'v', templateName: 'own', outputs: { artifacts: [{ name: 'a', s3: { key: 'v/a' } }] } },
    },
  },
} as unknown as StoredWorkflow;

const place = (node: string, name: string, file?: string) =>
  artifactPlace(workflow, { node, name, isInput: false, ...(file ? { file } : {}) }, {});

test('an artifact with a key alone is where its template or its workflow has them', () => {
  assert.deepEqual(place('w', 'a'), {
    location: { s3: { endpoint: 's3:9000', bucket: 'b', insecure: true, key: 'w/a.tgz' } },
    name: 'w/a.tgz',
    isInstallations: false,
  });
  assert.deepEqual(place('v', 'a', 'sub/file').location, {
    s3: { endpoint: 'own:9000', bucket: 'mine', key: 'v/a/sub/file' },
  });
  assert.throws(() => place('w', 'none'), /the artifact none has no key/);
  assert.throws(() => place('w', 'other'), /no output other/);
  assert.throws(() => place('__proto__', 'a'), /no output a/);
  assert.equal(place('w', 'g').name, 'g.tgz');
  assert.throws(() => place('w', 'g', 'sub/file'), /is no folder/);
});

test('each store keeps its own kind of key, and the identity of the server is for the repository of the installation alone', () => {
  const gcs = { gcs: { bucket: 'b', keyFormat: 'x' } };
  const of = (artifact: object, repository?: object, usual: object = gcs) =>
    artifactPlace(
      {
        metadata: { name: 'w' },
        status: {
          nodes: { w: { id: 'w', outputs: { artifacts: [{ name: 'a', ...artifact }] } } },
          ...(repository ? { artifactRepositoryRef: { artifactRepository: repository } } : {}),
        },
      } as unknown as StoredWorkflow,
      { node: 'w', name: 'a', isInput: false },
      usual as Record<string, unknown>,
    );
  assert.deepEqual(of({ gcs: { key: 'k' } }), {
    location: { gcs: { bucket: 'b', key: 'k' } },
    name: 'k',
    isInstallations: true,
  });
  assert.equal(of({ gcs: { key: 'k' } }, gcs).isInstallations, true);
  assert.equal(of({ gcs: { key: 'k' } }, { gcs: { bucket: 'other' } }).isInstallations, false);
  assert.equal(of({ gcs: { bucket: 'b', key: 'k' } }).isInstallations, false);
  const azure = { azure: { endpoint: 'e', container: 'c', blobNameFormat: 'x' } };
  assert.deepEqual(of({ azure: { blob: 'k' } }, azure).location, {
    azure: { endpoint: 'e', container: 'c', blob: 'k' },
  });
  assert.deepEqual(of({ raw: { data: 'text' } }).location, { name: 'a', raw: { data: 'text' } });
  assert.throws(() => of({ gcs: { key: 'k' } }, undefined, {}), /no repository/);
});

test('the identity of the server is for stores that its administrator lists, with their endpoint', () => {
  const env = { TIPHYS_WORKFLOWS_SDK_CREDS: 's3/s3.amazonaws.com/builds, azure/a.blob.core.windows.net/c,gcs/g' };
  const may = (location: object, isInstallations = false) =>
    mayUseIdentity({ location, name: 'a', isInstallations } as ArtifactPlace, env);
  assert.ok(may({ s3: { bucket: 'builds', key: 'k', useSDKCreds: true } }));
  assert.ok(may({ azure: { endpoint: 'https://a.blob.core.windows.net/', container: 'c' } }));
  assert.ok(may({ gcs: { bucket: 'g' } }));
  assert.ok(!may({ s3: { bucket: 'other' } }));
  assert.ok(!may({ s3: { bucket: 'builds', endpoint: 'elsewhere:9000' } }));
  assert.ok(!may({ azure: { endpoint: 'https://a.example.com', container: 'c' } }));
  assert.ok(!may({ raw: { data: '' } }));
  assert.ok(may({ s3: { bucket: 'other' } }, true));
});

test('files and folders are given out as their store has them, and what is not there is not found', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'tiphys-artifacts-'));
  const store = await startLocalStore(folder);
  t.after(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  for (const [key, content] of [
    ['w/log', 'a line'],
    ['w/pages/one.txt', '1'],
    ['w/pages/index.html', '<p>'],
  ] as const) {
    const object = await openStore({ s3: { ...store.repository.s3, key } }, { ambient: false, secret: async () => '' });
    await object.write(Readable.from([content]));
    await object.close();
  }
  const artifact = (name: string, key: string) => ({ name, s3: { key } });
  const stored = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Workflow',
    metadata: { name: 'w', namespace: 'n' },
    status: {
      artifactRepositoryRef: { artifactRepository: store.repository },
      nodes: {
        w: {
          id: 'w',
          name: 'w',
          outputs: {
            artifacts: [
              artifact('log', 'w/log'),
              artifact('pages', 'w/pages'),
              artifact('gone', 'w/gone'),
              { name: 'foreign', plugin: { name: 'other', key: 'k', configuration: 'c' } },
            ],
          },
        },
      },
    },
  };
  const call = { client: { get: async () => stored, find: async () => stored }, signal: new AbortController().signal };
  const parts = {
    settings: { artifactRepository: {}, artifactDrivers: [], instanceId: '' },
    env: {},
    log: () => undefined,
  };
  const artifacts = new ArtifactServer(parts as never, { admit: async () => call as never });
  const server = createServer((request, response) => {
    void artifacts.serve(request.url ?? '/', request as never, response as never);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  const get = async (path: string) => {
    const answer = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`, {
      redirect: 'manual',
    });
    return { status: answer.status, to: answer.headers.get('location'), text: await answer.text() };
  };
  assert.deepEqual(await get('/artifacts/n/w/w/log'), { status: 200, to: null, text: 'a line' });
  const pages = '/artifact-files/n/workflows/w/w/outputs/pages';
  assert.deepEqual(await get(pages), { status: 307, to: `${pages}/`, text: '' });
  assert.deepEqual(await get(`${pages}/`), { status: 307, to: `${pages}/index.html`, text: '' });
  assert.deepEqual(await get(`${pages}/one.txt`), { status: 200, to: null, text: '1' });
  assert.equal((await get('/artifacts/n/w/w/gone')).status, 404);
  const foreign = await get('/artifacts/n/w/w/foreign');
  assert.equal(foreign.status, 501);
  assert.match(foreign.text, /artifact driver other is none of the server's/);
});

test('paths are those of upstream, and lead nowhere else', () => {
  assert.deepEqual(wantedArtifact('/artifacts/n/w/node/a'), {
    namespace: 'n',
    workflow: 'w',
    node: 'node',
    name: 'a',
    isInput: false,
  });
  assert.deepEqual(wantedArtifact('/input-artifacts-by-uid/u/node/a'), {
    uid: 'u',
    node: 'node',
    name: 'a',
    isInput: true,
  });
  assert.deepEqual(wantedArtifact('/artifact-files/n/workflows/w/node/outputs/a/b/./c/'), {
    namespace: 'n',
    workflow: 'w',
    node: 'node',
    name: 'a',
    isInput: false,
    file: 'b/c',
  });
  assert.equal(wantedArtifact('/api/v1/workflows'), undefined);
  for (const path of [
    '/artifacts/n',
    '/artifact-files/n/workflows/w/node/sideways/a',
    '/artifact-files/n/workflows/w/node/outputs/a/..%2f..%2fx',
  ])
    assert.throws(() => wantedArtifact(path), /Bad Request/);
});

test('names in a folder are text', () => {
  const page = directoryPage(['sub/one', 'sub/two', '<img src=x>', 'javascript:alert(1)']);
  assert.equal(page.match(/sub\//g)?.length, 2);
  assert.match(page, /href="\.\/javascript:alert\(1\)"/);
  assert.doesNotMatch(page, /<img/);
});
