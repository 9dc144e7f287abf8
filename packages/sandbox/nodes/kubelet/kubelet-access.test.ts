import assert from 'node:assert/strict';
import { request } from 'node:https';
import { after, before, describe, test } from 'node:test';
import { type Client, connect, type KubeObject } from '@tiphys/kubernetes';
import { issueCertificate } from '@tiphys/pki';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { eventually } from '../../kube-controllers/testing/eventually.ts';

describe('The port of the kubelets', () => {
  let sandbox: Sandbox;
  let client: Client;
  let port: number;
  before(async () => {
    sandbox = await startSandbox();
    client = connect(sandbox.config, { caller: { component: 'test', purpose: 'kubelet access' } });
    const node = await eventually<
      KubeObject & { status?: { daemonEndpoints?: { kubeletEndpoint?: { Port: number } } } }
    >(client, 'v1', 'Node', 'sandbox-1', (found) => found?.status?.daemonEndpoints?.kubeletEndpoint !== undefined, '');
    port = node?.status?.daemonEndpoints?.kubeletEndpoint?.Port ?? 0;
    await client.create({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web', namespace: 'default' },
      spec: { containers: [{ name: 'main', image: 'web' }] },
    });
    await eventually(client, 'v1', 'Pod', 'web', (pod) => (pod?.status as { phase?: string })?.phase === 'Running');
  });
  after(async () => {
    await client.close();
    await sandbox.close();
  });

  const ask = (path: string, options: object = {}): Promise<number> =>
    new Promise((resolve, reject) => {
      const call = request({ host: '127.0.0.1', port, path, rejectUnauthorized: false, agent: false, ...options });
      call.once('response', (answer) => {
        answer.resume();
        resolve(answer.statusCode ?? 0);
      });
      call.once('upgrade', (_, socket) => {
        socket.destroy();
        resolve(101);
      });
      call.once('error', reject);
      call.end();
    });
  const logs = '/containerLogs/default/web/main';
  const upgrade = { connection: 'Upgrade', upgrade: 'SPDY/3.1', 'x-stream-protocol-version': 'v4.channel.k8s.io' };
  const bearer = (token: string | undefined) => ({ headers: { authorization: `Bearer ${token}` } });
  const accountToken = async () => {
    const answer = await client.request('POST', '/api/v1/namespaces/default/serviceaccounts/default/token', {
      body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
    });
    return ((await answer.json()) as { status: { token: string } }).status.token;
  };

  test('answers nobody without a credential, neither logs nor commands nor ports', async () => {
    for (const path of [logs, '/exec/default/web/main?command=id&output=1', '/portForward/default/web', '/'])
      for (const headers of [{}, upgrade, { authorization: 'Bearer wrong' }])
        assert.equal(await ask(path, { headers }), 401, path);
  });

  test('believes no certificate of a foreign authority', async () => {
    const foreign = issueCertificate({ commonName: 'sandbox-ca', use: 'ca', now: Date.now() });
    const pair = issueCertificate({
      commonName: 'kube-apiserver-kubelet-client',
      organizations: ['system:masters'],
      use: 'client',
      now: Date.now(),
      issuer: { ...foreign, commonName: 'sandbox-ca' },
    });
    assert.equal(await ask(logs, pair), 401);
  });

  test('answers the API server, and no token that may not nodes/proxy', async () => {
    let text = '';
    for await (const chunk of client.logs({ namespace: 'default', name: 'web' })) text += Buffer.from(chunk).toString();
    assert.ok(text);
    const token = await accountToken();
    assert.equal(await ask(logs, bearer(token)), 403);
    assert.equal(await ask('/exec/default/web/main', { headers: { ...bearer(token).headers, ...upgrade } }), 403);
  });

  test('runs no command for who may only get', async () => {
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata: { name: 'log-reader' } };
    await client.create({
      ...rbac,
      kind: 'ClusterRole',
      rules: [{ apiGroups: [''], resources: ['nodes/proxy'], verbs: ['get'] }],
    } as KubeObject);
    await client.create({
      ...rbac,
      kind: 'ClusterRoleBinding',
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'log-reader' },
      subjects: [{ kind: 'ServiceAccount', namespace: 'default', name: 'default' }],
    } as KubeObject);
    const { headers } = bearer(await accountToken());
    assert.equal(await ask(logs, { headers }), 200);
    assert.equal(await ask('/exec/default/web/main?command=id', { headers: { ...headers, ...upgrade } }), 403);
  });
});
