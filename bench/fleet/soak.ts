import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { randomNumbers } from '../../scripts/testing/random-numbers.ts';
import { TiphysProcess } from '../process.ts';
import { markdownTable, mebibytes, median, seconds } from '../table.ts';
import { applicationObject, BenchRepository, connectTo, Fleet, inParallel, measured } from './fleet-workload.ts';

export interface SoakOptions {
  readonly applications: number;
  readonly minutes: number;
  /** File that gets the plot, as SVG. */
  readonly plot: string;
}

interface Sample {
  /** Seconds since the start. */
  readonly at: number;
  readonly memory: number;
  /** Open files, sockets and pipes. */
  readonly handles: number;
  readonly what: Churn;
  /** Milliseconds from the change until it is answered. */
  readonly latency: number;
}

const churns = ['commit', 'drift', 'failure', 'restart'] as const;
type Churn = (typeof churns)[number];

/** Changes between two restarts. */
const restartEvery = 200;

/**
 * Churn without a pause: commits, drifts of live objects, manifests that cannot be read and their corrections, restarts. Tells what
 * memory, handles and latencies were in each third of the time.
 */
export async function benchSoak({ applications, minutes, plot }: SoakOptions): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'tiphys-soak-'));
  const cluster = await startSandbox();
  const { kubeconfig, client } = connectTo(cluster, folder, 'soak');
  const start = async () => {
    const args = ['--kubeconfig', kubeconfig, '--data', join(folder, 'data'), '--no-example', '--no-metrics'];
    const started = new TiphysProcess([...args, '--local-repositories', folder]);
    await started.printed(/Tiphys is up/);
    return started;
  };
  let tiphys = await start();
  try {
    const repository = new BenchRepository(join(folder, 'repository'), applications);
    const fleet = new Fleet(client);
    await fleet.start();
    await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'fleet' } });
    await inParallel(applications, (index) => client.create(applicationObject(index, repository.url)));
    await fleet.reached(applications, ({ status }) => status?.sync?.status === 'Synced');

    const random = randomNumbers(7);
    const any = () => Math.floor(random() * applications);
    const touched = async (index: number) => {
      const commit = repository.touch([index]);
      await fleet.one(
        `app-${index}`,
        ({ status }) =>
          status?.operationState?.syncResult?.revision === commit && status.operationState.phase === 'Succeeded',
      );
    };
    const does: Readonly<Record<Churn, () => Promise<void>>> = {
      commit: () => touched(any()),
      drift: () => healed(client, any()),
      async failure() {
        const index = any();
        repository.spoil(index);
        await fleet.one(`app-${index}`, ({ status }) =>
          Boolean(status?.conditions?.some(({ type }) => type === 'ComparisonError')),
        );
        await touched(index);
      },
      async restart() {
        await tiphys.stop();
        tiphys = await start();
        await touched(any());
      },
    };
    const samples: Sample[] = [];
    const begun = performance.now();
    for (let count = 1; performance.now() - begun < minutes * 60_000; count++) {
      const what: Churn =
        count % restartEvery === 0 ? 'restart' : count % 10 === 0 ? 'failure' : count % 2 ? 'commit' : 'drift';
      const latency = await measured(does[what]);
      const at = (performance.now() - begun) / 1000;
      samples.push({
        at,
        what,
        latency,
        memory: tiphys.memory(),
        handles: readdirSync(`/proc/${tiphys.pid}/fd`).length,
      });
    }
    mkdirSync(dirname(plot), { recursive: true });
    writeFileSync(plot, plotOf(samples));
    return `## Soak: ${minutes} minutes, ${applications} applications, ${samples.length} changes\n\n${table(samples)}\n\nPlot: ${plot}`;
  } finally {
    await tiphys.stop();
    await client.close();
    await cluster.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Changes a live object of the application, and waits until it is as desired again. */
async function healed(client: Client, index: number): Promise<void> {
  const ref = { apiVersion: 'v1', kind: 'ConfigMap', namespace: 'fleet' };
  const name = `features-${index}`;
  const changed = await client.patch({ ...ref, name }, 'merge', { data: { flags: 'drifted' } });
  const watch = client.watch<KubeObject & { data?: { flags?: string } }>(ref, {
    fieldSelector: `metadata.name=${name}`,
    resourceVersion: changed.metadata.resourceVersion ?? '',
    signal: AbortSignal.timeout(120_000),
  });
  for await (const { object } of watch) if (object.data?.flags !== 'drifted') return;
  throw new Error(`ConfigMap ${name} was not healed within 120 s`);
}

function table(samples: readonly Sample[]): string {
  const end = samples.at(-1)?.at ?? 0;
  const thirds = [0, 1, 2].map((third) =>
    samples.filter(({ at }) => at > (end * third) / 3 && at <= (end * (third + 1)) / 3),
  );
  const row = (title: string, value: (some: readonly Sample[]) => string) => [title, ...thirds.map(value)];
  const latencies = (some: readonly Sample[], churn: Churn) =>
    some.filter(({ what }) => what === churn).map(({ latency }) => latency);
  return markdownTable(
    ['median of', 'first third', 'second third', 'last third'],
    [
      row('memory', (some) => mebibytes(median(some.map(({ memory }) => memory)))),
      row('handles', (some) => String(median(some.map(({ handles }) => handles)))),
      ...churns.map((churn) =>
        row(`${churn}, until it is answered`, (some) => seconds(median(latencies(some, churn)))),
      ),
      row('the slowest commit', (some) => seconds(Math.max(0, ...latencies(some, 'commit')))),
    ],
  );
}

/** Memory, handles and latency of commits over time, one below the other. */
function plotOf(samples: readonly Sample[]): string {
  const [width, height, left] = [900, 160, 80];
  const end = samples.at(-1)?.at ?? 1;
  const panel = (title: string, unit: string, points: readonly (readonly [number, number])[], index: number) => {
    const top = 30 + index * (height + 50);
    const most = Math.max(1e-9, ...points.map(([, value]) => value));
    const line = points.map(([at, value]) => {
      const x = left + (at / end) * (width - left - 10);
      return `${x.toFixed(1)},${(top + height - (value / most) * height).toFixed(1)}`;
    });
    return `<text x="${left}" y="${top - 8}">${title}</text><text x="${left - 8}" y="${top + 10}" text-anchor="end">${most.toFixed(most < 10 ? 2 : 0)} ${unit}</text><text x="${left - 8}" y="${top + height}" text-anchor="end">0</text><path d="M${left} ${top}v${height}h${width - left - 10}" fill="none" stroke="#888"/><polyline points="${line.join(' ')}" fill="none" stroke="#1b6ec2"/>`;
  };
  const panels = [
    panel(
      'Memory',
      'MiB',
      samples.map(({ at, memory }) => [at, memory / 1024 / 1024] as const),
      0,
    ),
    panel(
      'Handles',
      '',
      samples.map(({ at, handles }) => [at, handles] as const),
      1,
    ),
    panel(
      'From a commit until it is live',
      's',
      samples.filter(({ what }) => what === 'commit').map(({ at, latency }) => [at, latency / 1000] as const),
      2,
    ),
  ];
  const bottom = 30 + 3 * (height + 50);
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${bottom}" font-family="sans-serif" font-size="12"><rect width="100%" height="100%" fill="#fff"/>${panels.join('')}<text x="${width - 10}" y="${bottom - 30}" text-anchor="end">${Math.round(end)} s</text></svg>\n`;
}
