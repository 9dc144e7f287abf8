import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { explainConditions } from './explain-conditions.ts';
import { ownDiagnosis } from './own-diagnosis.ts';

const sensor = (diagnoses: unknown, apiVersion = 'argoproj.io/v1alpha1'): KubeObject => ({
  apiVersion,
  kind: 'Sensor',
  metadata: { name: 's', namespace: 'shop' },
  status: { diagnoses },
});
const told = {
  code: 'DependencySourceMissing',
  cause: 'E3',
  message: 'Dependency d waits for EventSource gone, which does not exist',
  place: { object: 'argoproj.io/Sensor shop/s', field: 'spec.dependencies[name=d]' },
  remedies: [{ text: 'Create the EventSource', paste: 'kubectl apply' }],
};

test('what a controller of Tiphys tells of its object is taken as it is', () => {
  assert.deepEqual(ownDiagnosis(sensor([told, { ...told, code: 'Other' }])), { ...told, evidence: [] });
  assert.equal(ownDiagnosis(sensor([told], 'shop.example/v1')), undefined);
});

test('a status that somebody else wrote says no more than a message needs', () => {
  for (const odd of [undefined, 'x', [], ['x'], [{ ...told, code: 'no code' }], [{ ...told, message: 7 }]])
    assert.equal(ownDiagnosis(sensor(odd)), undefined, JSON.stringify(odd));
  const found = ownDiagnosis(
    sensor([{ ...told, place: 7, message: 'x'.repeat(5_000), remedies: Array(9).fill({ text: 7 }) }]),
  );
  assert.deepEqual(found?.place, { object: 'argoproj.io/Sensor shop/s' });
  assert.deepEqual([found?.message.length, found?.remedies.length, found?.remedies[0]], [1_000, 5, { text: '' }]);
});

test('a controller that names a field of the specification is taken at its word', () => {
  const rollout: KubeObject = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', metadata: { name: 'r' } };
  const remedies = (message: string) =>
    explainConditions(rollout, { status: 'Degraded', message })?.remedies.map(({ text }) => text);
  const describe = 'See its events and what its controller logs of it';
  assert.deepEqual(remedies('spec.strategy.canary.stableService: Invalid value: "gone": service "gone" not found'), [
    'Correct spec.strategy.canary.stableService in the manifest, or create what it names',
    describe,
  ]);
  assert.deepEqual(remedies('the hen has not laid'), [describe]);
});
