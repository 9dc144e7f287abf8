import { type Application, names } from '@tiphys/api';
import type { EventRecorder, ObjectStore, Pass } from '@tiphys/controller';
import type { Diagnosis, Evidence } from '@tiphys/diagnosis';
import type { Comparison } from '@tiphys/engine';
import type { Clock } from '@tiphys/kubernetes';
import type { ClusterHandle, ClusterRegistry } from './cluster-registry.ts';
import type { ClusterShards } from './cluster-shards.ts';
import type { Dependents } from './dependencies.ts';
import type { GeneratedValues } from './generated-values.ts';
import type { GoingRender } from './going-render.ts';
import type { HealthSettings } from './health-settings.ts';
import type { Hydrations } from './hydrations.ts';
import type { KindOwner } from './kind-owners.ts';
import type { EffectiveProject, ProjectDirectory } from './project-directory.ts';
import type { RenderHistory } from './render-history.ts';
import type { RepositoryDirectory } from './repository-directory.ts';
import type { ApplicationSettings } from './settings.ts';
import type { SourceIntegrity } from './source-integrity.ts';
import type { RenderedSources, SourceRenderer } from './source-renderer.ts';

/** What is remembered of an application between reconciles. All of it can be lost at any time with no change but time. */
export interface ApplicationMemory {
  /** Last successful render of the tracked revisions, and the digest of the spec that asked for it. */
  rendered?: RenderedSources | undefined;
  renderedFor?: string | undefined;
  /** How the tracked revisions were rendered, for people. */
  readonly renders: RenderHistory;
  comparison?: Comparison | undefined;
  /** True while the spec or the project do not permit the application: it has no objects then that could be shown. */
  refused?: boolean;
  /** When the revision was last resolved, in milliseconds; undefined resolves it anew. */
  resolvedAt?: number | undefined;
  /** When the sources were first seen as they are, in milliseconds: their author knows the repository as it is then. */
  sourcesSeenAt?: number;
  /** The remote itself must be asked: somebody wants to know, or the last attempt failed. */
  askRemote?: boolean;
  /** When a refresh was asked for, in milliseconds: what is known of the repository since then answers it. */
  refreshAskedAt?: number | undefined;
  /** When a refresh was made that somebody waits to see, in milliseconds. */
  shownAt?: number;
  /** Renders that take longer than a pass, by the step that wants them. */
  going?: { refresh?: GoingRender; sync?: GoingRender };
  /** Consecutive failures to resolve or render. */
  failures: number;
  /** Digest of the spec that could not be rendered last; undefined if it can be, or if it is worth another try at once. */
  failedFor?: string | undefined;
  /** Failure of the last attempt; cleared by the next success. */
  failure?: { diagnosis: Diagnosis; since: number; retryAt: number } | undefined;
  /** Which commits may have brought what is wrong, as the repository told it last. */
  commits?: { readonly question: string; readonly evidence: readonly Evidence[] };
  /** Of an application that another process delivers: the version of it that the comparison rests on. */
  observed?: string | undefined;
  /** Somebody asked for a render from scratch, and this process has not made it yet. */
  hardRefresh?: boolean;
  /** When hooks of the deletion that failed run again; undefined if none did. */
  deleteHooksRetryAt?: number | undefined;
}

export type ApplicationStore = ObjectStore<Application>;

/** What all reconciles share. */
export interface ReconcileContext {
  readonly clock: Clock;
  readonly controlNamespace: string;
  readonly clusters: ClusterRegistry;
  readonly shards: Pick<ClusterShards, 'hold'>;
  readonly health: HealthSettings;
  readonly repositories: RepositoryDirectory;
  readonly renderer: SourceRenderer;
  readonly generated: GeneratedValues;
  readonly hydrations: Hydrations;
  /** Applications by key, and the keys of those that depend on one. */
  readonly find: (key: string) => Application | undefined;
  readonly dependents: Dependents;
  readonly integrity: SourceIntegrity;
  readonly events: EventRecorder<Application>;
  readonly settings: () => ApplicationSettings;
  /** Asks for a pass over an application. */
  readonly look: (key: string) => void;
  /** Between the waves of a sync, in milliseconds. */
  readonly syncWaveDelay: () => number;
  readonly projects: ProjectDirectory;
  /** The application that ships the definition of a kind. */
  readonly kindOwner: (kind: { group: string; kind: string }) => KindOwner | undefined;
  /** The project with all rules that hold, of `projects`. */
  readonly project: (name: string) => EffectiveProject | undefined;
}

/** One pass over one application: the steps change `status`, `operation` and metadata of `next`; one exit writes it. */
export interface Reconciliation extends Pass<Application, ReconcileContext, ApplicationMemory> {
  /** Set by the step that validates. */
  project?: EffectiveProject;
  cluster?: ClusterHandle;
  /** What of the compared revisions is not signed as the project wants it. */
  untrusted?: readonly Diagnosis[];
}

/** What the refresh annotation asks for, and whether somebody waits to see it; it is taken off, for it is being done. */
export function takeRefreshRequest(application: Application): { type: string; shown: boolean } | undefined {
  const { refresh, showRefresh } = names.annotations;
  const { [refresh]: type, [showRefresh]: shown, ...rest } = application.metadata.annotations ?? {};
  if (type === undefined) return undefined;
  application.metadata.annotations = rest;
  return { type, shown: shown !== undefined };
}
