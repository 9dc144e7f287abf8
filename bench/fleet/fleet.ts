import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Application } from '@tiphys/api';
import { type Client, type KubeObject, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { startControlPlane } from '../../scripts/cluster/control-plane.ts';
import { freePorts } from '../../scripts/testing/free-ports.ts';
import { isUp, TiphysProcess } from '../process.ts';
import { markdownTable, mebibytes, ratio, seconds } from '../table.ts';
import {
  allReconciled,
  applicationObject,
  BenchRepository,
  concurrency,
  connectTo,
  eventsPause,
  eventsTold,
  Fleet,
  inParallel,
  leastWrites,
  measured,
  rawWrites,
  type Shape,
} from './fleet-workload.ts';
import { Questions } from './questions.ts';

const application = { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application' };

const idleTime = 30_000;

async function initialPassword(client: Client): Promise<string> {
  const ref = { apiVersion: 'v1', kind: 'Secret', namespace: 'argocd', name: 'argocd-initial-admin-secret' };
  const { data } = await client.get<KubeObject & { data: { password: string } }>(ref);
  return Buffer.from(data.password, 'base64').toString();
}

/** Many applications of one repository: first sync, one touched, all touched, idle; against raw writes of the same objects. */
export async function benchFleet(
  server: 'sandbox' | 'kube',
  applications: number,
  shape: Shape = 'manifests',
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-bench-'));
  const cluster = server === 'kube' ? await startControlPlane() : await startSandbox();
  const { kubeconfig, client } = connectTo(cluster, folder);
  let tiphys: TiphysProcess | undefined;
  try {
    const repository = new BenchRepository(join(folder, 'repository'), applications, shape);
    const raw = await rawWrites(client, applications);
    const oneByOne = await rawWrites(client, applications, { namespace: 'raw-one-by-one', atOnce: 1 });
    const metrics = await freePorts(3);
    const start = () =>
      new TiphysProcess([
        ...['--kubeconfig', kubeconfig, '--data', join(folder, 'data'), '--no-example'],
        ...['--local-repositories', folder, '--metrics-ports', metrics.join(',')],
      ]);
    tiphys = start();
    const [, url = ''] = await tiphys.printed(isUp);
    const before = tiphys.memory();
    const watcher = new Fleet(client);
    await watcher.start();

    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fleet' } });
    const spent = async (work: () => Promise<void>) => {
      const start = tiphys?.cpu() ?? 0;
      const time = await measured(work);
      return { time, processor: (tiphys?.cpu() ?? 0) - start };
    };
    const first = await spent(async () => {
      await inParallel(applications, (index) => client.create(applicationObject(index, repository.url)));
      await watcher.reached(
        applications,
        ({ status }) => status?.sync?.status === 'Synced' && status.operationState?.phase === 'Succeeded',
      );
    });
    const after = tiphys.memory();
    // the clock begins when the commit is there: git's own work on so many files is the same for all
    const live =
      (commit: string) =>
      ({ status }: Application) =>
        status?.operationState?.syncResult?.revision === commit && status.operationState.phase === 'Succeeded';
    const touched = Math.floor(applications / 2);
    const inOne = live(repository.touch([touched]));
    const one = await spent(() => watcher.one(`app-${touched}`, inOne));
    const asked = await Questions.as('admin', { url, password: await initialPassword(client) });
    let half = 0;
    const inAll = live(repository.touch([...Array(applications).keys()]));
    const all = await spent(async () => {
      const begin = performance.now();
      const halfway = watcher
        .reached(Math.ceil(applications / 2), inAll)
        .then(() => (half = performance.now() - begin));
      await asked.during(watcher.reached(applications, inAll));
      await halfway;
    });
    const told = await measured(() => eventsTold(client));
    const cpuBefore = tiphys.cpu();
    await systemClock.sleep(idleTime);
    const idle = (tiphys.cpu() - cpuBefore) / idleTime;
    const peak = tiphys.peakMemory();
    await tiphys.stop();
    tiphys = start();
    const restarted = await measured(() => allReconciled(metrics[0] as number, applications));
    const restart = { time: restarted, processor: tiphys.cpu(), memory: tiphys.memory() };
    await tiphys.stop();
    const like = { ...application, namespace: 'argocd', name: 'app-0' };
    const least = await leastWrites(client, applications, await client.get<Application>(like));
    const objects = applications * 4;
    const rows = [
      [
        `raw writes of ${objects} objects, ${concurrency} at a time`,
        seconds(raw),
        '',
        `${Math.round(objects / (raw / 1000))}/s`,
        '',
      ],
      ['the same, one after the other', seconds(oneByOne), '', `${Math.round(objects / (oneByOne / 1000))}/s`, ''],
      [
        `first sync of ${applications} applications`,
        seconds(first.time),
        seconds(first.processor),
        `${Math.round(objects / (first.time / 1000))}/s`,
        ratio(raw / first.time),
      ],
      ['first sync, of the rate of writes one after the other', '', '', '', ratio(oneByOne / first.time)],
      ['the same writes and no more by a plain client', seconds(least), '', '', ratio(raw / least)],
      ['first sync, of the rate of these', '', '', '', ratio(least / first.time)],
      [`one of ${applications} touched`, seconds(one.time), seconds(one.processor), '', ''],
      [
        'all touched',
        seconds(all.time),
        seconds(all.processor),
        `${Math.round(applications / (all.time / 1000))} applications/s`,
        ratio(raw / 4 / all.time),
      ],
      ['half of all touched live after', seconds(half), '', '', ''],
      ...asked.rows().map((row) => [...row, '', '']),
      ['Events of that are told after', seconds(told - eventsPause), '', '', ''],
      ['idle, share of one processor', `${(idle * 100).toFixed(1)} %`, '', '', ''],
      [
        'restart: from the start of the process to all compared',
        seconds(restart.time),
        seconds(restart.processor),
        '',
        '',
      ],
      ['memory after the restart', mebibytes(restart.memory), '', '', ''],
      ['memory before, after, peak', `${mebibytes(before)}, ${mebibytes(after)}, ${mebibytes(peak)}`, '', '', ''],
      [
        'memory per application with its 4 objects, at the peak',
        `${Math.round((peak - before) / applications / 1024)} KiB`,
        '',
        '',
        '',
      ],
    ];
    return `## Fleet of ${shape === 'manifests' ? shape : `${shape}s`} on ${server === 'kube' ? 'a real kube-apiserver' : 'the sandbox'}\n\n${markdownTable(['what', 'value', 'processor', 'rate', 'of the raw rate'], rows)}`;
  } finally {
    await tiphys?.stop();
    await client.close();
    await ('stop' in cluster ? cluster.stop() : cluster.close());
    rmSync(folder, { recursive: true, force: true });
  }
}
