import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Application } from '@tiphys/api';
import { type Client, connect, Informer, type KubeObject, loadKubeconfig, systemClock } from '@tiphys/kubernetes';

/** How many requests the benches have under way at once. */
export const concurrency = 50;

/** Writes the kubeconfig of a cluster into a folder, and connects by it. */
export function connectTo(
  cluster: { readonly kubeconfig: string },
  folder: string,
  purpose = 'measure',
): { kubeconfig: string; client: Client } {
  const kubeconfig = join(folder, 'kubeconfig');
  writeFileSync(kubeconfig, cluster.kubeconfig, { mode: 0o600 });
  const client = connect(loadKubeconfig(cluster.kubeconfig, { baseDir: folder }), {
    caller: { component: 'bench', purpose },
    clock: systemClock,
  });
  return { kubeconfig, client };
}

/** Milliseconds that it takes. */
export async function measured(run: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await run();
  return performance.now() - start;
}

export async function inParallel(
  count: number,
  run: (index: number) => Promise<unknown>,
  atOnce = concurrency,
): Promise<void> {
  let next = 0;
  const worker = async () => {
    for (let index = next++; index < count; index = next++) await run(index);
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
}

/** Milliseconds that a plain client takes to create the objects of so many applications, in a namespace that it makes for them. */
export async function rawWrites(
  client: Client,
  applications: number,
  { namespace = 'raw', atOnce = concurrency } = {},
): Promise<number> {
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const objects = Array.from({ length: applications }, (_, index) => manifests(index, 0)).flat();
  const create = (index: number) => {
    const object = objects[index] as KubeObject;
    return client.create({ ...object, metadata: { ...object.metadata, namespace } });
  };
  return measured(() => inParallel(objects.length, create, atOnce));
}

/**
 * Milliseconds that a plain client takes to write what the first sync of so many applications has at least: their objects, the
 * Applications, and two changes of each one's status, as `like` has it by now. The definition of Applications must be there.
 */
export async function leastWrites(client: Client, applications: number, like: Application): Promise<number> {
  const namespace = 'least';
  await client.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const { apiVersion, kind, spec, status } = like;
  return measured(() =>
    inParallel(applications, async (index) => {
      const name = `app-${index}`;
      await client.create({ apiVersion, kind, metadata: { name, namespace }, spec } as Application);
      const patch = (phase: string) =>
        client.patch({ apiVersion, kind, name, namespace }, 'merge', {
          status: { ...status, operationState: { ...status?.operationState, phase } },
        });
      await patch('Running');
      for (const object of manifests(index, 0))
        await client.create({ ...object, metadata: { ...object.metadata, namespace } });
      await patch('Succeeded');
    }),
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

/** What differs from an application of the one {@link BenchRepository}, automated, into the namespace `fleet` of the own cluster. */
interface Place {
  readonly path?: string;
  readonly server?: string;
  readonly namespace?: string;
}

/** Number `index` of the applications of the {@link BenchRepository} at this URL. */
export function applicationObject(
  index: number,
  repoURL: string,
  { path = `apps/${index}`, server = 'https://kubernetes.default.svc', namespace = 'fleet' }: Place = {},
): Application {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Application',
    metadata: { name: `app-${index}`, namespace: 'argocd' },
    spec: {
      project: 'default',
      source: { repoURL, path, targetRevision: 'main' },
      destination: { server, namespace },
      syncPolicy: { automated: { prune: true, selfHeal: true } },
    },
  };
}

/** Resolves when so many Applications have been compared by the process whose metrics of the controller are on the port. */
export async function allReconciled(port: number, applications: number): Promise<void> {
  for (;;) {
    const response = await fetch(`http://127.0.0.1:${port}/metrics`).catch(() => undefined);
    const text = (await response?.text()) ?? '';
    const counts = text.matchAll(/^argocd_app_reconcile_count(?:\{[^}]*\})? (\d+)$/gm);
    if (counts.reduce((sum, [, count]) => sum + Number(count), 0) >= applications) return;
    // a page of metrics of many applications takes time that is not to be measured
    await systemClock.sleep(1_000);
  }
}

/** Milliseconds, more than an Event waits at the most for a gap in other work. */
export const eventsPause = 45_000;

/** Resolves when no Event has been added for so long: they go out after what they tell of, in the gaps. */
export async function eventsTold(client: Client): Promise<void> {
  let known = -1;
  for (;;) {
    const { items, metadata } = await client.list(
      { apiVersion: 'v1', kind: 'Event', namespace: 'argocd' },
      { limit: 1 },
    );
    const count = items.length + (metadata.remainingItemCount ?? 0);
    if (count === known) return;
    known = count;
    await systemClock.sleep(eventsPause);
  }
}

/** What the folder of an application holds. All give the same four objects. */
export type Shape = 'manifests' | 'kustomization' | 'chart';

/** One folder for each application. */
export class BenchRepository {
  readonly url: string;
  readonly #shape: Shape;
  #version = 0;

  constructor(folder: string, applications: number, shape: Shape = 'manifests') {
    this.url = folder;
    this.#shape = shape;
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

  /** Commits a manifest that cannot be read; the next touch corrects it. */
  spoil(index: number): void {
    writeFileSync(join(this.url, 'apps', String(index), 'all.yaml'), 'apiVersion: v1\nkind: ConfigMap\n  metadata: {');
    this.#commit();
  }

  #write(index: number): void {
    const folder = join(this.url, 'apps', String(index));
    for (const [name, text] of Object.entries(filesOf(this.#shape, index, this.#version))) {
      const file = join(folder, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, text);
    }
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

// JSON is YAML: one document each
const documents = (objects: readonly KubeObject[]) => objects.map((object) => JSON.stringify(object)).join('\n---\n');

function filesOf(shape: Shape, index: number, version: number): Readonly<Record<string, string>> {
  if (shape === 'manifests') return { 'all.yaml': documents(manifests(index, version)) };
  const name = `app-${index}`;
  if (shape === 'chart')
    return {
      'Chart.yaml': JSON.stringify({ apiVersion: 'v2', name, version: '1.0.0' }),
      'values.yaml': JSON.stringify({ version: String(version), app: name }),
      'templates/_labels.tpl': '{{- define "labels" }}\napp: {{ .Values.app | quote }}\n{{- end }}',
      'templates/all.yaml': documents(manifests(index, version))
        .replaceAll(JSON.stringify({ app: name }), '{{ dict "app" .Values.app | toJson }}')
        .replace(JSON.stringify({ version: String(version) }).slice(1, -1), '"version":{{ .Values.version | quote }}'),
    };
  return {
    'all.yaml': documents(manifests(index, 0).map(({ metadata, ...rest }) => ({ ...rest, metadata: plain(metadata) }))),
    'version.yaml': JSON.stringify({ op: 'replace', path: '/data/version', value: String(version) }).replace(
      /^.*$/,
      '[$&]',
    ),
    'kustomization.yaml': JSON.stringify({
      resources: ['all.yaml'],
      nameSuffix: `-${index}`,
      labels: [{ pairs: { app: name } }],
      patches: [{ path: 'version.yaml', target: { kind: 'ConfigMap', name: 'settings' } }],
    }),
  };
}

/** Without what the kustomization adds. */
function plain({ name }: KubeObject['metadata']): KubeObject['metadata'] {
  return { name: (name ?? '').replace(/-\d+$/, '') };
}

/** The applications as a watch shows them. */
export class Fleet {
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
