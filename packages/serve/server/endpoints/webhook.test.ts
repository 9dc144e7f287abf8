import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import type { ApplicationRef } from '../ports/backend.ts';
import { idleBackend, startTestServer } from '../testing/start-test-server.ts';

const push = {
  ref: 'refs/heads/main',
  repository: { html_url: 'https://host.example/team/shop', default_branch: 'main' },
};
const headers = { 'x-github-event': 'push' };

test('a push refreshes the applications that read it, and those of other processes by their annotation', async (t) => {
  const { promise, resolve } = Promise.withResolvers<readonly ApplicationRef[]>();
  const backend = {
    ...idleBackend,
    pushed: async (refs: readonly ApplicationRef[]) => {
      resolve(refs);
      return refs.filter(({ name }) => name === 'elsewhere');
    },
  };
  const { client, call } = await startTestServer(t, { backend });
  const application = (name: string, repoURL: string) =>
    client.create({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name, namespace: 'argocd' },
      spec: { project: 'default', source: { repoURL, path: '.' }, destination: { namespace: 'x', name: 'in-cluster' } },
    });
  await application('here', 'git@host.example:team/shop.git');
  await application('elsewhere', 'https://host.example/team/shop');
  await application('unconcerned', 'https://host.example/team/other');
  const { status } = await call('/api/webhook', { body: push, headers });
  assert.equal(status, 200);
  assert.deepEqual((await promise).map(({ name }) => name).sort(), ['elsewhere', 'here']);
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: 'elsewhere' };
  for await (const { object } of client.watch(ref, { resourceVersion: '0', signal: AbortSignal.timeout(120_000) }))
    if (object.metadata.annotations?.['argocd.argoproj.io/refresh'] === 'normal') break;
});

test('a body beyond the limit is refused although it never ends, and costs no more than the limit', async (t) => {
  const { server, call, configure } = await startTestServer(t);
  await configure('argocd-cm', { 'webhook.maxPayloadSizeMB': '1' });
  const status = await new Promise<number | undefined>((resolve, reject) => {
    const sent = request(`${server.url}/api/webhook`, { method: 'POST', headers }, (response) => {
      resolve(response.statusCode);
      sent.destroy();
    });
    const chunk = Buffer.alloc(64 * 1024, 'x');
    const more = () => {
      if (!sent.destroyed) sent.write(chunk, () => setImmediate(more));
    };
    sent.on('error', reject);
    more();
  });
  assert.equal(status, 413);
  const large = await call('/api/webhook', { body: 'x'.repeat(2 * 1024 * 1024), headers });
  assert.equal(large.status, 413);
  assert.match(String(large.body.text), /payload must be valid JSON under 1 MB/);
});

test('senders without a secret are held back when there are too many; those with one are not', async (t) => {
  const { call, client } = await startTestServer(t);
  const statuses = new Set<number>();
  for (let turn = 0; turn < 25; turn++)
    for (const { status } of await Promise.all(
      Array.from({ length: 10 }, () => call('/api/webhook', { body: push, headers })),
    ))
      statuses.add(status);
  assert.deepEqual([...statuses].sort(), [200, 429]);
  await client.patch({ apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-secret' }, 'merge', {
    stringData: { 'webhook.gitlab.secret': '$shared', shared: 'hush' },
  });
  const gitlab = { 'x-gitlab-event': 'Push Hook', 'x-gitlab-token': 'hush' };
  const body = { object_kind: 'push', ref: 'refs/heads/main', project: { web_url: 'https://host.example/team/shop' } };
  for (let turn = 0; ; turn++) {
    const { status } = await call('/api/webhook', { body, headers: { ...gitlab, 'x-gitlab-token': 'wrong' } });
    if (status === 400) break;
    assert.ok(turn < 200, 'the secret is taken up');
  }
  assert.equal((await call('/api/webhook', { body, headers: gitlab })).status, 200);
});

test('a request of nobody that is known is refused', async (t) => {
  const { call } = await startTestServer(t);
  const unknown = await call('/api/webhook', { body: {} });
  assert.equal(unknown.status, 400);
  assert.equal(unknown.body.text, 'Unknown webhook event\n');
  assert.equal((await call('/api/webhook', { method: 'GET', headers })).status, 405);
});
