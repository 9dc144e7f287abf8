import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Pod, Workflow, WorkflowTaskResult } from '../model/types.ts';
import { operate } from './index.ts';
import { bareFacts } from './testing/bare-facts.ts';

const begin = Date.parse('2026-01-01T00:00:00Z');
const flow: Workflow = {
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'w', namespace: 'jobs', uid: 'u1', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { entrypoint: 'main', templates: [{ name: 'main', container: { image: 'busybox', command: ['x'] } }] },
};

const result = (reported: boolean, outputs?: WorkflowTaskResult['outputs']): WorkflowTaskResult => ({
  apiVersion: flow.apiVersion,
  kind: 'WorkflowTaskResult',
  metadata: { name: 'w', labels: { 'workflows.argoproj.io/report-outputs-completed': String(reported) } },
  ...(outputs ? { outputs } : {}),
});

const facts = (seconds: number, pods: Pod[], taskResults: WorkflowTaskResult[] = []) =>
  bareFacts(begin + seconds * 1000, { pods, taskResults });

test('a workflow that is stopped waits for the outputs that its executor has announced, however often it is looked at', () => {
  const begun = operate(flow, facts(0, []));
  const [made] = begun.actions.flatMap((action) => (action.kind === 'create-pod' ? [action.pod] : []));
  assert.ok(made);
  const pod = (phase: 'Running' | 'Failed'): Pod => ({ ...made, status: { phase } });
  let now = operate(begun.workflow, facts(1, [pod('Running')], [result(false)])).workflow;
  now = { ...now, spec: { ...now.spec, shutdown: 'Stop' } };
  for (const phase of ['Running', 'Running', 'Failed', 'Failed'] as const) {
    const { workflow, actions } = operate(now, facts(2, [pod(phase)], [result(false)]));
    assert.equal(workflow.status?.nodes?.w?.phase, 'Failed');
    assert.equal(workflow.status?.phase, 'Running', 'outputs are to come');
    if (phase === 'Running') assert.ok(actions.some(({ kind }) => kind === 'terminate-pod'));
    now = workflow;
  }
  const outputs = { artifacts: [{ name: 'log', s3: { key: 'log' } }] };
  const { workflow } = operate(now, facts(3, [pod('Failed')], [result(true, outputs)]));
  assert.equal(workflow.status?.phase, 'Failed');
  assert.deepEqual(workflow.status?.nodes?.w?.outputs?.artifacts, outputs.artifacts);
});
