import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Application } from '@tiphys/api';
import { type Client, connect, loadKubeconfig, systemClock } from '@tiphys/kubernetes';
import { freePorts } from '../../scripts/testing/free-ports.ts';
import { isUp, TiphysProcess } from '../process.ts';
import { markdownTable, mebibytes, seconds } from '../table.ts';
import {
  allReconciled,
  applicationObject,
  BenchRepository,
  eventsTold,
  Fleet,
  inParallel,
  measured,
} from './fleet-workload.ts';
import { Questions } from './questions.ts';
import { Target } from './target-cluster.ts';

interface Size {
  readonly applications: number;
  readonly clusters: number;
  readonly repositories: number;
}

/** How long the idle fleet is watched, in milliseconds. */
const idleFor = 30_000;

/**
 * Many clusters and repositories: first sync, one touched, all touched with what the API takes meanwhile, idle with the requests that each
 * cluster gets, restart. The clusters are sandboxes in the process of the bench; the controller with its own is one beside it.
 */
export async function benchClusters({ applications, clusters, repositories }: Size): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-clusters-'));
  const targets: Target[] = [];
  const kubeconfig = join(folder, 'kubeconfig');
  let tiphys: TiphysProcess | undefined;
  let client: Client | undefined;
  try {
    for (let index = 0; index < clusters; index++) targets.push(await Target.start(index));
    const sources = Array.from(
      { length: repositories },
      (_, index) => new BenchRepository(join(folder, `repository-${index}`), Math.ceil(applications / repositories)),
    );
    const metrics = await freePorts(3);
    const start = () =>
      new TiphysProcess([
        ...['--no-example', '--data', join(folder, 'data'), '--kubeconfig-out', kubeconfig],
        ...['--local-repositories', folder, '--metrics-ports', metrics.join(',')],
      ]);
    tiphys = start();
    const [, url = '', password = ''] = await tiphys.printed(isUp);
    client = connect(loadKubeconfig(readFileSync(kubeconfig, 'utf8'), { baseDir: folder }), {
      caller: { component: 'bench', purpose: 'measure' },
      clock: systemClock,
    });
    const before = tiphys.memory();
    for (const target of targets) await client.create(target.secret());
    await inParallel(repositories, (index) => (targets[index % clusters] as Target).makeNamespace(`repo-${index}`));
    const fleet = new Fleet(client);
    await fleet.start();
    const spent = async (work: () => Promise<unknown>) => {
      const from = tiphys?.cpu() ?? 0;
      const time = await measured(work);
      return [seconds(time), seconds((tiphys?.cpu() ?? 0) - from)];
    };
    const rows: string[][] = [];
    const api = client;
    const add = (index: number) => {
      const repository = index % repositories;
      return api.create(
        applicationObject(index, (sources[repository] as BenchRepository).url, {
          path: `apps/${Math.floor(index / repositories)}`,
          server: (targets[repository % clusters] as Target).url,
          namespace: `repo-${repository}`,
        }),
      );
    };
    const first = await spent(async () => {
      await inParallel(applications, add);
      await fleet.reached(applications, isDeployed());
    });
    rows.push(
      ['first sync', ...first],
      ['requests that the busiest cluster got for it', String(mostRequests(targets)), ''],
    );
    const last = repositories - 1;
    const one = await spent(async () => {
      const commit = sources[last]?.touch([0]);
      await fleet.one(
        `app-${last}`,
        isDeployed(() => commit),
      );
    });
    rows.push(['one of them touched', ...one]);
    const asked = await Questions.as('admin', { url, password });
    const all = await spent(async () => {
      const commits = new Map(
        sources.map((source) => [source.url, source.touch([...Array(Math.ceil(applications / repositories)).keys()])]),
      );
      await asked.during(
        fleet.reached(
          applications,
          isDeployed(({ spec }) => commits.get(spec.source?.repoURL ?? '')),
        ),
      );
    });
    rows.push(['a commit in each repository touches all', ...all], ...asked.rows());
    await eventsTold(client);
    for (const target of targets) target.requests = 0;
    const idle = tiphys.cpu();
    await systemClock.sleep(idleFor);
    const most = mostRequests(targets) / (idleFor / 1000);
    rows.push(
      ['idle: share of one processor', '', `${(((tiphys.cpu() - idle) / idleFor) * 100).toFixed(1)} %`],
      ['idle: requests that the busiest cluster gets', `${most.toFixed(2)}/s`, ''],
      ['memory before, after, peak', [before, tiphys.memory(), tiphys.peakMemory()].map(mebibytes).join(', '), ''],
    );
    await tiphys.stop();
    tiphys = start();
    const restarted = await measured(() => allReconciled(metrics[0] as number, applications));
    rows.push(['restart: from the start of the process to all compared', seconds(restarted), seconds(tiphys.cpu())]);
    return `## ${applications} applications in ${clusters} clusters, of ${repositories} repositories (sandboxes)\n\n${markdownTable(['what', 'value', 'processor'], rows)}`;
  } finally {
    await tiphys?.stop();
    await client?.close();
    for (const target of targets) await target.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

const mostRequests = (targets: readonly Target[]) => Math.max(...targets.map(({ requests }) => requests));

/** Whether it is synced, where a commit is given, to that. */
function isDeployed(
  commitOf?: (application: Application) => string | undefined,
): (application: Application) => boolean {
  return (application) => {
    const { operationState, sync } = application.status ?? {};
    if (operationState?.phase !== 'Succeeded') return false;
    return commitOf ? operationState.syncResult?.revision === commitOf(application) : sync?.status === 'Synced';
  };
}
