import type { Locks, SharedLockAnswer, SharedLockRequest } from '../locks/locks.ts';
import type { MachineSettings } from '../model/settings.ts';
import type {
  Artifact,
  ArtifactLocation,
  Pod,
  Template,
  Workflow,
  WorkflowTaskResult,
  WorkflowTaskSet,
  WorkflowTemplate,
} from '../model/types.ts';

export interface ConfigMap {
  metadata: {
    name?: string;
    namespace?: string;
    labels?: Record<string, string>;
    annotations?: Record<string, string>;
  };
  data?: Record<string, string>;
}

/** What one pod is to delete, and what it reports. */
export interface GCTask {
  readonly metadata: { name?: string; namespace?: string; labels?: Record<string, string> };
  readonly spec: {
    readonly artifactsByNode: Record<
      string,
      { archiveLocation?: ArtifactLocation; artifacts: Record<string, Artifact> }
    >;
  };
  readonly status?: {
    readonly artifactResultsByNode?: Record<
      string,
      { artifactResults?: Record<string, { name?: string; success?: boolean; error?: string }> }
    >;
  };
}

/** A pod that could not be created; tried again if that may help. */
export interface PodFailure {
  readonly message: string;
  readonly isTransient: boolean;
}

/** All that a decision rests on besides the workflow itself. Nothing else is read: no clock, no randomness, no cluster. */
export interface Facts {
  /** Milliseconds since the epoch, the same throughout a decision. */
  readonly now: number;
  readonly settings: MachineSettings;
  /** Pods of this workflow that exist. */
  readonly pods: readonly Pod[];
  readonly taskResults: readonly WorkflowTaskResult[];
  readonly taskSet?: WorkflowTaskSet | undefined;
  /** By id of the node. */
  readonly podFailures?: ReadonlyMap<string, PodFailure>;
  /** Claims that could not be created, by name. */
  readonly claimFailures?: ReadonlyMap<string, PodFailure>;
  /** A finished workflow of the same origin, for estimates. */
  readonly baseline?: Workflow | undefined;
  readonly locks: Locks;
  /** Asks the database for locks; the same again has the same answer. May throw a `MissingFact`. Absent where no database is set. */
  sharedLocks?(request: SharedLockRequest): SharedLockAnswer;
  template(scope: 'namespaced' | 'cluster', name: string): WorkflowTemplate | undefined;
  /** Undefined if there is none. May throw a `MissingFact`, whose thing is then read and the decision made anew. */
  configMap(namespace: string, name: string): ConfigMap | undefined;
  /** Tasks of a pod that deletes artifacts, by the hash of its name. May throw a `MissingFact`. */
  gcTasks(namespace: string, hash: string): readonly GCTask[];
  /** The command that an image runs by itself. Throws if it is not known, perhaps a `MissingFact`. */
  imageCommand(image: string, pull: ImagePull): { entrypoint?: string[]; cmd?: string[] };
}

/** As whom an image is pulled. */
export interface ImagePull {
  readonly namespace: string;
  /** `default` if empty. */
  readonly serviceAccount: string;
  /** Names of pull Secrets besides those of the ServiceAccount. */
  readonly secrets: readonly string[];
}

/** Something that a decision needs and nobody has read yet. */
export type Wanted =
  | { readonly kind: 'config-map'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'gc-tasks'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'shared-locks'; readonly request: SharedLockRequest }
  | { readonly kind: 'image'; readonly image: string; readonly pull: ImagePull };

/** A decision must be made anew when this was read. */
export class MissingFact extends Error {
  readonly wanted: Wanted;

  constructor(wanted: Wanted) {
    super(`Not read yet: ${wanted.kind} ${nameOf(wanted)}`);
    this.name = 'MissingFact';
    this.wanted = wanted;
  }
}

function nameOf(wanted: Wanted): string {
  if (wanted.kind === 'image') return wanted.image;
  if (wanted.kind === 'shared-locks') return wanted.request.locks.map(({ name }) => name).join(', ');
  return `${wanted.namespace}/${wanted.name}`;
}

/** What is to be done in the cluster, in order; each may be done twice. */
export type Action =
  | { readonly kind: 'create-pod'; readonly nodeId: string; readonly pod: Pod; readonly configMap?: ConfigMap }
  | { readonly kind: 'terminate-pod'; readonly pod: string; readonly isForced: boolean }
  | { readonly kind: 'delete-pod'; readonly pod: string; readonly uid?: string }
  | { readonly kind: 'create-claim'; readonly claim: Record<string, unknown> & { metadata: { name: string } } }
  | { readonly kind: 'delete-claim'; readonly name: string }
  | { readonly kind: 'create-budget'; readonly budget: Record<string, unknown> }
  | { readonly kind: 'delete-budget'; readonly name: string }
  | { readonly kind: 'save-memo'; readonly configMap: string; readonly key: string; readonly entry: string }
  | { readonly kind: 'collect-artifacts'; readonly task: GCTask; readonly pod: Pod }
  | { readonly kind: 'delete-gc-task'; readonly name: string }
  | { readonly kind: 'set-tasks'; readonly tasks: Readonly<Record<string, Template>> }
  | { readonly kind: 'event'; readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string }
  | { readonly kind: 'metric'; readonly metric: MetricSample };

/** One value of a metric that a workflow defines. */
export interface MetricSample {
  readonly name: string;
  readonly help: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly type: 'gauge' | 'counter' | 'histogram';
  /** For gauges. */
  readonly operation?: 'Set' | 'Add' | 'Sub';
  readonly buckets?: readonly number[];
  readonly value: number;
  /** Seconds go on counting from this time (milliseconds) until the workflow or node ends. */
  readonly realtimeSince?: number;
}
