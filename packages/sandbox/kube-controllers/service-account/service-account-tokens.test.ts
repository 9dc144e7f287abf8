import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { connect, type KubeObject } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { eventually } from '../testing/eventually.ts';

const cluster = await startSandbox({ nodes: 0 });
const client = connect(cluster.config, { caller: { component: 'test', purpose: 'test' } });
after(async () => {
  await client.close();
  await cluster.close();
});

interface Secret extends KubeObject {
  data?: Record<string, string>;
}

const account = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ServiceAccount',
  metadata: { name, namespace: 'default' },
});
const secretOf = (name: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: {
    name: `${name}-token`,
    namespace: 'default',
    annotations: { 'kubernetes.io/service-account.name': name },
  },
  type: 'kubernetes.io/service-account-token',
});
const filled = (name: string) =>
  eventually<Secret>(client, 'v1', 'Secret', `${name}-token`, (secret) => Boolean(secret?.data?.token));
const text = (secret: Secret, key: string) => Buffer.from(secret.data?.[key] ?? '', 'base64').toString();
const whoHas = (bearerToken: string) => {
  const user = connect({ ...cluster.config, bearerToken }, { caller: { component: 'test', purpose: 'test' } });
  const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: {} };
  return user.create<KubeObject>(review).finally(() => user.close());
};

test('a Secret for a service account gets a token that the server believes', async () => {
  const made = await client.create(account('robot'));
  await client.create(secretOf('robot'));
  const secret = await filled('robot');
  assert.equal(text(secret, 'namespace'), 'default');
  assert.match(text(secret, 'ca.crt'), /BEGIN CERTIFICATE/);
  assert.equal(secret.metadata.annotations?.['kubernetes.io/service-account.uid'], made.metadata.uid);
  assert.deepEqual((await whoHas(text(secret, 'token'))).status, {
    userInfo: {
      username: 'system:serviceaccount:default:robot',
      uid: made.metadata.uid,
      groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
    },
  });
  const today = new Date().toISOString().slice(0, 10);
  const used = await client.get({ apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'robot-token' });
  assert.equal(used.metadata.labels?.['kubernetes.io/legacy-token-last-used'], today);
});

test('the token goes with its Secret, and the Secret with its account', async () => {
  await client.create(account('brief'));
  await client.create(secretOf('brief'));
  const token = text(await filled('brief'), 'token');
  await client.delete({ apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'brief-token' });
  await assert.rejects(whoHas(token), { status: 401 });
  await client.create(secretOf('brief'));
  await filled('brief');
  await client.delete({ apiVersion: 'v1', kind: 'ServiceAccount', namespace: 'default', name: 'brief' });
  await eventually(client, 'v1', 'Secret', 'brief-token', (secret) => secret === undefined);
});

test('a Secret for an account that is not there is deleted', async () => {
  await client.create(secretOf('nobody'));
  await eventually(client, 'v1', 'Secret', 'nobody-token', (secret) => secret === undefined);
});

test('an account forgets the Secret that was deleted', async () => {
  await client.create({ ...account('listed'), secrets: [{ name: 'listed-token' }, { name: 'other' }] });
  await client.create(secretOf('listed'));
  await filled('listed');
  await client.delete({ apiVersion: 'v1', kind: 'Secret', namespace: 'default', name: 'listed-token' });
  await eventually<KubeObject & { secrets?: unknown[] }>(
    client,
    'v1',
    'ServiceAccount',
    'listed',
    (found) => found?.secrets?.length === 1,
  );
});
