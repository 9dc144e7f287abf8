import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import type { ApplicationSource } from '@tiphys/api';
import { type Diagnosis, DiagnosisError } from '@tiphys/diagnosis';
import type { GitRepositories, GitTree, PathEntry } from '@tiphys/git';
import { type Clock, systemClock } from '@tiphys/kubernetes';
import { AskPass, defaultAskPassSocket, defaultSocketFolder, Plugins } from '@tiphys/plugin';
import { type Published, PublishedCharts } from './chart-source-loading.ts';
import type { ChartPlace } from './chart-source-place.ts';
import { memoryTree, packageFolder } from './chart-source-tree.ts';
import type { ChartRenderer } from './charts/chart-renderer.ts';
import { DirectoryRenders } from './directory-renders.ts';
import { ownerOf, servesOwner } from './generated-values.ts';
import type { HelmRenders } from './helm-renders.ts';
import type { JsonnetRenderer } from './jsonnet/jsonnet-renderer.ts';
import type { KustomizeRenders } from './kustomizations/kustomize-renders.ts';
import { OutcomeStores, type SharedCache } from './outcomes/outcome-stores.ts';
import { PluginRenders } from './plugin-renders.ts';
import { ReferencedSources } from './referenced-sources.ts';
import { deepFreeze, type FoundAt, type Outcome, type OutcomeAge, RenderCache } from './render-cache.ts';
import type { ReadPath, ReferencedSource, Rendered, RenderRequest, SourceType } from './rendered.ts';
import { imagesOf, type SourceDetails } from './source-details.ts';
import { sourceFolder } from './source-folder.ts';
import { applyOverrides } from './source-overrides.ts';
import { detectType, isOpen } from './source-type.ts';

export interface SourceLimits {
  /** Bytes of all manifest files of a directory source; `reposerver.max.combined.directory.manifests.size`. 0: no limit. */
  readonly combinedManifestBytes: number;
  /** Objects of one source. */
  readonly objects: number;
  /** Bytes of source text whose rendered objects are kept in memory. */
  readonly cacheBytes: number;
  /** Bytes of rendered objects that are kept on disk. */
  readonly diskBytes: number;
  /** Milliseconds of one render of a chart. */
  readonly chartTime: number;
  /** Megabytes of heap of a thread that renders charts. */
  readonly chartMemory: number;
  /** Milliseconds after which a thread that has no chart to render ends. */
  readonly chartIdle: number;
  /** Bytes of all files that one plugin is sent. */
  readonly pluginBytes: number;
}

export interface ManifestsOptions {
  readonly git: GitRepositories;
  readonly clock?: Clock;
  /** 10 MB, 50,000 objects, 256 MB in memory and 1 GB on disk, 30 s, 1 GB, 2 minutes and 500 MB where not given. */
  readonly limits?: Partial<SourceLimits>;
  /** Packages of charts, and what was rendered, are kept below it; only in memory if absent. */
  readonly cacheDir?: string;
  /** A Redis in which replicas share what they rendered. */
  readonly shared?: SharedCache;
  /** Told why the shared cache can not be used, and undefined when it can be again. */
  readonly onProblem?: (problem: string | undefined) => void;
  /** Where the sockets of config-management plugins are; Argo CD's own folder if absent. */
  readonly pluginFolders?: readonly string[];
  /** Where the credential helper of plugins asks; Argo CD's own socket if absent. */
  readonly askPassSocket?: string;
}

/** What one renderer gave for one source. */
export interface Rendering {
  readonly outcome: Outcome;
  readonly digest: string;
  readonly paths: readonly ReadPath[];
  readonly settings: string;
  readonly facts: Readonly<Record<string, string>>;
}

/** Where a source is read; what is read through `observed` is told. */
interface Place {
  readonly tree: GitTree;
  readonly observed: GitTree;
  readonly folder: PathEntry;
  readonly references: ReferencedSources;
}

const defaultLimits: SourceLimits = {
  combinedManifestBytes: 10_000_000,
  objects: 50_000,
  cacheBytes: 256_000_000,
  diskBytes: 1_000_000_000,
  chartTime: 30_000,
  chartMemory: 1_000,
  chartIdle: 120_000,
  pluginBytes: 500_000_000,
};
const openTrees = 64;
const chartBounds = { files: 20_000, bytes: 100_000_000 };

/** Turns an application's source into manifests. What was rendered once is not rendered again until something that it read changes. */
export class Manifests {
  readonly #git: GitRepositories;
  readonly #clock: Clock;
  readonly #limits: SourceLimits;
  readonly #cache: RenderCache;
  readonly #stores: OutcomeStores | undefined;
  readonly #trees = new Map<string, Promise<GitTree>>();
  #kustomizations: Promise<KustomizeRenders> | undefined;
  #helm: Promise<HelmRenders> | undefined;
  #directories: DirectoryRenders | undefined;
  #charts: Promise<ChartRenderer> | undefined;
  #jsonnet: Promise<JsonnetRenderer> | undefined;
  readonly #published: PublishedCharts;
  readonly #askPass: AskPass;
  readonly #plugins: PluginRenders;

  constructor(options: ManifestsOptions) {
    this.#git = options.git;
    this.#clock = options.clock ?? systemClock;
    this.#limits = { ...defaultLimits, ...options.limits };
    const { cacheDir, shared, onProblem } = options;
    if (cacheDir !== undefined || shared) {
      this.#stores = new OutcomeStores({
        clock: this.#clock,
        maxBytes: this.#limits.diskBytes,
        ...(cacheDir === undefined ? {} : { folder: join(cacheDir, 'renders') }),
        ...(shared ? { shared } : {}),
        ...(onProblem ? { onProblem } : {}),
      });
    }
    this.#cache = new RenderCache(this.#limits.cacheBytes, this.#stores);
    this.#published = new PublishedCharts(
      { clock: this.#clock, ...(cacheDir === undefined ? {} : { cacheDir }) },
      chartBounds,
    );
    this.#askPass = new AskPass(options.askPassSocket ?? defaultAskPassSocket);
    this.#plugins = new PluginRenders({
      plugins: new Plugins(options.pluginFolders ?? [defaultSocketFolder]),
      askPass: this.#askPass,
      clock: this.#clock,
      cache: this.#cache,
      objects: this.#limits.objects,
      maxBytes: this.#limits.pluginBytes,
      attempt: (render) => this.#attempt(render),
    });
  }

  /** Ends the threads that render charts, and lends no more credentials. */
  async close(): Promise<void> {
    await this.#askPass.close();
    const [charts, jsonnet] = [this.#charts, this.#jsonnet];
    this.#charts = undefined;
    this.#jsonnet = undefined;
    await Promise.all([charts, jsonnet].map(async (renderer) => (await renderer)?.close()));
    await this.#stores?.close();
  }

  /** Loaded when the first chart is met, so that nobody else waits for it at the start. */
  #chartRenderer(): Promise<ChartRenderer> {
    const { chartTime: time, chartMemory: memory, chartIdle: idle } = this.#limits;
    this.#charts ??= import('./charts/chart-renderer.ts').then(
      (module) => new module.ChartRenderer({ time, memory, idle }),
    );
    return this.#charts;
  }

  #jsonnetRenderer(): Promise<JsonnetRenderer> {
    const { chartTime: time, chartMemory: memory, chartIdle: idle } = this.#limits;
    this.#jsonnet ??= import('./jsonnet/jsonnet-renderer.ts').then(
      (module) => new module.JsonnetRenderer({ time, memory, idle }),
    );
    return this.#jsonnet;
  }

  /** Helm repositories and registries, for those who only look at them. */
  published(): Promise<Published> {
    return this.#published.load();
  }

  /** The commit, or the version of a chart, that the source's target revision stands for now. */
  async resolve(
    source: ApplicationSource,
    repository: RenderRequest['repository'],
    options: { maxAge?: number; signal?: AbortSignal } = {},
  ): Promise<{ revision: string }> {
    const place = await this.#published.place({ source, repository });
    if (place) return { revision: await this.#published.revision(place, source, '', options) };
    const { commit } = await this.#git.resolve(repository, source.targetRevision ?? '', {
      ...options,
      ...(source.tagPrefix ? { tagPrefix: source.tagPrefix } : {}),
    });
    return { revision: commit };
  }

  /**
   * Throws the diagnosis of whatever prevents it: the repository, the revision, the path, a file. A cancelled asker is let go
   * at once; what it shares with others goes on. Of a chart that generates values, those that are not recorded yet come back
   * in `generated`: record them before the objects are applied, and give them to the next render.
   */
  async render(request: RenderRequest): Promise<Rendered> {
    const { signal } = request;
    signal?.throwIfAborted();
    const rendering = this.#render(request);
    if (!signal) return rendering;
    const { promise, reject } = Promise.withResolvers<never>();
    const onAbort = () => reject(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([rendering, promise]);
    } finally {
      signal.removeEventListener('abort', onAbort);
    }
  }

  /** Names of the config-management plugins that are there now. */
  plugins(): Promise<string[]> {
    return this.#plugins.names();
  }

  /** What the source can be told, by the tool that it is for. Charts are not rendered for it. */
  async details(request: RenderRequest): Promise<SourceDetails> {
    const { place, source, revision } = await this.#locate(request);
    const asked = { ...request, source, revision };
    const type = await this.#typeOf(asked, place, () => undefined);
    const { tree, folder } = place;
    if (type === 'Helm') return { type, helm: await (await this.#helmRenders()).details(asked, place) };
    if (type === 'Plugin') {
      const parametersAnnouncement = await this.#plugins.parameters(asked, tree, folder.path);
      return { type, plugin: { parametersAnnouncement } };
    }
    if (type === 'Directory') return { type };
    return { type, kustomize: { images: imagesOf((await this.render(asked)).objects) } };
  }

  /** Where a source is read, at which revision, with what the repository changes of it. */
  async #locate(request: RenderRequest) {
    const { files } = request;
    const place = files ? undefined : await this.#published.place(request);
    const revision = files ? (request.revision ?? '') : await this.#revision(request, place);
    const tree = files
      ? memoryTree(files, revision, revision)
      : place
        ? await this.#published.tree(place, revision, { signal: request.signal })
        : await this.#open(request, request.repository, revision);
    const reads = new Map<string, string | undefined>();
    const observed = tree.observedBy((path, oid) => reads.set(path, oid));
    const references = new ReferencedSources(
      request,
      (source) => this.#referenced(source, request),
      (path, oid) => reads.set(path, oid),
    );
    const folder =
      place || files ? await packageFolder(tree, request.source) : await sourceFolder(this.#git, request, tree);
    const source = await applyOverrides(request.source, observed, folder.path, request.application.name);
    return { place: { tree, observed, folder, references }, source, revision, reads };
  }

  async #typeOf(
    request: RenderRequest,
    { tree, observed, folder }: Place,
    onProblem: (problem: Diagnosis) => void,
  ): Promise<SourceType> {
    const { source, disabledTools } = request;
    if (isOpen(source) && (await this.#plugins.takes(request, tree, folder.path, onProblem))) return 'Plugin';
    return detectType(source, observed, folder.path, disabledTools);
  }

  async #render(request: RenderRequest): Promise<Rendered> {
    const { source: wanted } = request;
    if (request.several && !wanted.path && !wanted.chart && !request.files) {
      return nothing(await this.#revision(request, await this.#published.place(request)));
    }
    const { place, source, revision, reads } = await this.#locate(request);
    let found: FoundAt = 'memory';
    const asked: RenderRequest = {
      ...request,
      source,
      onFound: (at) => {
        found = at;
        request.onFound?.(at);
      },
    };
    const skipped: Diagnosis[] = [];
    const sourceType = await this.#typeOf(asked, place, (problem) => skipped.push(problem));
    const rendering = await this.#renderAs(sourceType, asked, place);
    if (rendering.outcome.kind === 'failed') throw this.#remembered(rendering.outcome, revision);
    const paths = [
      ...[...reads].map(([path, oid]) => ({ path, ...(oid === undefined ? {} : { oid }) })),
      ...rendering.paths,
    ];
    return {
      revision,
      sourceType,
      objects: rendering.outcome.objects,
      readSet: { paths: uniquePaths(paths), settings: rendering.settings, facts: rendering.facts },
      warnings: [...skipped, ...rendering.outcome.warnings],
      digest: rendering.digest,
      found,
      ...(rendering.outcome.generated ? { generated: rendering.outcome.generated } : {}),
    };
  }

  async #revision(request: RenderRequest, place: ChartPlace | undefined): Promise<string> {
    const { repository, source, maxAge, signal } = request;
    if (place) {
      const options = { ...(maxAge === undefined ? {} : { maxAge }), signal };
      return this.#published.revision(place, source, request.revision ?? '', options);
    }
    const wanted = request.revision ?? source.targetRevision ?? '';
    const { commit } = await this.#git.resolve(repository, wanted, {
      ...(maxAge === undefined ? {} : { maxAge }),
      ...(signal ? { signal } : {}),
      ...(source.tagPrefix ? { tagPrefix: source.tagPrefix } : {}),
    });
    return commit;
  }

  #renderAs(sourceType: SourceType, request: RenderRequest, place: Place): Promise<Rendering> {
    const { tree, folder } = place;
    if (sourceType === 'Directory') return this.#renderDirectory(request, tree, folder);
    if (sourceType === 'Helm') return this.#renderHelm(request, place);
    if (sourceType === 'Kustomize') return this.#renderKustomize(request, tree, folder.path);
    return this.#plugins.render(request, tree, folder.path);
  }

  /** The tree of another source of the application, as its own target has it. */
  async #referenced(source: ReferencedSource, request: RenderRequest): Promise<GitTree> {
    const { maxAge, signal } = request;
    const { repository, revision, tagPrefix } = source;
    const asked = { ...(maxAge === undefined ? {} : { maxAge }), ...(signal ? { signal } : {}) };
    const described = { repoURL: repository.url } as ApplicationSource;
    const place = await this.#published.place({ source: described, repository });
    if (place)
      return this.#published.tree(place, await this.#published.revision(place, described, revision, asked), asked);
    const { commit } = await this.#git.resolve(repository, revision, { ...asked, ...(tagPrefix ? { tagPrefix } : {}) });
    return this.#open(request, repository, commit);
  }

  async #renderDirectory(request: RenderRequest, tree: GitTree, folder: PathEntry): Promise<Rendering> {
    this.#directories ??= new DirectoryRenders({
      cache: this.#cache,
      limits: { combinedBytes: this.#limits.combinedManifestBytes, objects: this.#limits.objects },
      jsonnet: () => this.#jsonnetRenderer(),
      attempt: (render) => this.#attempt(render),
    });
    return this.#directories.render(request, tree, folder);
  }

  async #renderHelm(request: RenderRequest, place: Place): Promise<Rendering> {
    return (await this.#helmRenders()).render(request, place);
  }

  #helmRenders(): Promise<HelmRenders> {
    this.#helm ??= import('./helm-renders.ts').then(
      (module) =>
        new module.HelmRenders({
          clock: this.#clock,
          published: this.#published,
          bounds: chartBounds,
          objects: this.#limits.objects,
          maxBytes: this.#limits.combinedManifestBytes || chartBounds.bytes,
          charts: () => this.#chartRenderer(),
          attempt: (render) => this.#attempt(render),
          generating: (digest, asker, render) => this.#generating(digest, asker, render),
        }),
    );
    return this.#helm;
  }

  async #renderKustomize(request: RenderRequest, tree: GitTree, folder: string): Promise<Rendering> {
    this.#kustomizations ??= import('./kustomizations/kustomize-renders.ts').then(
      (module) =>
        new module.KustomizeRenders({
          git: this.#git,
          clock: this.#clock,
          published: this.#published,
          charts: () => this.#chartRenderer(),
          time: this.#limits.chartTime,
          memory: this.#limits.chartMemory,
          cache: this.#cache,
          objects: this.#limits.objects,
          maxBytes: this.#limits.combinedManifestBytes || chartBounds.bytes,
          attempt: (render) => this.#attempt(render),
          generating: (digest, asker, render) => this.#generating(digest, asker, render),
        }),
    );
    return (await this.#kustomizations).render(request, tree, folder);
  }

  /** The outcome for the asker. What generates nothing is everybody's; what does is good only for whom its values are recorded. */
  async #generating(
    digest: string,
    request: RenderRequest,
    render: (signal: AbortSignal) => Promise<{ outcome: Outcome; bytes: number }>,
  ): Promise<Outcome> {
    const { noCache = false, signal } = request;
    const serves = (outcome: Outcome, age: OutcomeAge) => servesOwner(outcome, age, request);
    const common = await this.#cache.get({ key: digest, noCache, signal }, render);
    request.onFound?.(common.at);
    if (serves(common.outcome, common.age)) return common.outcome;
    const own = await this.#cache.get({ key: digestOf([digest, ownerOf(request)]), noCache, signal, serves }, render);
    request.onFound?.(own.at);
    return own.outcome;
  }

  /** Keeps what the content itself deserves, good or bad; what comes from outside (network, cancellation) is thrown on. */
  async #attempt(
    render: () => Promise<Omit<Extract<Outcome, { kind: 'objects' }>, 'kind'>>,
  ): Promise<{ outcome: Outcome; bytes: number }> {
    // Reading keeps the process busy: between two sources everybody else gets a turn.
    await setImmediate();
    try {
      const { objects, warnings, ...rest } = await render();
      for (const object of objects) deepFreeze(object);
      return { outcome: { kind: 'objects', objects, warnings, ...rest }, bytes: 2_000 + objects.length * 3_000 };
    } catch (error) {
      if (!(error instanceof DiagnosisError) || error.handling !== 'stalled') throw error;
      return { outcome: { kind: 'failed', diagnosis: error.diagnosis, since: this.#clock.now() }, bytes: 4_000 };
    }
  }

  /** Says since when the content fails: until a commit changes it, trying again would give the same. */
  #remembered({ diagnosis, since }: Outcome & { kind: 'failed' }, revision: string): DiagnosisError {
    const place = { ...diagnosis.place, revision };
    const at = new Date(since).toISOString();
    return new DiagnosisError({
      ...diagnosis,
      place,
      evidence: [...diagnosis.evidence, { name: 'failing since', value: at, at }],
    });
  }

  /** What may be read of submodules is the project's matter. */
  #open(
    { application: { project } }: RenderRequest,
    { submodules, ...repository }: RenderRequest['repository'],
    commit: string,
  ): Promise<GitTree> {
    const key = digestOf([repository.url, repository.credentials ?? null, commit, submodules ? project : null]);
    let opened = this.#trees.get(key);
    if (opened === undefined) {
      opened = this.#git.open(repository, commit, submodules ? { submodules } : {});
      opened.catch(() => this.#trees.delete(key));
      const [oldest] = this.#trees.keys();
      if (this.#trees.size >= openTrees && oldest !== undefined) this.#trees.delete(oldest);
    } else this.#trees.delete(key);
    this.#trees.set(key, opened);
    return opened;
  }
}

/** What a source gives that others only refer to. */
function nothing(revision: string): Rendered {
  const readSet = { paths: [], settings: '', facts: {} };
  return { revision, sourceType: '', objects: [], readSet, warnings: [], digest: digestOf([]), found: 'memory' };
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function uniquePaths(paths: readonly ReadPath[]): ReadPath[] {
  const unique = new Map(paths.map((read) => [read.path, read]));
  return [...unique.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
