import assert from 'node:assert/strict';
import { test } from 'node:test';
import { containersOf } from './containers.ts';

test('the default container comes first, init containers last', () => {
  const spec = { initContainers: [{ name: 'wait' }], containers: [{ name: 'proxy' }, { name: 'app' }] };
  assert.deepEqual(containersOf({ spec }), ['proxy', 'app', 'wait']);
  const annotations = { 'kubectl.kubernetes.io/default-container': 'app' };
  assert.deepEqual(containersOf({ spec, metadata: { annotations } }), ['app', 'proxy', 'wait']);
  assert.deepEqual(containersOf(undefined), []);
});
