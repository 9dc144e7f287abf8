import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { atVersionOf, editableYaml } from './shown-yaml.ts';

const metadata = {
  name: 'greet',
  namespace: 'n',
  resourceVersion: '7',
  uid: 'u',
  managedFields: [],
  annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', kept: 'yes' },
};

test('an editor shows what somebody would write, and saves it at the version that was read', () => {
  const before = { metadata, spec: { a: 1 }, status: { phase: 'x' } };
  const shown = parse(editableYaml('WorkflowTemplate', before));
  assert.deepEqual(shown, {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'WorkflowTemplate',
    metadata: { name: 'greet', namespace: 'n', annotations: { kept: 'yes' } },
    spec: { a: 1 },
  });
  assert.deepEqual(atVersionOf(before, shown).metadata, { ...shown.metadata, resourceVersion: '7' });
  assert.equal(atVersionOf({}, shown), shown);
});
