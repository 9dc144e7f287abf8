import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { cachedNode } from '../cache/cached-node.ts';
import { isIgnoredUpdate } from './ignored-update.ts';

const tracking = { method: 'annotation' } as const;

function deployment(fields: { spec?: object; status?: object; annotations?: object; version: string }): KubeObject {
  const annotations = { 'argocd.argoproj.io/tracking-id': 'shop:apps/Deployment:shop/web', ...fields.annotations };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name: 'web', namespace: 'shop', uid: 'u', resourceVersion: fields.version, annotations },
    spec: { replicas: 1, ...fields.spec },
    status: { updatedReplicas: 1, replicas: 1, availableReplicas: 1, ...fields.status },
  };
}

function ignored(before: KubeObject, after: KubeObject, ...jsonPointers: string[]): boolean {
  const [old, now] = [cachedNode(before, { tracking }, {}), cachedNode(after, { tracking }, {})];
  const rules = jsonPointers.length > 0 ? [{ group: '*', kind: '*', jsonPointers }] : [];
  return isIgnoredUpdate({ key: now.key, old, new: now, instances: ['shop'] }, rules);
}

test('an update of what the rules leave out is ignored, any other is not', () => {
  const before = deployment({ version: '1' });
  assert.equal(ignored(before, deployment({ version: '2' })), true);
  const annotated = deployment({ version: '2', annotations: { heartbeat: '5' } });
  assert.equal(ignored(before, annotated), false);
  assert.equal(ignored(before, annotated, '/metadata/annotations/heartbeat'), true);
  assert.equal(ignored(before, deployment({ version: '2', spec: { replicas: 2 } }), '/metadata/annotations'), false);
});

test('health counts whatever the rules leave out', () => {
  const sick = deployment({ version: '2', status: { availableReplicas: 0 } });
  assert.equal(ignored(deployment({ version: '1' }), sick, '/status'), false);
  const observed = deployment({ version: '2', status: { observedGeneration: 7 } });
  assert.equal(ignored(deployment({ version: '1' }), observed, '/status'), true);
});

test('an object that comes, goes or is made anew is no update', () => {
  const now = cachedNode(deployment({ version: '2' }), { tracking }, {});
  const other = cachedNode({ ...deployment({ version: '1' }), metadata: { name: 'web', uid: 'v' } }, { tracking }, {});
  assert.equal(isIgnoredUpdate({ key: now.key, new: now, instances: [] }, []), false);
  assert.equal(isIgnoredUpdate({ key: now.key, old: now, instances: [] }, []), false);
  assert.equal(isIgnoredUpdate({ key: now.key, old: other, new: now, instances: [] }, []), false);
});
