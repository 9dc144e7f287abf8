import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Workflow } from '../model/types.ts';
import { nodeEvents } from './node-events.ts';

const workflow = (phase?: string): Workflow =>
  ({
    metadata: { name: 'w', uid: 'u' },
    status: {
      nodes: phase ? { n: { id: 'n', name: 'w.a', type: 'Pod', phase, startedAt: '1970-01-01T00:00:01Z' } } : {},
    },
  }) as unknown as Workflow;
const prefix = 'workflows.argoproj.io/';
const own = {
  [`${prefix}node-id`]: 'n',
  [`${prefix}node-name`]: 'w.a',
  [`${prefix}node-type`]: 'Pod',
  [`${prefix}node-start-time`]: '1000000000',
};

test('events of a node are of its pod where that is wanted and there, and name the workflow', () => {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', annotations: { [`${prefix}node-id`]: 'n' } } };
  const ended = nodeEvents(workflow('Running'), workflow('Failed'), [pod as KubeObject]);
  const annotations = { ...own, [`${prefix}workflow-name`]: 'w', [`${prefix}workflow-uid`]: 'u' };
  assert.deepEqual(ended, [
    { type: 'Warning', reason: 'WorkflowNodeFailed', message: 'Failed node w.a', annotations, about: pod },
  ]);
  for (const pods of [[], [{ ...pod, metadata: { name: 'other' } } as KubeObject]])
    assert.deepEqual(nodeEvents(workflow(), workflow('Running'), pods), [
      { type: 'Normal', reason: 'WorkflowNodeRunning', message: 'Running node w.a', annotations: own },
    ]);
});
