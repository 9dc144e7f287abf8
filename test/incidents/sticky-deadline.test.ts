import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { GitRepositories } from '@tiphys/git';
import { type Client, connect, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { parseDocuments } from '@tiphys/yaml';
import { families } from '../../packages/serve/cli/up/families/families.ts';
import { freePort } from '../../scripts/testing/free-ports.ts';

const folder = join(import.meta.dirname, '../../examples/remediation');
const namespace = 'argo-events';
const gate = 'example.com/warm';
const argo = 'argoproj.io/v1alpha1';
const rollout = { apiVersion: argo, kind: 'Rollout', namespace, name: 'web' };

interface Job extends KubeObject {
  spec: { template: { spec: { serviceAccountName?: string; containers: { command?: string[] }[] } } };
}

interface Rollout extends KubeObject {
  spec: { restartAt?: string };
  status?: { phase?: string; message?: string; diagnoses?: { code: string; message: string }[] };
}

test('pods that become ready too late: the Rollout tells of it through Notifications, an EventSource and a Sensor to a Job, which restarts it, and it is Healthy by itself', async (t) => {
  const sandbox = await startSandbox({ clock: systemClock, runtime: 'simulated' });
  t.after(() => sandbox.close());
  const client = connect(sandbox.config, { caller: { component: 'test', purpose: 'incident' } });
  t.after(() => client.close());
  const errors: string[] = [];
  const stop = await startFamilies(client, sandbox, errors);
  t.after(stop);
  const port = await freePort();
  for (const file of ['access', 'events', 'notification'])
    for (const object of documents(`${file}.yaml`, port)) await client.create(object);
  for (const object of blueGreen()) await client.create(object);

  // the first version is well; the pods of the second are not ready in time
  await warm(client, 'web:1');
  await reached(client, 'Healthy');
  await client.patch(rollout, 'json', [
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'web:2' },
  ]);
  const stuck = await reached(client, 'Degraded');
  assert.match(stuck.status?.message ?? '', /^ProgressDeadlineExceeded/);
  assert.match(
    JSON.stringify(stuck.status?.diagnoses),
    /RolloutPodsNotAvailable.*example\.com\/warm/,
    'with the pod and its reason',
  );

  // the glue: notification, event, sensor, job
  const job = await firstJob(client, errors);
  const command = job.spec.template.spec.containers[0]?.command ?? [];
  assert.deepEqual(command.slice(0, 7), ['kubectl', 'patch', 'rollout', 'web', '--type', 'merge', '-p']);
  const account = job.spec.template.spec.serviceAccountName ?? '';
  // the simulated node runs no program: what the Job's would do is done here, with the rights of its account
  await client
    .impersonating({ name: `system:serviceaccount:${namespace}:${account}` })
    .patch(rollout, 'merge', JSON.parse(command[7] ?? '') as object);
  const restarting = await client.get<Rollout>(rollout);
  assert.match(restarting.spec.restartAt ?? '', /^\d{4}-\d\d-\d\dT/);

  // the pods become ready: nothing of the deadline stays
  await warm(client, 'web:2');
  const paused = await reached(client, 'Paused');
  assert.doesNotMatch(paused.status?.message ?? '', /ProgressDeadlineExceeded/);
  assert.deepEqual(paused.status?.diagnoses ?? [], []);
  await client.patch(rollout, 'merge', { status: { pauseConditions: null } }, { subresource: 'status' });
  await reached(client, 'Healthy');
  const { items } = await client.list<Job>({ apiVersion: 'batch/v1', kind: 'Job', namespace });
  assert.equal(items.length, 1, 'it was told of once');
});

async function startFamilies(
  client: Client,
  sandbox: Awaited<ReturnType<typeof startSandbox>>,
  errors: string[],
): Promise<() => Promise<void>> {
  const scratch = mkdtempSync(join(tmpdir(), 'tiphys-incident-'));
  const git = new GitRepositories({ cacheDir: scratch, clock: systemClock });
  for (const name of ['argocd', namespace])
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const running: { close(): Promise<void> }[] = [];
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
    if (runtime) running.push(runtime);
  }
  return async () => {
    for (const runtime of running) await runtime.close();
    await git.close();
    rmSync(scratch, { recursive: true, force: true });
  };
}

/** The example as it is, but for a port that others of this machine have not. */
function documents(file: string, port: number): KubeObject[] {
  const text = readFileSync(join(folder, file), 'utf8').replaceAll('12000', String(port));
  return parseDocuments(text, { file }).documents.map(({ value }) => {
    const object = value as unknown as KubeObject;
    object.metadata.namespace = namespace;
    return object;
  });
}

/** As in the incident: a blue-green Rollout that waits for somebody, whose pods are ready when a gate opens. */
function blueGreen(): KubeObject[] {
  const labels = { app: 'web' };
  const service = (name: string) => ({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace },
    spec: { selector: labels, ports: [{ port: 80 }] },
  });
  return [
    service('active'),
    service('preview'),
    {
      apiVersion: argo,
      kind: 'Rollout',
      metadata: {
        name: 'web',
        namespace,
        annotations: { 'notifications.argoproj.io/subscribe.on-degraded.rollout-degraded': '' },
      },
      spec: {
        replicas: 1,
        progressDeadlineSeconds: 3,
        selector: { matchLabels: labels },
        template: {
          metadata: { labels },
          spec: { containers: [{ name: 'web', image: 'web:1' }], readinessGates: [{ conditionType: gate }] },
        },
        strategy: { blueGreen: { activeService: 'active', previewService: 'preview', autoPromotionEnabled: false } },
      },
    },
  ];
}

async function reached(client: Client, phase: string): Promise<Rollout> {
  return seen<Rollout>(client, rollout, `the Rollout ${phase}`, ({ status }) => status?.phase === phase);
}

async function firstJob(client: Client, errors: readonly string[]): Promise<Job> {
  const jobs = { apiVersion: 'batch/v1', kind: 'Job', namespace };
  return seen<Job>(client, jobs, `a Job (${errors.join('; ')})`, () => true);
}

/** The first object that holds, now or later. */
async function seen<T extends KubeObject>(
  client: Client,
  ref: { apiVersion: string; kind: string; namespace: string; name?: string },
  what: string,
  holds: (object: T) => boolean,
): Promise<T> {
  const signal = AbortSignal.timeout(120_000);
  const options = ref.name ? { fieldSelector: `metadata.name=${ref.name}` } : {};
  let last: T | undefined;
  try {
    for (;;) {
      const { items, metadata } = await client.list<T>(ref, options);
      last = items.at(-1);
      const found = items.find(holds);
      if (found) return found;
      const since = { ...options, resourceVersion: metadata.resourceVersion ?? '0', signal };
      for await (const { type, object } of client.watch<T>(ref, since)) {
        if (type === 'BOOKMARK' || type === 'DELETED') continue;
        last = object;
        if (holds(object)) return object;
      }
      signal.throwIfAborted();
    }
  } catch (error) {
    if (!signal.aborted) throw error;
    throw new Error(`${what} did not come: ${JSON.stringify(last)}`);
  }
}

/** Opens the readiness gate of each pod of an image, also of one that comes while the others go. */
async function warm(client: Client, image: string): Promise<void> {
  const isOpen = (pod: Pod) => pod.status?.conditions?.some(({ type, status }) => type === gate && status === 'True');
  const pod = await seen<Pod>(
    client,
    { apiVersion: 'v1', kind: 'Pod', namespace },
    `a pod of ${image}`,
    (each) =>
      each.spec.containers[0]?.image === image &&
      each.metadata.deletionTimestamp === undefined &&
      each.status?.conditions !== undefined &&
      !isOpen(each),
  );
  const conditions = [{ type: gate, status: 'True' }];
  const ref = { apiVersion: 'v1', kind: 'Pod', namespace, name: pod.metadata.name ?? '' };
  await client.patch(ref, 'strategic', { status: { conditions } }, { subresource: 'status' });
}

interface Pod extends KubeObject {
  spec: { containers: { image?: string }[] };
  status?: { conditions?: { type: string; status: string }[] };
}
