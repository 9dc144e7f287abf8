import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import forge from 'node-forge';
import { configMap, deployment } from '../support/manifests.ts';
import { World } from '../support/world.ts';

/** A group that another API server serves, or does not: the cluster goes on without it, and so do applications. */
let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

const GROUP = 'late.example.com';
const NAME = `v1.${GROUP}`;
const ref = { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name: NAME };

/** A server that has one kind, and no objects of it. */
async function startServer(port: number): Promise<{ port: number; stop(): Promise<void> }> {
  const pair = forge.pki.rsa.generateKeyPair(2048);
  const certificate = forge.pki.createCertificate();
  certificate.publicKey = pair.publicKey;
  certificate.serialNumber = '01';
  certificate.validity.notAfter = new Date(Date.now() + 86_400_000);
  certificate.setSubject([{ name: 'commonName', value: 'late' }]);
  certificate.setIssuer(certificate.subject.attributes);
  certificate.sign(pair.privateKey, forge.md.sha256.create());
  const key = forge.pki.privateKeyToPem(pair.privateKey);
  const server = createServer({ key, cert: forge.pki.certificateToPem(certificate) }, (request, response) => {
    const path = (request.url ?? '').replace(/\?.*/, '');
    const kind = { name: 'samples', singularName: 'sample', namespaced: true, kind: 'Sample', verbs: ['get', 'list'] };
    const body =
      path === `/apis/${GROUP}/v1`
        ? { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${GROUP}/v1`, resources: [kind] }
        : path.endsWith('/samples')
          ? { kind: 'SampleList', apiVersion: `${GROUP}/v1`, metadata: {}, items: [] }
          : undefined;
    response.writeHead(body ? 200 : 404, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body ?? { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 }));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const available = (wanted: string) =>
  world.waitFor(ref, `the API to be available: ${wanted}`, (found) => {
    const { conditions } = (found?.status ?? {}) as { conditions?: { type: string; status: string }[] };
    return conditions?.some(({ type, status }) => type === 'Available' && status === wanted) ?? false;
  });

test('applications are delivered while an API group is not served yet, when it comes and when it goes', async () => {
  const namespace = await world.targetNamespace();
  const first = await startServer(0);
  await first.stop();
  await world.client.create({
    apiVersion: 'apiregistration.k8s.io/v1',
    kind: 'APIService',
    metadata: { name: NAME },
    spec: {
      group: GROUP,
      version: 'v1',
      groupPriorityMinimum: 100,
      versionPriority: 100,
      insecureSkipTLSVerify: true,
      service: { name: 'late', namespace, port: first.port },
    },
  });
  try {
    await available('False');
    const repository = world.repository({ 'a.yaml': configMap('settled', 'one'), 'b.yaml': deployment('web') });
    await world.createApplication('unaffected', repository, {
      targetNamespace: namespace,
      syncPolicy: { automated: { prune: true } },
    });
    await world.healthy('unaffected');
    await world.client.create({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'late', namespace },
      spec: { type: 'ExternalName', externalName: '127.0.0.1' },
    });
    const server = await startServer(first.port);
    await available('True');
    repository.commit({ 'a.yaml': configMap('settled', 'two') });
    await world.rest('GET', '/api/v1/applications/unaffected?refresh=hard');
    const settled = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'settled' };
    const has = (value: string) => (object: KubeObject | undefined) =>
      (object?.data as { value?: string } | undefined)?.value === value;
    await world.waitFor(settled, 'what was committed while it was there', has('two'));

    await server.stop();
    await world.client.delete({ apiVersion: 'v1', kind: 'Service', namespace, name: 'late' });
    await available('False');
    repository.commit({ 'a.yaml': configMap('settled', 'three') });
    await world.rest('GET', '/api/v1/applications/unaffected?refresh=hard');
    await world.waitFor(settled, 'what was committed when it was gone', has('three'));
    const { status } = await world.healthy('unaffected');
    assert.deepEqual(status?.conditions ?? [], []);
  } finally {
    await world.client.delete(ref);
  }
});
