import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { podSelection } from './pod-selection.ts';

const workload = (kind: string, spec: object): KubeObject => ({
  apiVersion: kind === 'Rollout' ? 'argoproj.io/v1alpha1' : 'apps/v1',
  kind,
  metadata: { name: 'web' },
  spec: { selector: { matchLabels: { app: 'web' } }, template: { metadata: { labels: { app: 'web' } } }, ...spec },
});
const selects = (kind: string, spec: object = {}) =>
  podSelection(workload(kind, spec), kind === 'Rollout' ? 'argoproj.io' : 'apps') !== undefined;

test('podSelection() is that of what makes ReplicaSets and runs pods, and not of who shares those of a Deployment', () => {
  assert.equal(selects('Deployment'), true);
  assert.equal(selects('Rollout', { replicas: 3 }), true);
  assert.equal(selects('Deployment', { replicas: 0 }), false);
  assert.equal(selects('Rollout', { workloadRef: { kind: 'Deployment', name: 'web' } }), false);
  assert.equal(selects('StatefulSet'), false);
  assert.deepEqual(podSelection(workload('Deployment', {}), 'apps')?.labels, { app: 'web' });
});
