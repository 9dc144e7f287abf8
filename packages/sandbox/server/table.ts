import type { KubeObject } from '@tiphys/kubernetes';
import type { Resource } from './resource.ts';

export interface TableOptions {
  /** `includeObject` of the query: None, Metadata (default) or Object. */
  readonly include: string | null;
  readonly now: number;
  /** Version of meta.k8s.io. */
  readonly version: string;
  /** Watch events after the first leave the columns out. */
  readonly withoutColumns?: boolean;
}

/** `meta.k8s.io` Table of objects of one resource. */
export function tableOf(
  resource: Resource,
  objects: readonly KubeObject[],
  metadata: Record<string, unknown>,
  options: TableOptions,
): Record<string, unknown> {
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata,
    columnDefinitions: options.withoutColumns ? null : resource.columns,
    rows: objects.map((object) => ({
      cells: resource.cells(object, options.now),
      ...(options.include === 'None'
        ? { object: null }
        : { object: options.include === 'Object' ? object : partialMetadata(object, options.version) }),
    })),
  };
}

/** The object reduced to its metadata. */
export function partialMetadata(object: KubeObject, version: string): Record<string, unknown> {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}
