import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { NodeStatus, Pod, Workflow, WorkflowTaskSet } from '../model/types.ts';
import { explainNodes } from '../trouble/explain-nodes.ts';
import type { Facts } from './index.ts';
import { operate } from './operate.ts';
import { bareFacts } from './testing/bare-facts.ts';

const flow = (template: object): Workflow => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Workflow',
  metadata: { name: 'w', namespace: 'n', uid: 'u', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { entrypoint: 'main', templates: [{ name: 'main', ...template }] },
});
const plugin = { plugin: { farewell: {} } };

function agent(status: object, plugins: readonly string[] = []): Pod {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name: 'w-agent', namespace: 'n', labels: { 'workflows.argoproj.io/component': 'agent' } },
    spec: { containers: [{ name: 'main', env: [{ name: 'ARGO_PLUGIN_NAMES', value: JSON.stringify(plugins) }] }] },
    status,
  } as Pod;
}

/** What a second look at a workflow leaves, when these pods are there. */
function look(
  workflow: Workflow,
  {
    pods = [],
    taskSet,
    agentDisabled = false,
  }: Pick<Partial<Facts>, 'pods' | 'taskSet'> & { agentDisabled?: boolean } = {},
): Workflow {
  const facts = bareFacts(Date.parse('2026-01-01T00:00:01Z'), {
    settings: { executorImage: 'argoexec', agentDisabled },
    pods,
    taskSet,
  });
  return operate(operate(workflow, { ...facts, pods: [] }).workflow, facts).workflow;
}

const node = ({ status }: Workflow) => status?.nodes?.w as NodeStatus;

test('a plugin template that nobody takes says what it asks for, what there is, and what to do', () => {
  const running = { phase: 'Running', containerStatuses: [{ name: 'main', ready: true, state: { running: {} } }] };
  const some = look(flow(plugin), { pods: [agent(running, ['greeter', 'mailer'])] });
  assert.equal(node(some).phase, 'Pending');
  assert.equal(
    node(some).message,
    'Waits for an executor plugin that takes farewell: agent pod w-agent has greeter, mailer',
  );
  const [told, ...more] = explainNodes(some);
  assert.deepEqual([told?.code, more], ['WorkflowTaskNotTaken', []]);
  assert.match(told?.message ?? '', /^Step w waits: .* farewell: .* greeter, mailer$/);
  assert.match(JSON.stringify(told?.remedies), /ExecutorPlugin/);
  const none = look(flow(plugin), { pods: [agent(running)] });
  assert.match(node(none).message ?? '', / has none$/);
  assert.match(JSON.stringify(explainNodes(none)[0]?.remedies), /ARGO_EXECUTOR_PLUGINS=true/);
});

test('an agent that cannot start is what its templates wait for; a request that is under way says nothing', () => {
  const waiting = (reason: string, message: string) => [{ name: 'main', state: { waiting: { reason, message } } }];
  const image = agent({ phase: 'Pending', containerStatuses: waiting('ErrImagePull', 'not found') });
  assert.equal(
    node(look(flow({ http: { url: 'http://localhost/' } }), { pods: [image] })).message,
    'Waits for the agent pod w-agent, which has not started: ErrImagePull: not found',
  );
  const init = agent({ phase: 'Pending', initContainerStatuses: waiting('CreateContainerError', 'no') });
  const held = look(flow(plugin), { pods: [init] });
  assert.match(node(held).message ?? '', /container main: CreateContainerError: no$/);
  assert.equal(explainNodes(held)[0]?.code, 'WorkflowTaskNotTaken');
  const running = { phase: 'Running', containerStatuses: [{ name: 'main', ready: true, state: { running: {} } }] };
  assert.equal(node(look(flow({ http: { url: 'http://localhost/' } }), { pods: [agent(running)] })).message, undefined);
});

test('where agents are made by something else, the task set that it has to do is named', () => {
  const waits = look(flow(plugin), { agentDisabled: true });
  assert.match(node(waits).message ?? '', /disableAgentPodCreation.* WorkflowTaskSet n\/w$/);
  assert.match(JSON.stringify(explainNodes(waits)[0]?.remedies), /disableAgentPodCreation/);
});

test('an answer takes the place of what was waited for', () => {
  const pods = [agent({ phase: 'Running' }, ['greeter'])];
  const waits = look(flow(plugin), { pods });
  const answered = (status: object) => ({ status: { nodes: { w: status } } }) as unknown as WorkflowTaskSet;
  const begun = look(waits, { pods, taskSet: answered({ phase: 'Running', message: 'half way' }) });
  assert.deepEqual([node(begun).phase, node(begun).message], ['Running', 'half way']);
  const done = look(waits, { pods, taskSet: answered({ phase: 'Succeeded' }) });
  assert.deepEqual([node(done).phase, node(done).message], ['Succeeded', undefined]);
});
