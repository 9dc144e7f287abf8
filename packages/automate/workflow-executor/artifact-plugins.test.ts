import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { startWorkflowsFamily } from '@tiphys/workflows';
import { parseDocuments } from '@tiphys/yaml';
import { executorProgram } from './index.ts';

const closers: (() => Promise<void> | void)[] = [];
const errors: string[] = [];
// what plugins keep; the paths of sockets are short, so that of the cluster must be
const folder = mkdtempSync(join(tmpdir(), 'tap-'));
let client: Client;

const settings = {
  images: `driver: {entrypoint: ${JSON.stringify([process.execPath, join(import.meta.dirname, 'testing/artifact-driver-worker.ts')])}}`,
  artifactDrivers: '[{name: files, image: driver}]',
  artifactRepository: JSON.stringify({
    archiveLogs: true,
    plugin: { name: 'files', configuration: folder, keyFormat: '{{workflow.name}}/{{pod.name}}' },
  }),
};

before(async () => {
  const sandbox = await startSandbox({ runtime: 'process' });
  client = connect(sandbox.config, { caller: { component: 'test', purpose: 'plugins' } });
  const abort = new AbortController();
  await client.create({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'executors' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'system:serviceaccounts' }],
  } as KubeObject);
  await client.create({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'workflow-controller-configmap', namespace: 'default' },
    data: settings,
  } as KubeObject);
  const runtime = await startWorkflowsFamily({
    client,
    clock: systemClock,
    signal: abort.signal,
    namespace: 'default',
    env: {},
    sandbox: false,
    simulated: false,
    executorImage: 'executor',
    localExecutor: [process.execPath, executorProgram],
    onError: (key, error) => void errors.push(`${key}: ${String(error)}`),
  });
  closers.push(
    () => rmSync(folder, { recursive: true, force: true }),
    () => sandbox.close(),
    () => client.close(),
    () => runtime.close(),
    () => abort.abort(new Error('over')),
  );
});

after(async () => {
  for (const close of closers.reverse()) await close();
});

interface Flow extends KubeObject {
  status?: {
    phase?: string;
    message?: string;
    nodes?: Record<string, { displayName: string; phase?: string; message?: string; outputs?: Outputs }>;
  };
}
interface Outputs {
  result?: string;
  artifacts?: { name: string; plugin?: { key: string }; deleted?: boolean }[];
}

async function watched(name: string, spec: string, isReached: (flow: Flow) => boolean): Promise<Flow> {
  const value = parseDocuments(spec, { file: 'spec.yaml' }).documents[0]?.value as Record<string, unknown>;
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Workflow', namespace: 'default' };
  const created = await client.create({ ...ref, metadata: { name, namespace: 'default' }, spec: value } as KubeObject);
  const signal = AbortSignal.timeout(300_000);
  const resourceVersion = created.metadata.resourceVersion ?? '';
  for await (const { object } of client.watch<Flow>(ref, { resourceVersion, signal }))
    if (object.metadata.name === name && isReached(object)) return object;
  throw new Error(`the watch ended: ${errors.join('\n')}`);
}

test('artifacts and logs go through a plugin, from one step to the next, and are deleted by it', async () => {
  const flow = await watched(
    'passing',
    `entrypoint: main
artifactGC: {strategy: OnWorkflowCompletion}
templates:
- name: main
  steps:
  - - {name: make, template: make}
  - - name: use
      template: use
      arguments:
        artifacts:
        - {name: folder, from: "{{steps.make.outputs.artifacts.folder}}"}
        - {name: file, from: "{{steps.make.outputs.artifacts.file}}"}
  - - {name: told, template: told, when: "'{{steps.use.outputs.result}}' == 'one two three '"}
- {name: told, container: {image: any, command: ["true"]}}
- name: make
  container:
    image: any
    command: [sh, -c, 'cd "$CONTAINER_ROOT"; mkdir -p out/sub; echo one > out/sub/a; echo two > out/b; echo three > file; echo made']
    volumeMounts: [{name: work, mountPath: /out}]
  volumes: [{name: work, emptyDir: {}}]
  outputs:
    artifacts:
    - {name: folder, path: /out}
    - {name: file, path: /file, archive: {none: {}}}
- name: use
  inputs:
    artifacts:
    - {name: folder, path: /in/folder}
    - {name: file, path: /in/file}
  script:
    image: any
    command: [sh]
    source: cat /in/folder/sub/a /in/folder/b /in/file | tr '\\n' ' '
`,
    ({ status }) =>
      status?.phase !== undefined &&
      status.phase !== 'Running' &&
      (status.phase !== 'Succeeded' ||
        Object.values(status.nodes ?? {}).every(({ outputs }) =>
          (outputs?.artifacts ?? []).every(({ deleted }) => deleted),
        )),
  );
  const nodes = Object.values(flow.status?.nodes ?? {});
  assert.equal(flow.status?.phase, 'Succeeded', JSON.stringify([flow.status, errors], null, 1));
  assert.equal(nodes.find(({ displayName }) => displayName === 'use')?.outputs?.result, 'one two three ');
  assert.equal(nodes.find(({ displayName }) => displayName === 'told')?.phase, 'Succeeded');
  const made = nodes.find(({ displayName }) => displayName === 'make')?.outputs?.artifacts ?? [];
  assert.deepEqual(made.map(({ name }) => name).sort(), ['file', 'folder', 'main-logs']);
  assert.match(
    made.find(({ name }) => name === 'main-logs')?.plugin?.key ?? '',
    /^passing\/passing-make-\d+\/main\.log$/,
  );
  assert.deepEqual(existsSync(folder) ? readdirSync(folder) : [], [], 'nothing is left in the plugin');
});

test('a plugin that nobody lists is named in the error of its node', async () => {
  const flow = await watched(
    'unlisted',
    `entrypoint: main
templates:
- name: main
  container: {image: any, command: ["true"]}
  inputs: {artifacts: [{name: a, path: /a, plugin: {name: other, key: k, configuration: c}}]}
`,
    ({ status }) => status?.phase === 'Error' || status?.phase === 'Failed',
  );
  assert.match(
    flow.status?.message ?? '',
    /artifact driver other not found: list it with its image in artifactDrivers/,
  );
});
