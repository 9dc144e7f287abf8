import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { names } from '@tiphys/api';
import { ensureControlPlane } from '@tiphys/applications';
import type { Client } from '@tiphys/kubernetes';
import { startControlPlane } from '../../scripts/cluster/control-plane.ts';
import { TiphysProcess } from '../process.ts';
import { markdownTable, mebibytes, ratio, seconds } from '../table.ts';
import { ArgocdProcesses } from './argocd-processes.ts';
import {
  applicationObject,
  BenchRepository,
  connectTo,
  Fleet,
  inParallel,
  measured,
  rawWrites,
} from './fleet-workload.ts';

/** Milliseconds and bytes that one product needed for the work. */
interface Figures {
  raw: number;
  first: number;
  one: number;
  all: number;
  /** Resident memory of all of its processes when all of it was done. */
  memory: number;
  processes: number;
}

interface Product {
  memory(): number;
  readonly count: number;
  /** Rejects when it ends by itself. */
  readonly failed?: Promise<never>;
  stop(): Promise<void>;
}

/**
 * The same work by Tiphys and by the Argo CD of PATH, one after the other, each on a real control plane of its own: first sync of
 * so many applications of 4 objects, one touched by a commit, all touched. Both are told of a commit in the same way, by the
 * refresh annotation on the applications that it touches.
 */
export async function benchArgocd(applications: number): Promise<string> {
  const version = ArgocdProcesses.version();
  if (!version)
    return '## Argo CD\n\nPATH lacks `argocd`, `redis-server`, `gpg-wrapper.sh` or `git-verify-wrapper.sh`: nothing to compare with.';
  const tiphys = await work(applications, async (kubeconfig, folder) => {
    const started = new TiphysProcess(['--kubeconfig', kubeconfig, '--no-example', '--local-repositories', folder]);
    await started.printed(/Tiphys is up/);
    return Object.assign(started, { count: 1 });
  });
  const argocd = await work(applications, async (kubeconfig, folder, client) => {
    await ensureControlPlane(client, 'argocd');
    await client.create({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name: 'argocd-secret', namespace: 'argocd', labels: { [names.labels.partOf]: 'argocd' } },
      stringData: { 'server.secretkey': randomBytes(32).toString('base64') },
    });
    return ArgocdProcesses.start(kubeconfig, folder);
  });
  const row = (what: string, of: (figures: Figures) => number, show: (value: number) => string) => [
    what,
    show(of(tiphys)),
    show(of(argocd)),
    ratio(of(argocd) / of(tiphys)),
  ];
  const rows = [
    row(`a plain client writes the ${applications * 4} objects`, ({ raw }) => raw, seconds),
    row(`first sync of ${applications} applications`, ({ first }) => first, seconds),
    row('one touched by a commit', ({ one }) => one, seconds),
    row('all touched by a commit', ({ all }) => all, seconds),
    row('memory after it', ({ memory }) => memory, mebibytes),
    row('processes', ({ processes }) => processes, String),
  ];
  return `## The same work by Argo CD ${version}\n\n${markdownTable(['what', 'Tiphys', 'Argo CD', 'Argo CD / Tiphys'], rows)}`;
}

async function work(
  applications: number,
  start: (kubeconfig: string, folder: string, client: Client) => Promise<Product>,
): Promise<Figures> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-bench-'));
  const cluster = await startControlPlane();
  const { kubeconfig, client } = connectTo(cluster, folder);
  let product: Product | undefined;
  try {
    const repository = new BenchRepository(join(folder, 'repository'), applications);
    const raw = await rawWrites(client, applications);
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fleet' } });
    mkdirSync(join(folder, 'product'));
    product = await start(kubeconfig, join(folder, 'product'), client);
    const { failed } = product;
    const timed = (run: () => Promise<unknown>) => measured(() => Promise.race(failed ? [run(), failed] : [run()]));
    const fleet = new Fleet(client);
    await fleet.start();
    const first = await timed(async () => {
      await inParallel(applications, (index) => client.create(applicationObject(index, `file://${repository.url}`)));
      await fleet.reached(
        applications,
        ({ status }) => status?.sync?.status === 'Synced' && status.operationState?.phase === 'Succeeded',
      );
    });
    const touched = (indexes: readonly number[]) =>
      timed(async () => {
        const commit = repository.touch(indexes);
        await inParallel(indexes.length, (index) => refresh(client, `app-${indexes[index]}`));
        await fleet.reached(
          indexes.length,
          ({ status }) =>
            status?.operationState?.syncResult?.revision === commit && status.operationState.phase === 'Succeeded',
        );
      });
    const one = await touched([Math.floor(applications / 2)]);
    const all = await touched([...Array(applications).keys()]);
    return { raw, first, one, all, memory: product.memory(), processes: product.count };
  } finally {
    await product?.stop();
    await client.close();
    await cluster.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

function refresh(client: Client, name: string): Promise<unknown> {
  return client.patch({ apiVersion: names.apiVersion, kind: 'Application', namespace: 'argocd', name }, 'merge', {
    metadata: { annotations: { [names.annotations.refresh]: 'normal' } },
  });
}
