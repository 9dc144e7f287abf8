import { DiagnosisError, failure, within } from '@tiphys/diagnosis';
import { type GitTree, normalizePath, type PathEntry } from '@tiphys/git';
import {
  type ChartMetadata,
  type FetchedDependency,
  HelmError,
  loadChart,
  loadFetching,
  memoryFiles,
} from '@tiphys/helm';
import type { Clock } from '@tiphys/kubernetes';
import { dependencyNotPermitted } from '../request/diagnoses.ts';
import type { ReadPath, RenderRequest } from '../request/rendered.ts';
import { type ChartBounds, type ChartSelection, readChart, selectChart } from './chart-selection.ts';
import type { ChartSources } from './chart-source.ts';
import { accessOf } from './chart-source-place.ts';

/** What has to be put into a chart's folder before it can be rendered. */
export interface HeldDependencies {
  /** Empty if the chart holds all that it lists. */
  readonly digest: string;
  readonly paths: readonly ReadPath[];
  readonly facts: Readonly<Record<string, string>>;
  /** The files of the chart with those of its dependencies. */
  complete(files: Readonly<Record<string, Uint8Array>>): Record<string, Uint8Array>;
}

const nothing: HeldDependencies = { digest: '', paths: [], facts: {}, complete: (files) => ({ ...files }) };
/** Failures that credentials, or another way of reaching the host, would mend. */
const inReach = new Set([
  'RegistryUnreachable',
  'RegistryCredentialRefused',
  'RegistryCertificateInvalid',
  'RegistryAnswerRefused',
]);
const remembered = 20_000;
const heldCharts = 50;
/** How old, in milliseconds, what ranges stood for may be. */
const defaultAge = 30_000;

/** Fetches what charts list in Chart.yaml and do not hold in charts/, as `helm dependency build` does, into memory. */
export class ChartDependencies {
  readonly #sources: ChartSources;
  readonly #bounds: ChartBounds;
  /** By the digest of a chart's files: whether anything is missing. */
  readonly #complete = new Set<string>();
  readonly #held = new Map<
    string,
    { readonly held: HeldDependencies; readonly at: number; readonly pinned: boolean }
  >();
  readonly #clock: Clock;

  constructor(sources: ChartSources, bounds: ChartBounds, clock: Clock) {
    this.#sources = sources;
    this.#clock = clock;
    this.#bounds = bounds;
  }

  async of(
    request: RenderRequest,
    tree: GitTree,
    folder: PathEntry,
    selection: ChartSelection,
  ): Promise<HeldDependencies> {
    if (this.#complete.has(selection.digest) || !(await mayDepend(tree, selection))) return nothing;
    const key = `${selection.digest} ${request.application.project}`;
    const known = this.#held.get(key);
    if (known && !request.noCache && this.#isFresh(known, request.maxAge ?? defaultAge)) return known.held;
    const files = await readChart(tree, folder, selection, this.#bounds);
    const chart = chartOf(files, folder.path);
    const names = new Set(chart?.dependencies.map(({ name }) => name));
    const missing = chart?.metadata.dependencies?.some(({ name }) => !names.has(name)) ?? false;
    if (!chart || !missing) {
      if (this.#complete.size > remembered) this.#complete.clear();
      this.#complete.add(selection.digest);
      return nothing;
    }
    const paths: ReadPath[] = [];
    const lock = files[chart.metadata.apiVersion === 'v1' ? 'requirements.lock' : 'Chart.lock'];
    const at = this.#clock.now();
    try {
      const { fetchDependencies } = await loadFetching();
      const fetched = await fetchDependencies(chart.metadata, lock && Buffer.from(lock).toString('utf8'), {
        chartPath: folder.path,
        repositories: this.#sources.repositories,
        charts: this.#sources.charts,
        place: (repository) => placeOf(repository, request),
        folder: async (path) => this.#folder(tree, folder, path, paths),
        maxAge: request.maxAge ?? defaultAge,
        signal: request.signal,
      });
      const held = heldOf(fetched, paths);
      // What lies in another folder of the repository changes without this chart.
      if (!fetched.some(({ repository }) => repository.startsWith('file://')))
        this.#keep(key, { held, at, pinned: lock !== undefined });
      return held;
    } catch (error) {
      request.signal?.throwIfAborted();
      throw within(notPermitted(error, chart.metadata, request) ?? error, {
        place: { file: folder.path === '' ? 'Chart.yaml' : `${folder.path}/Chart.yaml` },
      });
    }
  }

  /** What a lock file names stays what it is; ranges are looked up again. */
  #isFresh({ at, pinned }: { readonly at: number; readonly pinned: boolean }, maxAge: number): boolean {
    return pinned || this.#clock.now() - at < maxAge;
  }

  #keep(key: string, entry: { readonly held: HeldDependencies; readonly at: number; readonly pinned: boolean }): void {
    this.#held.delete(key);
    const [oldest] = this.#held.keys();
    if (this.#held.size >= heldCharts && oldest !== undefined) this.#held.delete(oldest);
    this.#held.set(key, entry);
  }

  /** CVE-2023-40026: a dependency's folder lies in the same repository, links included. */
  async #folder(tree: GitTree, chart: PathEntry, path: string, paths: ReadPath[]) {
    const normal = normalizePath(chart.path === '' ? path : `${chart.path}/${path}`);
    const folder = normal === undefined ? undefined : await tree.resolve(normal);
    if (folder?.kind !== 'folder') return undefined;
    const selection = await selectChart(tree, folder, this.#bounds);
    paths.push(...selection.paths);
    return memoryFiles(await readChart(tree, folder, selection, this.#bounds));
  }
}

/** A look that costs nothing for the many charts without dependencies. */
async function mayDepend(tree: GitTree, { files }: ChartSelection): Promise<boolean> {
  if (files.has('requirements.yaml')) return true;
  const entry = files.get('Chart.yaml');
  if (!entry) return false;
  const text = Buffer.from(await tree.read(entry.path)).toString('utf8');
  return /dependencies/i.test(text);
}

/** What can not be loaded says so when it is rendered. */
function chartOf(files: Readonly<Record<string, Uint8Array>>, path: string) {
  try {
    return loadChart(memoryFiles(files), { path });
  } catch (error) {
    if (error instanceof HelmError) return undefined;
    throw error;
  }
}

/** What failed since the project does not permit a repository, and so lent no credentials, is told so, as upstream does. */
function notPermitted(
  error: unknown,
  { dependencies = [] }: ChartMetadata,
  request: RenderRequest,
): DiagnosisError | undefined {
  const inner = error instanceof DiagnosisError ? error.diagnosis.causes?.[0] : undefined;
  if (!inner || !inReach.has(inner.code)) return undefined;
  const urls = dependencies
    .map(({ repository }) => repository.replace(/^oci:\/\//, ''))
    .filter((url) => /^[^@]/.test(url) && !/^(?:file|alias):/.test(url));
  const denied = [...new Set(urls)].filter((url) => request.permitsRepository?.(url) === false);
  if (denied.length === 0) return undefined;
  const { project } = request.application;
  return failure(dependencyNotPermitted, {
    message: `helm repos ${denied.join(', ')} are not permitted in project '${project}'`,
    place: { field: 'spec.sourceRepos', object: `AppProject ${project}` },
    remedies: [
      {
        text: `Add them to spec.sourceRepos of AppProject ${project}, or commit the dependencies`,
        paste: `spec:\n  sourceRepos:\n${denied.map((url) => `  - ${url}`).join('\n')}`,
      },
    ],
    causes: [inner],
  });
}

function placeOf(repository: string, request: RenderRequest) {
  const known = request.dependencyRepository?.(repository);
  if (known) {
    const registry = known.oci === true || !/^[a-z][a-z0-9+.-]*:\/\//i.test(known.url);
    const url =
      registry && !known.url.startsWith('oci://') ? `oci://${known.url.replace(/^https?:\/\//, '')}` : known.url;
    return { url: /^(?:@|alias:)/.test(repository) ? url : repository, access: accessOf(known, request.source) };
  }
  return /^(?:@|alias:)/.test(repository) ? undefined : { url: repository, access: {} };
}

function heldOf(fetched: readonly FetchedDependency[], paths: readonly ReadPath[]): HeldDependencies {
  return {
    digest: fetched.map(({ path, digest }) => `${path} ${digest}`).join('\n'),
    paths,
    facts: Object.fromEntries(
      fetched.map(({ name, version, repository, digest }) => [
        `dependency ${name}`,
        `${version} of ${repository}, sha256:${digest}`,
      ]),
    ),
    complete(files) {
      const names = fetched.map(({ name }) => `charts/${name}-`);
      const kept = Object.entries(files).filter(
        ([path]) =>
          !(
            path.endsWith('.tgz') && names.some((name) => path.startsWith(name) && /^\d/.test(path.slice(name.length)))
          ),
      );
      return Object.fromEntries([...kept, ...fetched.map(({ path, archive }) => [path, archive] as const)]);
    },
  };
}
