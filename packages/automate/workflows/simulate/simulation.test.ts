import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseDocuments } from '@tiphys/yaml';
import type { Pod, Workflow } from '../model/types.ts';
import type { Fate } from './fate.ts';
import { Simulation, type SimulationOptions } from './simulation.ts';

function workflow(text: string): Workflow {
  return parseDocuments(text, { file: 'workflow.yaml' }).documents[0]?.value as unknown as Workflow;
}

function run(text: string, options: Partial<SimulationOptions> = {}): Simulation {
  return new Simulation({ workflow: workflow(text), ...options }).run();
}

const head = 'apiVersion: argoproj.io/v1alpha1\nkind: Workflow\nmetadata: {name: w}\n';

const phases = ({ workflow: { status } }: Simulation) =>
  Object.fromEntries(Object.values(status?.nodes ?? {}).map(({ name, phase }) => [name, phase]));

/** Fates by a part of the node's name. */
const fates = (table: Record<string, Fate>) => (pod: Pod) => {
  const name = pod.metadata.annotations?.['workflows.argoproj.io/node-name'] ?? '';
  return Object.entries(table).find(([part]) => name.includes(part))?.[1];
};

test('one container', () => {
  const simulation = run(
    `${head}spec: {entrypoint: main, templates: [{name: main, container: {image: a, command: [x]}}]}`,
  );
  assert.equal(simulation.workflow.status?.phase, 'Succeeded', JSON.stringify(simulation.workflow.status, null, 1));
  assert.deepEqual(phases(simulation), { w: 'Succeeded' });
  assert.equal(simulation.workflow.status?.progress, '1/1');
});

test('steps pass results on, loop and are skipped', () => {
  const simulation = run(
    `${head}spec:
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: flip, template: flip}
    - - {name: heads, template: say, when: "{{steps.flip.outputs.result}} == heads", arguments: {parameters: [{name: m, value: "{{item}}"}]}, withItems: [a, b]}
      - {name: tails, template: say, when: "{{steps.flip.outputs.result}} == tails", arguments: {parameters: [{name: m, value: x}]}}
  - {name: flip, script: {image: a, command: [sh], source: flip}}
  - {name: say, inputs: {parameters: [{name: m}]}, container: {image: a, command: [echo], args: ["{{inputs.parameters.m}}"]}}
`,
    { fate: fates({ flip: { outputs: { result: 'heads' } } }) },
  );
  assert.equal(simulation.workflow.status?.phase, 'Succeeded', JSON.stringify(simulation.workflow.status, null, 1));
  assert.deepEqual(phases(simulation), {
    w: 'Succeeded',
    'w[0]': 'Succeeded',
    'w[0].flip': 'Succeeded',
    'w[1]': 'Succeeded',
    'w[1].heads(0:a)': 'Succeeded',
    'w[1].heads(1:b)': 'Succeeded',
    'w[1].tails': 'Skipped',
  });
});

test('a DAG with depends, retries and an exit handler', () => {
  let failures = 0;
  const simulation = run(
    `${head}spec:
  entrypoint: main
  onExit: bye
  templates:
  - name: main
    dag:
      tasks:
      - {name: a, template: c}
      - {name: b, template: flaky, depends: a}
      - {name: c, template: c, depends: b.Failed}
      - {name: d, template: c, depends: b}
  - {name: c, container: {image: a, command: [x]}}
  - {name: flaky, retryStrategy: {limit: 3, backoff: {duration: 2s, factor: 2}}, container: {image: a, command: [x]}}
  - {name: bye, container: {image: a, command: [x], args: ["{{workflow.status}}"]}}
`,
    {
      fate: (pod) => {
        if (!pod.metadata.name?.includes('flaky')) return {};
        failures += 1;
        return failures < 3 ? { exit: 1 } : {};
      },
    },
  );
  assert.equal(simulation.workflow.status?.phase, 'Succeeded', JSON.stringify(simulation.workflow.status, null, 1));
  assert.deepEqual(phases(simulation), {
    w: 'Succeeded',
    'w.a': 'Succeeded',
    'w.b': 'Succeeded',
    'w.b(0)': 'Failed',
    'w.b(1)': 'Failed',
    'w.b(2)': 'Succeeded',
    'w.c': 'Omitted',
    'w.d': 'Succeeded',
    'w.onExit': 'Succeeded',
  });
});

test('expressions, Sprig and sequences', () => {
  const simulation = run(`${head}spec:
  entrypoint: main
  arguments: {parameters: [{name: times, value: "3"}]}
  templates:
  - name: main
    steps:
    - - {name: s, template: c, withSequence: {count: "{{=asInt(workflow.parameters.times)}}"}, arguments: {parameters: [{name: m, value: "{{=sprig.upper('x' + string(asInt(item) + 1))}}"}]}}
  - {name: c, inputs: {parameters: [{name: m}]}, container: {image: a, command: ["{{inputs.parameters.m}}"]}}
`);
  assert.equal(simulation.workflow.status?.phase, 'Succeeded', JSON.stringify(simulation.workflow.status, null, 1));
  const commands = simulation.actions.flatMap((action) =>
    action.kind === 'create-pod'
      ? [action.pod.spec.containers.find(({ name }) => name === 'main')?.command?.at(-1)]
      : [],
  );
  assert.deepEqual(commands, ['X1', 'X2', 'X3']);
});

test('a workflow that cannot end well does not begin, and says where it is wrong', () => {
  const { workflow: ended } = run(
    `${head}spec:
  entrypoint: main
  templates:
  - name: main
    dag: {tasks: [{name: a, template: say}, {name: b, template: sey, dependencies: [a]}]}
  - {name: say, container: {image: a, command: [x]}}
`,
  );
  assert.equal(ended.status?.phase, 'Failed');
  assert.equal(
    ended.status?.message,
    'invalid spec: spec.templates[0].dag.tasks[1].template: there is no template sey',
  );
  assert.deepEqual(ended.status?.nodes, {});
});

test('an exit handler of the workflow is told how that ended', () => {
  const simulation = run(
    `${head}spec:
  entrypoint: main
  templates:
  - {name: main, container: {image: a, command: [x]}}
  - {name: bye, inputs: {parameters: [{name: how}, {name: word}]}, container: {image: a, command: [x]}}
  hooks:
    exit:
      template: bye
      arguments:
        parameters:
        - {name: how, value: '{{= workflow.status == "Succeeded" ? "well" : "badly" }}'}
        - {name: word, value: '{{workflow.status}} of {{workflow.name}}'}
`,
  );
  const exit = Object.values(simulation.workflow.status?.nodes ?? {}).find(({ name }) => name === 'w.onExit');
  assert.deepEqual(
    exit?.inputs?.parameters?.map(({ value }) => value),
    ['well', 'Succeeded of w'],
  );
});

const pluginFlow = `${head}spec:
  entrypoint: main
  templates:
  - name: main
    container: {image: a, command: [x]}
    inputs: {artifacts: [{name: in, path: /in, plugin: {name: mine, key: in}}]}
    outputs: {artifacts: [{name: out, path: /tmp/out, plugin: {name: mine, key: out}}]}
`;

test('artifacts of a plugin that nobody lists are refused, with what to do', () => {
  const { status } = run(pluginFlow).workflow;
  assert.equal(status?.phase, 'Error');
  assert.match(status?.message ?? '', /artifact driver mine not found: list it with its image in artifactDrivers/);
});

test('a plugin runs beside all that reads and writes its artifacts', () => {
  const settings = { executorImage: 'argoexec', artifactDrivers: [{ name: 'mine', image: 'driver' }] };
  const simulation = run(pluginFlow, { settings });
  assert.equal(simulation.workflow.status?.phase, 'Succeeded');
  const pod = simulation.actions.find((action) => action.kind === 'create-pod')?.pod;
  const [sidecar, ...inits] = pod?.spec.initContainers ?? [];
  const { name, image, command, args, restartPolicy } = sidecar ?? {};
  assert.deepEqual(
    [name, image, command, args, restartPolicy],
    ['artifact-plugin-mine', 'driver', undefined, ['/tmp/artifact-plugins/mine/socket'], 'Always'],
  );
  assert.deepEqual(
    inits.map((container) => container.name),
    ['init', 'init-artifact-mine'],
  );
  assert.equal(
    inits[1]?.command?.join(' '),
    'argoexec artifact-plugin-init --plugin-name mine --loglevel info --log-format text --gloglevel 0 -- argoexec version',
  );
  const paths = (mounts: readonly { mountPath: string }[] = []) => mounts.map(({ mountPath }) => mountPath).sort();
  const shared = ['/argo/inputs/artifacts', '/mainctrfs/in', '/tmp/argo/outputs', '/tmp/artifact-plugins/mine'];
  assert.deepEqual(paths(sidecar?.volumeMounts), [...shared, '/var/run/argo']);
  const wait = pod?.spec.containers.find((container) => container.name === 'wait');
  for (const path of shared.slice(1)) assert.ok(paths(wait?.volumeMounts).includes(path), path);
});

test('http and plugin templates have fates as pods have', () => {
  const text = `${head}spec:
  entrypoint: main
  templates:
  - name: main
    steps:
    - - {name: ask, template: ask}
    - - {name: do, template: do, when: "'{{steps.ask.outputs.result}}' == 'yes'"}
  - {name: ask, http: {url: "http://localhost/"}}
  - {name: do, plugin: {hello: {}}}
`;
  const asked = { ask: { outputs: { result: 'yes' } } };
  const simulation = run(text, { fate: fates({ ...asked, do: { run: 5, exit: 3, message: 'no' } }) });
  const { status } = simulation.workflow;
  assert.equal(status?.phase, 'Failed');
  const node = Object.values(status.nodes ?? {}).find(({ name }) => name === 'w[1].do');
  assert.deepEqual([node?.type, node?.phase, node?.message], ['Plugin', 'Failed', 'main: Error (exit code 3): no']);
  assert.equal(run(text, { fate: fates(asked) }).workflow.status?.phase, 'Succeeded');
});
