import { type Application, names } from '@tiphys/api';
import type { EventRecorder, ObjectStore, Pass } from '@tiphys/controller';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { ObjectCheck } from '@tiphys/engine';
import type { Clock } from '@tiphys/kubernetes';
import type { ClusterHandle, ClusterRegistry } from '../clusters/cluster-registry.ts';
import type { ClusterShards } from '../clusters/cluster-shards.ts';
import type { EffectiveProject, ProjectDirectory } from '../projects/project-directory.ts';
import type { RepositoryDirectory } from '../repositories/repository-directory.ts';
import type { HealthSettings } from '../settings/health-settings.ts';
import type { ApplicationSettings } from '../settings/settings.ts';
import type { GeneratedValues } from '../sources/generated-values.ts';
import type { RecordedManifests } from '../sources/recorded-manifests.ts';
import type { SourceIntegrity } from '../sources/source-integrity.ts';
import type { SourceRenderer } from '../sources/source-renderer.ts';
import type { ApplicationMemory } from './application-memory.ts';
import type { Chronicle } from './chronicle.ts';
import type { Dependents } from './dependencies.ts';
import type { Hydrations } from './hydrations.ts';
import type { KindOwner } from './kind-owners.ts';
import type { OperationGuard } from './operation-guard.ts';

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
  readonly recorded: RecordedManifests;
  /** Where decisions are written down; undefined where nobody keeps them. */
  readonly history: Chronicle | undefined;
  readonly hydrations: Hydrations;
  /** Applications by key, and the keys of those that depend on one. */
  readonly find: (key: string) => Application | undefined;
  /** How many applications there are, those of other shards among them. */
  readonly count: () => number;
  readonly dependents: Dependents;
  readonly integrity: SourceIntegrity;
  readonly events: EventRecorder<Application>;
  readonly settings: () => ApplicationSettings;
  /** Asks for a pass over an application. */
  readonly look: (key: string) => void;
  readonly guard: OperationGuard | undefined;
  readonly checks: ReadonlyMap<string, ObjectCheck> | undefined;
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
  /** This pass has compared what is desired with what is live, behind the operation. */
  isCompared?: boolean;
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
