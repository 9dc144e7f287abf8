import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { formatKubeconfig, type KubeObject } from '@tiphys/kubernetes';
import { runOwnCommands } from '../../../packages/serve/cli/own-commands.ts';
import { World } from '../support/world.ts';

let world: World;
let space: string;
const folder = mkdtempSync(join(tmpdir(), 'tiphys-flow-verbs-'));
const apiVersion = 'argoproj.io/v1alpha1';

before(async () => {
  world = await World.start({ workflows: true });
  space = await world.targetNamespace();
  writeFileSync(join(folder, 'kubeconfig'), formatKubeconfig({ ...world.cluster.config, name: 'flows' }));
  const login = await tiphys('login', world.url, '--password', world.password);
  assert.equal(login.code, 0, login.error);
});
after(async () => {
  await world.close();
  rmSync(folder, { recursive: true, force: true });
});

async function tiphys(...argv: string[]): Promise<{ code: number; out: string; error: string }> {
  const out: string[] = [];
  const error: string[] = [];
  const code = await runOwnCommands(argv, {
    output: { out: (text) => void out.push(text), error: (text) => void error.push(text), colours: false },
    env: { XDG_CONFIG_HOME: folder, KUBECONFIG: join(folder, 'kubeconfig') },
    workdir: folder,
    signal: AbortSignal.timeout(120_000),
    askPassword: async () => undefined,
  });
  return { code, out: out.join('\n'), error: error.join('\n') };
}

/** A verb of `tiphys workflows` that is to succeed, in the namespace of the test. */
async function wf(...argv: string[]): Promise<string> {
  const { code, out, error } = await tiphys('wf', ...argv);
  assert.equal(code, 0, `${argv.join(' ')}: ${out}\n${error}`);
  return out;
}
const here = () => ['-n', space];

function file(name: string, text: string): string {
  writeFileSync(join(folder, name), text);
  return name;
}

const echo = `
    - name: say
      inputs: {parameters: [{name: text}]}
      container: {image: alpine, command: [sh, -c, "echo {{inputs.parameters.text}}"]}`;

const greeting = `apiVersion: ${apiVersion}
kind: Workflow
metadata: {generateName: greet-}
spec:
  entrypoint: main
  arguments:
    parameters: [{name: other, value: x}, {name: whom}]
  templates:
    - name: main
      steps:
        - - name: hello
            template: say
            arguments: {parameters: [{name: text, value: "hello {{workflow.parameters.whom}}"}]}${echo}
`;

test('what is wrong is told with file and line before anything is created', async () => {
  const missing = await tiphys('wf', 'submit', file('greet.yaml', greeting), ...here());
  assert.equal(missing.code, 1);
  assert.match(
    missing.error,
    /^greet\.yaml:7: Workflow greet-: the parameter whom has no value\n {2}→ Give it one: -p whom=VALUE/,
  );
  const calls = greeting.replace('template: say', 'templateRef: {name: shared, template: shout}');
  await wf('template', 'create', file('shared.yaml', shared), ...here());
  const wrong = await tiphys('wf', 'submit', file('calls.yaml', calls), ...here(), '-p', 'whom=Ada');
  assert.equal(wrong.code, 1);
  assert.match(wrong.error, /^calls\.yaml:12: Workflow greet-: there is no template shout[\s\S]*there are say/);
  assert.equal(await wf('list', ...here(), '--no-headers'), '');
});

const shared = `apiVersion: ${apiVersion}
kind: WorkflowTemplate
metadata: {name: shared}
spec:
  templates:${echo}
`;

test('a workflow is submitted with arguments, labels and a file of arguments, and followed to its end', async () => {
  const args = file('arguments.yaml', 'whom: Grace\nother: 7\n');
  const out = await wf(
    'submit',
    'greet.yaml',
    ...here(),
    '-f',
    args,
    '-p',
    'whom=Ada',
    '-l',
    'who=ada',
    '--log',
    '--wait',
  );
  assert.match(out, /^target-\S+\/greet-\S+ created\n/);
  assert.match(out, /: hello Ada$/m);
  assert.match(out, /\/greet-\S+ Succeeded$/);
  const name = await wf('list', ...here(), '-l', 'who=ada', '-o', 'name');
  assert.match(name, /^greet-\S+$/);
  assert.match(await wf('list', ...here(), '--status', 'Succeeded', '-o', 'wide'), /whom=Ada,other=7/);
  assert.equal(await wf('list', ...here(), '--running', '-o', 'name'), '');
  assert.match(await wf('watch', name, ...here()), /Succeeded {3}hello|Succeeded .*hello/);
  assert.match(await wf('logs', name, ...here(), '--tail', '1'), /hello Ada/);
  const dry = await wf('submit', 'greet.yaml', ...here(), '-p', 'whom=Ada', '--dry-run', '--name', 'never');
  assert.match(dry, /name: never/);
  assert.match(await wf('submit', 'greet.yaml', ...here(), '-p', 'whom=Ada', '--server-dry-run'), /server dry run/);
  assert.equal((await wf('list', ...here(), '-o', 'name')).split('\n').length, 1);
});

test('definitions are created, listed, replaced, linted and deleted; a wrong one is refused with its line', async () => {
  assert.match(await wf('template', 'list', ...here()), /NAME\ntarget-\S+\/shared/);
  assert.match(await wf('template', 'get', 'shared', ...here()), /kind: WorkflowTemplate/);
  await wf('template', 'update', file('shared.yaml', shared.replace('echo {{', 'echo loud {{')), ...here());
  assert.match(await wf('template', 'get', 'shared', ...here(), '-o', 'json'), /echo loud/);
  const wrong = await tiphys('wf', 'template', 'lint', file('wrong.yaml', shared.replace('.text', '.txt')), ...here());
  assert.match(wrong.error, /^wrong\.yaml:8: WorkflowTemplate shared: the template has no inputs\.parameters\.txt/);
  const cluster = shared.replace('kind: ', 'kind: Cluster').replace('name: shared', `name: shared-${space}`);
  assert.equal(await wf('cluster-template', 'create', file('cluster.yaml', cluster)), `shared-${space} created`);
  assert.equal(await wf('cluster-template', 'delete', `shared-${space}`), `shared-${space} deleted`);
  const cron = `apiVersion: ${apiVersion}
kind: CronWorkflow
metadata: {name: nightly}
spec:
  schedules: ["0 3 * * *"]
  workflowSpec: {entrypoint: say, arguments: {parameters: [{name: text, value: night}]}, templates: [{name: say, container: {image: a, command: [echo]}}]}
`;
  await wf('cron', 'create', file('cron.yaml', cron), ...here());
  await wf('cron', 'suspend', 'nightly', ...here());
  assert.match(await wf('cron', 'list', ...here()), /nightly {2}0 3 \* \* \* {2}true {7}never/);
  await wf('cron', 'resume', 'nightly', ...here());
  assert.match(await wf('submit', '--from', 'cronwf/nightly', ...here(), '--wait'), /\/nightly-\S+ Succeeded/);
  assert.match(await wf('cron', 'delete', 'nightly', ...here()), /nightly deleted/);
});

test('a file is put where the artifact of a template is kept; output artifacts are copied back', async () => {
  await world.client.create({
    apiVersion,
    kind: 'WorkflowTemplate',
    metadata: { name: 'reader', namespace: space },
    spec: {
      entrypoint: 'main',
      arguments: { artifacts: [{ name: 'letter' }] },
      templates: [
        {
          name: 'main',
          inputs: { artifacts: [{ name: 'letter', path: '/tmp/letter' }] },
          container: { image: 'alpine', command: ['sh', '-c', 'echo read'] },
        },
      ],
    },
  } as KubeObject);
  const letter = file('letter.txt', 'ahoy from a file\n');
  const out = await wf('submit', '--from', 'wftmpl/reader', '--artifact', `letter=${letter}`, ...here(), '--wait');
  const [, name = ''] = /\/(reader-\S+) created/.exec(out) ?? [];
  const ref = { apiVersion, kind: 'Workflow', namespace: space, name };
  const workflow = await world.client.get<
    KubeObject & { spec: { arguments: { artifacts: { s3: { key: string } }[] } } }
  >(ref);
  const place = workflow.spec.arguments.artifacts[0];
  assert.match(place?.s3.key ?? '', /letter\.txt$/);
  // what a pod would have left: the same object, as an output
  const patch = { status: { nodes: { [name]: { outputs: { artifacts: [{ name: 'letter', ...place }] } } } } };
  await world.client.patch(ref, 'merge', patch);
  const copied = await wf('cp', name, 'out', ...here(), '--path', '{workflowName}/{artifactName}');
  assert.equal(readFileSync(join(folder, copied), 'utf8'), 'ahoy from a file\n');
});

test('workflows are stopped, run again and deleted by what they are', async () => {
  const waits = `apiVersion: ${apiVersion}
kind: Workflow
metadata: {name: waits, labels: {kind: waiting}}
spec:
  entrypoint: main
  templates: [{name: main, suspend: {}}]
`;
  const running = (name: string) =>
    world.waitFor<KubeObject & { status?: { nodes?: Record<string, { phase?: string }> } }>(
      { apiVersion, kind: 'Workflow', namespace: space, name },
      `${name} to wait`,
      (object) => object?.status?.nodes?.[name]?.phase === 'Running',
    );
  await wf('submit', file('waits.yaml', waits), ...here());
  assert.match(await wf('stop', '-l', 'kind=waiting', '--dry-run', ...here()), /waits: stop \(dry run\)/);
  await running('waits');
  await wf('stop', '-l', 'kind=waiting', ...here());
  assert.equal((await tiphys('wf', 'wait', 'waits', ...here())).code, 1);
  assert.match(await wf('retry', '--status', 'Failed', ...here()), /\/waits$/);
  assert.equal((await tiphys('wf', 'wait', 'waits', ...here())).code, 1);
  const [, again = ''] = /\/(\S+)$/.exec(await wf('resubmit', '--prefix', 'waits', ...here())) ?? [];
  await running(again);
  await wf('node', 'set', again, ...here(), '--node-field-selector', `displayName=${again}`, '--phase', 'Succeeded');
  assert.match(await wf('wait', again, ...here()), / Succeeded$/);
  assert.equal(await wf('wait', 'none', '--ignore-not-found', ...here()), '');
  const refused = await tiphys('wf', 'stop', ...here());
  assert.match(refused.error, /Name workflows, or choose them/);
  assert.match(await wf('delete', '--prefix', 'waits', ...here()), /waits deleted/);
});

test('the archive is listed page by page, read and run again through the server', async () => {
  const name = await wf('list', ...here(), '-l', 'who=ada', '-o', 'name');
  const { metadata } = await world.client.get({ apiVersion, kind: 'Workflow', namespace: space, name });
  await world.waitFor<KubeObject & { metadata: { labels?: Record<string, string> } }>(
    { apiVersion, kind: 'Workflow', namespace: space, name },
    'archived',
    (object) => object?.metadata.labels?.['workflows.argoproj.io/workflow-archiving-status'] === 'Archived',
  );
  await wf('delete', name, ...here());
  const listed = await wf('archive', 'list', ...here(), '--chunk-size', '1', '-o', 'name');
  assert.ok(listed.split('\n').includes(name), listed);
  assert.match(await wf('archive', 'get', metadata.uid ?? ''), /phase: Succeeded/);
  assert.ok((await wf('archive', 'list-label-keys')).split('\n').includes('who'));
  assert.equal(await wf('archive', 'list-label-values', '-l', 'who'), 'ada');
  assert.match(await wf('archive', 'resubmit', metadata.uid ?? '', ...here(), '-p', 'whom=Grace'), /\/greet-\S+$/);
  const followed = await wf('archive', 'resubmit', metadata.uid ?? '', ...here(), '--log', '--wait', '-o', 'name');
  const [again = '', ...told] = followed.split('\n');
  assert.match(told.at(-1) ?? '', new RegExp(`${space}/${again} Succeeded$`), followed);
  assert.ok(
    told.some((line) => line.startsWith(`${again}-say-`)),
    followed,
  );
  assert.match(
    await wf('archive', 'resubmit', metadata.uid ?? '', ...here(), '--watch'),
    /Status: +Running[\s\S]*Status: +Succeeded/,
  );
  await wf('archive', 'delete', metadata.uid ?? '');
  assert.notEqual((await tiphys('wf', 'archive', 'get', metadata.uid ?? '')).code, 0);
});

test('limits of semaphores are set through the server', async () => {
  const place = ['--cm-name', 'limits', ...here()];
  assert.match(await wf('sync', 'create', 'deploys', '--limit', '2', ...place), /deploys: 2$/);
  assert.match(await wf('sync', 'update', 'deploys', '--limit', '3', ...place), /deploys: 3$/);
  assert.match(await wf('sync', 'get', 'deploys', ...place), /deploys: 3$/);
  assert.match(await wf('sync', 'delete', 'deploys', ...place), /deploys deleted$/);
});
