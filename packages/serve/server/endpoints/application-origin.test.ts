import assert from 'node:assert/strict';
import { test } from 'node:test';
import { idleBackend, startTestServer } from '../testing/start-test-server.ts';

const text = `---
# the settings
apiVersion: v1
kind: ConfigMap
metadata: {name: settings}

---
apiVersion: v1
kind: Secret
metadata: {name: key}
stringData: {key: hush}
---
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: ConfigMap
  metadata: {name: listed}
- {apiVersion: v1, kind: Secret, metadata: {name: beside}, stringData: {key: hush}}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: marked
  annotations: {token: hush}
`;
const commit = (name: string) => ({
  commit: name.repeat(40),
  author: name,
  date: '2026-01-02T03:04:05Z',
  subject: `by ${name}`,
});

test('the origin of an object is its file, its lines and who wrote each; of Secrets no text is told', async (t) => {
  const object = (kind: string, name: string) => ({ apiVersion: 'v1', kind, metadata: { name, namespace: 'shop' } });
  const asked: string[] = [];
  const { call, login, configure } = await startTestServer(t, {
    backend: {
      ...idleBackend,
      render: async () => ({
        objects: [
          { object: object('ConfigMap', 'settings'), origin: { file: 'a.yaml', line: 3 } },
          { object: object('Secret', 'key'), origin: { file: 'a.yaml', line: 8 } },
          { object: object('ConfigMap', 'templated'), origin: { file: 'a.yaml', line: 8 } },
          { object: object('ConfigMap', 'elsewhere'), origin: { file: 'chart/a.yaml', line: 1 } },
          { object: object('ConfigMap', 'listed'), origin: { file: 'a.yaml', line: 13 } },
          { object: object('ConfigMap', 'marked'), origin: { file: 'a.yaml', line: 21 } },
          { object: object('ConfigMap', 'unknown') },
        ],
        revisions: ['1'.repeat(40)],
        sourceType: 'Directory' as const,
        warnings: [],
      }),
      sourceFile: async (_app, _revisions, file) =>
        file === 'a.yaml'
          ? {
              text,
              writer: async () => undefined,
              writers: async (from, to) => {
                asked.push(`${from}-${to}`);
                return new Map([2, 3, 4, 5, 8].map((line) => [line, commit(line === 3 ? 'b' : 'a')]));
              },
            }
          : undefined,
    },
  });
  const token = await login();
  const created = await call('/api/v1/applications?validate=false', {
    token,
    body: {
      metadata: { name: 'shop' },
      spec: {
        project: 'default',
        source: { repoURL: 'https://git.example.com/app.git', path: '.' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
      },
    },
  });
  assert.equal(created.status, 200);
  const origin = (kind: string, name: string) =>
    call(`/api/tiphys/v1/applications/shop/origin?kind=${kind}&namespace=shop&resourceName=${name}`, { token });
  const { body } = await origin('ConfigMap', 'settings');
  assert.deepEqual([body.file, body.line, body.left], ['a.yaml', 3, 0]);
  assert.deepEqual(
    (body.commits as { author: string }[]).map(({ author }) => author),
    ['a', 'b'],
  );
  assert.deepEqual(body.lines, [
    { number: 2, text: '# the settings', commit: 0 },
    { number: 3, text: 'apiVersion: v1', commit: 1 },
    { number: 4, text: 'kind: ConfigMap', commit: 0 },
    { number: 5, text: 'metadata: {name: settings}', commit: 0 },
  ]);
  await configure('argocd-cm', { 'resource.sensitive.mask.annotations': 'token' });
  for (const name of ['listed', 'marked']) {
    const { body: found } = await origin('ConfigMap', name);
    assert.ok(Array.isArray(found.lines), name);
    assert.doesNotMatch(JSON.stringify(found), /hush/);
  }
  const secret = await origin('Secret', 'key');
  assert.doesNotMatch(JSON.stringify(secret.body), /hush/);
  assert.deepEqual((secret.body.lines as unknown[])[0], { number: 8, commit: 0 });
  assert.deepEqual(asked, ['2-5', '13-19', '21-25', '8-11']);
  // the document there makes another kind: a template did
  assert.equal((await origin('ConfigMap', 'templated')).body.lines, undefined);
  assert.deepEqual((await origin('ConfigMap', 'elsewhere')).body, {
    revisions: ['1'.repeat(40)],
    file: 'chart/a.yaml',
    line: 1,
  });
  assert.equal((await origin('ConfigMap', 'unknown')).body.file, undefined);
  assert.equal((await origin('ConfigMap', 'none')).status, 404);
  await configure('argocd-cm', { 'users.anonymous.enabled': 'true' });
  const path = '/api/tiphys/v1/applications/shop/origin?kind=ConfigMap&namespace=shop&resourceName=settings';
  assert.equal((await call(path)).status, 403);
});

test('fields of charts and kustomizations are told with the lines that made them, and nothing of Secrets', async (t) => {
  const object = (kind: string) => ({
    apiVersion: 'v1',
    kind,
    metadata: { name: 'settings', namespace: 'shop' },
    data: { 'a/b': 'hush' },
  });
  const looked: string[] = [];
  const { call, login } = await startTestServer(t, {
    backend: {
      ...idleBackend,
      render: async (_app, { explain }) => ({
        objects: [
          {
            object: object(explain?.kind ?? ''),
            origin: {
              file: 'chart/a.yaml',
              line: 1,
              written: [{ path: 'data[a/b]', entry: 'patches[0]', file: 'overlay/kustomization.yaml', line: 2 }],
            },
          },
        ],
        explained: {
          source: 0,
          fields: [
            {
              path: ['data', 'a/b'],
              value: 'hush',
              place: { file: 'chart/a.yaml', line: 3 },
              includedAt: [],
              values: [
                { name: 'Values.a', givenBy: [{ ref: 'other', file: 'prod.yaml', line: 1 }, { parameter: 'a' }] },
                { name: 'Release.Name' },
              ],
              functions: [],
              generatedBy: [],
              conditions: [],
            },
          ],
        },
        revisions: ['1'.repeat(40), '2'.repeat(40)],
        sourceType: 'Helm' as const,
        warnings: [],
      }),
      sourceFile: async (_app, _revisions, file, _signal, only) => {
        looked.push(`${file} of ${only}`);
        return {
          text: 'first\nsecond\nthird hush\n',
          writer: async () => undefined,
          writers: async (from, to) => new Map([from, to].map((line) => [line, commit('abc'[line - 1] ?? 'd')])),
        };
      },
    },
  });
  const token = await login();
  const repoURL = 'https://git.example.com/app.git';
  await call('/api/v1/applications?validate=false', {
    token,
    body: {
      metadata: { name: 'shop' },
      spec: {
        project: 'default',
        sources: [
          { repoURL, path: 'chart' },
          { repoURL, ref: 'other' },
        ],
        destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
      },
    },
  });
  const origin = async (kind: string) =>
    (await call(`/api/tiphys/v1/applications/shop/origin?kind=${kind}&namespace=shop&resourceName=settings`, { token }))
      .body;
  const told = await origin('ConfigMap');
  assert.deepEqual(told.fields, [
    {
      pointer: '/data/a~1b',
      value: 'hush',
      place: { file: 'chart/a.yaml', line: 3, source: 0, commit: 0, text: 'third hush' },
      values: [
        { name: 'Values.a', givenBy: [{ file: 'prod.yaml', line: 1, source: 1, commit: 1 }, { parameter: 'a' }] },
        { name: 'Release.Name' },
      ],
    },
    {
      pointer: '/data/a~1b',
      value: 'hush',
      place: { file: 'overlay/kustomization.yaml', line: 2, source: 0, commit: 2, text: 'second' },
      entry: 'patches[0]',
    },
  ]);
  assert.deepEqual(
    (told.writers as { author: string }[]).map(({ author }) => author),
    ['c', 'a', 'b'],
  );
  assert.ok(looked.includes('prod.yaml of 1'), looked.join());
  const secret = await origin('Secret');
  assert.equal((secret.fields as unknown[]).length, 2);
  assert.doesNotMatch(JSON.stringify(secret), /hush/);
});
