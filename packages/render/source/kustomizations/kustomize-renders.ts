import type { GitRepositories } from '@tiphys/git';
import { type GitTree, normalizePath } from '@tiphys/git';
import type { Clock } from '@tiphys/kubernetes';
import { type FileTree, treeOf } from '@tiphys/kustomize';
import type { PublishedCharts } from '../charts/chart-source-loading.ts';
import type { RemoteFiles } from '../charts/remote-files.ts';
import { ownerOf } from '../outcomes/generated-values.ts';
import { type Attempt, attemptOf, type Outcomes, type RenderedObjects } from '../outcomes/outcomes.ts';
import { buildEnvironment, substitute } from '../request/build-environment.ts';
import { digestOf } from '../request/digest-of.ts';
import { type AskedLookup, answersTo, lookupKey } from '../request/lookups.ts';
import type { Looked, Outcome } from '../request/outcome.ts';
import type { RenderRequest } from '../request/rendered.ts';
import type { Rendering } from '../request/rendering.ts';
import type { SourcePlace, SourceTool } from '../request/source-tool.ts';
import { turnRequest } from '../request/turn-request.ts';
import { type KustomizeInvocation, kustomizeInvocation, plainInvocation } from '../threads/kustomize-invocation.ts';
import type { RenderThreads } from '../threads/render-threads.ts';
import { KustomizationBuilder } from './kustomization-builder.ts';
import { buildWithBinary } from './kustomize-binary.ts';
import { RemoteBases } from './remote-bases.ts';

interface KustomizeParts {
  readonly git: GitRepositories;
  readonly clock: Clock;
  readonly published: PublishedCharts;
  readonly outcomes: Outcomes;
  readonly threads: RenderThreads;
  /** Objects of one source. */
  readonly objects: number;
  /** Bytes of one file. */
  readonly maxBytes: number;
}

/** What a build of the same place with the same options looked at, and what its charts looked up. */
interface Known {
  readonly looked: Looked;
  readonly lookups: readonly AskedLookup[];
}

interface Build {
  readonly request: RenderRequest;
  readonly tree: GitTree;
  readonly folder: string;
  readonly invocation: KustomizeInvocation;
  readonly bases: RemoteBases;
  readonly environment: Readonly<Record<string, string>>;
}

const maxKnown = 5_000;
/** Builds that were found and turned out to be of other files, before one is made anew. */
const maxTries = 3;
/** A lookup whose arguments come from another one needs a round more. */
const maxLookupRounds = 8;
const nothingLooked: Looked = { paths: [], remotes: {}, charts: {}, files: {} };

/** Builds kustomizations, each once for all that it read. */
export class KustomizeRenders implements SourceTool {
  readonly #parts: KustomizeParts;
  /** By repository and options. */
  readonly #known = new Map<string, Known>();
  #builder: Promise<KustomizationBuilder> | undefined;
  #files: Promise<RemoteFiles> | undefined;

  constructor(parts: KustomizeParts) {
    this.#parts = parts;
  }

  /**
   * What a kustomization reads is known only after it was built: a render is known by what the last one with the same options
   * read, and that is looked at again.
   */
  async render(request: RenderRequest, { tree, folder: { path: folder } }: SourcePlace): Promise<Rendering> {
    const { outcomes, objects } = this.#parts;
    const environment = buildEnvironment(request, tree.commit);
    const facts: Record<string, string> = {};
    const invocation = kustomizeInvocation(request, (text) =>
      substitute(text, environment, (name) => {
        facts[name] = environment[name] ?? '';
      }),
    );
    // Programs may read all of the environment.
    if (invocation.binary || invocation.programs) Object.assign(facts, environment);
    const build = { request, tree, folder, invocation, bases: this.#bases(request), environment };
    const settings = digestOf({
      ...{ type: 'Kustomize', folder, objects, invocation: plainInvocation(invocation) },
      ...(invocation.binary || invocation.programs ? { environment } : {}),
    });
    const place = digestOf([request.repository.url, settings]);
    const known = this.#known.get(place);
    const asked = new Map((known?.lookups ?? []).map((wanted) => [lookupKey(wanted), wanted]));
    for (let round = 0; ; round += 1) {
      const answers = await answersTo(asked, request.cluster);
      const keyOf = (looked: unknown) => digestOf([settings, looked, ...(answers.size > 0 ? [[...answers]] : [])]);
      const render = (signal: AbortSignal) => this.#attempt(build, answers, signal);
      const before = known && (await this.#looked(build, known.looked));
      let outcome = await outcomes.generating(keyOf(before ?? [await tree.treeOid()]), request, render);
      let seen = outcome.looked ?? nothingLooked;
      // A build may have read more than the key under which it is found tells, such as the one of another branch: it is good
      // only if all of that is as it was.
      for (let tries = 0; digestOf(seen) !== digestOf(before ?? null); tries += 1) {
        const now = await this.#looked(build, seen);
        if (digestOf(now) === digestOf(seen)) break;
        const caller = tries < maxTries ? request : { ...request, noCache: true };
        outcome = await outcomes.generating(keyOf(now), caller, render);
        seen = outcome.looked ?? nothingLooked;
        if (tries >= maxTries) break;
      }
      const unanswered = (outcome.lookups ?? []).filter((wanted) => !asked.has(lookupKey(wanted)));
      if (request.cluster?.lookup && unanswered.length > 0 && round < maxLookupRounds) {
        for (const wanted of unanswered) asked.set(lookupKey(wanted), wanted);
        continue;
      }
      await this.#remember(place, { looked: seen, lookups: [...asked.values()] }, keyOf(seen), outcome, request);
      const used = outcome.kind === 'objects' ? outcome.generated?.used : undefined;
      if (used) facts.generated = digestOf(used);
      for (const [key, found] of answers) facts[`lookup ${key}`] = digestOf(found);
      for (const [base, at] of Object.entries(seen.remotes)) facts[`base ${base}`] = at;
      for (const [chart, version] of Object.entries(seen.charts)) facts[`chart ${chart}`] = version;
      for (const [url, digest] of Object.entries(seen.files)) facts[`file ${url}`] = digest;
      return {
        outcome,
        digest: digestOf([settings, seen, facts]),
        settings,
        paths: seen.paths.flatMap(({ found }) => (found.oid === 'folder' ? [] : [found])),
        facts,
      };
    }
  }

  #bases(request: RenderRequest): RemoteBases {
    const { git, published, clock } = this.#parts;
    const files = () => {
      this.#files ??= import('../charts/remote-files.ts').then((module) => new module.RemoteFiles(clock));
      return this.#files;
    };
    return new RemoteBases({ git, published, files }, request);
  }

  async #attempt(build: Build, answers: ReadonlyMap<string, unknown>, signal: AbortSignal): Promise<Attempt> {
    const { tree, request } = build;
    const asked = new Map<string, boolean>();
    const remotes: Record<string, string> = {};
    const charts: Record<string, string> = {};
    const files: Record<string, string> = {};
    let lookups: readonly AskedLookup[] = [];
    const attempt = await this.#parts.outcomes.attempt(async () => {
      const noted = noting(treeOf(tree, this.#parts.maxBytes), asked);
      const components = await componentsOf(build, asked);
      const onLookups = (found: readonly AskedLookup[]) => {
        lookups = found;
      };
      return build.invocation.binary
        ? this.#withBinary(build, noted, components, signal)
        : this.#inThread(build, {
            tree: noted,
            files,
            components,
            remotes,
            charts,
            answers,
            onLookups,
            signal,
            owner: ownerOf(request),
          });
    });
    const paths = await Promise.all(
      [...asked].map(async ([path, listed]) => ({ asked: path, listed, found: await lookAt(tree, path, listed) })),
    );
    // Another program may be another one tomorrow.
    const local = build.invocation.binary || build.invocation.programs ? { local: true } : {};
    return {
      ...attempt,
      outcome: { ...attempt.outcome, lookups, looked: { paths, remotes, charts, files }, ...local },
    };
  }

  async #inThread(
    { request, folder, invocation, bases, environment }: Build,
    more: {
      readonly tree: FileTree;
      readonly files: Record<string, string>;
      readonly components: readonly string[];
      readonly remotes: Record<string, string>;
      readonly charts: Record<string, string>;
      readonly answers: ReadonlyMap<string, unknown>;
      readonly onLookups: (lookups: readonly AskedLookup[]) => void;
      readonly signal: AbortSignal;
      readonly owner: string;
    },
  ): Promise<RenderedObjects> {
    const { objects: maxObjects, maxBytes, threads } = this.#parts;
    this.#builder ??= threads.charts().then((renderer) => new KustomizationBuilder(renderer, threads.limits));
    const { components, owner, ...rest } = more;
    const { edits, components: _all, ignoreMissingComponents: _ignored, binary: _none, ...options } = invocation;
    const { objects, warnings, used, fresh } = await (await this.#builder).build({
      ...{ ...options, ...rest, ...turnRequest(request), bases, folder, maxObjects, maxBytes },
      edits: { ...edits, components },
      environment: invocation.programs ? programEnvironment(environment) : {},
      recorded: request.recorded ?? [],
    });
    const generated = used.length > 0 ? { owner, used, fresh } : undefined;
    return { objects, warnings, ...(generated ? { generated } : {}) };
  }

  async #withBinary(
    { folder, invocation, environment }: Build,
    tree: FileTree,
    components: readonly string[],
    signal: AbortSignal,
  ): Promise<RenderedObjects> {
    const { objects: maxObjects, threads } = this.#parts;
    const { time } = threads.limits;
    const { objects } = await buildWithBinary({
      ...{ tree, folder, invocation, components, maxObjects, time, signal },
      environment: programEnvironment(environment),
    });
    return { objects, warnings: [] };
  }

  /** The outcome is known from now on by what it read, whatever else a commit changes. */
  async #remember(
    place: string,
    known: Known,
    key: string,
    outcome: Outcome,
    { signal }: RenderRequest,
  ): Promise<void> {
    if (this.#known.size >= maxKnown && !this.#known.has(place)) this.#known.clear();
    this.#known.set(place, known);
    if (outcome.kind === 'objects' && outcome.generated) return;
    await this.#parts.outcomes.cache.get({ key, noCache: false, signal }, async () => attemptOf(outcome));
  }

  /** What is there now of all that was looked at. */
  async #looked({ tree, bases }: Build, known: Looked): Promise<Looked> {
    const paths = await Promise.all(
      known.paths.map(async ({ asked, listed }) => ({ asked, listed, found: await lookAt(tree, asked, listed) })),
    );
    const remotes: Record<string, string> = {};
    for (const base of Object.keys(known.remotes)) remotes[base] = await bases.commit(base);
    const charts: Record<string, string> = {};
    for (const chart of Object.keys(known.charts)) charts[chart] = await bases.chartVersion(chart);
    const files: Record<string, string> = {};
    for (const url of Object.keys(known.files)) files[url] = (await bases.file(url, this.#parts.maxBytes)).digest;
    return { paths, remotes, charts, files };
  }
}

/** What programs see: the build environment, and what is needed to find them. */
function programEnvironment(environment: Readonly<Record<string, string>>): Record<string, string> {
  const kept = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'XDG_CONFIG_HOME', 'KUSTOMIZE_PLUGIN_HOME'];
  const own = kept.flatMap((name) => (process.env[name] ? [[name, process.env[name]] as const] : []));
  return { ...Object.fromEntries(own), ...environment };
}

async function componentsOf(
  { tree, folder, invocation: { components, ignoreMissingComponents } }: Build,
  looked: Map<string, boolean>,
): Promise<readonly string[]> {
  if (!ignoreMissingComponents) return components;
  const found: string[] = [];
  for (const component of components) {
    const path = normalizePath(`${folder}/${component}`);
    if (path === undefined) continue;
    if (!looked.has(path)) looked.set(path, false);
    if ((await tree.resolve(path)) !== undefined) found.push(component);
  }
  return found;
}

/** Notes every path that is looked at; true if all below it counts. */
function noting(tree: FileTree, looked: Map<string, boolean>): FileTree {
  return {
    find(path) {
      if (!looked.has(path.slice(1))) looked.set(path.slice(1), false);
      return tree.find(path);
    },
    read: (path) => tree.read(path),
    link: (path) => tree.link?.(path),
    list(folder) {
      looked.set(folder.slice(1), true);
      return tree.list?.(folder) ?? [];
    },
  };
}

/** What a path leads to now, as far as a build depends on it: of a folder only that it is there, unless it was listed. */
async function lookAt(tree: GitTree, path: string, listed: boolean): Promise<{ path: string; oid?: string }> {
  const entry = await tree.resolve(path);
  if (!entry) return { path };
  return { path: entry.path, oid: entry.kind === 'file' || listed ? entry.oid : entry.kind };
}
