import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nodeFacts } from './node-info.ts';

const application = (annotations: Record<string, string>) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name: 'shop', namespace: 'argocd', annotations, labels: { team: 'pay', tier: 'web' } },
});

test('nodeFacts() tells who manages an Application, where that is the address of a page', () => {
  const key = 'argocd.argoproj.io/managed-by-url';
  assert.deepEqual(nodeFacts(application({ [key]: 'https://cd.example.com' })).info, [
    { name: 'managed-by-url', value: 'https://cd.example.com' },
  ]);
  assert.deepEqual(nodeFacts(application({ [key]: 'javascript:alert(1)' })).info, []);
  const other = { ...application({ [key]: 'https://cd.example.com' }), apiVersion: 'v1', kind: 'ConfigMap' };
  assert.deepEqual(nodeFacts(other).info, []);
});

test('nodeFacts() tells the labels that the settings name', () => {
  assert.deepEqual(nodeFacts(application({}), ['team', 'region']).info, [{ name: 'team', value: 'pay' }]);
});
