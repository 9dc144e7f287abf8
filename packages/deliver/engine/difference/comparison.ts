import type { Diagnosis } from '@tiphys/diagnosis';
import type { ObjectKey } from '@tiphys/kubernetes';
import type { ClusterCache } from '../cache/cluster-cache.ts';
import type { ComparedResource, DesiredObject, GeneratedField, Health, SyncCode, Tracking } from '../model/model.ts';
import type { IgnoreRule } from './ignore-rules.ts';
import type { KnownTypeField } from './known-types.ts';

export interface CompareOptions {
  /** Items of the Application's annotation `argocd.argoproj.io/compare-options`, such as `ServerSideDiff=true`. */
  readonly compareOptions?: readonly string[];
  /** `spec.syncPolicy.syncOptions`: `CreateNamespace=true` takes the destination namespace out of pruning. */
  readonly syncOptions?: readonly string[];
  /** Whether `ServerSideDiff` is on by default. Default false. */
  readonly serverSideDiff?: boolean;
  /** `resource.compareoptions.ignoreResourceStatusField`. Default `all`. */
  readonly ignoreStatus?: 'all' | 'crd' | 'none';
  /** `resource.compareoptions.ignoreAggregatedRoles`. Default false. */
  readonly ignoreAggregatedRoles?: boolean;
  readonly managedNamespaceMetadata?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  /** The Application itself, if it lives in the cluster that is compared: it does not count for its own health. */
  readonly self?: ObjectKey;
  /** Time of a jq expression in milliseconds. Default 1000. */
  readonly jqTimeout?: number;
}

export interface CompareRequest {
  readonly desired: readonly DesiredObject[];
  readonly cache: ClusterCache;
  readonly tracking: Tracking;
  /** Namespace of objects that name none; may be empty. */
  readonly destinationNamespace: string;
  readonly ignoreDifferences?: readonly IgnoreRule[];
  /** Fields of custom resources that are compared as what they are: `knownTypeFields` of the settings. Rollouts are known anyway. */
  readonly knownTypes?: readonly KnownTypeField[];
  /**
   * Generated fields of which another value is desired than at the last sync: they are compared like all others. What live
   * holds otherwise in the rest never makes a difference (`noise`).
   */
  readonly changedFields?: ReadonlySet<GeneratedField>;
  readonly options?: CompareOptions;
  /**
   * Whether the project permits the object; a diagnosis says why not. A desired object that is not permitted is a
   * condition and gets status Unknown; a live one is left out.
   */
  readonly permit?: (key: ObjectKey, namespaced: boolean) => boolean | Diagnosis | undefined;
  /** Why the cluster's cache does not see the object whatever is live; one such object makes the whole comparison fail, as upstream. */
  readonly unseen?: (key: ObjectKey, namespaced: boolean) => Diagnosis | undefined;
  readonly signal?: AbortSignal;
}

/** Condition of an Application that a finding of the comparison belongs to. */
export type ComparisonConditionType =
  | 'ComparisonError'
  | 'InvalidSpecError'
  | 'SharedResourceWarning'
  | 'RepeatedResourceWarning'
  | 'ExcludedResourceWarning';

/** Desired against live of one application. Deterministic: sorted by namespace, name, group, kind. */
export interface Comparison {
  /** Desired objects, and live ones that are to be pruned. Hooks are in `hooks`; live objects of hooks are here with `hook` set. */
  readonly resources: readonly ComparedResource[];
  /** Desired hooks, namespaced and tracked, with the phases they run in. */
  readonly hooks: readonly ComparedResource[];
  readonly sync: SyncCode;
  readonly health: Health;
  readonly conditions: readonly Diagnosis[];
  /** The same findings with the type of condition they make. */
  readonly findings: readonly { readonly type: ComparisonConditionType; readonly diagnosis: Diagnosis }[];
  /** Whether the manifests hold PreDelete or PostDelete hooks. */
  readonly deleteHooks: { readonly preDelete: boolean; readonly postDelete: boolean };
  /** What was compared, for plan and sync. */
  readonly tracking: Tracking;
  readonly destinationNamespace: string;
  readonly ignoreDifferences: readonly IgnoreRule[];
}
