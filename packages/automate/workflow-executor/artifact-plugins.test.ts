import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import type { KubeObject } from '@tiphys/kubernetes';
import { parseDocuments } from '@tiphys/yaml';
import { ProcessFlows } from './testing/process-flows.ts';

// what plugins keep; the paths of sockets are short, so that of the cluster must be
const folder = mkdtempSync(join(tmpdir(), 'tap-'));
let flows: ProcessFlows;

const settings = {
  images: `driver: {entrypoint: ${JSON.stringify([process.execPath, join(import.meta.dirname, 'testing/artifact-driver-worker.ts')])}}`,
  artifactDrivers: '[{name: files, image: driver}]',
  artifactRepository: JSON.stringify({
    archiveLogs: true,
    plugin: { name: 'files', configuration: folder, keyFormat: '{{workflow.name}}/{{pod.name}}' },
  }),
};

before(async () => {
  flows = await ProcessFlows.start({ settings });
});
after(async () => {
  await flows.close();
  rmSync(folder, { recursive: true, force: true });
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

const watched = (name: string, spec: string, isReached: (flow: Flow) => boolean) =>
  flows.reached(name, parseDocuments(spec, { file: 'spec.yaml' }).documents[0]?.value as object, isReached);

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
  assert.equal(flow.status?.phase, 'Succeeded', JSON.stringify([flow.status, flows.errors], null, 1));
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
