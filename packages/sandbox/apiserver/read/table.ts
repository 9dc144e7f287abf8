import type { Resource, TableColumn } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';

export interface TableOptions {
  /** `includeObject` of the query: None, Metadata (default) or Object. */
  readonly include: string | null;
  readonly now: number;
  /** Version of meta.k8s.io. */
  readonly version: string;
  /** Watch events after the first leave the columns out. */
  readonly withoutColumns?: boolean;
}

/** An object in the version that was asked for, and as it is stored where it comes from the store. */
export interface TableSource {
  readonly object: KubeObject;
  readonly stored?: KubeObject;
}

/** What a table needs to know of the kind that it shows. */
export type TableKind = Pick<Resource, 'cells' | 'rowConditions' | 'rowOrder'> & {
  readonly columns: readonly TableColumn[];
};

/** `meta.k8s.io` Table of objects of one kind. */
export function tableOf(
  kind: TableKind,
  sources: readonly TableSource[],
  metadata: Record<string, unknown>,
  options: TableOptions,
): Record<string, unknown> {
  const { rowOrder } = kind;
  const sorted = rowOrder ? sources.toSorted((a, b) => rowOrder(a.object, b.object)) : sources;
  return {
    kind: 'Table',
    apiVersion: `meta.k8s.io/${options.version}`,
    metadata,
    columnDefinitions: options.withoutColumns ? null : kind.columns,
    rows: sorted.map(({ object, stored }) => {
      const conditions = kind.rowConditions?.(object) ?? [];
      return {
        cells: kind.cells(object, options.now, stored),
        ...(conditions.length ? { conditions } : {}),
        object: included(object, options),
      };
    }),
  };
}

function included(object: KubeObject, { include, version }: TableOptions): object | null {
  if (include === 'None') return null;
  return include === 'Object' ? object : partialMetadata(object, version);
}

/** The object reduced to its metadata. */
export function partialMetadata(object: KubeObject, version: string): Record<string, unknown> {
  return { kind: 'PartialObjectMetadata', apiVersion: `meta.k8s.io/${version}`, metadata: object.metadata };
}
