import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedPointers } from './changed-pointers.ts';
import { fieldOwners, ownersAt } from './field-owners.ts';
import { levelOf } from './log-lines.ts';
import { lineOf } from './source-line.ts';

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

test('ownersAt() finds who wrote a field, also one of an item of a list or below what is owned as a whole', () => {
  const object = {
    metadata: {
      managedFields: [
        {
          manager: 'tiphys',
          operation: 'Apply',
          time: '2026-01-01T00:00:00Z',
          fieldsV1: {
            'f:spec': {
              'f:replicas': {},
              'f:selector': {},
              'f:containers': { 'k:{"name":"web"}': { '.': {}, 'f:image': {} } },
            },
          },
        },
        {
          manager: 'kubectl-edit',
          operation: 'Update',
          time: '2026-01-02T00:00:00Z',
          fieldsV1: { 'f:spec': { 'f:replicas': {}, 'f:containers': { 'k:{"name":"side"}': { 'f:image': {} } } } },
        },
      ],
    },
    spec: {
      replicas: 3,
      selector: { app: 'web' },
      containers: [
        { name: 'side', image: 'a' },
        { name: 'web', image: 'b' },
      ],
    },
  };
  const of = (pointer: string) => ownersAt(object, pointer).map(({ manager }) => manager);
  assert.deepEqual(of('/spec/replicas'), ['kubectl-edit', 'tiphys']);
  assert.deepEqual(of('/spec/containers/0/image'), ['kubectl-edit']);
  assert.deepEqual(of('/spec/containers/1/image'), ['tiphys']);
  assert.deepEqual(of('/spec/selector/app'), ['tiphys']);
  assert.deepEqual(of('/spec/paused'), []);
  assert.deepEqual(of('/spec/containers/7/image'), []);
});

test('lineOf() finds the line of a field, where the file says it', () => {
  const lines = ['spec:', '  replicas: 2', '  containers:', '  - name: web', '    image: b'];
  const desired = { spec: { replicas: 2, paused: false, containers: [{ name: 'web', image: 'b' }] } };
  assert.equal(lineOf(lines, '/spec/replicas', desired), 1);
  assert.equal(lineOf(lines, '/spec/containers/0/image', desired), 4);
  assert.equal(lineOf(lines, '/spec/paused', desired), undefined);
  assert.equal(lineOf(['a: ['], '/a', {}), undefined);
  // what the file has in another number may be another item
  const longer = { spec: { containers: [{ name: 'x' }, { name: 'web', image: 'b' }] } };
  assert.equal(lineOf(lines, '/spec/containers/0/image', longer), undefined);
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
