import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { freePort } from '../../../scripts/testing/free-ports.ts';
import { ProcessFlows } from './testing/process-flows.ts';

let flows: ProcessFlows;
before(async () => {
  flows = await ProcessFlows.start({ env: { ARGO_EXECUTOR_PLUGINS: 'true', ARGO_AGENT_PATCH_RATE: '100ms' } });
});
after(() => flows.close());

interface Flow extends KubeObject {
  status?: { phase?: string; message?: string; nodes?: Record<string, Node> };
}
interface TaskSet extends KubeObject {
  spec?: { tasks?: object };
  status?: { nodes?: object };
}
const completed = 'workflows.argoproj.io/completed';

interface Agent extends KubeObject {
  spec: {
    automountServiceAccountToken: boolean;
    containers: { name: string; volumeMounts: { mountPath: string }[] }[];
  };
}
interface Node {
  message?: string;
  outputs?: { parameters?: { name: string; value: string }[] };
}

const ended = (name: string, spec: object) =>
  flows.reached<Flow>(name, spec, ({ status }) => /Succeeded|Failed|Error/.test(status?.phase ?? ''));

const configMap = (name: string, container: object) =>
  flows.client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name,
      namespace: flows.namespace,
      labels: { 'workflows.argoproj.io/configmap-type': 'ExecutorPlugin' },
    },
    data: { 'sidecar.container': JSON.stringify(container) },
  } as KubeObject);

const greeting = {
  entrypoint: 'greet',
  templates: [{ name: 'greet', plugin: { greet: { whom: 'Ada' } } }],
};

test('a plugin runs beside the agent with the token that both have; one that cannot be used is told and left out', async () => {
  const port = await freePort();
  await configMap('broken-executor-plugin', { name: 'broken', image: 'any' });
  await configMap('greeter-executor-plugin', {
    name: 'greeter',
    image: 'any',
    command: [process.execPath, join(import.meta.dirname, 'testing/executor-plugin-worker.ts'), String(port)],
    ports: [{ containerPort: port }],
    resources: { requests: { cpu: '1m' }, limits: { cpu: '1' } },
    securityContext: { runAsNonRoot: true },
  });
  const other = { name: 'other', plugin: { farewell: {} } };
  const nobody = await ended('nobody', { entrypoint: 'other', templates: [other] });
  assert.match(nobody.status?.message ?? '', /^no plugin executed the template: none of greeter takes farewell$/);
  const { status } = await ended('greets', greeting);
  assert.equal(status?.phase, 'Succeeded', JSON.stringify(status));
  const node = status?.nodes?.greets;
  assert.equal(node?.message, 'greeted');
  assert.deepEqual(node?.outputs?.parameters, [{ name: 'greeting', value: 'Hello Ada' }]);
  const { client, errors, namespace } = flows;
  assert.match(
    errors.join('\n'),
    /executor plugin default\/broken-executor-plugin cannot be used: at least one port is mandatory/,
  );
  const taskSet = { apiVersion: 'argoproj.io/v1alpha1', kind: 'WorkflowTaskSet', namespace, name: 'greets' };
  const tidied = await client.get<TaskSet>(taskSet);
  assert.equal(tidied.metadata.labels?.[completed], 'true');
  assert.deepEqual([tidied.spec?.tasks ?? {}, tidied.status?.nodes ?? {}], [{}, {}]);
  const pods = await client.list<Agent>(
    { apiVersion: 'v1', kind: 'Pod', namespace },
    { labelSelector: 'workflows.argoproj.io/workflow=greets' },
  );
  const agent = pods.items[0]?.spec;
  assert.equal(agent?.automountServiceAccountToken, false);
  assert.deepEqual(
    agent.containers.map(({ name, volumeMounts }) => [name, ...volumeMounts.map(({ mountPath }) => mountPath)]),
    [
      ['greeter', '/var/run/argo'],
      ['main', '/var/run/argo', '/var/run/secrets/kubernetes.io/serviceaccount'],
    ],
  );
});

test('plugins of a workflow itself are refused where they are not allowed, and checked before it begins', async () => {
  const container = { name: 'own', image: 'any', ports: [{ containerPort: 4355 }] };
  const complete = { ...container, resources: { requests: {}, limits: {} }, securityContext: {} };
  const own = (sidecar: object) => [{ metadata: { name: 'own' }, spec: { sidecar } }];
  const refused = await ended('refused', { ...greeting, executorPlugins: own({ container: complete }) });
  assert.match(refused.status?.message ?? '', /ARGO_WORKFLOW_LEVEL_EXECUTOR_PLUGINS=true/);
  const invalid = await ended('invalid', { ...greeting, executorPlugins: own({ container }) });
  assert.match(invalid.status?.message ?? '', /spec\.executorPlugins\[0\].*resources requests are mandatory/);
});
