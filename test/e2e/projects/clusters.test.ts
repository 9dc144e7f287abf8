import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { configMap } from '../support/manifests.ts';
import { World } from '../support/world.ts';

let world: World;
before(async () => {
  world = await World.start();
});
after(() => world.close());

/** Declares the cluster of the world once more, with its own credentials, under another address. */
async function declare(name: string, server: string, more: Record<string, string> = {}): Promise<void> {
  const { bearerToken, tls = {} } = world.cluster.config;
  const encode = (text: string) => Buffer.from(text).toString('base64');
  await world.client.create({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: world.namespace, labels: { 'argocd.argoproj.io/secret-type': 'cluster' } },
    stringData: {
      name,
      server,
      config: JSON.stringify({
        ...(bearerToken ? { bearerToken } : {}),
        tlsClientConfig: {
          insecure: true,
          ...(tls.cert ? { certData: encode(tls.cert) } : {}),
          ...(tls.key ? { keyData: encode(tls.key) } : {}),
        },
      }),
      ...more,
    },
  });
}

test('a cluster Secret with namespaces is delivered to there alone, and not to the cluster itself', async () => {
  const [inside, outside] = [await world.targetNamespace(), await world.targetNamespace()];
  // the path tells the registration from that of the cluster itself; the API server does not see the query
  const server = `${world.cluster.config.server}?namespaced`;
  await declare('namespaced', server, { namespaces: inside });
  const files = {
    'a.yaml': configMap('inside', 'one'),
    'b.yaml': configMap('outside', 'one').replace('name: outside', `name: outside\n  namespace: ${outside}`),
  };
  const repository = world.repository(files);
  await world.createApplication('namespaced', repository, {
    targetNamespace: inside,
    destination: { name: 'namespaced', namespace: inside },
    syncPolicy: { automated: {} },
  });
  const { status } = await world.waitForApplication('namespaced', 'an answer', (app) =>
    Boolean(app.status?.conditions?.length),
  );
  assert.equal(status?.conditions?.[0]?.type, 'ComparisonError');
  assert.match(
    status?.conditions?.[0]?.message ?? '',
    new RegExp(`^Failed to load live state: namespace "${outside}" for ConfigMap "outside" is not managed`),
  );
  // as upstream: what cannot be compared is not synced, not even the part that could be
  assert.deepEqual([status?.sync?.status, status?.operationState], ['Unknown', undefined]);
  await world.createApplication('only-inside', world.repository({ 'a.yaml': configMap('other', 'one') }), {
    targetNamespace: inside,
    destination: { name: 'namespaced', namespace: inside },
    syncPolicy: { automated: {} },
  });
  await world.healthy('only-inside');
  const { body } = await world.rest<{ namespaces: string[]; info: { cacheInfo: { resourcesCount: string } } }>(
    'GET',
    `/api/v1/clusters/${encodeURIComponent(server)}`,
  );
  assert.deepEqual(body.namespaces, [inside]);
  assert.ok(Number(body.info.cacheInfo.resourcesCount) < 20, 'only the objects of one namespace are kept');
});
