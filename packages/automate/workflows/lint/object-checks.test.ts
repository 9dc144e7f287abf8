import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { workflowChecks } from './object-checks.ts';

const object = (kind: string, name: string, spec: unknown): KubeObject =>
  ({ apiVersion: 'argoproj.io/v1alpha1', kind, metadata: { name, namespace: 'shop' }, spec }) as KubeObject;
const told = (one: KubeObject, ...others: KubeObject[]) =>
  workflowChecks
    .get(`argoproj.io/${one.kind}`)?.(one, [one, ...others])
    .map(({ message, place }) => [message.replace(/^.* as it is written: /, ''), place?.field]);
const main = { name: 'main', suspend: {} };

test('fields are those of the object, whose workflow may be below another field', () => {
  const workflowSpec = { entrypoint: 'mian', templates: [main] };
  assert.deepEqual(told(object('CronWorkflow', 'c', { schedules: ['@daily'], workflowSpec })), [
    ['there is no template mian', 'spec.workflowSpec.entrypoint'],
  ]);
  assert.deepEqual(told(object('Workflow', 'w', { templates: [main] })), []);
});

test('what has another shape than it must have is told, also where another object refers to it', () => {
  const broken = object('WorkflowTemplate', 'broken', { templates: { main } });
  assert.deepEqual(told(broken), [['templates is a map, it must be a list', 'spec.templates']]);
  const calls = { name: 'calls', steps: [[{ name: 'a', templateRef: { name: 'broken', template: 'main' } }]] };
  assert.equal(told(object('WorkflowTemplate', 'whole', { templates: [calls] }), broken)?.length, 1);
  assert.doesNotThrow(() => told(object('CronWorkflow', 'empty', null)));
});
