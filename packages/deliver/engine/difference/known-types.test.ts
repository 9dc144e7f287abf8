import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { isKnownType, knownTypesFor } from './known-types.ts';

function formed(type: string, spec: unknown, field = 'spec'): unknown {
  const object = { apiVersion: 'x/v1', kind: 'X', metadata: {}, spec } as unknown as KubeObject;
  knownTypesFor({ group: 'x', kind: 'X', namespace: '', name: '' }, [{ group: 'x', kind: 'X', field, type }])?.(
    object,
    object,
  );
  return object['spec'];
}

test('quantities are written as Kubernetes writes them', () => {
  assert.deepEqual(
    formed('core/v1/ResourceList', { cpu: '2000m', memory: '1024Mi', gpu: 1, half: '0.5', disk: '1.5Gi' }),
    {
      cpu: '2',
      memory: '1Gi',
      gpu: '1',
      half: '500m',
      disk: '1536Mi',
    },
  );
});

test('a pod is written without what its type does not have, and without what is empty', () => {
  const container = { name: 'a', image: 'b', resources: {}, args: [], ports: null, odd: 1, stdin: false };
  assert.deepEqual(
    formed('core/v1/PodSpec', { hostNetwork: false, containers: [container], volumes: [{ name: 'v', emptyDir: {} }] }),
    {
      containers: [{ name: 'a', image: 'b' }],
      volumes: [{ name: 'v', emptyDir: {} }],
    },
  );
});

test('lists on the way to a field are gone through', () => {
  const spec = { jobs: [{ limits: { cpu: '1000m' } }, { other: 1 }] };
  assert.deepEqual(formed('core/v1/ResourceList', spec, 'spec.jobs.limits'), {
    jobs: [{ limits: { cpu: '1' } }, { other: 1 }],
  });
});

test('a Rollout is known without any settings', () => {
  const rollout = {
    spec: { template: { spec: { containers: [{ name: 'a', resources: { limits: { cpu: '1000m' } } }] } } },
  };
  const key = { group: 'argoproj.io', kind: 'Rollout', namespace: '', name: '' };
  knownTypesFor(key, [])?.(rollout as unknown as KubeObject, rollout as unknown as KubeObject);
  assert.equal(rollout.spec.template.spec.containers[0]?.resources.limits.cpu, '1');
  assert.equal(knownTypesFor({ ...key, kind: 'Workflow' }, []), undefined);
});

test('types are known by the names that upstream gives them', () => {
  for (const type of ['core/v1/PodSpec', 'core/v1/EnvVar', 'core/v1/ResourceList', 'core/Quantity', 'meta/v1/Duration'])
    assert.ok(isKnownType(type), type);
  for (const type of ['core/v1/Nothing', 'apps/v1/DeploymentSpec', '']) assert.ok(!isKnownType(type), type);
});
