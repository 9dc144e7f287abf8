import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApplicationSet, SetPreview } from '../api/model.ts';
import {
  deletionsWait,
  filterRows,
  generatorsOf,
  isGenerator,
  previewSummary,
  rowsOf,
  setProblem,
  treeOf,
} from './application-sets.ts';

const set: ApplicationSet = {
  metadata: { name: 'fleet', namespace: 'argocd' },
  spec: { generators: [{ git: {}, selector: {} }, { matrix: {} }, { git: {} }] },
  status: {
    conditions: [
      { type: 'ErrorOccurred', status: 'False', message: 'fine' },
      { type: 'ResourcesUpToDate', status: 'False', message: 'deletions wait' },
    ],
    resources: [{ kind: 'Application', name: 'a', status: 'Synced', health: { status: 'Healthy' } }],
    applicationStatus: [{ application: 'a', status: 'Waiting', step: '2' }],
  },
};

test('a set is told in few words: its generators, its problem, whether deletions wait', () => {
  assert.equal(generatorsOf(set), 'git, matrix');
  assert.equal(setProblem(set), 'deletions wait');
  assert.equal(deletionsWait(set), false);
  const waiting = { ...set, metadata: { ...set.metadata, annotations: { 'tiphys.dev/pending-deletions': '{}' } } };
  assert.equal(deletionsWait(waiting), true);
});

test('each Application says its step and the element that it is made for', () => {
  const origin = { field: 'spec.generators[0].git', generator: 'git', element: 'directory apps/a' };
  assert.deepEqual(rowsOf(set, [{ application: 'a', origin }]), [
    {
      name: 'a',
      health: 'Healthy',
      sync: 'Synced',
      step: '2 Waiting',
      element: origin.element,
      generator: origin.field,
    },
  ]);
});

test('a preview comes to numbers, and to nothing if anything fails', () => {
  const preview: SetPreview = {
    applications: [
      { name: 'a', change: 'create' },
      { name: 'b', change: 'none' },
      { name: 'c', change: 'delete' },
    ],
    failures: [],
    gaps: [],
  };
  assert.equal(previewSummary(preview), '1 create, 1 delete');
  assert.equal(previewSummary({ ...preview, applications: [] }), 'no change');
  const diagnosis = { code: 'X', cause: 'X', message: 'x' };
  assert.equal(previewSummary({ ...preview, failures: [{ diagnosis }] }), '1 failed: nothing would be changed');
});

test('the tree of a set has its generators, and what no generator is known of hangs on the set', () => {
  const origin = { field: 'spec.generators[0].git', generator: 'git', element: 'directory apps/a' };
  const elements = [{ application: 'a', origin }];
  const two = { ...set, status: { resources: [...(set.status?.resources ?? []), { kind: 'Application', name: 'b' }] } };
  const rows = rowsOf(two, elements);
  const tree = treeOf(two, rows, elements);
  assert.deepEqual(
    tree.map((node) => [isGenerator(node), node.kind, node.name, node.parentRefs?.[0]?.uid]),
    [
      [true, 'git', 'spec.generators[0].git', undefined],
      [false, 'Application', 'a', tree[0]?.uid],
      [false, 'Application', 'b', undefined],
    ],
  );
  const found = (filter: Partial<Parameters<typeof filterRows>[1]>) =>
    filterRows(rows, { text: '', health: '', sync: '', ...filter }).map(({ name }) => name);
  assert.deepEqual(found({ text: 'APPS/a git' }), ['a']);
  assert.deepEqual(found({ health: 'Healthy' }), ['a']);
  assert.deepEqual(found({ sync: 'OutOfSync' }), []);
});
