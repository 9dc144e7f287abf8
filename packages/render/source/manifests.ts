import { join } from 'node:path';
import type { ApplicationSource } from '@tiphys/api';
import { type Diagnosis, DiagnosisError } from '@tiphys/diagnosis';
import type { GitRepositories, GitTree, LoggedCommit } from '@tiphys/git';
import { type Clock, systemClock } from '@tiphys/kubernetes';
import { AskPass, defaultAskPassSocket, defaultSocketFolder, Plugins } from '@tiphys/plugin';
import { type Published, PublishedCharts } from './charts/chart-source-loading.ts';
import type { ChartPlace } from './charts/chart-source-place.ts';
import { OutcomeStores, type SharedCache } from './outcomes/outcome-stores.ts';
import { RenderCache } from './outcomes/render-cache.ts';
import { memoryTree, packageFolder } from './request/chart-source-tree.ts';
import { digestOf } from './request/digest-of.ts';
import { OpenTrees } from './request/open-trees.ts';
import type { Outcome } from './request/outcome.ts';
import { ReferencedSources } from './request/referenced-sources.ts';
import type { FoundAt, ReadPath, ReferencedSource, Rendered, RenderRequest, SourceType } from './request/rendered.ts';
import { imagesOf, type SourceDetails } from './request/source-details.ts';
import { sourceFolder } from './request/source-folder.ts';
import { defaultLimits, type SourceLimits } from './request/source-limits.ts';
import type { SourcePlace } from './request/source-tool.ts';
import { detectType, isOpen } from './request/source-type.ts';
import { applyOverrides } from './source-overrides.ts';
import { SourceTools } from './source-tools.ts';
import type { RenderLoad, RenderShares } from './turns/render-shares.ts';

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
  /** Told where each render was found, also a failed one. */
  readonly onRender?: (found: FoundAt) => void;
  /** Where the sockets of config-management plugins are; Argo CD's own folder if absent. */
  readonly pluginFolders?: readonly string[];
  /** Where the credential helper of plugins asks; Argo CD's own socket if absent. */
  readonly askPassSocket?: string;
  /** What projects may take of the threads that render; all the same if absent. */
  readonly shares?: () => RenderShares;
}

const chartBounds = { files: 20_000, bytes: 100_000_000 };

/** Turns an application's source into manifests. What was rendered once is not rendered again until something that it read changes. */
export class Manifests {
  readonly #git: GitRepositories;
  readonly #clock: Clock;
  readonly #onRender: ManifestsOptions['onRender'];
  readonly #stores: OutcomeStores | undefined;
  readonly #trees: OpenTrees;
  readonly #published: PublishedCharts;
  readonly #askPass: AskPass;
  readonly #tools: SourceTools;

  constructor(options: ManifestsOptions) {
    this.#git = options.git;
    this.#onRender = options.onRender;
    this.#trees = new OpenTrees(options.git);
    this.#clock = options.clock ?? systemClock;
    const limits = { ...defaultLimits, ...options.limits };
    const { cacheDir, shared, onProblem } = options;
    if (cacheDir !== undefined || shared) {
      this.#stores = new OutcomeStores({
        clock: this.#clock,
        maxBytes: limits.diskBytes,
        ...(cacheDir === undefined ? {} : { folder: join(cacheDir, 'renders') }),
        ...(shared ? { shared } : {}),
        ...(onProblem ? { onProblem } : {}),
      });
    }
    this.#published = new PublishedCharts(
      { clock: this.#clock, ...(cacheDir === undefined ? {} : { cacheDir }) },
      chartBounds,
    );
    this.#askPass = new AskPass(options.askPassSocket ?? defaultAskPassSocket);
    this.#tools = new SourceTools({
      git: options.git,
      clock: this.#clock,
      limits,
      cache: new RenderCache(limits.cacheBytes, this.#stores),
      published: this.#published,
      bounds: chartBounds,
      plugins: new Plugins(options.pluginFolders ?? [defaultSocketFolder]),
      askPass: this.#askPass,
      ...(options.shares ? { shares: options.shares } : {}),
    });
  }

  /** Ends the threads that render charts, and lends no more credentials. */
  async close(): Promise<void> {
    await this.#askPass.close();
    await this.#tools.close();
    await this.#stores?.close();
  }

  /** Helm repositories and registries, for those who only look at them. */
  published(): Promise<Published> {
    return this.#published.load();
  }

  /** The commits of a repository after `from` up to `to` that touched one of the paths, newest first. */
  commitsBetween(
    repository: RenderRequest['repository'],
    range: { readonly from: string; readonly to: string; readonly paths: readonly string[] },
    signal: AbortSignal,
  ): Promise<LoggedCommit[]> {
    return this.#git.commitsBetween(repository, range, { signal });
  }

  /** Paths of files that differ between two commits of a repository. */
  async changedFiles(
    repository: RenderRequest['repository'],
    { from, to }: { readonly from: string; readonly to: string },
    signal: AbortSignal,
  ): Promise<string[]> {
    return (await this.#git.diff(repository, from, to, { signal })).map(({ path }) => path);
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
   * Throws the diagnosis of whatever prevents it: the repository, the revision, the path, a file. A cancelled caller is let go
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

  /** What the projects take of the threads that render. */
  load(): RenderLoad[] {
    return this.#tools.load();
  }

  /** Names of the config-management plugins that are there now. */
  plugins(): Promise<string[]> {
    return this.#tools.plugins.names();
  }

  /** What the source can be told, by the tool that it is for. Charts are not rendered for it. */
  async details(request: RenderRequest): Promise<SourceDetails> {
    const { place, source, revision } = await this.#locate(request);
    const asked = { ...request, source, revision };
    const type = await this.#typeOf(asked, place, () => undefined);
    const { tree, folder } = place;
    if (type === 'Helm') return { type, helm: await (await this.#tools.helm()).details(asked, place) };
    if (type === 'Plugin') {
      const parametersAnnouncement = await this.#tools.plugins.parameters(asked, tree, folder.path);
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
    const published = place && (await this.#published.files(place, revision, { signal: request.signal }));
    const tree = files
      ? memoryTree(files, revision, revision)
      : (published?.tree ?? (await this.#trees.open(request, request.repository, revision)));
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
    const content = published?.content;
    return { place: { tree, observed, folder, references }, source, revision, reads, content };
  }

  async #typeOf(
    request: RenderRequest,
    { tree, observed, folder }: SourcePlace,
    onProblem: (problem: Diagnosis) => void,
  ): Promise<SourceType> {
    const { source, disabledTools } = request;
    if (isOpen(source) && (await this.#tools.plugins.takes(request, tree, folder.path, onProblem))) return 'Plugin';
    return detectType(source, observed, folder.path, disabledTools);
  }

  async #render(request: RenderRequest): Promise<Rendered> {
    const { source: wanted } = request;
    if (request.several && !wanted.path && !wanted.chart && !request.files) {
      const published = await this.#published.place(request);
      const revision = await this.#revision(request, published);
      // a chart has a name, so that this is an artifact, whose revision is its digest
      return nothing(revision, published && revision);
    }
    const { place, source, revision, reads, content } = await this.#locate(request);
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
    const tool = await this.#tools.of(sourceType);
    const rendering = await tool.render(asked, place);
    this.#onRender?.(found);
    if (rendering.outcome.kind === 'failed') throw this.#remembered(rendering.outcome, revision);
    const paths = [
      ...[...reads].map(([path, oid]) => ({ path, ...(oid === undefined ? {} : { oid }) })),
      ...rendering.paths,
    ];
    return {
      revision,
      ...(content === undefined ? {} : { content }),
      sourceType,
      objects: rendering.outcome.objects,
      readSet: { paths: uniquePaths(paths), settings: rendering.settings, facts: rendering.facts },
      warnings: [...skipped, ...rendering.outcome.warnings],
      digest: rendering.digest,
      found,
      ...(rendering.fields ? { fields: rendering.fields } : {}),
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

  /** The tree of another source of the application, as its own target has it. */
  async #referenced(source: ReferencedSource, request: RenderRequest): Promise<GitTree> {
    const { maxAge, signal } = request;
    const { repository, revision, tagPrefix } = source;
    const asked = { ...(maxAge === undefined ? {} : { maxAge }), ...(signal ? { signal } : {}) };
    const described = { repoURL: repository.url } as ApplicationSource;
    const place = await this.#published.place({ source: described, repository });
    if (place)
      return (
        await this.#published.files(place, await this.#published.revision(place, described, revision, asked), asked)
      ).tree;
    const { commit } = await this.#git.resolve(repository, revision, { ...asked, ...(tagPrefix ? { tagPrefix } : {}) });
    return this.#trees.open(request, repository, commit);
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
}

/** What a source gives that others only refer to. */
function nothing(revision: string, content: string | undefined): Rendered {
  const readSet = { paths: [], settings: '', facts: {} };
  const from = content === undefined ? { revision } : { revision, content };
  return { ...from, sourceType: '', objects: [], readSet, warnings: [], digest: digestOf([]), found: 'memory' };
}

function uniquePaths(paths: readonly ReadPath[]): ReadPath[] {
  const unique = new Map(paths.map((read) => [read.path, read]));
  return [...unique.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}
