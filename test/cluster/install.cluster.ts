import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import type { Application } from '@tiphys/api';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { GitServer, long, RealCluster, ServedRepository, skip } from './real-cluster.ts';
import { until } from './until.ts';

const deployment = (replicas: number) => `apiVersion: apps/v1
kind: Deployment
metadata: {name: web}
spec:
  replicas: ${replicas}
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      terminationGracePeriodSeconds: 1
      containers: [{name: web, image: "rc.local/webd:v1", imagePullPolicy: IfNotPresent}]
`;

describe('Tiphys installed on a node with containers', { skip }, () => {
  const cluster = new RealCluster();
  const git = new GitServer();
  const repository = new ServedRepository(git, 'shop');
  let client: Client;

  before(async () => {
    await cluster.up();
    await cluster.load(process.env.TIPHYS_CLUSTER_IMAGE ?? '');
    client = cluster.client();
    await repository.commit({ 'web.yaml': deployment(2) });
    git.serve();
  });

  after(async () => {
    await client?.close();
    git.close();
    await cluster.down();
  });

  test('kubectl applies deploy/base, and every process becomes ready', async () => {
    await cluster.kubectl('create', 'namespace', 'argocd');
    await cluster.kubectl('label', 'namespace', 'argocd', 'pod-security.kubernetes.io/enforce=restricted');
    await cluster.kubectl('apply', '--server-side', '-k', 'deploy/base');
    const available = ({ status }: KubeObject) =>
      (status as { readyReplicas?: number } | undefined)?.readyReplicas === 1;
    const apps = { apiVersion: 'apps/v1', namespace: 'argocd' };
    await until(client, { ...apps, kind: 'StatefulSet', name: 'argocd-application-controller' }, available);
    for (const name of ['argocd-server', 'argocd-notifications-controller'])
      await until(client, { ...apps, kind: 'Deployment', name }, available);
  });

  const shop = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: 'shop' };
  const healthy = ({ status }: Application) => status?.sync?.status === 'Synced' && status.health?.status === 'Healthy';

  test('it delivers an application to real pods', async () => {
    await client.create<Application>({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: { name: 'shop', namespace: 'argocd' },
      spec: {
        project: 'default',
        source: { repoURL: repository.url, path: '.', targetRevision: 'main' },
        destination: { server: 'https://kubernetes.default.svc', namespace: 'shop' },
        syncPolicy: { automated: { prune: true, selfHeal: true }, syncOptions: ['CreateNamespace=true'] },
      },
    });
    await until(client, shop, healthy);
  });

  test('the API answers through its Service, with the initial password', async () => {
    const service = await client.get({ apiVersion: 'v1', kind: 'Service', namespace: 'argocd', name: 'argocd-server' });
    const base = `http://${(service.spec as { clusterIP: string }).clusterIP}`;
    const secret = await client.get({
      apiVersion: 'v1',
      kind: 'Secret',
      namespace: 'argocd',
      name: 'argocd-initial-admin-secret',
    });
    const password = Buffer.from((secret.data as { password: string }).password, 'base64').toString();
    const session = await fetch(`${base}/api/v1/session`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ username: 'admin', password }),
    });
    const { token } = (await session.json()) as { token: string };
    const answer = await fetch(`${base}/api/v1/applications/shop`, { headers: { authorization: `Bearer ${token}` } });
    assert.equal(((await answer.json()) as Application).status?.sync?.status, 'Synced');
    assert.match(await (await fetch(base)).text(), /<div id="root">/);
  });

  test('a controller whose pod dies goes on, and delivers the next commit', async () => {
    await cluster.kubectl(
      '-n',
      'argocd',
      'delete',
      'pod',
      'argocd-application-controller-0',
      '--grace-period=0',
      '--force',
    );
    await repository.commit({ 'web.yaml': deployment(3) });
    await client.patch({ ...shop }, 'merge', { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } });
    const web = { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'shop', name: 'web' };
    await until(client, web, ({ status }) => (status as { readyReplicas?: number }).readyReplicas === 3);
    await until(client, shop, healthy);
  });

  test('a drained node gets its processes back, and nothing that was delivered is lost', { skip: long }, async () => {
    await cluster.kubectl(
      'drain',
      'rc-node',
      '--ignore-daemonsets',
      '--delete-emptydir-data',
      '--force',
      '--timeout=120s',
    );
    await cluster.kubectl('uncordon', 'rc-node');
    const available = ({ status }: KubeObject) => (status as { readyReplicas?: number }).readyReplicas === 1;
    const apps = { apiVersion: 'apps/v1', namespace: 'argocd' };
    await until(client, { ...apps, kind: 'StatefulSet', name: 'argocd-application-controller' }, available);
    await until(client, { ...apps, kind: 'Deployment', name: 'argocd-server' }, available);
    await until(client, shop, healthy);
  });

  test('the other families start with the rights of their manifests', { skip: long }, async () => {
    for (const folder of ['rollouts', 'workflows', 'events'])
      await cluster.kubectl('apply', '--server-side', '-k', `deploy/${folder}`);
    const ready = ({ status }: KubeObject) => (status as { readyReplicas?: number } | undefined)?.readyReplicas === 1;
    for (const name of ['argo-rollouts', 'workflow-controller', 'controller-manager'])
      await until(client, { apiVersion: 'apps/v1', kind: 'Deployment', namespace: 'argocd', name }, ready);
  });

  test('a webhook reaches its source in the controller through the Service that the source asks for', {
    skip: long,
  }, async () => {
    const events = { apiVersion: 'argoproj.io/v1alpha1', namespace: 'shop' };
    await client.create({
      ...events,
      kind: 'EventBus',
      metadata: { name: 'default', namespace: 'shop' },
      spec: { embedded: {} },
    });
    await client.create({
      ...events,
      kind: 'EventSource',
      metadata: { name: 'hooks', namespace: 'shop' },
      spec: {
        service: { ports: [{ name: 'web', port: 80, targetPort: 14000 }] },
        webhook: { push: { port: '14000', endpoint: '/push', method: 'POST' } },
      },
    });
    await until(client, { ...events, kind: 'EventSource', name: 'hooks' }, ({ status }: KubeObject) => {
      const { conditions = [] } = (status ?? {}) as { conditions?: { status: string }[] };
      return conditions.length > 0 && conditions.every(({ status: state }) => state === 'True');
    });
    const service = await client.get({
      apiVersion: 'v1',
      kind: 'Service',
      namespace: 'shop',
      name: 'hooks-eventsource-svc',
    });
    const url = `http://${(service.spec as { clusterIP: string }).clusterIP}/push`;
    assert.equal((await posted(url)).status, 200);
  });

  test('who has rights in one namespace alone is enough for the namespace-scoped installation', {
    skip: long,
  }, async () => {
    await cluster.kubectl('delete', '-k', 'deploy/base', '--wait=true');
    await cluster.kubectl('apply', '--server-side', '-k', 'api/crds');
    await cluster.kubectl('apply', '--server-side', '-k', 'deploy/namespace-scoped');
    const ready = ({ status }: KubeObject) => (status as { readyReplicas?: number } | undefined)?.readyReplicas === 1;
    const apps = { apiVersion: 'apps/v1', namespace: 'argocd' };
    await until(client, { ...apps, kind: 'StatefulSet', name: 'argocd-application-controller' }, ready);
    for (const name of ['argocd-server', 'argocd-notifications-controller'])
      await until(client, { ...apps, kind: 'Deployment', name }, ready);
  });
});

/** The answer; kube-proxy leads to nobody until it has read of a Service's endpoints. Rejects after a minute. */
async function posted(url: string): Promise<Response> {
  const end = Date.now() + 60_000;
  for (;;)
    try {
      return await fetch(url, { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } });
    } catch (error) {
      if (Date.now() > end) throw error;
      await setTimeout(200);
    }
}
