import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from './object.ts';
import { shareManagedFields } from './share-managed-fields.ts';

const written = (name: string, field: string): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: {
    name,
    managedFields: [
      {
        manager: 'm',
        operation: 'Update',
        apiVersion: 'v1',
        time: name,
        fieldsType: 'FieldsV1',
        fieldsV1: { [field]: {} },
      },
    ],
  },
});
const fieldsOf = (object: KubeObject) => object.metadata.managedFields?.[0]?.fieldsV1;

test('objects that were written in the same way have their sets of fields in common, and nothing else', () => {
  const [a, b, other] = [written('a', 'f:data'), written('b', 'f:data'), written('c', 'f:spec')].map(
    shareManagedFields,
  );
  assert.ok(a && b && other);
  assert.equal(fieldsOf(a), fieldsOf(b));
  assert.deepEqual(a, written('a', 'f:data'));
  assert.deepEqual(b, written('b', 'f:data'));
  assert.deepEqual(fieldsOf(other), { 'f:spec': {} });
});

test('sets that were pushed out by others stay whole in the objects that use them', () => {
  const first = shareManagedFields(written('a', 'f:first'));
  for (let index = 0; index < 30; index++) shareManagedFields(written('x', `f:${'x'.repeat(100_000)}${index}`));
  const later = shareManagedFields(written('b', 'f:first'));
  assert.deepEqual(fieldsOf(first), { 'f:first': {} });
  assert.deepEqual(fieldsOf(later), { 'f:first': {} });
  assert.notEqual(fieldsOf(first), fieldsOf(later));
});
