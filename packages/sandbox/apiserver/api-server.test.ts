import assert from 'node:assert/strict';
import { request } from 'node:https';
import { after, before, describe, it } from 'node:test';
import { loadKubeconfig } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';

let sandbox: Sandbox;
before(async () => {
  sandbox = await startSandbox({ controllers: false, nodes: 0 });
});
after(() => sandbox.close());

interface Called {
  status: number;
  json: Record<string, unknown> & { metadata: Record<string, unknown>; status?: unknown; message?: string };
}

async function call(
  method: string,
  path: string,
  body?: unknown,
  headers: Record<string, string> = {},
): Promise<Called> {
  const response = await fetch(`${sandbox.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${sandbox.config.bearerToken}`, 'content-type': 'application/json', ...headers },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, json: (await response.json()) as Called['json'] };
}

const configMaps = '/api/v1/namespaces/default/configmaps';

describe('The API server', () => {
  it('answers over TLS on the same port, to clients that trust the CA of the kubeconfig', async () => {
    const config = loadKubeconfig(sandbox.kubeconfig);
    assert.match(config.server, /^https:/);
    const status = await new Promise<number>((resolve, reject) => {
      request(`${config.server}/version`, { ca: config.tls?.ca ?? '' }, (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
        .on('error', reject)
        .end();
    });
    assert.equal(status, 200);
  });

  it('refuses a wrong token, and tells the anonymous what they may not', async () => {
    assert.equal((await call('GET', configMaps, undefined, { authorization: 'Bearer wrong' })).status, 401);
    const response = await fetch(`${sandbox.url}${configMaps}`);
    assert.equal(response.status, 403);
    assert.equal(
      ((await response.json()) as { message: string }).message,
      'configmaps is forbidden: User "system:anonymous" cannot list resource "configmaps" in API group "" in the namespace "default"',
    );
  });

  it('lets a service account do what its roles say and nothing else', async () => {
    const account = '/api/v1/namespaces/default/serviceaccounts';
    await call('POST', account, { metadata: { name: 'reader' } });
    const issued = await call('POST', `${account}/reader/token`, { spec: {} });
    const headers = { authorization: `Bearer ${(issued.json.status as { token: string }).token}` };
    assert.equal((await call('GET', configMaps, undefined, headers)).status, 403);
    await call('POST', '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings', {
      metadata: { name: 'reader' },
      roleRef: { kind: 'ClusterRole', name: 'view' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
    });
    assert.equal((await call('GET', configMaps, undefined, headers)).status, 200);
    assert.equal((await call('POST', configMaps, { metadata: { name: 'x' } }, headers)).status, 403);
    assert.equal(
      (await call('GET', '/api/v1/namespaces/default/secrets', undefined, headers)).status,
      403,
      'view shows no secrets',
    );
    await call('DELETE', `${account}/reader`);
    assert.equal((await call('GET', configMaps, undefined, headers)).status, 401, 'the token goes with its account');
  });

  it('lets nobody grant what they do not have', async () => {
    const account = '/api/v1/namespaces/default/serviceaccounts';
    const bindings = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/rolebindings';
    await call('POST', account, { metadata: { name: 'boss' } });
    await call('POST', bindings, {
      metadata: { name: 'boss' },
      roleRef: { kind: 'ClusterRole', name: 'admin' },
      subjects: [{ kind: 'ServiceAccount', name: 'boss', namespace: 'default' }],
    });
    const issued = await call('POST', `${account}/boss/token`, { spec: {} });
    const headers = { authorization: `Bearer ${(issued.json.status as { token: string }).token}` };
    const bind = (name: string) =>
      call(
        'POST',
        bindings,
        { metadata: { name: `more-${name}` }, roleRef: { kind: 'ClusterRole', name }, subjects: [] },
        headers,
      );
    assert.equal((await bind('view')).status, 201);
    const refused = await bind('cluster-admin');
    assert.equal(refused.status, 403);
    assert.match(
      String(refused.json.message),
      /is attempting to grant RBAC permissions not currently held:\n\{APIGroups:\["\*"\]/,
    );
  });

  it('pages a list consistently while objects come and go', async () => {
    for (const name of ['p1', 'p2', 'p3', 'p4'])
      await call('POST', '/api/v1/namespaces/kube-public/secrets', { metadata: { name } });
    const secrets = '/api/v1/namespaces/kube-public/secrets';
    const first = await call('GET', `${secrets}?limit=2`);
    assert.equal(first.json.metadata.remainingItemCount, 2);
    await call('DELETE', `${secrets}/p3`);
    await call('POST', secrets, { metadata: { name: 'p2b' } });
    const second = await call('GET', `${secrets}?limit=9&continue=${String(first.json.metadata.continue)}`);
    const names = (second.json.items as { metadata: { name: string } }[]).map(({ metadata }) => metadata.name);
    assert.deepEqual(names, ['p3', 'p4']);
    assert.equal(second.json.metadata.resourceVersion, first.json.metadata.resourceVersion);
  });

  it('tells a watcher with a selector when an object leaves the selection', async () => {
    const { json } = await call('POST', configMaps, { metadata: { name: 'w', labels: { in: 'yes' } } });
    const path = `${configMaps}?watch=true&labelSelector=in%3Dyes&resourceVersion=${String(json.metadata.resourceVersion)}&timeoutSeconds=1`;
    const watching = fetch(`${sandbox.url}${path}`, {
      headers: { authorization: `Bearer ${sandbox.config.bearerToken}` },
    });
    await call('PATCH', `${configMaps}/w`, { data: { a: 'b' } }, { 'content-type': 'application/merge-patch+json' });
    await call(
      'PATCH',
      `${configMaps}/w`,
      { metadata: { labels: null } },
      { 'content-type': 'application/merge-patch+json' },
    );
    const lines = (await (await watching).text()).trim().split('\n');
    assert.deepEqual(
      lines.map((line) => (JSON.parse(line) as { type: string }).type),
      ['MODIFIED', 'DELETED'],
    );
  });

  it('refuses what it does not do with what to do instead', async () => {
    await call('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'p' },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    });
    const exec = await call('POST', '/api/v1/namespaces/default/pods/p/exec?command=ls');
    assert.equal(exec.status, 400);
    assert.match(String(exec.json.message), /you must specify at least 1 upgrade header/);
  });

  it('evicts a pod only when its disruption budget allows', async () => {
    await call('POST', '/api/v1/namespaces/default/pods', {
      metadata: { name: 'e', labels: { app: 'e' } },
      spec: { containers: [{ name: 'c', image: 'x' }] },
    });
    await call(
      'PATCH',
      '/api/v1/namespaces/default/pods/e/status',
      { status: { phase: 'Running' } },
      { 'content-type': 'application/merge-patch+json' },
    );
    const budgets = '/apis/policy/v1/namespaces/default/poddisruptionbudgets';
    await call('POST', budgets, {
      metadata: { name: 'b' },
      spec: { minAvailable: 1, selector: { matchLabels: { app: 'e' } } },
    });
    const evict = () =>
      call('POST', '/api/v1/namespaces/default/pods/e/eviction', {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'e' },
      });
    assert.equal((await evict()).status, 429);
    const status = {
      disruptionsAllowed: 1,
      observedGeneration: 1,
      currentHealthy: 2,
      desiredHealthy: 1,
      expectedPods: 2,
    };
    await call('PATCH', `${budgets}/b/status`, { status }, { 'content-type': 'application/merge-patch+json' });
    assert.equal((await evict()).status, 201);
    assert.equal((await call('GET', '/api/v1/namespaces/default/pods/e')).status, 404);
  });

  it('limits a body before it is parsed', async () => {
    const { status } = await call('POST', configMaps, {
      metadata: { name: 'big' },
      data: { x: 'y'.repeat(4_000_000) },
    });
    assert.equal(status, 413);
  });
});
