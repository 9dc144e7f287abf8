import assert from 'node:assert/strict';
import { test } from 'node:test';
import { packNodes } from '../controller/persistence/nodes-codec.ts';
import type { NodeStatus, Workflow } from '../model/types.ts';
import { explainWorkflow } from './explain.ts';
import { resubmitted } from './resubmit.ts';
import { toldWorkflow } from './told-workflow.ts';

const node = (id: string, more: Partial<NodeStatus>): NodeStatus =>
  ({ id, name: `build.${id}`, displayName: id, type: 'Pod', phase: 'Succeeded', ...more }) as NodeStatus;

const workflow = (nodes: readonly NodeStatus[]): Workflow => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'build', namespace: 'ci' },
  spec: {
    templates: [
      { name: 'approve', suspend: {} },
      { name: 'pause', suspend: { duration: '10s' } },
    ],
  },
  status: {
    phase: 'Running',
    nodes: Object.fromEntries(nodes.map((one) => [one.id, one])),
    storedTemplates: { 'namespaced/a/b': { name: 'b' } },
  } as unknown as NonNullable<Workflow['status']>,
});

test('notifications see the steps that failed and those that wait for somebody, also where nodes are packed', () => {
  const full = workflow([
    node('all', { type: 'DAG', phase: 'Failed', children: ['compile', 'tries'] }),
    node('compile', { phase: 'Failed', message: 'exit 1', inputs: { parameters: [{ name: 'secret', value: 'x' }] } }),
    node('tries', { type: 'Retry', phase: 'Failed', children: ['try0', 'try1'] }),
    node('try0', { phase: 'Failed', nodeFlag: { retried: true } }),
    node('try1', { phase: 'Failed', message: 'exit 2' }),
    node('fine', {}),
    node('asked', { type: 'Suspend', phase: 'Running', templateName: 'approve' }),
    node('timed', { type: 'Suspend', phase: 'Running', templateName: 'pause' }),
  ]);
  const told = toldWorkflow(full);
  assert.deepEqual(Object.keys(told.status?.nodes ?? {}).sort(), ['asked', 'compile', 'try1']);
  assert.doesNotMatch(JSON.stringify(told.status), /secret|storedTemplates/);
  const large = workflow([
    ...Array.from({ length: 3000 }, (_unused, i) => node(`step-${i}`, { message: 'm'.repeat(400) })),
    node('last', { phase: 'Error', message: 'gone' }),
  ]);
  const packed = packNodes(large);
  assert.ok(packed.status?.compressedNodes);
  assert.deepEqual(Object.keys(toldWorkflow(packed).status?.nodes ?? {}), ['last']);
});

test('a workflow tells what its notifications wait for, also one that succeeded, and a copy of it begins anew', () => {
  const annotations = {
    'notifications.argoproj.io/subscribe.on-workflow-failed.hook': '',
    'notified.notifications.argoproj.io': '{"a":1}',
    'tiphys.dev/notification-outbox': JSON.stringify([
      {
        id: 'n',
        trigger: 'on-workflow-succeeded',
        service: 'hook',
        recipient: 'ci',
        problem: { code: 'NotificationRefused', cause: 'N4', message: '401', remedy: 'Correct the token' },
      },
    ]),
  };
  const done = workflow([]);
  const told = { ...done, metadata: { ...done.metadata, annotations } };
  const succeeded = { ...told, status: { ...told.status, phase: 'Succeeded' } } as Workflow;
  const [notice, ...more] = explainWorkflow(succeeded);
  assert.deepEqual(more, []);
  assert.equal(notice?.message, 'Notification on-workflow-succeeded to hook:ci waits: 401');
  assert.deepEqual(notice?.place, { object: 'argoproj.io/Workflow ci/build' });
  assert.deepEqual(Object.keys(resubmitted(succeeded).metadata.annotations ?? {}), [
    'notifications.argoproj.io/subscribe.on-workflow-failed.hook',
  ]);
});
