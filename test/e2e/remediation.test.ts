import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { GitRepositories } from '@tiphys/git';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { parseDocuments } from '@tiphys/yaml';
import { families } from '../../packages/serve/cli/up/families/families.ts';
import { freePort } from '../../scripts/testing/free-ports.ts';

const folder = join(import.meta.dirname, '../../examples/remediation');
const namespace = 'argo-events';
const timeout = 120_000;

test('a Rollout that is stuck is restarted by Notifications, an EventSource, a Sensor and a Job, another by one rule', async (t) => {
  const sandbox = await startSandbox({ clock: systemClock, runtime: 'simulated' });
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'remediation' } });
  t.after(() => client.close());
  const scratch = mkdtempSync(join(tmpdir(), 'tiphys-remediation-'));
  t.after(() => rmSync(scratch, { recursive: true }));
  const git = new GitRepositories({ cacheDir: scratch, clock: systemClock });
  t.after(() => git.close());
  const errors: string[] = [];
  for (const name of ['argocd', namespace])
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  for (const family of ['rollouts', 'events']) {
    const runtime = await families[family]?.start({
      client,
      config: sandbox.config,
      log: () => undefined,
      namespace: 'argocd',
      clock: systemClock,
      signal: new AbortController().signal,
      onError: (key, error) => errors.push(`${key}: ${error}`),
      git,
      scratch,
      env: {},
      sandbox: true,
      simulated: true,
      host: '127.0.0.1',
      alone: false,
    });
    t.after(() => runtime?.close());
  }
  const port = await freePort();
  for (const file of ['access', 'events', 'notification', 'rollout', 'rule'])
    for (const object of documents(`${file}.yaml`, port)) await client.create(object);

  const jobs = { apiVersion: 'batch/v1', kind: 'Job', namespace };
  const signal = AbortSignal.timeout(timeout);
  const { items, metadata } = await client.list<Job>(jobs);
  let job = items[0];
  if (!job)
    for await (const event of client.watch<Job>(jobs, { resourceVersion: metadata.resourceVersion ?? '0', signal })) {
      if (event.type !== 'ADDED') continue;
      job = event.object;
      break;
    }
  assert.ok(job, `no Job was made: ${errors.join('; ')}`);
  const command = job.spec.template.spec.containers[0]?.command ?? [];
  assert.deepEqual(command.slice(0, 5), ['kubectl', 'patch', 'rollout', 'web', '--type']);
  assert.match(command[7] ?? '', /^\{"spec":\{"restartAt":"\d{4}-\d\d-\d\dT[\d:]+Z"\}\}$/);
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Rollout', namespace, name: 'web' };
  const stuck = async () => (await client.get<KubeObject & { status: { phase: string; message: string } }>(ref)).status;
  // on a slow machine it has been well for a moment since it was told of
  let status = await stuck();
  for (; status.phase !== 'Degraded' && !signal.aborted; status = await stuck()) await pause(100);
  assert.equal(status.phase, 'Degraded');
  assert.match(status.message, /^ProgressDeadlineExceeded/);
  assert.match(await remedied(client, 'web-by-rule', signal), /^Restarted, since .* \(1 of 2\)$/);
});

/** The message of the first Event by which a rule tells that it has acted on a Rollout. */
async function remedied(client: Client, name: string, signal: AbortSignal): Promise<string> {
  const events = { apiVersion: 'v1', kind: 'Event', namespace };
  const isIt = ({ involvedObject, reason }: Event) => involvedObject?.name === name && reason === 'RolloutRemedied';
  const { items, metadata } = await client.list<Event>(events);
  const found = items.find(isIt);
  if (found) return found.message;
  const { resourceVersion = '0' } = metadata;
  for await (const { object } of client.watch<Event>(events, { resourceVersion, signal }))
    if (isIt(object)) return object.message;
  throw new Error(`no rule acted on ${name}`);
}

interface Event extends KubeObject {
  /** Bookmarks of a watch have none. */
  involvedObject?: { name: string };
  reason: string;
  message: string;
}

interface Job extends KubeObject {
  spec: { template: { spec: { containers: { command?: string[] }[] } } };
}

/** The example as it is, but for a port that others of this machine have not, and a deadline that is not waited for so long. */
function documents(file: string, port: number): KubeObject[] {
  const text = readFileSync(join(folder, file), 'utf8')
    .replaceAll('12000', String(port))
    .replace('DeadlineSeconds: 5', 'DeadlineSeconds: 1')
    .replace('for: 5s', 'for: 1s');
  return parseDocuments(text, { file }).documents.map(({ value }) => {
    const object = value as unknown as KubeObject;
    object.metadata.namespace = namespace;
    return object;
  });
}
