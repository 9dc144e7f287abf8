import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { workflowsDefinitions } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
import { parseDocuments } from '@tiphys/yaml';
import { pluginOfConfigMap } from '../../../../automate/workflows/controller/executor-plugins.ts';
import { runOwnCommands } from '../../own-commands.ts';

let sandbox: Sandbox;
let client: Client;
const folder = mkdtempSync(join(tmpdir(), 'tiphys-workflows-'));

before(async () => {
  sandbox = await startSandbox({ nodes: 0 });
  client = connect(sandbox.config, { caller: { component: 'test', purpose: 'workflows' } });
  await ensureDefinitions(client, workflowsDefinitions(), systemClock);
  sandbox.writeKubeconfig(join(folder, 'kubeconfig'));
  const pod = (name: string, phase: string) => ({ id: name, name, displayName: name, type: 'Pod', phase });
  for (const [name, created] of [
    ['older', '2026-01-01T00:00:00Z'],
    ['newer', '2026-01-02T00:00:00Z'],
  ])
    await client.create({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Workflow',
      metadata: { name, namespace: 'default', creationTimestamp: created },
      spec: {
        entrypoint: 'main',
        arguments: { parameters: [{ name: 'tone', value: 'loud' }] },
        templates: [{ name: 'main', container: { image: 'x', command: ['x'] } }],
      },
      status: {
        phase: 'Failed',
        startedAt: '2026-01-01T00:00:00Z',
        finishedAt: '2026-01-01T00:01:30Z',
        nodes: { build: pod('build', 'Succeeded'), push: pod('push', 'Failed') },
      },
    } as unknown as KubeObject);
});

after(async () => {
  await client.close();
  await sandbox.close();
  rmSync(folder, { recursive: true, force: true });
});

const run = (...argv: string[]) => tell([...argv, '--kubeconfig', join(folder, 'kubeconfig')]);

async function tell(argv: string[], env = {}): Promise<{ code: number; out: string; errors: string }> {
  const said: string[] = [];
  const errors: string[] = [];
  const code = await runOwnCommands(['workflows', ...argv], {
    output: { out: (text) => void said.push(text), error: (text) => void errors.push(text), colours: false },
    env,
    workdir: folder,
    signal: new AbortController().signal,
    askPassword: async () => undefined,
  });
  return { code, out: said.join('\n'), errors: errors.join('\n') };
}

test('get tells what a workflow is and how it went, and only the nodes that flags choose', async () => {
  const { out, code, errors } = await run('get', 'older');
  assert.equal(code, 0, errors);
  for (const line of ['Duration:       90s', 'Parameter:      tone: loud', 'Succeeded   build', 'Failed      push'])
    assert.ok(out.includes(line), `${line}\n${out}`);
  assert.doesNotMatch((await run('get', 'older', '--status', 'Failed')).out, /build/);
  assert.doesNotMatch((await run('get', 'older', '--node-field-selector', 'displayName=build')).out, /push/);
  assert.equal((await run('get', 'older', 'newer', '-o', 'name')).out, 'older\nnewer');
  assert.equal((await run('get', 'older', '-o', 'short')).out, 'default/older  Failed');
});

test('a field that there is not keeps a workflow from being created, unless it is let pass', async () => {
  const text = `apiVersion: argoproj.io/v1alpha1
kind: Workflow
metadata: {name: wrong}
spec:
  entrypoint: main
  entripoint: other
  templates: [{name: main, container: {image: x, command: [x]}}]
`;
  writeFileSync(join(folder, 'wrong.yaml'), text);
  const refused = await run('submit', 'wrong.yaml');
  assert.equal(refused.code, 1);
  assert.match(refused.errors, /wrong\.yaml:6: .* there is no field entripoint\n {2}→ Write entrypoint/);
  const passed = await run('submit', 'wrong.yaml', '--strict=false', '-o', 'name');
  assert.deepEqual([passed.code, passed.out], [0, 'wrong']);
  assert.equal((await run('get', '@latest', '-o', 'name')).out, 'wrong');
});

test('a CronWorkflow is created with the schedule of the command line', async () => {
  const text = `apiVersion: argoproj.io/v1alpha1
kind: CronWorkflow
metadata: {name: nightly}
spec:
  schedules: ["0 0 * * *"]
  workflowSpec:
    entrypoint: main
    templates: [{name: main, container: {image: x, command: [x]}}]
`;
  writeFileSync(join(folder, 'cron.yaml'), text);
  const { code, errors } = await run('cron', 'create', 'cron.yaml', '--schedule', '5 4 * * *');
  assert.equal(code, 0, errors);
  const kind = { apiVersion: 'argoproj.io/v1alpha1', kind: 'CronWorkflow' };
  const made = await client.get<KubeObject & { spec: object }>({ ...kind, namespace: 'default', name: 'nightly' });
  assert.deepEqual((made.spec as { schedules?: unknown }).schedules, ['5 4 * * *']);
});

test('an executor plugin is built of its folder; a README of somebody else stays', async () => {
  const place = join(folder, 'hello');
  mkdirSync(place);
  const manifest = `apiVersion: argoproj.io/v1alpha1
kind: ExecutorPlugin
metadata:
  name: hello
  annotations:
    workflows.argoproj.io/description: Says hello.
spec:
  sidecar:
    container:
      name: hello
      image: python:alpine
      command: [python, -u, -c]
      ports: [{containerPort: 4355}]
      securityContext: {runAsNonRoot: true}
      resources:
        requests: {cpu: 100m}
        limits: {cpu: 500m}
`;
  writeFileSync(join(place, 'plugin.yaml'), manifest.replace(/ {6}ports.*\n/, ''));
  const refused = await tell(['executor-plugin', 'build', 'hello']);
  assert.match(refused.errors, /hello\/plugin.yaml: at least one port is mandatory/);
  writeFileSync(join(place, 'plugin.yaml'), manifest);
  writeFileSync(join(place, 'server.py'), 'print("a")\nprint("b")\n');
  const built = await tell(['executor-plugin', 'build', 'hello']);
  assert.equal(built.code, 0, built.errors);
  assert.equal(built.out, 'hello/hello-executor-plugin-configmap.yaml created\nhello/README.md created');
  const text = readFileSync(join(place, 'hello-executor-plugin-configmap.yaml'), 'utf8');
  const [{ value } = { value: undefined }] = parseDocuments(text, { file: 'configmap' }).documents;
  const found = pluginOfConfigMap(value as never);
  assert.ok(!('code' in found));
  assert.deepEqual(found.container.args, ['print("a")\nprint("b")\n']);
  assert.equal(
    (value as unknown as KubeObject).metadata.labels?.['workflows.argoproj.io/configmap-type'],
    'ExecutorPlugin',
  );
  assert.match(readFileSync(join(place, 'README.md'), 'utf8'), /# hello\n\nSays hello/);
  writeFileSync(join(place, 'README.md'), 'mine');
  assert.match((await tell(['executor-plugin', 'build', 'hello'])).errors, /README.md is left as it is/);
  assert.equal(readFileSync(join(place, 'README.md'), 'utf8'), 'mine');
  writeFileSync(join(place, 'server.sh'), '');
  assert.match(
    (await tell(['executor-plugin', 'build', 'hello'])).errors,
    /several files server.*server.py, server.sh/,
  );
});

test('a file that is not there is told as that, with its path as it was given', async () => {
  for (const [argv, path] of [
    [['lint', 'none.yaml'], 'none.yaml'],
    [['convert', 'none/some.yaml'], 'none/some.yaml'],
    [['executor-plugin', 'build', 'none'], 'none'],
    [['submit', '/none/some.yaml', '--kubeconfig', join(folder, 'kubeconfig')], '/none/some.yaml'],
  ] as const)
    assert.deepEqual(await tell([...argv]), {
      code: 20,
      out: '',
      errors: `error: ${path}: there is no such file or folder`,
    });
  assert.match((await tell(['simulate', '.'])).errors, /^error: A folder was named where a file is wanted$/);
});

test('the token for the API of workflows is the one of the environment, or of the kubeconfig', async () => {
  assert.equal((await tell(['auth', 'token'], { ARGO_TOKEN: 'Bearer x' })).out, 'Bearer x');
  assert.equal((await run('auth', 'token')).out, `Bearer ${sandbox.config.bearerToken}`);
});
