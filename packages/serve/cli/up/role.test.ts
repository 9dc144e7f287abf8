import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DiagnosisError } from '@tiphys/diagnosis';
import { replicaOf, roleOf } from './role.ts';
import { syncWaveDelayOf } from './sync-wave-delay.ts';

test('the role is what --role says, else what the name of Argo CD’s process means, else everything', () => {
  assert.equal(roleOf({}, {}), undefined);
  assert.equal(roleOf({}, { ARGOCD_BINARY_NAME: 'argocd-server' }), 'server');
  assert.equal(roleOf({}, { ARGOCD_BINARY_NAME: 'argocd-application-controller' }), 'controller');
  assert.equal(roleOf({ role: 'controller' }, { ARGOCD_BINARY_NAME: 'argocd-server' }), 'controller');
  assert.equal(roleOf({}, { ARGOCD_BINARY_NAME: 'argocd' }), undefined);
  assert.throws(() => roleOf({}, { ARGOCD_BINARY_NAME: 'argocd-repo-server' }), /argocd-repo-server/);
});

test('processes of one machine are replicas of different names; pods have their own', () => {
  assert.notEqual(replicaOf('server', {}).replica.replica, replicaOf('controller', {}).replica.replica);
  assert.deepEqual(replicaOf('server', { POD_NAME: 'server-0', NODE_NAME: 'a' }).replica, {
    replica: 'server-0',
    node: 'a',
  });
});

test('ARGOCD_SYNC_WAVE_DELAY is a number of seconds', () => {
  assert.equal(syncWaveDelayOf({}), undefined);
  assert.equal(syncWaveDelayOf({ ARGOCD_SYNC_WAVE_DELAY: '0' }), 0);
  assert.equal(syncWaveDelayOf({ ARGOCD_SYNC_WAVE_DELAY: '5' }), 5_000);
  assert.throws(() => syncWaveDelayOf({ ARGOCD_SYNC_WAVE_DELAY: 'soon' }), DiagnosisError);
});
