import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';
import type { ApplicationSource } from '@tiphys/api';
import { type Diagnosis, DiagnosisError } from '@tiphys/diagnosis';
import type { DesiredObject } from '@tiphys/engine';
import type { GitRepositories, GitTree, PathEntry, Repository } from '@tiphys/git';
import { type Clock, systemClock } from '@tiphys/kubernetes';
import { buildEnvironment, substitute } from './build-environment.ts';
import type { ChartCache } from './chart-cache.ts';
import { readChart, selectChart } from './chart-selection.ts';
import { readManifests, selectManifests } from './directory-source.ts';
import { helmInvocation } from './helm-options.ts';
import type { renderHelm } from './helm-source.ts';
import { type AskedLookup, lookupKey, type Outcome, RenderCache } from './render-cache.ts';
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
}

export interface ManifestsOptions {
  readonly git: GitRepositories;
  readonly clock?: Clock;
  /** 10 MB, 50,000 objects and 256 MB where not given. */
  readonly limits?: Partial<SourceLimits>;
}

/** What one renderer gave for one source. */
interface Rendering {
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

const openTrees = 64;
const chartCacheBytes = 128_000_000;
const chartBounds = { files: 20_000, bytes: 100_000_000 };
/** A lookup whose arguments come from another one needs a round more. */
const maxLookupRounds = 8;

/** What rendering charts needs: loaded when the first one is met, so that nobody else waits for it at the start. */
interface Helm {
  readonly charts: ChartCache;
  readonly render: typeof renderHelm;
}

async function loadHelm(): Promise<Helm> {
  const [{ ChartCache }, source] = await Promise.all([import('./chart-cache.ts'), import('./helm-source.ts')]);
  return { charts: new ChartCache(chartCacheBytes), render: source.renderHelm };
}

/** Turns an application's source into manifests. What was rendered once is not rendered again until something that it read changes. */
export class Manifests {
  readonly #git: GitRepositories;
  readonly #clock: Clock;
  readonly #limits: SourceLimits;
  readonly #cache: RenderCache;
  readonly #trees = new Map<string, Promise<GitTree>>();
  #helm: Promise<Helm> | undefined;

  constructor(options: ManifestsOptions) {
    this.#git = options.git;
    this.#clock = options.clock ?? systemClock;
    this.#limits = { combinedManifestBytes: 10_000_000, objects: 50_000, cacheBytes: 256_000_000, ...options.limits };
    this.#cache = new RenderCache(this.#limits.cacheBytes);
  }

  /** The commit that the source's target revision stands for now. */
  async resolve(
    source: ApplicationSource,
    repository: Repository,
    options: { maxAge?: number; signal?: AbortSignal } = {},
  ): Promise<{ revision: string }> {
    const { commit } = await this.#git.resolve(repository, source.targetRevision ?? '', {
      ...options,
      ...(source.tagPrefix ? { tagPrefix: source.tagPrefix } : {}),
    });
    return { revision: commit };
  }

  /**
   * Throws the diagnosis of whatever prevents it: the repository, the revision, the path, a file. A cancelled asker is let go
   * at once; what it shares with others goes on.
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
    refuseRepository(request);
    refuseUnsupported(request.source);
    const revision = await this.#revision(request);
    const tree = await this.#open(request.repository, revision);
    const reads = new Map<string, string | undefined>();
    const observed = tree.observedBy((path, oid) => reads.set(path, oid));
    const folder = await sourceFolder(this.#git, request, tree);
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
    };
  }

  async #revision(request: RenderRequest): Promise<string> {
    const { repository, source, maxAge, signal } = request;
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
    const field = `spec.source.${sourceType.toLowerCase()}`;
    throw unsupported(
      field,
      `Commit what the tool renders and use it as a directory of plain manifests${sourceType === 'Kustomize' ? ' ("kustomize build")' : ''}`,
      folder.path,
    );
  }

  async #renderDirectory(request: RenderRequest, tree: GitTree, folder: PathEntry): Promise<Rendering> {
    const { recurse = false, include = '', exclude = '' } = request.source.directory ?? {};
    const selection = await selectManifests(tree, folder, { recurse, include, exclude });
    const limits = { combinedBytes: this.#limits.combinedManifestBytes, objects: this.#limits.objects };
    const settings = digestOf({ type: 'Directory', recurse, include, exclude, ...limits });
    const digest = digestOf([settings, selection.digest]);
    const outcome = await this.#cache.get(digest, request.noCache ?? false, () =>
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
    const environment = buildEnvironment(request, tree.commit);
    const facts: Record<string, string> = {};
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
    const known = digestOf([settings, selection.digest]);
    const lookups = new Map<string, AskedLookup>();
    for (let round = 0; ; round += 1) {
      const answers = await this.#answer(lookups, request.cluster);
      const digest = digestOf([known, ...answers]);
      const outcome = await this.#cache.get(digest, request.noCache ?? false, async () => {
        const asked = new Map<string, AskedLookup>();
        const lookup = (wanted: AskedLookup) => {
          asked.set(lookupKey(wanted), wanted);
          return answers.get(lookupKey(wanted)) ?? undefined;
        };
        const attempt = await this.#attempt(async () => {
          this.#helm ??= loadHelm();
          const helm = await this.#helm;
          const chart = await helm.charts.get(
            selection.digest,
            () => readChart(tree, folder, selection, chartBounds),
            folder.path,
          );
          return helm.render(chart, { folder: folder.path, invocation, lookup, maxObjects: this.#limits.objects });
        });
        return { ...attempt, outcome: { ...attempt.outcome, lookups: [...asked.values()] } };
      });
      const unanswered = (outcome.lookups ?? []).filter((wanted) => !answers.has(lookupKey(wanted)));
      if (request.cluster?.lookup && unanswered.length > 0 && round < maxLookupRounds) {
        for (const wanted of unanswered) lookups.set(lookupKey(wanted), wanted);
        continue;
      }
      for (const [key, answer] of answers) facts[`lookup ${key}`] = digestOf(answer);
      return { outcome, digest, settings, paths: selection.paths, facts };
    }
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
    render: () => Promise<{ objects: readonly DesiredObject[]; warnings: readonly Diagnosis[] }>,
  ): Promise<{ outcome: Outcome; bytes: number }> {
    // Rendering keeps the process busy: between two sources everybody else gets a turn.
    await setImmediate();
    try {
      const { objects, warnings } = await render();
      for (const object of objects) deepFreeze(object);
      return { outcome: { kind: 'objects', objects, warnings }, bytes: 2_000 + objects.length * 3_000 };
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

/** Helm repositories and OCI images are not Git: they are refused by name until they can be rendered. */
function refuseRepository({ source, repository }: RenderRequest): void {
  if (source.chart) throw unsupported('spec.source.chart', 'Commit the chart to a Git repository and set path to it');
  if (repository.type && repository.type !== 'git')
    throw unsupported('spec.source.repoURL', `Use a Git repository: this one is registered as type ${repository.type}`);
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
