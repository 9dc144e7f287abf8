import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SourceDetails } from '@tiphys/source';
import { idleBackend, startTestServer } from '../testing/start-test-server.ts';

const repoURL = 'https://example.test/r';
const source = { repoURL, path: 'p', targetRevision: 'HEAD' };
const answers: SourceDetails[] = [
  {
    type: 'Helm',
    helm: {
      valueFiles: ['values.yaml'],
      values: 'a: b\n',
      parameters: [{ name: 'a', isText: true, value: 'b', places: [{ file: 'values.yaml', line: 1, value: 'b' }] }],
      fileParameters: [{ name: 'f', path: 'x' }],
    },
  },
  { type: 'Kustomize', kustomize: { images: ['web:v1'] } },
  {
    type: 'Plugin',
    plugin: {
      parametersAnnouncement: [
        { name: 'm', map: { a: 'b' } },
        { name: 'l', array: ['x'] },
      ],
    },
  },
  { type: 'Directory' },
];

test('the details of a source are shown whole, to who may see its application, and of its own sources only', async (t) => {
  let answer: SourceDetails = { type: 'Directory' };
  const backend = { ...idleBackend, sourceDetails: async () => answer };
  const { call, login, client, configure } = await startTestServer(t, { backend });
  const token = await login();
  const ask = (body: object, caller = token) =>
    call(`/api/v1/repositories/${encodeURIComponent(repoURL)}/appdetails`, { token: caller, body });
  const draft = { source, appName: 'new', appProject: 'default' };
  for (answer of answers) {
    const { status, body } = await ask(draft);
    assert.equal(status, 200, JSON.stringify(body));
    assert.equal(body.type, answer.type);
    const parameters = answer.helm?.parameters.map(({ name, value }) => ({ name, value }));
    assert.deepEqual(body.helm, answer.helm && { ...answer.helm, parameters });
    assert.deepEqual(body.kustomize, answer.kustomize);
    if (answer.plugin) assert.deepEqual(body.plugin, answer.plugin);
  }
  const spec = {
    project: 'default',
    source,
    destination: { server: 'https://kubernetes.default.svc', namespace: 's' },
  };
  assert.equal((await call('/api/v1/applications', { token, body: { metadata: { name: 'shop' }, spec } })).status, 200);
  const own = { ...draft, appName: 'shop' };
  assert.equal((await ask(own)).status, 200);
  assert.equal((await ask({ ...own, source: { ...source, path: 'other' } })).status, 403, 'a source that it never had');
  assert.equal((await ask({ ...own, appProject: 'none' })).status, 403);
  const history = [{ id: 0, revision: 'abc', source: { ...source, path: 'old' }, deployedAt: '2026-01-02T03:04:05Z' }];
  await client.patch(
    { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: 'shop' },
    'merge',
    { status: { history, sync: { status: 'Unknown' } } },
  );
  assert.equal((await ask({ ...own, source: { ...source, path: 'old', targetRevision: 'abc' } })).status, 200);
  await configure('argocd-cm', { 'accounts.eve': 'apiKey' });
  const eve = String((await call('/api/v1/account/eve/token', { token, body: {} })).body.token);
  assert.equal((await ask(own, eve)).status, 403);
});
