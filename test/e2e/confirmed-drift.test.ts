import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { startWebhookServer, type WebhookServer } from '../conformance/webhook-server.ts';
import { World } from './support/world.ts';

const webhook = 'confirmed-drift';

let world: World;
let webhooks: WebhookServer;
before(async () => {
  world = await World.start();
  webhooks = await startWebhookServer();
  await world.client.create({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    metadata: { name: webhook },
    webhooks: [
      {
        name: 'label.confirmed-drift.example',
        clientConfig: { url: `${webhooks.url}/label`, caBundle: webhooks.ca },
        rules: [{ apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'], operations: ['CREATE', 'UPDATE'] }],
        objectSelector: { matchExpressions: [{ key: 'hooked', operator: 'Exists' }] },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        failurePolicy: 'Fail',
      },
    ],
  });
});
after(async () => {
  await world.client.delete({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'MutatingWebhookConfiguration',
    name: webhook,
  });
  await webhooks.close();
  await world.close();
});

/** The webhook says `yes` whatever is asked for. */
const hooked = `apiVersion: v1
kind: ConfigMap
metadata: {name: drift-hooked, labels: {hooked: "no"}}
data: {value: "one"}
`;
/** The server keeps the amounts in other words. */
const amounts = `apiVersion: apps/v1
kind: Deployment
metadata: {name: drift-amounts}
spec:
  selector: {matchLabels: {app: drift-amounts}}
  template:
    metadata: {labels: {app: drift-amounts}}
    spec:
      containers:
      - name: main
        image: registry.example/app:1
        resources: {requests: {cpu: 1000m, memory: 1024Mi}, limits: {cpu: 2000m}}
`;

const refresh = async (name: string) =>
  (await world.rest<{ status: { sync: { status: string } } }>('GET', `/api/v1/applications/${name}?refresh=hard`)).body
    .status.sync.status;

test('what the server or a webhook makes of a field is no drift, and nothing is applied for it', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': hooked, 'b.yaml': amounts });
  await world.createApplication('drift-confirmed', repository, {
    targetNamespace: namespace,
    syncPolicy: { automated: { selfHeal: true, prune: true } },
  });
  await world.healthy('drift-confirmed');
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'drift-hooked' };
  const live = await world.client.get(ref);
  assert.equal(live.metadata.labels?.hooked, 'yes');
  assert.equal(await refresh('drift-confirmed'), 'Synced');
  const { status } = await world.application('drift-confirmed');
  assert.equal(status?.history?.length, 1, 'it was synced once');
  assert.equal((await world.client.get(ref)).metadata.resourceVersion, live.metadata.resourceVersion);
});

test('a change beside such a field is drift still, and a sync undoes it', async () => {
  const namespace = await world.targetNamespace();
  const repository = world.repository({ 'a.yaml': hooked.replace('drift-hooked', 'drift-real') });
  await world.createApplication('drift-real', repository, {
    targetNamespace: namespace,
    syncPolicy: { automated: {} },
  });
  await world.healthy('drift-real');
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'drift-real' };
  await world.client.patch(ref, 'merge', { data: { value: 'by hand' } });
  await world.waitForApplication('drift-real', 'OutOfSync', (app) => app.status?.sync?.status === 'OutOfSync');
  assert.equal((await world.rest('POST', '/api/v1/applications/drift-real/sync', {})).status, 200);
  await world.healthy('drift-real');
  assert.deepEqual((await world.client.get(ref)).data, { value: 'one' });
});
