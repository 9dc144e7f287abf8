import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, connect, loadKubeconfig, systemClock } from '@tiphys/kubernetes';
import { TiphysProcess } from '../process.ts';
import { markdownTable, seconds } from '../table.ts';
import { applicationObject, BenchRepository, Fleet, inParallel, measured } from './fleet-workload.ts';

interface AuditEvent {
  readonly stage: string;
  readonly verb: string;
  readonly userAgent?: string;
  readonly objectRef?: { readonly resource?: string; readonly subresource?: string };
}

/** Applications that ask to be refreshed are asked for again after this long, in milliseconds. */
const settled = 5_000;

/**
 * What Tiphys asks of an API server, by verb and resource, as the audit log of the sandbox has it: counts, which a loaded machine does
 * not change as it changes times. Leases are left out.
 */
export async function benchRequests(applications: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-requests-'));
  const [audit, kubeconfig] = [join(folder, 'audit'), join(folder, 'kubeconfig')];
  const repository = new BenchRepository(join(folder, 'repository'), applications);
  const tiphys = new TiphysProcess([
    ...['--no-example', '--no-metrics', '--audit-log', audit],
    ...['--kubeconfig-out', kubeconfig, '--local-repositories', folder],
  ]);
  let client: Client | undefined;
  try {
    await tiphys.printed(/Tiphys is up/);
    client = connect(loadKubeconfig(readFileSync(kubeconfig, 'utf8'), { baseDir: folder }), {
      caller: { component: 'bench', purpose: 'measure' },
      clock: systemClock,
    });
    const counter = new Counter(tiphys, audit);
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fleet' } });
    await play(client, { applications, repository, counter });
    return `## Requests for ${applications} applications (sandbox)\n\n${counter.table()}`;
  } finally {
    await tiphys.stop();
    await client?.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function play(
  client: Client,
  { applications, repository, counter }: { applications: number; repository: BenchRepository; counter: Counter },
): Promise<void> {
  const fleet = new Fleet(client);
  await fleet.start();
  const middle = Math.floor(applications / 2);
  const all = [...Array(applications).keys()];
  const deployed = (commit: string) => fleet.reached(applications, isDeployed(commit));
  await counter.phase('first sync', async () => {
    await inParallel(applications, (index) => client.create(applicationObject(index, repository.url)));
    await fleet.reached(applications, isDeployed());
  });
  await counter.phase('one touched', () => fleet.one(`app-${middle}`, isDeployed(repository.touch([middle]))));
  await counter.phase('all touched', () => deployed(repository.touch(all)));
  let live = 0;
  await counter.phase('all asked to refresh, one touched', async () => {
    const commit = repository.touch([middle]);
    const touched = measured(() => fleet.one(`app-${middle}`, isDeployed(commit)));
    await inParallel(applications, (index) => refresh(client, index));
    live = await touched;
    await fleet.reached(
      applications,
      ({ metadata, status }) =>
        !metadata.annotations?.['argocd.argoproj.io/refresh'] && status?.sync?.revision === commit,
    );
  });
  counter.note(`the touched one is live after ${seconds(live)}`);
}

function isDeployed(commit?: string): Parameters<Fleet['reached']>[1] {
  return ({ status }) =>
    status?.operationState?.phase === 'Succeeded' &&
    (commit === undefined ? status.sync?.status === 'Synced' : status.operationState.syncResult?.revision === commit);
}

async function refresh(client: Client, index: number): Promise<void> {
  const ref = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd', name: `app-${index}` };
  await client.patch(ref, 'merge', { metadata: { annotations: { 'argocd.argoproj.io/refresh': 'normal' } } });
}

/** Counts what is in the audit log of one piece of work. */
class Counter {
  readonly #tiphys: TiphysProcess;
  readonly #audit: string;
  readonly #rows: string[][] = [];
  readonly #notes: string[] = [];

  constructor(tiphys: TiphysProcess, audit: string) {
    this.#tiphys = tiphys;
    this.#audit = audit;
  }

  note(text: string): void {
    this.#notes.push(text);
  }

  /** Waits until all is quiet, before and after: Events come later. */
  async phase(name: string, run: () => Promise<unknown>): Promise<void> {
    await systemClock.sleep(settled);
    const [from, cpu] = [statSync(this.#audit).size, this.#tiphys.cpu()];
    const time = await measured(run);
    await systemClock.sleep(settled);
    const found = countsOf(readFileSync(this.#audit).subarray(from).toString('utf8'));
    const told = [...found].sort((a, b) => b[1] - a[1]).map(([what, count]) => `${count} ${what}`);
    this.#rows.push([name, told.slice(0, 6).join(', '), seconds(this.#tiphys.cpu() - cpu), seconds(time)]);
  }

  table(): string {
    const table = markdownTable(['what', 'requests', 'processor', 'time'], this.#rows);
    return [table, ...this.#notes].join('\n\n');
  }
}

function countsOf(log: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of log.split('\n').filter(Boolean)) {
    const { stage, verb, userAgent = '', objectRef } = JSON.parse(line) as AuditEvent;
    const resource = objectRef?.resource ?? '';
    if (stage !== 'ResponseComplete' || userAgent.includes('bench') || resource === 'leases') continue;
    if (['get', 'list', 'watch'].includes(verb)) continue;
    const what = `${verb} ${resource}${objectRef?.subresource ? `/${objectRef.subresource}` : ''}`;
    counts.set(what, (counts.get(what) ?? 0) + 1);
  }
  return counts;
}
