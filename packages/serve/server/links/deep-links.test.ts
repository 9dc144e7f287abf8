import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TreeNode } from '@tiphys/engine';
import { idleBackend, startTestServer, type TestServer } from '../testing/start-test-server.ts';

test('links are made of the settings for the object that they are asked for', async (t) => {
  const logged: string[] = [];
  const { call, login, configure } = await startTestServer(t, { log: (_level, message) => void logged.push(message) });
  const token = await login();
  const metadata = { name: 'shop', annotations: { wiki: 'javascript:alert(1)' } };
  const spec = {
    project: 'default',
    source: { repoURL: 'https://example.test/r', path: 'p' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
  };
  assert.equal((await call('/api/v1/applications', { token, body: { metadata, spec } })).status, 200);
  await configure('argocd-cm', {
    'application.links': [
      '- url: https://logs.test/{{ .app.metadata.name | upper }}?cluster={{ .cluster.name }}',
      '  title: Logs',
      '  icon.class: fa-book',
      '  if: application.spec.project == "default"',
      '- {url: "https://x.test", title: Other, if: app.spec.project == "team"}',
      '- {url: "{{ .app.metadata.annotations.wiki }}", title: Wiki}',
      '- {url: "{{ .app.metadata | nothing }}", title: Broken}',
      '- {url: "https://y.test", title: No condition, if: app.metadata.name}',
      '- {url: "https://{{ env \\"HOME\\" }}", title: Environment}',
    ].join('\n'),
    'project.links': '- {url: "https://p.test/{{ .project.metadata.name }}", title: Page, description: Of the project}',
  });
  const ofApplication = await call('/api/v1/applications/shop/links', { token });
  assert.deepEqual(ofApplication.body.items, [
    { title: 'Logs', url: 'https://logs.test/SHOP?cluster=in-cluster', iconClass: 'fa-book' },
  ]);
  const left = logged.filter((line) => line.includes('is left out'));
  assert.equal(left.length, 4, left.join('\n'));
  assert.match(left.join('\n'), /application\.links\[2\] is left out: the address has the scheme javascript/);
  const ofProject = await call('/api/v1/projects/default/links', { token });
  assert.deepEqual(ofProject.body.items, [
    { title: 'Page', url: 'https://p.test/default', description: 'Of the project' },
  ]);
});

test('links of an object speak of it with its secrets masked, and of the project without its tokens', async (t) => {
  const node = {
    key: { group: '', kind: 'Secret', namespace: 'shop', name: 's' },
    version: 'v1',
    uid: 'u',
    parents: [],
  } as unknown as TreeNode;
  let started: TestServer | undefined;
  started = await startTestServer(t, {
    backend: {
      ...idleBackend,
      tree: async () => ({ nodes: [node], orphaned: [], hosts: [] }),
      clusterOf: async () => ({
        server: 'https://kubernetes.default.svc',
        name: 'in-cluster',
        client: (started as TestServer).client,
      }),
    },
  });
  const { call, client, login, configure } = started;
  const token = await login();
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'shop' } });
  await client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 's', namespace: 'shop' },
    stringData: { password: 'MARKER' },
  });
  const spec = {
    project: 'default',
    source: { repoURL: 'https://example.test/r', path: 'p' },
    destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
  };
  await call('/api/v1/applications', { token, body: { metadata: { name: 'web' }, spec } });
  await configure('argocd-cm', {
    'resource.links':
      '- {url: "https://s.test/{{ .resource.data.password }}/{{ .project.status }}", title: Of it, if: resource.kind == "Secret"}',
  });
  const { body } = await call(
    '/api/v1/applications/web/resource/links?namespace=shop&resourceName=s&version=v1&kind=Secret',
    { token },
  );
  assert.match(JSON.stringify(body), /https:\/\/s\.test\/\++\/<no value>/);
  assert.doesNotMatch(JSON.stringify(body), /MARKER|TUFSS0VS/);
});
