import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actionDefaults } from './actions.ts';

test('parameters begin with what the object has under the same name', () => {
  const live = { spec: { replicas: 3, paused: false, template: { metadata: {} } } };
  assert.deepEqual(actionDefaults(['replicas', 'paused', 'template', 'reason'], live), {
    replicas: '3',
    paused: 'false',
    template: '',
    reason: '',
  });
  assert.deepEqual(actionDefaults(['replicas'], undefined), { replicas: '' });
});
