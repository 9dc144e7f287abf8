import type { Application } from '@tiphys/api';
import { deepEqual, timestamp } from '@tiphys/controller';
import { type Diagnosis, DiagnosisError, diagnosisOf } from '@tiphys/diagnosis';
import type { GitRepositories } from '@tiphys/git';
import {
  commitManifests,
  drySourceOf,
  type HydratedFolder,
  hydrateToOf,
  hydrationCommands,
  type SourceHydrator,
} from '@tiphys/hydrator';
import { type Clock, WorkQueue } from '@tiphys/kubernetes';
import type { ClusterRegistry } from '../clusters/cluster-registry.ts';
import type { ProjectRules } from '../projects/projects.ts';
import { normalizeRepoUrl } from '../repositories/repository-url.ts';
import type { ApplicationSettings } from '../settings/settings.ts';
import type { SourceAccess } from '../sources/source-access.ts';
import type { SourceIntegrity } from '../sources/source-integrity.ts';
import type { SourceRenderer } from '../sources/source-renderer.ts';
import { applicationKey, instanceName } from '../spec/application-key.ts';
import { groupRefusals, othersFail } from './hydration-rules.ts';
import type { ApplicationStore } from './reconciliation.ts';

/** How a hydration ended for one application. */
export interface HydrationOutcome {
  /** RFC 3339. */
  readonly startedAt: string;
  readonly finishedAt: string;
  /** What was hydrated: the spec may be another one by now. */
  readonly spec: SourceHydrator;
  readonly drySHA?: string;
  readonly hydratedSHA?: string;
  /** Why nothing was committed. */
  readonly diagnosis?: Diagnosis;
}

export interface HydrationsParts {
  readonly store: ApplicationStore;
  readonly git: GitRepositories;
  readonly renderer: SourceRenderer;
  readonly integrity: SourceIntegrity;
  readonly clusters: ClusterRegistry;
  readonly access: SourceAccess;
  /** With the credentials that may push. */
  readonly writeAccess: SourceAccess;
  readonly project: (name: string) => ProjectRules | undefined;
  readonly settings: () => ApplicationSettings;
  readonly controlNamespace: string;
  readonly clock: Clock;
  /** True if this process delivers the application. */
  readonly delivers: (application: Application) => boolean;
  /** The outcome of an application is there, or its group has begun. */
  readonly wake: (key: string) => void;
  readonly onError: (key: string, error: unknown) => void;
}

interface Group {
  readonly startedAt: string;
  readonly applications: readonly Application[];
}

const workers = 4;

/**
 * Hydrates groups of applications: those of one dry source and one branch are rendered at one commit and committed at once, or
 * not at all. What is known here can be lost at any time: an application that says that it hydrates asks again.
 */
export class Hydrations {
  readonly #parts: HydrationsParts;
  readonly #queue: WorkQueue;
  /** Groups in work, by key. */
  readonly #running = new Map<string, Group>();
  readonly #outcomes = new Map<string, HydrationOutcome>();
  /** Keys of groups that are to be rendered from scratch. */
  readonly #hard = new Set<string>();

  constructor(parts: HydrationsParts) {
    this.#parts = parts;
    this.#queue = new WorkQueue({ clock: parts.clock });
  }

  run(signal: AbortSignal): Promise<void> {
    const { onError } = this.#parts;
    return this.#queue.run({ workers, signal, reconcile: (key, ended) => this.#hydrate(key, ended), onError });
  }

  /** The group of the application is hydrated, now or when the work on it that is going on has ended. */
  ask({ spec }: Application, options: { hard: boolean }): void {
    if (!spec.sourceHydrator) return;
    const key = groupOf(spec.sourceHydrator);
    if (options.hard) this.#hard.add(key);
    this.#queue.add(key);
  }

  /** When the hydration began that the application is part of, if it goes on. */
  begun(application: Application): string | undefined {
    const key = applicationKey(application);
    const group = application.spec.sourceHydrator && this.#running.get(groupOf(application.spec.sourceHydrator));
    return group?.applications.some((each) => applicationKey(each) === key) ? group.startedAt : undefined;
  }

  /** How the last hydration of the application ended; undefined if there was none, or another one goes on. */
  outcome(key: string): HydrationOutcome | undefined {
    return this.#outcomes.get(key);
  }

  async #hydrate(key: string, signal: AbortSignal): Promise<void> {
    const { store, clock, delivers, wake } = this.#parts;
    const applications = [...store.list()].filter(
      ({ spec, metadata }) =>
        spec.sourceHydrator && groupOf(spec.sourceHydrator) === key && !metadata.deletionTimestamp,
    );
    const own = applications.filter(delivers).sort((a, b) => (applicationKey(a) < applicationKey(b) ? -1 : 1));
    const startedAt = timestamp(clock.now());
    const hard = this.#hard.delete(key);
    this.#running.set(key, { startedAt, applications: own });
    for (const application of own) {
      this.#outcomes.delete(applicationKey(application));
      wake(applicationKey(application));
    }
    try {
      const results = await this.#attempt(own, { hard, signal });
      const finishedAt = timestamp(clock.now());
      for (const application of own) {
        const spec = application.spec.sourceHydrator as SourceHydrator;
        const result = results.get(applicationKey(application)) ?? {};
        this.#outcomes.set(applicationKey(application), { startedAt, finishedAt, spec, ...result });
      }
    } finally {
      this.#running.delete(key);
      for (const application of own) wake(applicationKey(application));
    }
  }

  async #attempt(
    applications: readonly Application[],
    { hard, signal }: { hard: boolean; signal: AbortSignal },
  ): Promise<Map<string, Pick<HydrationOutcome, 'drySHA' | 'hydratedSHA' | 'diagnosis'>>> {
    const refused = groupRefusals(applications, this.#parts);
    if (refused.size > 0) return this.#failed(applications, refused, {});
    let drySHA: string | undefined;
    try {
      const rendered = await this.#render(applications, { hard, signal }, (revision) => {
        drySHA = revision;
      });
      // the rules may have changed while that was rendered
      const late = groupRefusals(applications, this.#parts);
      if (late.size > 0) return this.#failed(applications, late, { drySHA: rendered.revision });
      const { commit } = await this.#commit(applications, rendered, signal);
      return new Map(
        applications.map((each) => [applicationKey(each), { drySHA: rendered.revision, hydratedSHA: commit }]),
      );
    } catch (error) {
      signal.throwIfAborted();
      const known = drySHA ? { drySHA } : {};
      if (error instanceof RenderFailure) return this.#failed(applications, error.diagnoses, known);
      const diagnosis = diagnosisOf(error);
      return new Map(applications.map((each) => [applicationKey(each), { ...known, diagnosis }]));
    }
  }

  /** Each with its own cause; those that have none with the name of one that has. */
  #failed(
    applications: readonly Application[],
    diagnoses: ReadonlyMap<string, Diagnosis>,
    known: { drySHA?: string },
  ): Map<string, Pick<HydrationOutcome, 'drySHA' | 'diagnosis'>> {
    return new Map(
      applications.map((each) => {
        const diagnosis = diagnoses.get(applicationKey(each)) ?? othersFail(diagnoses);
        return [applicationKey(each), { ...known, diagnosis }];
      }),
    );
  }

  async #render(
    applications: readonly Application[],
    { hard, signal }: { hard: boolean; signal: AbortSignal },
    onRevision: (revision: string) => void,
  ): Promise<{ revision: string; folders: HydratedFolder[] }> {
    const [first] = applications as [Application];
    const source = drySourceOf(first.spec.sourceHydrator as SourceHydrator);
    const project = first.spec.project || 'default';
    const { renderer } = this.#parts;
    const { revision } = await renderer.resolve(source, project, source.targetRevision ?? '', { signal });
    onRevision(revision);
    const diagnoses = new Map<string, Diagnosis>();
    const folders: HydratedFolder[] = [];
    for (const application of applications) {
      try {
        folders.push(await this.#folder(application, { revision, hard, signal }));
      } catch (error) {
        signal.throwIfAborted();
        diagnoses.set(applicationKey(application), diagnosisOf(error));
      }
    }
    if (diagnoses.size > 0) throw new RenderFailure(diagnoses);
    return { revision, folders };
  }

  async #folder(
    application: Application,
    { revision, hard, signal }: { revision: string; hard: boolean; signal: AbortSignal },
  ): Promise<HydratedFolder> {
    const { renderer, clusters, controlNamespace, integrity, project } = this.#parts;
    const hydrator = application.spec.sourceHydrator as SourceHydrator;
    const source = drySourceOf(hydrator);
    const { objects, sourceTypes, renders } = await renderer.render(
      application,
      [source],
      clusters.resolve(application.spec.destination),
      { revisions: [revision], noCache: hard, record: true, signal },
    );
    const [untrusted] = await integrity.problems(
      { application, project: project(application.spec.project || 'default') },
      [source],
      renders,
      signal,
    );
    if (untrusted) throw new DiagnosisError(untrusted);
    const release = source.helm?.releaseName || instanceName(application, controlNamespace);
    return {
      path: hydrateToOf(hydrator).path,
      objects: objects.map(({ object }) => object),
      commands: hydrationCommands(source, {
        sourceType: sourceTypes[0] ?? '',
        release,
        namespace: application.spec.destination.namespace ?? '',
      }),
    };
  }

  async #commit(
    applications: readonly Application[],
    { revision, folders }: { revision: string; folders: readonly HydratedFolder[] },
    signal: AbortSignal,
  ): Promise<{ commit: string }> {
    const { git, access, writeAccess, settings } = this.#parts;
    const [first] = applications as [Application];
    const hydrator = first.spec.sourceHydrator as SourceHydrator;
    const target = hydrateToOf(hydrator);
    const project = first.spec.project || 'default';
    // credentials of a project serve its own applications alone
    const shared = applications.every(({ spec }) => (spec.project || 'default') === project) ? project : '';
    const dry = drySourceOf(hydrator);
    const { author, message } = await git.commitInfo(access.repository(dry, project), revision, { signal });
    const repository = writeAccess.repository({ repoURL: target.repoURL }, shared);
    const written = await commitManifests(git, {
      repository,
      branch: target.branch,
      syncBranch: hydrator.syncSource.targetBranch,
      dry: { sha: revision, author, message, repoURL: dry.repoURL ?? '' },
      folders,
      left: leftFolders(applications),
      signingKey: writeAccess.signingKey(target.repoURL, shared),
      settings: settings().data,
      signal,
    });
    for (const each of new Set(applications.map(({ spec }) => spec.project || 'default')))
      git.invalidate(access.repository({ repoURL: target.repoURL }, each));
    return written;
  }
}

class RenderFailure extends Error {
  readonly diagnoses: ReadonlyMap<string, Diagnosis>;

  constructor(diagnoses: ReadonlyMap<string, Diagnosis>) {
    super('not all applications of the group can be rendered');
    this.diagnoses = diagnoses;
  }
}

/** Applications with the same one are hydrated together, as upstream. */
function groupOf(hydrator: SourceHydrator): string {
  const { repoURL, branch } = hydrateToOf(hydrator);
  const { drySource } = hydrator;
  return JSON.stringify([
    normalizeRepoUrl(drySource.repoURL ?? ''),
    drySource.targetRevision ?? '',
    normalizeRepoUrl(repoURL),
    branch,
  ]);
}

/** Where applications of the group were hydrated to on the same branch, and none is any more. */
function leftFolders(applications: readonly Application[]): string[] {
  const targets = applications.map(({ spec }) => hydrateToOf(spec.sourceHydrator as SourceHydrator));
  const used = new Set(targets.map(({ path }) => path));
  const before = applications.flatMap(({ status }, index) => {
    const last = status?.sourceHydrator?.lastSuccessfulOperation?.sourceHydrator;
    if (!last) return [];
    const { path, ...branch } = hydrateToOf(last);
    const { path: _, ...now } = targets[index] as (typeof targets)[number];
    return deepEqual(branch, now) && path !== '' && !used.has(path) ? [path] : [];
  });
  return [...new Set(before)];
}
