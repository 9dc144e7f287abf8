import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { workflowsDefinitions } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { type Sandbox, startSandbox } from '@tiphys/sandbox';
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

async function run(...argv: string[]): Promise<{ code: number; out: string; errors: string }> {
  const said: string[] = [];
  const errors: string[] = [];
  const code = await runOwnCommands(['workflows', ...argv, '--kubeconfig', join(folder, 'kubeconfig')], {
    output: { out: (text) => void said.push(text), error: (text) => void errors.push(text), colours: false },
    env: {},
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
