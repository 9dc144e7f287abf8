import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fieldPath } from './field-path.ts';

test('fieldPath() writes a JSON pointer as people write paths', () => {
  assert.equal(fieldPath(''), '');
  assert.equal(fieldPath('/spec/containers/0/image'), 'spec.containers[0].image');
  assert.equal(fieldPath('/metadata/labels/app.kubernetes.io~1name'), 'metadata.labels["app.kubernetes.io/name"]');
});
