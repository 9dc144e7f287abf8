import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedPointers } from './changed-pointers.ts';
import { fieldOwners } from './field-owners.ts';
import { levelOf } from './log-lines.ts';

test('fieldOwners() names the leaves of each manager, lists by their keys', () => {
  const object = {
    metadata: {
      managedFields: [
        {
          manager: 'tiphys',
          operation: 'Apply',
          fieldsV1: {
            'f:spec': { 'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:image': {} } } },
            'f:metadata': { 'f:finalizers': { 'v:"x"': {} } },
          },
        },
        { manager: 'hpa', operation: 'Update', subresource: 'scale', fieldsV1: { 'f:spec': { 'f:replicas': {} } } },
      ],
    },
  };
  assert.deepEqual(
    fieldOwners(object).map(({ path, manager }) => [path, manager]),
    [
      ['metadata.finalizers[x]', 'tiphys'],
      ['spec.containers[name=web].image', 'tiphys'],
      ['spec.replicas', 'hpa'],
    ],
  );
  assert.deepEqual(fieldOwners(undefined), []);
});

test('changedPointers() names what differs, as JSON pointers', () => {
  const live = { spec: { replicas: 3, template: { a: 1 } }, metadata: { annotations: { 'x.io/y~z': '1' } } };
  const desired = { spec: { replicas: 2, template: { a: 1 }, paused: true }, metadata: { annotations: {} } };
  assert.deepEqual(changedPointers(live, desired), [
    '/metadata/annotations/x.io~1y~0z',
    '/spec/paused',
    '/spec/replicas',
  ]);
  assert.deepEqual(changedPointers({ a: [1, 2] }, { a: [1, 3] }), ['/a/1']);
  assert.deepEqual(changedPointers(live, live), []);
});

test('levelOf() reads the level of JSON lines, of logfmt, and of words', () => {
  assert.equal(levelOf('{"level":"warn","msg":"x"}'), 'warn');
  assert.equal(levelOf('{"severity":"ERROR"}'), 'error');
  assert.equal(levelOf('time=1 level=info msg=x'), 'info');
  assert.equal(levelOf('2026-01-01 ERROR no such file'), 'error');
  assert.equal(levelOf('hello'), undefined);
});
