import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Workflow, WorkflowNode } from '../api/families.ts';
import { verbsOf, whyOf } from './workflow-verbs.ts';

const node = (name: string, phase: string, more: Partial<WorkflowNode> = {}): WorkflowNode => ({
  id: name,
  name,
  phase,
  type: 'Pod',
  template: 't',
  started: '',
  finished: '',
  message: '',
  children: [],
  parent: '',
  ...more,
});
const workflow = (phase: string, nodes: WorkflowNode[], more: Partial<Workflow> = {}): Workflow => ({
  namespace: 'n',
  name: 'w',
  diagnoses: [],
  created: '',
  phase,
  progress: '',
  started: '',
  finished: '',
  message: '',
  nodes,
  conditions: [],
  ...more,
});
const words = (one: Workflow) =>
  verbsOf(one)
    .map(({ verb }) => verb)
    .join();

test('verbsOf() offers what the phase allows', () => {
  assert.equal(words(workflow('Succeeded', [])), 'resubmit');
  assert.equal(words(workflow('Failed', [])), 'retry,resubmit');
  assert.equal(words(workflow('Running', [])), 'suspend,stop,terminate');
  assert.equal(words(workflow('Running', [], { suspended: true })), 'resume,stop,terminate');
  assert.equal(
    words(workflow('Running', [node('a', 'Running', { type: 'Suspend' })])),
    'resume,suspend,stop,terminate',
  );
});

test('verbsOf() says how much is run again and how much is kept', () => {
  const [retry] = verbsOf(workflow('Failed', [node('a', 'Failed'), node('b', 'Succeeded'), node('c', 'Succeeded')]));
  assert.match(retry?.says ?? '', /1 node that failed.*2 nodes that succeeded are kept/);
});

test('whyOf() says what led to a node that was left out, and what failed below one', () => {
  const skipped = node('b', 'Omitted');
  assert.equal(whyOf(skipped, [node('a', 'Failed', { children: ['b'] }), skipped]), 'It was not run after: a Failed.');
  const group = node('g', 'Failed', { type: 'DAG' });
  assert.equal(whyOf(group, [group, node('x', 'Error', { parent: 'g' })]), 'Below it failed: x.');
  assert.equal(whyOf(node('a', 'Pending', { message: 'Waiting for n/Mutex/m' }), []), 'Waiting for n/Mutex/m');
});
