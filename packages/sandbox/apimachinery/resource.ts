import type { KubeObject, ObjectType } from '@tiphys/kubernetes';
import type { Item } from '@tiphys/store';
import type { Schema } from './definition.ts';
import type { TableColumn } from './schema/builtin.ts';
import type { DecodeIssues } from './schema/decode.ts';
import type { Strategy } from './strategy.ts';

/** Where a resource keeps what its scale shows; paths without the leading dot. */
export interface ScalePaths {
  readonly spec: string;
  readonly status: string;
  readonly selector: string | undefined;
}

export interface Subresource {
  readonly name: string;
  readonly kind: { group: string; version: string; kind: string };
  readonly verbs: readonly string[];
}

/** One resource of one served version. */
export interface Resource {
  readonly group: string;
  readonly version: string;
  /** `apps/v1`, `v1`. */
  readonly apiVersion: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly subresources: ReadonlyMap<string, Subresource>;
  /** Name of the collection that holds the objects, whatever version they are asked in: `apps/deployments`. */
  readonly collection: string;
  readonly storageVersionHash: string | undefined;
  readonly columns: readonly TableColumn[];
  /** Cells of a row of the table, in the order of `columns`; a built-in kind's are those of the stored object. */
  readonly cells: (object: KubeObject, now: number, stored?: KubeObject) => unknown[];
  /** Conditions of a row. */
  readonly rowConditions?: (object: KubeObject) => readonly object[];
  /** Order of the rows of a list; that of the keys when absent. */
  readonly rowOrder?: (a: KubeObject, b: KubeObject) => number;
  readonly strategy: Strategy;
  /** A copy of what a client sent as this version's type. Throws DecodeError. */
  readonly decode: (value: Record<string, unknown>, issues: DecodeIssues) => KubeObject;
  /** How objects of this version are merged. */
  readonly mergeType: () => ObjectType;
  /** The status of an object that has none yet; undefined for none. */
  readonly emptyStatus: () => unknown;
  /**
   * Between this version and the stored one; the same object if they are equal. Where a webhook converts they throw
   * ConversionNeeded for what it has not been asked yet: a request is then tried again from its start.
   */
  readonly toStored: (object: KubeObject) => KubeObject;
  readonly fromStored: (object: KubeObject) => KubeObject;
  /** The revision with which the schema came: what was stored before may read differently by it. */
  readonly schemaSince?: number;
  /** Of resources that a webhook converts: throws one ConversionNeeded for all of these that it has not been asked yet. */
  readonly needs?: (objects: readonly KubeObject[]) => void;
  /** Changes an object that is to be stored into what is read afterwards: storage loses some, and defaults are set again. */
  readonly readBack?: (object: KubeObject) => void;
  /** Text of the `Warning` header for every use of this version. */
  readonly deprecation: string | undefined;
  /** Where a custom resource keeps its scale; built-in ones use `spec.replicas`. */
  readonly scale?: ScalePaths;
  /** The structural schema of a custom resource. */
  readonly schema?: Schema;
  /** The CustomResourceDefinition's name, for custom resources. */
  readonly custom: string | undefined;
}

/** Whether a stored object's own text is what is read of it in this version. */
export function readsAsStored({ apiVersion, schemaSince = 0 }: Resource, item: Item): boolean {
  return item.apiVersion === apiVersion && item.revision > schemaSince;
}

/** The stored object's text in this version. */
export function jsonIn(resource: Resource, item: Item): string {
  return readsAsStored(resource, item) ? item.json : JSON.stringify(resource.fromStored(item.object));
}

/** `namespace/name` or name: the key inside a collection. */
export function storeKey(resource: Pick<Resource, 'namespaced'>, namespace: string, name: string): string {
  return resource.namespaced ? `${namespace}/${name}` : name;
}
