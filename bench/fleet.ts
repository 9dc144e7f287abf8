import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect, loadKubeconfig, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { startControlPlane } from '../scripts/control-plane.ts';
import {
  applicationObject,
  BenchRepository,
  concurrency,
  Fleet,
  inParallel,
  measured,
  rawWrites,
} from './fleet-workload.ts';
import { TiphysProcess } from './process.ts';
import { markdownTable, mebibytes, ratio, seconds } from './table.ts';

/** Many applications of one repository: first sync, one touched, all touched, idle; against raw writes of the same objects. */
export async function benchFleet(server: 'sandbox' | 'kube', applications: number): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-bench-'));
  const cluster = server === 'kube' ? await startControlPlane() : await startSandbox();
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, cluster.kubeconfig, { mode: 0o600 });
  const client = connect(loadKubeconfig(cluster.kubeconfig, { baseDir: folder }), {
    asker: { component: 'bench', purpose: 'measure' },
    clock: systemClock,
  });
  let tiphys: TiphysProcess | undefined;
  try {
    const repository = new BenchRepository(join(folder, 'repository'), applications);
    const raw = await rawWrites(client, applications);
    tiphys = new TiphysProcess(['--kubeconfig', kubeconfig, '--no-example', '--local-repositories', folder]);
    await tiphys.printed(/Tiphys is up/);
    const before = tiphys.memory();
    const watcher = new Fleet(client);
    await watcher.start();

    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fleet' } });
    const first = await measured(async () => {
      await inParallel(applications, (index) => client.create(applicationObject(index, repository.url)));
      await watcher.reached(
        applications,
        ({ status }) => status?.sync?.status === 'Synced' && status.operationState?.phase === 'Succeeded',
      );
    });
    const after = tiphys.memory();
    const one = await measured(async () => {
      const commit = repository.touch([Math.floor(applications / 2)]);
      await watcher.one(
        `app-${Math.floor(applications / 2)}`,
        ({ status }) =>
          status?.operationState?.syncResult?.revision === commit && status.operationState.phase === 'Succeeded',
      );
    });
    const all = await measured(async () => {
      const commit = repository.touch([...Array(applications).keys()]);
      await watcher.reached(
        applications,
        ({ status }) =>
          status?.operationState?.syncResult?.revision === commit && status.operationState.phase === 'Succeeded',
      );
    });
    await systemClock.sleep(5_000);
    const cpuBefore = tiphys.cpu();
    await systemClock.sleep(10_000);
    const idle = (tiphys.cpu() - cpuBefore) / 10_000;
    const objects = applications * 4;
    const rows = [
      [
        `raw writes of ${objects} objects, ${concurrency} at a time`,
        seconds(raw),
        `${Math.round(objects / (raw / 1000))}/s`,
        '',
      ],
      [
        `first sync of ${applications} applications`,
        seconds(first),
        `${Math.round(objects / (first / 1000))}/s`,
        ratio(raw / first),
      ],
      [`one of ${applications} touched`, seconds(one), '', ''],
      ['all touched', seconds(all), `${Math.round(applications / (all / 1000))} applications/s`, ratio(raw / 4 / all)],
      ['idle, share of one processor', `${(idle * 100).toFixed(1)} %`, '', ''],
      [
        'memory before, after, peak',
        `${mebibytes(before)}, ${mebibytes(after)}, ${mebibytes(tiphys.peakMemory())}`,
        '',
        '',
      ],
      [
        'memory per application (with its 4 objects)',
        `${Math.round((after - before) / applications / 1024)} KiB`,
        '',
        '',
      ],
    ];
    return `## Fleet on ${server === 'kube' ? 'a real kube-apiserver' : 'the sandbox'}\n\n${markdownTable(['what', 'value', 'rate', 'of the raw rate'], rows)}`;
  } finally {
    await tiphys?.stop();
    await client.close();
    await ('stop' in cluster ? cluster.stop() : cluster.close());
    rmSync(folder, { recursive: true, force: true });
  }
}
