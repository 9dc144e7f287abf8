import assert from 'node:assert/strict';
import { test } from 'node:test';
import { connect } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { ensureControlPlane } from './control-plane.ts';

test('a control plane has what programs of Argo CD expect, and what is there stays as it is', async (t) => {
  const sandbox = await startSandbox({ controllers: false, nodes: 0 });
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'control plane' } });
  t.after(() => client.close());
  await ensureControlPlane(client, 'argocd');
  // `argocd admin notifications` ends without it
  const secret = { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-notifications-secret' };
  assert.equal((await client.get(secret)).metadata.labels?.['app.kubernetes.io/part-of'], 'argocd');
  await client.patch(secret, 'merge', { stringData: { token: 't' } });
  await ensureControlPlane(client, 'argocd');
  assert.deepEqual((await client.get(secret)).data, { token: 'dA==' });
});
