import { availableParallelism } from 'node:os';
import { setImmediate } from 'node:timers/promises';
import { DiagnosisError } from '@tiphys/diagnosis';
import type { GitRepositories, GitTree, PathEntry } from '@tiphys/git';
import type { Clock } from '@tiphys/kubernetes';
import type { AskPass, Plugins } from '@tiphys/plugin';
import type { PublishedCharts } from './charts/chart-source-loading.ts';
import type { HelmRenders } from './charts/helm-renders.ts';
import { DirectoryRenders } from './directories/directory-renders.ts';
import type { JsonnetRenderer } from './directories/jsonnet-renderer.ts';
import type { KustomizeRenders } from './kustomizations/kustomize-renders.ts';
import { ownerOf, servesOwner } from './outcomes/generated-values.ts';
import { deepFreeze, type OutcomeAge, type RenderCache } from './outcomes/render-cache.ts';
import { PluginRenders } from './plugins/plugin-renders.ts';
import { digestOf } from './request/digest-of.ts';
import type { Outcome } from './request/outcome.ts';
import type { ReferencedSources } from './request/referenced-sources.ts';
import type { RenderRequest, SourceType } from './request/rendered.ts';
import type { Rendering } from './request/rendering.ts';
import type { SourceDetails } from './request/source-details.ts';
import type { SourceLimits } from './request/source-limits.ts';
import type { ChartRenderer } from './threads/chart-renderer.ts';
import type { RenderLoad, RenderShares } from './turns/render-shares.ts';
import { RenderTurns } from './turns/render-turns.ts';

/** Where a source is read; what is read through `observed` is told. */
export interface SourcePlace {
  readonly tree: GitTree;
  readonly observed: GitTree;
  readonly folder: PathEntry;
  readonly references: ReferencedSources;
}

export interface SourceToolsOptions {
  readonly git: GitRepositories;
  readonly clock: Clock;
  readonly limits: SourceLimits;
  readonly cache: RenderCache;
  readonly published: PublishedCharts;
  /** What one chart may hold. */
  readonly bounds: { readonly files: number; readonly bytes: number };
  readonly plugins: Plugins;
  /** Lends credentials to plugins. */
  readonly askPass: AskPass;
  readonly shares?: () => RenderShares;
}

/** One that is stuck must not keep all others waiting. */
const threads = Math.max(2, Math.min(4, availableParallelism()));
/** Milliseconds after which a render gives way to others. */
const slowAfter = 2_000;
/** Milliseconds that a render waits before it is told. */
const patience = 10_000;

/** The tools that turn sources into objects, each loaded when the first source asks for it. */
export class SourceTools {
  readonly plugins: PluginRenders;
  readonly #options: SourceToolsOptions;
  readonly #turns: RenderTurns;
  #directories: DirectoryRenders | undefined;
  #helm: Promise<HelmRenders> | undefined;
  #kustomizations: Promise<KustomizeRenders> | undefined;
  #charts: Promise<ChartRenderer> | undefined;
  #jsonnet: Promise<JsonnetRenderer> | undefined;

  constructor(options: SourceToolsOptions) {
    this.#options = options;
    const { plugins, askPass, clock, cache, limits, shares } = options;
    this.#turns = new RenderTurns({ threads, slowAfter, patience, ...(shares ? { shares } : {}) });
    this.plugins = new PluginRenders({
      plugins,
      askPass,
      clock,
      cache,
      objects: limits.objects,
      maxBytes: limits.pluginBytes,
      attempt: (render) => this.#attempt(render),
    });
  }

  render(sourceType: SourceType, request: RenderRequest, place: SourcePlace): Promise<Rendering> {
    const { tree, folder } = place;
    if (sourceType === 'Directory') return this.#renderDirectory(request, tree, folder);
    if (sourceType === 'Helm') return this.#renderHelm(request, place);
    if (sourceType === 'Kustomize') return this.#renderKustomize(request, tree, folder.path);
    return this.plugins.render(request, tree, folder.path);
  }

  /** What a chart can be told, without rendering it. */
  async chartDetails(request: RenderRequest, place: SourcePlace): Promise<NonNullable<SourceDetails['helm']>> {
    return (await this.#helmRenders()).details(request, place);
  }

  /** What the projects take of the threads that render. */
  load(): RenderLoad[] {
    return this.#turns.load();
  }

  /** Ends the threads that render. */
  async close(): Promise<void> {
    const [charts, jsonnet] = [this.#charts, this.#jsonnet];
    this.#charts = undefined;
    this.#jsonnet = undefined;
    await Promise.all([charts, jsonnet].map(async (renderer) => (await renderer)?.close()));
  }

  /** Loaded when the first chart is met, so that nobody else waits for it at the start. */
  #chartRenderer(): Promise<ChartRenderer> {
    const { chartTime: time, chartMemory: memory, chartIdle: idle } = this.#options.limits;
    this.#charts ??= import('./threads/chart-renderer.ts').then(
      (module) => new module.ChartRenderer({ time, memory, idle }, this.#turns),
    );
    return this.#charts;
  }

  #jsonnetRenderer(): Promise<JsonnetRenderer> {
    const { chartTime: time, chartMemory: memory, chartIdle: idle } = this.#options.limits;
    this.#jsonnet ??= import('./directories/jsonnet-renderer.ts').then(
      (module) => new module.JsonnetRenderer({ time, memory, idle }, this.#turns),
    );
    return this.#jsonnet;
  }

  async #renderDirectory(request: RenderRequest, tree: GitTree, folder: PathEntry): Promise<Rendering> {
    this.#directories ??= new DirectoryRenders({
      cache: this.#options.cache,
      limits: { combinedBytes: this.#options.limits.combinedManifestBytes, objects: this.#options.limits.objects },
      jsonnet: () => this.#jsonnetRenderer(),
      attempt: (render) => this.#attempt(render),
    });
    return this.#directories.render(request, tree, folder);
  }

  async #renderHelm(request: RenderRequest, place: SourcePlace): Promise<Rendering> {
    return (await this.#helmRenders()).render(request, place);
  }

  #helmRenders(): Promise<HelmRenders> {
    this.#helm ??= import('./charts/helm-renders.ts').then(
      (module) =>
        new module.HelmRenders({
          clock: this.#options.clock,
          published: this.#options.published,
          bounds: this.#options.bounds,
          objects: this.#options.limits.objects,
          maxBytes: this.#options.limits.combinedManifestBytes || this.#options.bounds.bytes,
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
          git: this.#options.git,
          clock: this.#options.clock,
          published: this.#options.published,
          charts: () => this.#chartRenderer(),
          time: this.#options.limits.chartTime,
          memory: this.#options.limits.chartMemory,
          cache: this.#options.cache,
          objects: this.#options.limits.objects,
          maxBytes: this.#options.limits.combinedManifestBytes || this.#options.bounds.bytes,
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
    const common = await this.#options.cache.get({ key: digest, noCache, signal }, render);
    request.onFound?.(common.at);
    if (serves(common.outcome, common.age)) return common.outcome;
    const own = await this.#options.cache.get(
      { key: digestOf([digest, ownerOf(request)]), noCache, signal, serves },
      render,
    );
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
      return {
        outcome: { kind: 'failed', diagnosis: error.diagnosis, since: this.#options.clock.now() },
        bytes: 4_000,
      };
    }
  }
}
