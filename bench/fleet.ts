import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Application } from '@tiphys/api';
import { type Client, connect, Informer, type KubeObject, loadKubeconfig, systemClock } from '@tiphys/kubernetes';
import { startSandbox } from '@tiphys/sandbox';
import { startControlPlane } from '../scripts/control-plane.ts';
import { TiphysProcess } from './process.ts';
import { markdownTable, mebibytes, ratio, seconds } from './table.ts';

const concurrency = 50;

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
    tiphys = new TiphysProcess(['--kubeconfig', kubeconfig, '--no-example']);
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

async function measured(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

async function inParallel(count: number, run: (index: number) => Promise<unknown>): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await run(index);
  };
  await Promise.all(Array.from({ length: concurrency }, worker));
}

async function rawWrites(client: Client, applications: number): Promise<number> {
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'raw' } });
  const objects = Array.from({ length: applications }, (_, index) => manifests(index, 0)).flat();
  return measured(() =>
    inParallel(objects.length, (index) =>
      client.create({
        ...(objects[index] as KubeObject),
        metadata: { ...(objects[index] as KubeObject).metadata, namespace: 'raw' },
      }),
    ),
  );
}

function manifests(index: number, version: number): KubeObject[] {
  const metadata = (name: string) => ({ name: `${name}-${index}`, labels: { app: `app-${index}` } });
  return [
    {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: metadata('settings'),
      data: { version: String(version), greeting: 'Fair winds' },
    },
    { apiVersion: 'v1', kind: 'ConfigMap', metadata: metadata('features'), data: { flags: 'a,b,c' } },
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: metadata('account') },
    {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: metadata('role'),
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }],
    },
  ];
}

function applicationObject(index: number, repoURL: string): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: `app-${index}`, namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL, path: `apps/${index}`, targetRevision: 'main' },
      destination: { server: 'https://kubernetes.default.svc', namespace: 'fleet' },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
  };
}

/** One folder for each application. */
class BenchRepository {
  readonly url: string;
  #version = 0;

  constructor(folder: string, applications: number) {
    this.url = folder;
    mkdirSync(folder, { recursive: true });
    this.#git('init', '--quiet', '--initial-branch=main');
    for (let index = 0; index < applications; index++) this.#write(index);
    this.#commit();
  }

  /** Changes one object of each of these applications in one commit. */
  touch(indexes: readonly number[]): string {
    this.#version += 1;
    for (const index of indexes) this.#write(index);
    return this.#commit();
  }

  #write(index: number): void {
    const folder = join(this.url, 'apps', String(index));
    mkdirSync(folder, { recursive: true });
    // JSON is YAML: one document each
    writeFileSync(
      join(folder, 'all.yaml'),
      manifests(index, this.#version)
        .map((object) => JSON.stringify(object))
        .join('\n---\n'),
    );
  }

  #commit(): string {
    this.#git('add', '--all');
    this.#git('-c', 'user.name=Bench', '-c', 'user.email=bench@example.com', 'commit', '--quiet', '-m', 'Change');
    return this.#git('rev-parse', 'HEAD');
  }

  #git(...args: string[]): string {
    return execFileSync('git', args, { cwd: this.url, encoding: 'utf8' }).trim();
  }
}

/** The applications as a watch shows them. */
class Fleet {
  readonly #informer: Informer<Application>;

  constructor(client: Client) {
    this.#informer = new Informer<Application>(client, {
      ref: { apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace: 'argocd' },
    });
  }

  async start(): Promise<void> {
    this.#informer.start(new AbortController().signal);
    await this.#informer.synced;
  }

  async reached(count: number, holds: (application: Application) => boolean): Promise<void> {
    const done = new Set<string>();
    const note = (application: Application) => {
      if (holds(application)) done.add(application.metadata.name ?? '');
      return done.size >= count;
    };
    if ([...this.#informer.list()].map(note).some(Boolean)) return;
    await new Promise<void>((resolve) => {
      const stop = this.#informer.subscribe(({ object }) => {
        if (!note(object)) return;
        stop();
        resolve();
      });
    });
  }

  one(name: string, holds: (application: Application) => boolean): Promise<void> {
    return this.reached(1, (application) => application.metadata.name === name && holds(application));
  }
}
