import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject, ObjectKey } from '@tiphys/kubernetes';
import type { Health, HookType, OperationPhase, Origin, ResultCode } from '../model/model.ts';

export type SyncPhase = 'PreSync' | 'Sync' | 'PostSync' | 'SyncFail';

/** What is asked of a sync: `operation.sync` and what the Application's spec adds to it. */
export interface SyncOptions {
  /** Resolved revision; names of generated hooks carry it. */
  readonly revision: string;
  /** When the operation started, RFC 3339; names of generated hooks carry it, so that a resumed operation finds them. */
  readonly startedAt: string;
  /** `operation.sync.syncOptions`: items such as `Replace=true`. One that is not known refuses the plan. */
  readonly syncOptions?: readonly string[];
  readonly prune?: boolean;
  readonly dryRun?: boolean;
  /** `syncStrategy.{apply,hook}.force` */
  readonly force?: boolean;
  /** True for `syncStrategy.apply`; selective syncs leave hooks out too. */
  readonly skipHooks?: boolean;
  /** Selection of a partial sync; absent or empty for everything. */
  readonly resources?: readonly {
    readonly group?: string;
    readonly kind: string;
    readonly name: string;
    readonly namespace?: string;
    readonly exclude?: boolean;
  }[];
  /** Leaves generated fields that hold other values than the recorded ones as they are: they are no reason for a sync. */
  readonly keepGenerated?: boolean;
  /** Namespace of the control plane, if the destination is its own cluster: what belongs to it is never pruned. */
  readonly controlNamespace?: string;
  readonly managedNamespaceMetadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  /** Value of the Application's annotation `argocd.argoproj.io/deletion-approved`. */
  readonly deletionApprovedAt?: string | undefined;
  /** Value of `argocd.argoproj.io/client-side-apply-migration-manager`. Default `kubectl-client-side-apply`. */
  readonly migrationManager?: string | undefined;
}

export type SyncAction =
  | 'create'
  | 'apply'
  | 'server-side-apply'
  | 'replace'
  | 'prune'
  | 'skip-prune'
  | 'hook'
  | 'unchanged';

/** One thing that a sync does. Plain data. */
export interface SyncTask {
  /** `phase/group/Kind/namespace/name`; unique in the plan and the same in every plan of the operation. */
  readonly id: string;
  readonly key: ObjectKey;
  readonly version: string;
  readonly phase: SyncPhase;
  /** Effective wave: of prunes mirrored, of dependencies drawn forward. */
  readonly wave: number;
  readonly action: SyncAction;
  /** Why, for people: `missing`, `spec.replicas differs`, `not in the source any more` … */
  readonly reason: string;
  readonly hook: boolean;
  readonly hookType?: HookType;
  readonly deletePolicies: readonly ('BeforeHookCreation' | 'HookSucceeded' | 'HookFailed')[];
  readonly desired?: KubeObject;
  readonly live?: KubeObject;
  readonly origin?: Origin;
  /** Deletes and creates the object anew where it cannot be changed. */
  readonly force: boolean;
  /** Field validation of the API server; false for `Validate=false`. */
  readonly validate: boolean;
  readonly serverSide: boolean;
  readonly replace: boolean;
  /** The kind may be unknown until this sync has made its definition. */
  readonly skipDryRun: boolean;
  /** Pruning waits for the annotation `argocd.argoproj.io/deletion-approved`. */
  readonly needsConfirmation: boolean;
  /** Known to be equal already: applied only if everything is. */
  readonly inSync: boolean;
}

export interface SyncPlan {
  /** In the order of execution. */
  readonly tasks: readonly SyncTask[];
  /** Why the plan must not be executed: options that are not supported, objects that are shared, spec errors. */
  readonly refusals: readonly Diagnosis[];
  readonly options: SyncOptions;
  /** Settings that concern all tasks. */
  readonly applyOutOfSyncOnly: boolean;
  readonly propagationPolicy: 'Foreground' | 'Background' | 'Orphan';
  /** Manager whose fields server-side apply takes over first; undefined if migration is off. */
  readonly migrateFrom: string | undefined;
  readonly destinationNamespace: string;
}

/** An entry of `operationState.syncResult.resources`, as Argo CD writes it. */
export interface ResourceResult {
  group: string;
  version: string;
  kind: string;
  namespace: string;
  name: string;
  status?: ResultCode;
  message?: string;
  hookType?: HookType;
  hookPhase?: OperationPhase;
  syncPhase?: SyncPhase;
  images?: string[];
}

/** Why a task of an operation failed, or what the operation waits for. Plain data, kept between steps. */
export interface SyncFinding extends Diagnosis {
  /** The task's id; absent where it concerns the operation as a whole. */
  readonly task?: string;
  /** True for what is waited for: nothing has failed. */
  readonly waiting?: boolean;
}

/** A warning of the API server of one manifest; it holds as long as the manifest is the same. */
export interface ServerWarning extends Diagnosis {
  /** Digest of its text. */
  readonly manifest: string;
}

/** An object that a step has written, with what the API server warned of; none if it had nothing to say. */
export interface WrittenManifest {
  /** As places of diagnoses name it. */
  readonly object: string;
  readonly warnings: readonly ServerWarning[];
}

/** Where an operation stands: what is stored in the Application's status and given back for the next step. */
export interface SyncState {
  readonly phase: OperationPhase;
  readonly message: string;
  readonly resources: readonly ResourceResult[];
  /** Causes of failures and of waiting, with objects and files; for `status` and events. */
  readonly diagnoses: readonly SyncFinding[];
  /** What this step has written; absent if nothing. */
  readonly written?: readonly WrittenManifest[];
  /** What is being waited for. */
  readonly waitingFor: readonly { readonly key: ObjectKey; readonly health?: Health }[];
}

export type SyncOutcome = SyncState;
