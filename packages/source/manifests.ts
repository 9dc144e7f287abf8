import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { ApplicationSource } from '@tiphys/api';
import { DiagnosisError } from '@tiphys/diagnosis';
import type { GitRepositories, GitTree, PathEntry, Repository } from '@tiphys/git';
import { type Clock, systemClock } from '@tiphys/kubernetes';
import { buildEnvironment, substitute } from './build-environment.ts';
import { readChart, selectChart } from './chart-selection.ts';
import { type Published, PublishedCharts } from './chart-source-loading.ts';
import type { ChartPlace } from './chart-source-place.ts';
import { packageFolder } from './chart-source-tree.ts';
import type { ChartRenderer } from './charts/chart-renderer.ts';
import { readManifests, selectManifests } from './directory-source.ts';
import { ownerOf, servesOwner } from './generated-values.ts';
import { helmInvocation } from './helm-options.ts';
import type { KustomizeRenders } from './kustomize-renders.ts';
import { type AskedLookup, lookupKey, type Outcome, type OutcomeAge, RenderCache } from './render-cache.ts';
import type { ReadPath, Rendered, RenderRequest, SourceType } from './rendered.ts';
import { sourceFolder } from './source-folder.ts';
import { applyOverrides } from './source-overrides.ts';
import { detectType, refuseUnsupported, unsupported } from './source-type.ts';

export interface SourceLimits {
  /** Bytes of all manifest files of a directory source; `reposerver.max.combined.directory.manifests.size`. 0: no limit. */
  readonly combinedManifestBytes: number;
  /** Objects of one source. */
  readonly objects: number;
  /** Bytes of source text whose rendered objects are kept in memory. */
  readonly cacheBytes: number;
  /** Milliseconds of one render of a chart. */
  readonly chartTime: number;
  /** Megabytes of heap of a thread that renders charts. */
  readonly chartMemory: number;
  /** Milliseconds after which a thread that has no chart to render ends. */
  readonly chartIdle: number;
}

export interface ManifestsOptions {
  readonly git: GitRepositories;
  readonly clock?: Clock;
  /** 10 MB, 50,000 objects, 256 MB, 30 s, 1 GB and 2 minutes where not given. */
  readonly limits?: Partial<SourceLimits>;
  /** Packages of charts are kept below it; only in memory if absent. */
  readonly cacheDir?: string;
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
}

const defaultLimits: SourceLimits = {
  combinedManifestBytes: 10_000_000,
  objects: 50_000,
  cacheBytes: 256_000_000,
  chartTime: 30_000,
  chartMemory: 1_000,
  chartIdle: 120_000,
};
const openTrees = 64;
const chartBounds = { files: 20_000, bytes: 100_000_000 };
/** A lookup whose arguments come from another one needs a round more. */
const maxLookupRounds = 8;

/** Turns an application's source into manifests. What was rendered once is not rendered again until something that it read changes. */
export class Manifests {
  readonly #git: GitRepositories;
  readonly #clock: Clock;
  readonly #limits: SourceLimits;
  readonly #cache: RenderCache;
  readonly #trees = new Map<string, Promise<GitTree>>();
  #kustomizations: Promise<KustomizeRenders> | undefined;
  #charts: Promise<ChartRenderer> | undefined;
  readonly #published: PublishedCharts;

  constructor(options: ManifestsOptions) {
    this.#git = options.git;
    this.#clock = options.clock ?? systemClock;
    this.#limits = { ...defaultLimits, ...options.limits };
    this.#cache = new RenderCache(this.#limits.cacheBytes);
    const { cacheDir } = options;
    this.#published = new PublishedCharts(
      { clock: this.#clock, ...(cacheDir === undefined ? {} : { cacheDir }) },
      chartBounds,
    );
  }

  /** Ends the threads that render charts. */
  async close(): Promise<void> {
    const charts = this.#charts;
    this.#charts = undefined;
    await (await charts)?.close();
  }

  /** Loaded when the first chart is met, so that nobody else waits for it at the start. */
  #chartRenderer(): Promise<ChartRenderer> {
    const { chartTime: time, chartMemory: memory, chartIdle: idle } = this.#limits;
    this.#charts ??= import('./charts/chart-renderer.ts').then(
      (module) => new module.ChartRenderer({ time, memory, idle }),
    );
    return this.#charts;
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

  async #render(request: RenderRequest): Promise<Rendered> {
    refuseUnsupported(request.source);
    const place = await this.#published.place(request);
    const revision = await this.#revision(request, place);
    const tree = place
      ? await this.#published.tree(place, revision, { signal: request.signal })
      : await this.#open(request.repository, revision);
    const reads = new Map<string, string | undefined>();
    const observed = tree.observedBy((path, oid) => reads.set(path, oid));
    const folder = place ? await packageFolder(tree, request.source) : await sourceFolder(this.#git, request, tree);
    const source = await applyOverrides(request.source, observed, folder.path, request.application.name);
    refuseUnsupported(source);
    const sourceType = await detectType(source, observed, folder.path);
    const rendering = await this.#renderAs(sourceType, { ...request, source }, { tree, observed, folder });
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
      warnings: rendering.outcome.warnings,
      digest: rendering.digest,
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

  #renderAs(sourceType: SourceType, request: RenderRequest, { tree, observed, folder }: Place): Promise<Rendering> {
    if (sourceType === 'Directory') return this.#renderDirectory(request, tree, folder);
    if (sourceType === 'Helm') return this.#renderHelm(request, { tree, observed, folder });
    if (sourceType === 'Kustomize') return this.#renderKustomize(request, tree, folder.path);
    const field = `spec.source.${sourceType.toLowerCase()}`;
    throw unsupported(field, 'Commit what the tool renders and use it as a directory of plain manifests', folder.path);
  }

  async #renderDirectory(request: RenderRequest, tree: GitTree, folder: PathEntry): Promise<Rendering> {
    const { recurse = false, include = '', exclude = '' } = request.source.directory ?? {};
    const selection = await selectManifests(tree, folder, { recurse, include, exclude });
    const limits = { combinedBytes: this.#limits.combinedManifestBytes, objects: this.#limits.objects };
    const settings = digestOf({ type: 'Directory', recurse, include, exclude, ...limits });
    const digest = digestOf([settings, selection.digest]);
    const { outcome } = await this.#cache.get(
      { key: digest, noCache: request.noCache ?? false, signal: request.signal },
      () =>
        this.#attempt(async () => {
          const { objects, warnings } = await readManifests(tree, selection, limits);
          return { objects, warnings };
        }),
    );
    return { outcome, digest, settings, paths: selection.paths, facts: {} };
  }

  /** A chart's lookups are known only after it was rendered: then they are asked, and it is rendered again with the answers. */
  async #renderHelm(request: RenderRequest, { tree, observed, folder }: Place): Promise<Rendering> {
    const selection = await selectChart(tree, folder, chartBounds);
    const dependencies = await (await this.#published.load()).dependencies.of(request, tree, folder, selection);
    const environment = buildEnvironment(request, tree.commit);
    const facts: Record<string, string> = { ...dependencies.facts };
    const substituted = (name: string) => {
      facts[name] = environment[name] ?? '';
    };
    const invocation = await helmInvocation(request, observed, {
      folder: folder.path,
      ignoreMissing: false,
      maxBytes: this.#limits.combinedManifestBytes || chartBounds.bytes,
      substitute: (text) => substitute(text, environment, substituted),
    });
    const settings = digestOf({ type: 'Helm', folder: folder.path, invocation, objects: this.#limits.objects });
    const known = digestOf([settings, selection.digest, dependencies.digest]);
    const lookups = new Map<string, AskedLookup>();
    for (let round = 0; ; round += 1) {
      const answers = await this.#answer(lookups, request.cluster);
      const digest = digestOf([known, ...answers]);
      const outcome = await this.#generating(digest, request, async (signal) => {
        let asked: readonly AskedLookup[] = [];
        const attempt = await this.#attempt(async () => {
          const charts = await this.#chartRenderer();
          const { objects, warnings, used, fresh } = await charts.render({
            chart: {
              key: digestOf([folder.path, selection.digest, dependencies.digest]),
              folder: folder.path,
              files: async () => dependencies.complete(await readChart(tree, folder, selection, chartBounds)),
            },
            invocation,
            answers,
            recorded: request.recorded ?? [],
            maxObjects: this.#limits.objects,
            onLookups: (found) => {
              asked = found;
            },
            signal,
          });
          const generated = used.length > 0 ? { owner: ownerOf(request), used, fresh } : undefined;
          return { objects, warnings, ...(generated ? { generated } : {}) };
        });
        return { ...attempt, outcome: { ...attempt.outcome, lookups: asked } };
      });
      const unanswered = (outcome.lookups ?? []).filter((wanted) => !answers.has(lookupKey(wanted)));
      if (request.cluster?.lookup && unanswered.length > 0 && round < maxLookupRounds) {
        for (const wanted of unanswered) lookups.set(lookupKey(wanted), wanted);
        continue;
      }
      for (const [key, answer] of answers) facts[`lookup ${key}`] = digestOf(answer);
      const used = outcome.kind === 'objects' ? outcome.generated?.used : undefined;
      if (used) facts.generated = digestOf(used);
      return {
        outcome,
        digest: used ? digestOf([digest, facts.generated]) : digest,
        settings,
        paths: [...selection.paths, ...dependencies.paths],
        facts,
      };
    }
  }

  async #renderKustomize(request: RenderRequest, tree: GitTree, folder: string): Promise<Rendering> {
    this.#kustomizations ??= import('./kustomize-renders.ts').then(
      (module) =>
        new module.KustomizeRenders({
          git: this.#git,
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
    if (serves(common.outcome, common.age)) return common.outcome;
    const own = await this.#cache.get({ key: digestOf([digest, ownerOf(request)]), noCache, signal, serves }, render);
    return own.outcome;
  }

  async #answer(
    lookups: ReadonlyMap<string, AskedLookup>,
    cluster: RenderRequest['cluster'],
  ): Promise<Map<string, unknown>> {
    const answers = await Promise.all(
      [...lookups].map(async ([key, lookup]) => [key, (await cluster?.lookup?.(lookup)) ?? null] as const),
    );
    return new Map(answers);
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

  #open(repository: Repository, commit: string): Promise<GitTree> {
    const key = digestOf([repository.url, repository.credentials ?? null, commit]);
    let opened = this.#trees.get(key);
    if (opened === undefined) {
      opened = this.#git.open(repository, commit);
      opened.catch(() => this.#trees.delete(key));
      const [oldest] = this.#trees.keys();
      if (this.#trees.size >= openTrees && oldest !== undefined) this.#trees.delete(oldest);
    } else this.#trees.delete(key);
    this.#trees.set(key, opened);
    return opened;
  }
}

function digestOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('hex');
}

function uniquePaths(paths: readonly ReadPath[]): ReadPath[] {
  const unique = new Map(paths.map((read) => [read.path, read]));
  return [...unique.values()].sort((a, b) => (a.path < b.path ? -1 : a.path > b.path ? 1 : 0));
}

function deepFreeze(value: unknown): void {
  if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return;
  Object.freeze(value);
  for (const child of Object.values(value)) deepFreeze(child);
}
