import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredWorkflow } from '../common/live-workflows.ts';
import { artifactPlace } from './artifact-place.ts';
import { directoryPage } from './directory-page.ts';
import { wantedArtifact } from './serve-artifacts.ts';

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
            { name: 'h', http: { url: 'x' } },
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
  assert.deepEqual(place('w', 'a'), { s3: { endpoint: 's3:9000', bucket: 'b', insecure: true, key: 'w/a.tgz' } });
  assert.deepEqual(place('v', 'a', 'sub/file'), { s3: { endpoint: 'own:9000', bucket: 'mine', key: 'v/a/sub/file' } });
  assert.throws(() => place('w', 'none'), /no output none/);
  assert.throws(() => place('__proto__', 'a'), /no output a/);
  assert.throws(() => place('w', 'h'), /not given out/);
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
