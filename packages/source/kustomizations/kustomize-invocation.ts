import type { ApplicationSource } from '@tiphys/api';
import { type DiagnosisError, failure } from '@tiphys/diagnosis';
import type { DesiredObject } from '@tiphys/engine';
import { type GitRepositories, type GitTree, normalizePath } from '@tiphys/git';
import { type RecordedValue, renderChart, renderRecorded } from '@tiphys/helm';
import type { KubeObject } from '@tiphys/kubernetes';
import {
  buildKustomization,
  cloneUrl,
  type FileTree,
  type KustomizationEdits,
  type Remotes,
  type RepoSpec,
  treeOf,
} from '@tiphys/kustomize';
import { generationKey } from '@tiphys/template';
import { kustomizeOptionInvalid, remoteBaseRefused, tooManyObjects } from './diagnoses.ts';
import type { RenderRequest } from './rendered.ts';
import { unsupported } from './source-type.ts';

/** What an application's options and the settings make of a build: plain data, as it is part of the settings' digest. */
export interface KustomizeInvocation {
  readonly edits: KustomizationEdits;
  readonly components: readonly string[];
  readonly ignoreMissingComponents: boolean;
  readonly enableHelm: boolean;
  readonly loadRestrictions: 'rootOnly' | 'none';
  readonly kubeVersion?: string;
  readonly apiVersions: readonly string[];
}

type Options = NonNullable<ApplicationSource['kustomize']>;

/**
 * Reads the options of a source and the build options of the settings. `substitute` puts the build environment into images,
 * labels and, if it is asked for, annotations.
 */
export function kustomizeInvocation(request: RenderRequest, substitute: (text: string) => string): KustomizeInvocation {
  const options = request.source.kustomize ?? {};
  if (options.version)
    throw unsupported('spec.source.kustomize.version', 'Leave it out: the built-in Kustomize matches 5.8');
  const build = readBuildOptions(request.kustomizeBuildOptions ?? '');
  return {
    edits: editsOf(options, substitute),
    components: options.components ?? [],
    ignoreMissingComponents: options.ignoreMissingComponents ?? false,
    ...build,
    ...(options.kubeVersion ? { kubeVersion: options.kubeVersion } : kubeVersionOf(request)),
    apiVersions: options.apiVersions ?? request.cluster?.apiVersions ?? [],
  };
}

function kubeVersionOf({ cluster }: RenderRequest): { kubeVersion?: string } {
  return cluster?.kubeVersion ? { kubeVersion: cluster.kubeVersion } : {};
}

function editsOf(options: Options, substitute: (text: string) => string): KustomizationEdits {
  const annotations = new Map(Object.entries(options.commonAnnotations ?? {}));
  if (options.commonAnnotationsEnvsubst)
    for (const [key, value] of annotations) annotations.set(key, substitute(value));
  const labels = new Map(Object.entries(options.commonLabels ?? {}).map(([key, value]) => [key, substitute(value)]));
  return {
    ...(options.namePrefix ? { namePrefix: options.namePrefix } : {}),
    ...(options.nameSuffix ? { nameSuffix: options.nameSuffix } : {}),
    ...(options.namespace ? { namespace: options.namespace } : {}),
    images: (options.images ?? []).map(substitute),
    replicas: (options.replicas ?? []).map(({ name, count }) => ({ name, count: countOf(name, count) })),
    labels,
    labelOptions: {
      force: options.forceCommonLabels ?? false,
      withoutSelector: options.labelWithoutSelector ?? false,
      includeTemplates: options.labelIncludeTemplates ?? false,
    },
    annotations,
    forceAnnotations: options.forceCommonAnnotations ?? false,
    patches: (options.patches ?? []).map((patch) => ({
      ...(patch.path ? { path: patch.path } : {}),
      ...(patch.patch ? { patch: patch.patch } : {}),
      ...(patch.target ? { target: patch.target } : {}),
      ...(patch.options ? { options: patch.options } : {}),
    })),
  };
}

function countOf(name: string, count: number | string): number {
  const number = Number(count);
  if (Number.isInteger(number) && String(count).trim() !== '') return number;
  throw failure(kustomizeOptionInvalid, {
    message: `The replicas of ${name} are ${JSON.stringify(count)}, which is no number`,
    place: { field: 'spec.source.kustomize.replicas' },
    remedies: ['Set count to a whole number'],
  });
}

/** The flags that an operator may set; no flag that runs a program is among them. */
function readBuildOptions(text: string): Pick<KustomizeInvocation, 'enableHelm' | 'loadRestrictions'> {
  let enableHelm = false;
  let loadRestrictions: KustomizeInvocation['loadRestrictions'] = 'rootOnly';
  const words = text.split(/\s+/).filter((word) => word !== '');
  for (let i = 0; i < words.length; i++) {
    const [flag = '', ...rest] = (words[i] as string).split('=');
    const value = rest.join('=');
    if (flag === '--enable-helm') enableHelm = value !== 'false';
    else if (flag === '--load-restrictor') {
      const wanted = rest.length > 0 ? value : (words[++i] ?? '');
      if (wanted !== 'LoadRestrictionsNone' && wanted !== 'LoadRestrictionsRootOnly') throw refusedFlag(flag, wanted);
      loadRestrictions = wanted === 'LoadRestrictionsNone' ? 'none' : 'rootOnly';
    } else throw refusedFlag(flag, value);
  }
  return { enableHelm, loadRestrictions };
}

function refusedFlag(flag: string, value: string): DiagnosisError {
  return failure(kustomizeOptionInvalid, {
    message: `The build option ${flag}${value === '' ? '' : ` ${value}`} of Kustomize is not allowed`,
    place: { object: 'ConfigMap argocd-cm', field: 'kustomize.buildOptions' },
    remedies: ['Keep to --enable-helm and --load-restrictor: nothing that a repository brings is ever run'],
  });
}

/** The invocation as JSON can say it, for a digest. */
export function plainInvocation({ edits, ...rest }: KustomizeInvocation): object {
  const plain = Object.entries(edits).map(([key, value]) => [
    key,
    value instanceof Map ? [...value] : (value as unknown),
  ]);
  return { ...rest, edits: Object.fromEntries(plain) as object };
}

export interface KustomizeResult {
  readonly objects: readonly DesiredObject[];
  /** Values that charts generated, old and new. */
  readonly used: readonly RecordedValue[];
  readonly fresh: ReadonlySet<string>;
}

/** Builds the kustomization of a folder. Throws a diagnosis; what was read was told by the tree. */
export async function renderKustomization(
  request: RenderRequest,
  tree: GitTree,
  folder: string,
  invocation: KustomizeInvocation,
  context: {
    readonly git: GitRepositories;
    readonly maxObjects: number;
    readonly maxBytes: number;
    /** Takes the commit of each remote base, by address and ref. */
    readonly remotes: Record<string, string>;
    /** Takes every path that is looked at; true if all below it counts. */
    readonly looked: Map<string, boolean>;
  },
): Promise<KustomizeResult> {
  const used: RecordedValue[] = [];
  const fresh = new Set<string>();
  const components = invocation.ignoreMissingComponents
    ? await present(tree, folder, invocation.components, context.looked)
    : invocation.components;
  const { kubeVersion, apiVersions } = invocation;
  const built = await buildKustomization({
    tree: noting(treeOf(tree, context.maxBytes), context.looked),
    path: `/${folder}`,
    edits: { ...invocation.edits, components },
    remotes: remotesOf(request, context.git, context.remotes),
    enableHelm: invocation.enableHelm,
    loadRestrictions: invocation.loadRestrictions,
    helm: {
      apiVersions,
      ...(kubeVersion ? { kubeVersion } : {}),
      render(chart) {
        // One chart may be there several times, each with values of its own.
        const scope = `${chart.release.namespace}/${chart.release.name}:`;
        const own = (request.recorded ?? []).flatMap((value) =>
          value.root.startsWith(scope) ? [{ ...value, root: value.root.slice(scope.length) }] : [],
        );
        const recorded = renderRecorded(own, (recorder) => renderChart({ ...chart, recorder }));
        for (const value of recorded.used) {
          const scoped = { ...value, root: `${scope}${value.root}` };
          used.push(scoped);
          if (recorded.fresh.has(generationKey(value))) fresh.add(generationKey(scoped));
        }
        return recorded.result;
      },
    },
  });
  if (built.resources.length > context.maxObjects)
    throw failure(tooManyObjects, {
      message: `The kustomization has more than ${context.maxObjects} objects`,
      place: { file: folder },
      remedies: ['Split the application'],
    });
  const objects = built.objects.map(({ value, origin }) => ({ object: value as unknown as KubeObject, origin }));
  return { objects, used, fresh };
}

function noting(tree: FileTree, looked: Map<string, boolean>): FileTree {
  return {
    find(path) {
      if (!looked.has(path.slice(1))) looked.set(path.slice(1), false);
      return tree.find(path);
    },
    read: (path) => tree.read(path),
    list(folder) {
      looked.set(folder.slice(1), true);
      return tree.list?.(folder) ?? [];
    },
  };
}

/** What a path leads to now, as far as a build depends on it: of a folder only that it is there, unless it was listed. */
export async function lookAt(tree: GitTree, path: string, listed: boolean): Promise<{ path: string; oid?: string }> {
  const entry = await tree.resolve(path);
  if (!entry) return { path };
  return { path: entry.path, oid: entry.kind === 'file' || listed ? entry.oid : entry.kind };
}

async function present(
  tree: GitTree,
  folder: string,
  components: readonly string[],
  looked: Map<string, boolean>,
): Promise<string[]> {
  const found: string[] = [];
  for (const component of components) {
    const path = normalizePath(`${folder}/${component}`);
    if (path === undefined) continue;
    if (!looked.has(path)) looked.set(path, false);
    if ((await tree.resolve(path)) !== undefined) found.push(component);
  }
  return found;
}

/** Remote bases by git, with the credentials of the application's repository where they are of the same host. */
function remotesOf(request: RenderRequest, git: GitRepositories, commits: Record<string, string>): Remotes {
  return {
    async repository(spec: RepoSpec): Promise<{ tree: FileTree; root: string }> {
      const base = JSON.stringify([cloneUrl(spec), spec.ref]);
      const commit = await remoteCommit(request, git, base);
      commits[base] = commit;
      return { tree: treeOf(await git.open(repositoryOf(request, cloneUrl(spec)), commit)), root: '/' };
    },
  };
}

/** The commit of a remote base now; `base` is its address and ref as JSON. */
export async function remoteCommit(request: RenderRequest, git: GitRepositories, base: string): Promise<string> {
  const [url = '', ref = ''] = JSON.parse(base) as string[];
  const { maxAge, signal } = request;
  const options = { ...(maxAge === undefined ? {} : { maxAge }), ...(signal ? { signal } : {}) };
  return (await git.resolve(repositoryOf(request, url), ref, options)).commit;
}

function repositoryOf(request: RenderRequest, url: string): RenderRequest['repository'] {
  if (request.permitsRepository && !request.permitsRepository(url)) {
    throw failure(remoteBaseRefused, {
      message: `The project ${request.application.project} does not permit the repository of the remote base ${url}`,
      place: { object: `AppProject ${request.application.project}`, field: 'spec.sourceRepos' },
      remedies: [{ text: 'Permit it in the project', paste: `sourceRepos: [${JSON.stringify(url)}]` }],
    });
  }
  const registered = request.dependencyRepository?.(url);
  if (registered) return registered;
  const host = hostOf(url);
  if (host === hostOf(request.repository.url)) return { ...request.repository, url };
  refuseInside(url, host);
  return { url };
}

function hostOf(url: string): string {
  const match = /^(?:[a-z+]+:\/\/)?(?:[^@/]*@)?(\[[^\]]*\]|[^/:]*)/i.exec(url);
  return (match?.[1] ?? '').toLowerCase();
}

/** A kustomization must not be a way to what only this process can reach. */
function refuseInside(url: string, host: string): void {
  const inside =
    url.startsWith('file:') ||
    host === '' ||
    host === 'localhost' ||
    host.endsWith('.localhost') ||
    /^(?:127\.|10\.|0\.|169\.254\.|192\.168\.|172\.(?:1[6-9]|2\d|3[01])\.)/.test(host) ||
    host.startsWith('[') ||
    /^(?:0x)?[0-9a-f]+$/.test(host);
  if (!inside) return;
  throw failure(remoteBaseRefused, {
    message: `The remote base ${url} is at an address inside of this network`,
    remedies: ['Register the repository, so that it may be read, or copy the base into the repository'],
  });
}
