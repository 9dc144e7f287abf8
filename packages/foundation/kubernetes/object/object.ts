/** Metadata of a Kubernetes object, as JSON has it. */
export interface ObjectMeta {
  name?: string;
  generateName?: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  deletionGracePeriodSeconds?: number;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  finalizers?: string[];
  ownerReferences?: OwnerReference[];
  managedFields?: ManagedFieldsEntry[];
  [key: string]: unknown;
}

export interface OwnerReference {
  apiVersion: string;
  kind: string;
  name: string;
  uid: string;
  controller?: boolean;
  blockOwnerDeletion?: boolean;
}

export interface ManagedFieldsEntry {
  manager?: string;
  operation?: 'Apply' | 'Update';
  apiVersion?: string;
  time?: string;
  fieldsType?: string;
  fieldsV1?: Record<string, unknown>;
  subresource?: string;
}

/** Any Kubernetes object: plain JSON data. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [key: string]: unknown;
}

export interface KubeList<T extends KubeObject = KubeObject> {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  items: T[];
}

export interface GroupVersionKind {
  /** Empty for the core group. */
  group: string;
  version: string;
  kind: string;
}

/** Identifies an object whatever its version. */
export interface ObjectKey {
  group: string;
  kind: string;
  /** Empty for cluster-scoped kinds. */
  namespace: string;
  name: string;
}

/** `apps/v1` → group `apps`, version `v1`; `v1` → group ``. */
export function parseApiVersion(apiVersion: string): { group: string; version: string } {
  const slash = apiVersion.indexOf('/');
  return slash < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, slash), version: apiVersion.slice(slash + 1) };
}

export function gvkOf(object: Pick<KubeObject, 'apiVersion' | 'kind'>): GroupVersionKind {
  return { ...parseApiVersion(object.apiVersion), kind: object.kind };
}

export function keyOf(object: KubeObject): ObjectKey {
  return {
    group: parseApiVersion(object.apiVersion).group,
    kind: object.kind,
    namespace: object.metadata.namespace ?? '',
    name: object.metadata.name ?? '',
  };
}

/** `group/Kind/namespace/name`: for maps. */
export function keyString(key: ObjectKey): string {
  return `${key.group}/${key.kind}/${key.namespace}/${key.name}`;
}

/** `apps/Deployment shop/web`: for people and diagnoses. */
export function describeKey(key: ObjectKey): string {
  return `${key.group ? `${key.group}/` : ''}${key.kind} ${key.namespace ? `${key.namespace}/` : ''}${key.name}`;
}
