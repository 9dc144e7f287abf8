import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diagnoseInvalid } from './invalid-diagnosis.ts';

const rollout = {
  metadata: { namespace: 'shop', name: 'web' },
  spec: {
    strategy: { canary: { steps: [{ pause: { duration: '10 minutes' } }, { setWeight: 20, pause: {} }] } },
  },
} as never;
const found = (path: string, value = '-1') => {
  const { evidence } = diagnoseInvalid(rollout, { path, value, detail: 'is wrong' } as never);
  return evidence.find(({ name }) => name === 'found')?.value;
};

test('what is wrong in a Rollout is shown as it is written there', () => {
  assert.equal(found('spec.strategy.steps[0].pause.duration'), '"10 minutes"');
  assert.equal(found('spec.strategy.canary.steps[1]'), '{"setWeight":20,"pause":{}}');
  assert.equal(found('spec.template.spec', 'of the Deployment'), 'of the Deployment');
});
