/** Made of the recorded OpenAPI by `npm run generate`: io.k8s.apimachinery.pkg.apis.meta.v1 as JSON has it. */

export type { LabelSelector, SelectorRequirement as LabelSelectorRequirement } from '../object/label-selector.ts';

export interface APIGroup {
  apiVersion?: string;
  kind?: string;
  name?: string;
  preferredVersion?: GroupVersionForDiscovery;
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
  versions?: GroupVersionForDiscovery[];
}

export interface APIGroupList {
  apiVersion?: string;
  groups?: APIGroup[];
  kind?: string;
}

export interface APIResource {
  categories?: string[];
  group?: string;
  kind?: string;
  name?: string;
  namespaced?: boolean;
  shortNames?: string[];
  singularName?: string;
  storageVersionHash?: string;
  verbs?: string[];
  version?: string;
}

export interface APIResourceList {
  apiVersion?: string;
  groupVersion?: string;
  kind?: string;
  resources?: APIResource[];
}

export interface APIVersions {
  apiVersion?: string;
  kind?: string;
  serverAddressByClientCIDRs?: ServerAddressByClientCIDR[];
  versions?: string[];
}

export interface Condition {
  lastTransitionTime?: string;
  message?: string;
  observedGeneration?: number;
  reason?: string;
  status?: string;
  type?: string;
}

export interface DeleteOptions {
  apiVersion?: string;
  dryRun?: string[];
  gracePeriodSeconds?: number;
  ignoreStoreReadErrorWithClusterBreakingPotential?: boolean;
  kind?: string;
  orphanDependents?: boolean;
  preconditions?: Preconditions;
  propagationPolicy?: string;
}

export interface FieldSelectorRequirement {
  key?: string;
  operator?: string;
  values?: string[];
}

export type FieldsV1 = Record<string, unknown>;

export interface GroupVersionForDiscovery {
  groupVersion?: string;
  version?: string;
}

export interface ListMeta {
  continue?: string;
  remainingItemCount?: number;
  resourceVersion?: string;
  selfLink?: string;
}

export interface ManagedFieldsEntry {
  apiVersion?: string;
  fieldsType?: string;
  fieldsV1?: FieldsV1;
  manager?: string;
  operation?: string;
  subresource?: string;
  time?: string;
}

export interface ObjectMeta {
  annotations?: Record<string, string>;
  creationTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  deletionTimestamp?: string;
  finalizers?: string[];
  generateName?: string;
  generation?: number;
  labels?: Record<string, string>;
  managedFields?: ManagedFieldsEntry[];
  name?: string;
  namespace?: string;
  ownerReferences?: OwnerReference[];
  resourceVersion?: string;
  selfLink?: string;
  uid?: string;
}

export interface OwnerReference {
  apiVersion?: string;
  blockOwnerDeletion?: boolean;
  controller?: boolean;
  kind?: string;
  name?: string;
  uid?: string;
}

export type Patch = Record<string, unknown>;

export interface Preconditions {
  resourceVersion?: string;
  uid?: string;
}

export interface ServerAddressByClientCIDR {
  clientCIDR?: string;
  serverAddress?: string;
}

export interface Status {
  apiVersion?: string;
  code?: number;
  details?: StatusDetails;
  kind?: string;
  message?: string;
  metadata?: ListMeta;
  reason?: string;
  status?: string;
}

export interface StatusCause {
  field?: string;
  message?: string;
  reason?: string;
}

export interface StatusDetails {
  causes?: StatusCause[];
  group?: string;
  kind?: string;
  name?: string;
  retryAfterSeconds?: number;
  uid?: string;
}

export interface WatchEvent {
  object?: unknown;
  type?: string;
}
