import type { Diagnosis } from '@tiphys/diagnosis';
import type { KubeObject, ObjectKey } from '@tiphys/kubernetes';
import type { Origin } from '@tiphys/source';

export type { DesiredObject, GeneratedField, Origin } from '@tiphys/source';

export type HealthCode = 'Healthy' | 'Progressing' | 'Degraded' | 'Suspended' | 'Missing' | 'Unknown';
export type SyncCode = 'Synced' | 'OutOfSync' | 'Unknown';
export type HookType = 'PreSync' | 'Sync' | 'PostSync' | 'SyncFail' | 'PreDelete' | 'PostDelete';
export type OperationPhase = 'Running' | 'Terminating' | 'Failed' | 'Error' | 'Succeeded';
export type ResultCode = 'Synced' | 'SyncFailed' | 'Pruned' | 'PruneSkipped';

export interface Health {
  readonly status: HealthCode;
  readonly message?: string;
  /** The leaf cause of a Degraded or stuck Progressing object (failures S10 to S17), when it is known. */
  readonly diagnosis?: Diagnosis;
}

/** One object of the application: desired, live, or both. */
export interface ComparedResource {
  readonly key: ObjectKey;
  /** Version of the desired object, else of the live one. */
  readonly version: string;
  /** As it will be applied: namespaced, tracked. Absent if it is to be pruned. */
  readonly desired?: KubeObject;
  /** Absent if it is missing. Unpacked when it is asked for: to know only whether there is one, ask `isLive`. */
  readonly live?: KubeObject;
  readonly origin?: Origin;
  readonly status: SyncCode;
  readonly health?: Health;
  readonly hook: boolean;
  readonly requiresPruning: boolean;
  readonly wave: number;
  /** What differs after normalisation; empty when Synced. */
  readonly differences: readonly Difference[];
  /** Generated fields whose live value is another one than the recorded one: no drift. Values are hidden. Absent if there are none. */
  readonly noise?: readonly Difference[];
  /** With `noise`: `desired` with the live values of these fields. */
  readonly keeping?: KubeObject;
  /** Live and predicted, normalised and with Secrets masked: what a diff view shows. */
  readonly normalized?: { readonly live?: KubeObject; readonly predicted?: KubeObject };
}

/** Whether there is a live object. */
export function isLive(resource: ComparedResource): boolean {
  return 'live' in resource;
}

/** One field that differs. */
export interface Difference {
  /** `spec.template.spec.containers[0].image` */
  readonly path: string;
  /** Undefined where the side has no such field. */
  readonly live: unknown;
  readonly desired: unknown;
  /** Manager that wrote the live value last, from managedFields. */
  readonly manager?: string;
}

/** A node of the resource tree: a managed object or a descendant of one by owner reference. */
export interface TreeNode {
  readonly key: ObjectKey;
  readonly version: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly createdAt: string;
  /** Keys of the owners inside the tree. */
  readonly parents: readonly { readonly key: ObjectKey; readonly uid: string; readonly version: string }[];
  readonly health?: Health;
  readonly images: readonly string[];
  /** Rows of facts for people, such as a pod's status reason or `Revision`. */
  readonly info: readonly { readonly name: string; readonly value: string }[];
  readonly labels?: Readonly<Record<string, string>>;
  /** Services and ingresses: what they route to, and addresses. */
  readonly networking?: {
    readonly targetLabels?: Readonly<Record<string, string>>;
    readonly targetRefs?: readonly ObjectKey[];
    readonly labels?: Readonly<Record<string, string>>;
    readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
    readonly externalURLs?: readonly string[];
  };
}

/** A node of the cluster that pods of an application run on. */
export interface Host {
  readonly name: string;
  /** In thousandths: of cores, of bytes. */
  readonly resources: readonly {
    readonly name: string;
    readonly capacity: number;
    readonly requestedByOwn: number;
    readonly requestedByOthers: number;
  }[];
  /** `status.nodeInfo`. */
  readonly systemInfo: Readonly<Record<string, unknown>>;
  readonly labels: Readonly<Record<string, string>>;
}

/** How objects are known to belong to an application. */
export type TrackingMethod = 'annotation' | 'annotation+label' | 'label';

export interface Tracking {
  readonly method: TrackingMethod;
  /** Name of the application instance: `name`, or `namespace_name` outside the control-plane namespace. */
  readonly instance: string;
  /** Label of the `label` methods; `app.kubernetes.io/instance` if unset. */
  readonly labelKey?: string;
  readonly installationId?: string;
}
