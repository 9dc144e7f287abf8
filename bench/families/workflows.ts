import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { workflowsDefinitions } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import { type Client, connect, Informer, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { freePorts } from '../../scripts/testing/free-ports.ts';
import { inParallel, measured } from '../fleet/fleet-workload.ts';
import { peakMemory, processorTime, tiphysUp } from '../process.ts';
import { markdownTable, mebibytes, seconds } from '../table.ts';
import { type Contender, ended, isThere, RequestCounter, told } from './contender.ts';
import { endPods } from './workflow-pods.ts';

/** That of the kubeconfig: the real controller takes its settings from there. */
const home = 'default';
const apiVersion = 'argoproj.io/v1alpha1';

const tiphys: Contender = {
  name: 'Tiphys',
  command: process.execPath,
  args: (kubeconfig) =>
    tiphysUp(['--role', 'workflows', '--kubeconfig', kubeconfig, '--namespace', home], { young: 4 }),
};

const upstream: Contender = {
  name: 'Argo Workflows',
  command: 'workflow-controller',
  args: () => [
    ...['--executor-image', 'argoexec', '--loglevel', 'error', '--qps', '500', '--burst', '1000'],
    ...['--workflow-workers', '32', '--cron-workflow-workers', '8'],
  ],
};

/** What is 0 is left out. */
interface Sizes {
  readonly workflows: number;
  readonly nodes: number;
  readonly crons: number;
}

/**
 * Workflows of ten pods, one workflow of many nodes, CronWorkflows at one minute: on the sandbox, whose audit log tells what the
 * controller asked. Pods end well as soon as they are seen. The real controller does the same where PATH has `workflow-controller`.
 */
export async function benchWorkflows(sizes: Sizes): Promise<string> {
  const contenders = isThere(upstream.command) ? [tiphys, upstream] : [tiphys];
  const all: readonly (readonly [string, Work, number])[] = [
    [`${sizes.workflows} workflows × 10 pods`, manyWorkflows(sizes.workflows), sizes.workflows],
    [`a dag of ${sizes.nodes} nodes`, oneWorkflow(dag(sizes.nodes)), sizes.nodes],
    [`a loop of ${sizes.nodes} nodes`, oneWorkflow(loop(sizes.nodes)), sizes.nodes],
    [`${sizes.crons} CronWorkflows at one minute, two minutes`, cronWorkflows(sizes.crons), sizes.crons],
  ];
  const rows: string[][] = [];
  for (const [title, work] of all.filter(([, , size]) => size > 0))
    for (const contender of contenders) rows.push([title, contender.name, ...(await measure(contender, work))]);
  const header = [
    'work',
    'controller',
    'time',
    'processor',
    'highest memory',
    'of the API server and pods',
    'requests',
  ];
  return `## Workflows (sandbox, pods that end at once)\n\n${markdownTable(header, rows)}`;
}

/** Done when it resolves; what it says stands beside the time. */
type Work = (client: Client) => Promise<string>;

async function measure(contender: Contender, work: Work): Promise<string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-bench-workflows-'));
  const counter = new RequestCounter(/workflow/);
  const sandbox = await startSandbox({ nodes: 0, audit: { log: (line) => counter.note(line) } });
  const client = connect(sandbox.config, { caller: { component: 'bench', purpose: 'workflows' }, clock: systemClock });
  const stop = new AbortController();
  let child: ChildProcess | undefined;
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, sandbox.kubeconfig, { mode: 0o600 });
    await ensureDefinitions(client, workflowsDefinitions(), systemClock);
    const configMap = { name: 'workflow-controller-configmap', namespace: home };
    await client.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: configMap, data: await settings() });
    await endPods(client, stop.signal);
    child = spawn(contender.command, contender.args(kubeconfig, []), {
      cwd: folder,
      env: {
        ...process.env,
        ...{ NO_COLOR: '1', XDG_CONFIG_HOME: folder, KUBECONFIG: kubeconfig },
        ...{ ARGO_NAMESPACE: home, LEADER_ELECTION_IDENTITY: 'bench' },
      },
      stdio: 'ignore',
    });
    const pid = child.pid as number;
    const gone = once(child, 'exit').then(() => {
      throw new Error(`${contender.name} has ended`);
    });
    gone.catch(() => undefined);
    await Promise.race([gone, warmUp(client)]);
    counter.begin();
    const cpu = processorTime(pid);
    const ofServer = process.cpuUsage();
    let note = '';
    const time = await measured(async () => {
      note = await Promise.race([gone, work(client)]);
    });
    const used = processorTime(pid) - cpu;
    const { user, system } = process.cpuUsage(ofServer);
    const served = seconds((user + system) / 1000);
    return [`${seconds(time)}${note}`, seconds(used), mebibytes(peakMemory(pid)), served, told(counter.end())];
  } finally {
    await ended(child);
    stop.abort(new Error('over'));
    await client.close();
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function settings(): Promise<Record<string, string>> {
  const [port] = await freePorts(1);
  return { metricsConfig: `{enabled: true, port: ${port}}`, nodeEvents: '{enabled: true}' };
}

const template = { name: 'one', container: { image: 'alpine', command: ['true'] } };

const workflow = (name: string, templates: readonly object[]): KubeObject => ({
  apiVersion,
  kind: 'Workflow',
  metadata: { name, namespace: home },
  spec: { entrypoint: 'main', templates: [...templates, template] },
});

/** Until the controller has finished a first one. */
async function warmUp(client: Client): Promise<void> {
  await manyWorkflows(1, 'warm')(client);
}

function manyWorkflows(count: number, prefix = 'flow'): Work {
  const steps = [Array.from({ length: 10 }, (_, index) => ({ name: `s${index}`, template: 'one' }))];
  return async (client) => {
    const finished = completed(client, prefix, count);
    await inParallel(count, (index) => client.create(workflow(`${prefix}-${index}`, [{ name: 'main', steps }])));
    await finished;
    return '';
  };
}

function oneWorkflow(templates: readonly object[]): Work {
  return async (client) => {
    const finished = completed(client, 'large', 1);
    await client.create(workflow('large', templates));
    await finished;
    return '';
  };
}

/** How many tasks the definition allows in one dag. */
const mostTasks = 200;

/** Dags one after the other, each of two rows of a hundred tasks: one of the second row waits for one of the first. */
function dag(nodes: number): object[] {
  const parts = Array.from({ length: Math.ceil(nodes / mostTasks) }, (_, index) => ({
    name: `part-${index}`,
    dag: {
      tasks: Array.from({ length: Math.min(mostTasks, nodes - index * mostTasks) }, (_, task) => ({
        name: `t${task}`,
        template: 'one',
        ...(task < 100 ? {} : { depends: `t${task - 100}` }),
      })),
    },
  }));
  const tasks = parts.map(({ name }, index) => ({
    name,
    template: name,
    ...(index === 0 ? {} : { depends: `part-${index - 1}` }),
  }));
  return [{ name: 'main', dag: { tasks } }, ...parts];
}

function loop(nodes: number): object[] {
  return [
    {
      name: 'main',
      parallelism: 500,
      steps: [[{ name: 'all', template: 'one', withSequence: { count: `${nodes}` } }]],
    },
  ];
}

const minute = 60_000;

/** Two full minutes, from the next one on; says how late the latest workflow of the two was made. */
function cronWorkflows(count: number): Work {
  return async (client) => {
    const first = Math.ceil((Date.now() + 20_000) / minute) * minute;
    await inParallel(count, (index) =>
      client.create({
        apiVersion,
        kind: 'CronWorkflow',
        metadata: { name: `cron-${index}`, namespace: home },
        spec: {
          schedules: ['* * * * *'],
          workflowSpec: { entrypoint: 'one', templates: [template] },
        },
      }),
    );
    await systemClock.sleep(first + 2 * minute - 5_000 - Date.now());
    const { items } = await client.list<KubeObject>({ apiVersion, kind: 'Workflow', namespace: home });
    const times = items.map(({ metadata }) => Date.parse(metadata.creationTimestamp ?? ''));
    const late = [0, 1].map((round) => {
      const begin = first + round * minute;
      const made = times.filter((time) => time >= begin && time < begin + minute);
      return `${made.length} by ${seconds(Math.max(...made) - begin)}`;
    });
    return ` (made: ${late.join(', ')})`;
  };
}

/** Resolves when so many workflows whose names begin so have Succeeded. Throws for one that ended otherwise. */
async function completed(client: Client, prefix: string, count: number): Promise<void> {
  const seen = new Set<string>();
  const stop = new AbortController();
  const informer = new Informer<KubeObject>(client, {
    ref: { apiVersion, kind: 'Workflow', namespace: home },
    labelSelector: 'workflows.argoproj.io/completed=true',
  });
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  informer.subscribe(({ object: { metadata, status } }) => {
    if (!metadata.name?.startsWith(prefix)) return;
    const { phase, message } = (status ?? {}) as { phase?: string; message?: string };
    if (phase !== 'Succeeded') reject(new Error(`${metadata.name} is ${phase}: ${message ?? ''}`));
    seen.add(metadata.name);
    if (seen.size >= count) resolve();
  });
  informer.start(stop.signal);
  await promise.finally(() => stop.abort(new Error('over')));
}
