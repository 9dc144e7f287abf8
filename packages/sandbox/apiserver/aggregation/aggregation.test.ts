import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, test } from 'node:test';
import type { TLSSocket } from 'node:tls';
import { type Client, connect, type KubeObject } from '@tiphys/kubernetes';
import { issueCertificate } from '@tiphys/pki';
import { startSandbox } from '@tiphys/sandbox';
import { WebSocket, WebSocketServer } from 'ws';
import { eventually } from '../../kube-controllers/testing/eventually.ts';

const caller = { component: 'test', purpose: 'test' };
const cluster = await startSandbox({ nodes: 0 });
const client = connect(cluster.config, { caller });
const NAME = 'v1beta1.metrics.k8s.io';
const remotes: Remote[] = [];
after(async () => {
  await Promise.all(remotes.map((remote) => remote.stop()));
  await client.close();
  await cluster.close();
});

interface Remote {
  readonly port: number;
  /** What it was asked, newest last. */
  readonly seen: { url: string; user: unknown; groups: unknown; client: string; authorization: unknown }[];
  stop(): Promise<void>;
}

const ca = { ...issueCertificate({ commonName: 'metrics-ca', use: 'ca', now: Date.now() }), commonName: 'metrics-ca' };

/** A server of the metrics API, which tells in `seen` who asked it. */
async function startRemote(port = 0): Promise<Remote> {
  const certificate = issueCertificate({
    commonName: 'metrics',
    hosts: ['metrics.default.svc'],
    use: 'server',
    now: Date.now(),
    issuer: ca,
  });
  const seen: Remote['seen'] = [];
  const server: Server = createServer(
    { ...certificate, requestCert: true, rejectUnauthorized: false },
    (request, response) => {
      const { 'x-remote-user': user, 'x-remote-group': groups, authorization } = request.headers;
      const { subject } = (request.socket as TLSSocket).getPeerCertificate();
      const url = request.url ?? '';
      seen.push({ url, user, groups, client: String(subject?.CN), authorization });
      const known: Record<string, unknown> = {
        '/apis/metrics.k8s.io/v1beta1': {
          kind: 'APIResourceList',
          apiVersion: 'v1',
          groupVersion: 'metrics.k8s.io/v1beta1',
          resources: [{ name: 'pods', singularName: '', namespaced: true, kind: 'PodMetrics', verbs: ['get', 'list'] }],
        },
        '/apis/metrics.k8s.io/v1beta1/pods': {
          kind: 'PodMetricsList',
          apiVersion: 'metrics.k8s.io/v1beta1',
          metadata: {},
          items: [],
        },
      };
      const body = known[url.replace(/\?.*/, '')];
      response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(body ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }));
    },
  );
  const websockets = new WebSocketServer({ server });
  websockets.on('connection', (socket, { headers }) => socket.send(String(headers['x-remote-user'])));
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  const remote: Remote = {
    port: (server.address() as AddressInfo).port,
    seen,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
  remotes.push(remote);
  return remote;
}

interface Registration extends KubeObject {
  status?: { conditions?: { type: string; status: string; reason: string; message: string }[] };
}

const condition = (wanted: string) =>
  eventually<Registration>(
    client,
    'apiregistration.k8s.io/v1',
    'APIService',
    NAME,
    (found) => found?.status?.conditions?.some(({ reason }) => reason === wanted) ?? false,
  ).then(({ status }) => status?.conditions?.[0]);

const service = (port: number): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name: 'metrics', namespace: 'default' },
  spec: { type: 'ExternalName', externalName: '127.0.0.1', ports: [{ port }] },
});
const registration = (port: number): KubeObject => ({
  apiVersion: 'apiregistration.k8s.io/v1',
  kind: 'APIService',
  metadata: { name: NAME },
  spec: {
    group: 'metrics.k8s.io',
    version: 'v1beta1',
    groupPriorityMinimum: 100,
    versionPriority: 100,
    service: { name: 'metrics', namespace: 'default', port },
    caBundle: Buffer.from(ca.cert).toString('base64'),
  },
});

async function discovered(asking: Client): Promise<{ resources?: unknown[]; freshness: string } | undefined> {
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const { items } = (await (await asking.request('GET', '/apis', { accept })).json()) as {
    items: { metadata: { name: string }; versions: { resources?: unknown[]; freshness: string }[] }[];
  };
  return items.find(({ metadata }) => metadata.name === 'metrics.k8s.io')?.versions[0];
}

test('an aggregated API comes, goes, comes back and is forgotten', async () => {
  const first = await startRemote();
  const { port } = first;
  await client.create(registration(port));
  assert.deepEqual((await condition('ServiceNotFound'))?.message, 'service/metrics in "default" is not present');
  assert.deepEqual(await discovered(client), { version: 'v1beta1', freshness: 'Stale' });
  const path = '/apis/metrics.k8s.io/v1beta1/pods';
  await assert.rejects(client.request('GET', path), { status: 503 });

  await client.create(service(port));
  assert.equal((await condition('Passed'))?.message, 'all checks passed');
  const list = await client.request('GET', path);
  assert.match(await list.text(), /PodMetricsList/);
  assert.deepEqual(first.seen.at(-1), {
    url: path,
    user: 'kubernetes-admin',
    groups: 'system:masters, system:authenticated',
    client: 'front-proxy-client',
    authorization: undefined,
  });
  assert.equal((await discovered(client))?.freshness, 'Current');
  const socket = new WebSocket(`${cluster.url.replace(/^http/, 'ws')}${path}`, {
    headers: { authorization: `Bearer ${cluster.config.bearerToken}` },
  });
  const [told] = (await once(socket, 'message')) as [Buffer];
  assert.equal(told.toString(), 'kubernetes-admin');
  socket.close();
  await once(socket, 'close');

  await first.stop();
  await client.delete({ apiVersion: 'v1', kind: 'Service', namespace: 'default', name: 'metrics' });
  await client.create(service(port));
  const failed = await condition('FailedDiscoveryCheck');
  const url = `https://127.0.0.1:${port}/apis/metrics.k8s.io/v1beta1`;
  assert.equal(
    failed?.message,
    `failing or missing response from ${url}: Get "${url}": dial tcp 127.0.0.1:${port}: connect: connection refused`,
  );
  assert.equal((await discovered(client))?.freshness, 'Stale');

  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'held' } };
  await client.create(namespace);
  await client.delete({ apiVersion: 'v1', kind: 'Namespace', name: 'held' });
  const held = await eventually<Registration>(
    client,
    'v1',
    'Namespace',
    'held',
    (found) => found?.status?.conditions?.some(({ status }) => status === 'True') ?? false,
  );
  assert.equal(
    held.status?.conditions?.find(({ status }) => status === 'True')?.message,
    'Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: metrics.k8s.io/v1beta1: stale GroupVersion discovery: metrics.k8s.io/v1beta1',
  );

  await startRemote(port);
  await condition('Passed');
  await client.delete({ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: NAME });
  assert.equal(await discovered(client), undefined);
});
