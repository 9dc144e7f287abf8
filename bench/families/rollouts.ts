import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rolloutsDefinitions } from '@tiphys/api';
import { ensureDefinitions } from '@tiphys/controller';
import { type Client, connect, Informer, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { freePorts } from '../../scripts/testing/free-ports.ts';
import { inParallel, measured } from '../fleet/fleet-workload.ts';
import { processorTime, residentMemory } from '../process.ts';
import { markdownTable, mebibytes, seconds } from '../table.ts';
import { type Contender, ended, isThere, RequestCounter, told, total } from './contender.ts';

const namespace = 'fleet';
const pods = 5;
/** Events and last writes come later; then it is idle, in milliseconds. */
const settled = 15_000;
const idleTime = 30_000;
const root = join(import.meta.dirname, '..', '..');

const tiphys: Contender = {
  name: 'Tiphys',
  command: process.execPath,
  args: (kubeconfig) => [
    ...[
      '--disable-warning=ExperimentalWarning',
      '--max-semi-space-size=2',
      join(root, 'packages', 'serve', 'cli', 'main.ts'),
      'up',
    ],
    ...['--role', 'rollouts', '--kubeconfig', kubeconfig, '--namespace', 'argo-rollouts', '--port', '0'],
  ],
};

const upstream: Contender = {
  name: 'Argo Rollouts',
  command: 'rollouts-controller',
  args: (kubeconfig, [metrics, health]) => [
    ...['--kubeconfig', kubeconfig, '--namespace', 'argo-rollouts', '--metricsPort', `${metrics}`],
    ...['--healthzPort', `${health}`, '--loglevel', 'error'],
  ],
};

/**
 * Rollouts of five pods, all updated at once by a canary of two steps: on the sandbox, whose audit log tells what the controller asked.
 * The real controller does the same work where PATH has `rollouts-controller`.
 */
export async function benchRollouts(rollouts: number): Promise<string> {
  const columns: Record<string, string>[] = [await measure(tiphys, rollouts)];
  if (isThere(upstream.command)) columns.push(await measure(upstream, rollouts));
  const names = Object.keys(columns[0] ?? {});
  const rows = names.slice(1).map((name) => [name, ...columns.map((column) => column[name] ?? '')]);
  const header = ['what', ...columns.map((column) => column.controller ?? '')];
  return `## ${rollouts} Rollouts of ${pods} pods (sandbox)\n\n${markdownTable(header, rows)}`;
}

async function measure(contender: Contender, count: number): Promise<Record<string, string>> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-bench-rollouts-'));
  const counter = new RequestCounter(/rollouts/);
  const sandbox = await startSandbox({ nodes: 10, audit: { log: (line) => counter.note(line) } });
  const client = connect(sandbox.config, { caller: { component: 'bench', purpose: 'rollouts' }, clock: systemClock });
  let child: ChildProcess | undefined;
  try {
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, sandbox.kubeconfig, { mode: 0o600 });
    await ensureDefinitions(client, rolloutsDefinitions(), systemClock);
    for (const name of [namespace, 'argo-rollouts'])
      await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    child = spawn(contender.command, contender.args(kubeconfig, await freePorts(2)), {
      cwd: folder,
      env: { ...process.env, NO_COLOR: '1', XDG_CONFIG_HOME: folder },
      stdio: 'ignore',
    });
    return await play(client, { name: contender.name, count, counter, pid: child.pid as number });
  } finally {
    await ended(child);
    await client.close();
    await sandbox.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

interface Subject {
  readonly name: string;
  readonly count: number;
  readonly counter: RequestCounter;
  readonly pid: number;
}

async function play(client: Client, { name, count, counter, pid }: Subject): Promise<Record<string, string>> {
  const fleet = new Informer<KubeObject>(client, { ref: { apiVersion, kind: 'Rollout', namespace } });
  const stop = new AbortController();
  fleet.start(stop.signal);
  await fleet.synced;
  try {
    const work = async (run: () => Promise<unknown>, image: string) => {
      counter.begin();
      const cpu = processorTime(pid);
      const time = await measured(async () => {
        await run();
        await reached(fleet, count, image);
      });
      await systemClock.sleep(settled);
      return { time, cpu: processorTime(pid) - cpu, requests: counter.end() };
    };
    const first = await work(() => inParallel(count, (index) => client.create(rolloutObject(index))), 'web:1');
    const update = await work(() => inParallel(count, (index) => client.patch(refOf(index), 'json', patch)), 'web:2');
    const memory = residentMemory(pid);
    counter.begin();
    const cpu = processorTime(pid);
    await systemClock.sleep(idleTime);
    const idle = counter.end();
    return {
      controller: name,
      'first deployment: time, processor': `${seconds(first.time)}, ${seconds(first.cpu)}`,
      'first deployment: requests': told(first.requests),
      'all updated: time, processor': `${seconds(update.time)}, ${seconds(update.cpu)}`,
      'all updated: requests': told(update.requests),
      'memory afterwards': mebibytes(memory),
      [`idle for ${idleTime / 1000} s: processor, requests`]: `${seconds(processorTime(pid) - cpu)}, ${total(idle)}`,
    };
  } finally {
    stop.abort();
  }
}

const apiVersion = 'argoproj.io/v1alpha1';
const patch = [{ op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'web:2' }];

function refOf(index: number) {
  return { apiVersion, kind: 'Rollout', namespace, name: `web-${index}` };
}

function rolloutObject(index: number): KubeObject {
  const labels = { app: `web-${index}` };
  return {
    apiVersion,
    kind: 'Rollout',
    metadata: { name: `web-${index}`, namespace },
    spec: {
      replicas: pods,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'web', image: 'web:1' }] } },
      strategy: { canary: { steps: [{ setWeight: 20 }, { setWeight: 60 }] } },
    },
  };
}

interface Status {
  readonly phase?: string;
  readonly observedGeneration?: string;
  readonly stableRS?: string;
  readonly currentPodHash?: string;
  readonly availableReplicas?: number;
}

/** Resolves when so many Rollouts are Healthy with an image. */
async function reached(fleet: Informer<KubeObject>, count: number, image: string): Promise<void> {
  const isThere = ({ metadata, spec, status }: KubeObject) => {
    const { phase, observedGeneration, stableRS, currentPodHash, availableReplicas } = (status ?? {}) as Status;
    const { template } = spec as { template: { spec: { containers: { image: string }[] } } };
    return (
      template.spec.containers[0]?.image === image &&
      observedGeneration === String(metadata.generation) &&
      phase === 'Healthy' &&
      stableRS === currentPodHash &&
      availableReplicas === pods
    );
  };
  const waiting = new Set<string>();
  const note = (object: KubeObject) => {
    if (isThere(object)) waiting.add(object.metadata.name ?? '');
    return waiting.size >= count;
  };
  if ([...fleet.list()].map(note).some(Boolean)) return;
  await new Promise<void>((resolve) => {
    const unsubscribe = fleet.subscribe(({ object }) => {
      if (!note(object)) return;
      unsubscribe();
      resolve();
    });
  });
}
