import { availableParallelism } from 'node:os';
import type { GitRepositories } from '@tiphys/git';
import type { Clock } from '@tiphys/kubernetes';
import type { AskPass, Plugins } from '@tiphys/plugin';
import type { PublishedCharts } from './charts/chart-source-loading.ts';
import type { HelmRenders } from './charts/helm-renders.ts';
import { DirectoryRenders } from './directories/directory-renders.ts';
import type { KustomizeRenders } from './kustomizations/kustomize-renders.ts';
import { Outcomes } from './outcomes/outcomes.ts';
import type { RenderCache } from './outcomes/render-cache.ts';
import { PluginRenders } from './plugins/plugin-renders.ts';
import type { SourceType } from './request/rendered.ts';
import type { SourceLimits } from './request/source-limits.ts';
import type { SourceTool } from './request/source-tool.ts';
import { RenderThreads } from './threads/render-threads.ts';
import type { RenderLoad, RenderShares } from './turns/render-shares.ts';
import { RenderTurns } from './turns/render-turns.ts';

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
const tellAfter = 10_000;

/** The tools that turn sources into objects, by the type of source; those of charts and kustomizations are loaded when they are first needed. */
export class SourceTools {
  readonly plugins: PluginRenders;
  readonly #options: SourceToolsOptions;
  readonly #turns: RenderTurns;
  readonly #threads: RenderThreads;
  readonly #outcomes: Outcomes;
  readonly #directories: DirectoryRenders;
  readonly #tools: Readonly<Record<SourceType, () => Promise<SourceTool>>>;
  #helm: Promise<HelmRenders> | undefined;
  #kustomizations: Promise<KustomizeRenders> | undefined;

  constructor(options: SourceToolsOptions) {
    const { plugins, askPass, clock, cache, limits, shares } = options;
    const { objects, chartTime: time, chartMemory: memory, chartIdle: idle } = limits;
    this.#options = options;
    this.#turns = new RenderTurns({ threads, slowAfter, tellAfter, ...(shares ? { shares } : {}) });
    this.#threads = new RenderThreads({ time, memory, idle }, this.#turns);
    this.#outcomes = new Outcomes({ cache, clock });
    this.plugins = new PluginRenders({
      ...{ plugins, askPass, clock, outcomes: this.#outcomes, objects },
      maxBytes: limits.pluginBytes,
    });
    this.#directories = new DirectoryRenders({
      outcomes: this.#outcomes,
      threads: this.#threads,
      limits: { combinedBytes: limits.combinedManifestBytes, objects },
    });
    this.#tools = {
      Directory: async () => this.#directories,
      Helm: () => this.helm(),
      Kustomize: () => this.#kustomize(),
      Plugin: async () => this.plugins,
    };
  }

  /** The tool for a type of source. */
  of(type: SourceType): Promise<SourceTool> {
    return this.#tools[type]();
  }

  /** The tool for charts, which also says what a chart can be given. */
  helm(): Promise<HelmRenders> {
    this.#helm ??= import('./charts/helm-renders.ts').then((module) => new module.HelmRenders(this.#chartParts()));
    return this.#helm;
  }

  /** What the projects take of the threads that render. */
  load(): RenderLoad[] {
    return this.#turns.load();
  }

  /** Ends the threads that render. */
  close(): Promise<void> {
    return this.#threads.close();
  }

  #kustomize(): Promise<KustomizeRenders> {
    this.#kustomizations ??= import('./kustomizations/kustomize-renders.ts').then(
      (module) => new module.KustomizeRenders({ ...this.#chartParts(), git: this.#options.git }),
    );
    return this.#kustomizations;
  }

  #chartParts() {
    const { clock, published, bounds, limits } = this.#options;
    return {
      ...{ clock, published, bounds, outcomes: this.#outcomes, threads: this.#threads },
      objects: limits.objects,
      maxBytes: limits.combinedManifestBytes || bounds.bytes,
    };
  }
}
