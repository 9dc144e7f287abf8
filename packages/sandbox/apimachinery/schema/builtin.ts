import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import { builtinDiscovery, type KubeObject } from '@tiphys/kubernetes';

/** A column of a table, as `meta.k8s.io/v1` writes it. */
export interface TableColumn {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
}

/** One built-in resource as aggregated discovery lists it, with its table columns and the name of its type. */
export interface BuiltinResource {
  group: string;
  version: string;
  resource: string;
  responseKind: { group: string; version: string; kind: string };
  scope: 'Namespaced' | 'Cluster';
  singularResource: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  subresources?: {
    subresource: string;
    responseKind: { group: string; version: string; kind: string };
    verbs: string[];
  }[];
  hash?: string;
  columns?: TableColumn[];
  goType?: string;
}

/**
 * JSON name, type expression, flags (`o` omitted when empty, `z` omitted when zero, `p` pointer), protobuf field number: `2.1` is
 * field 1 of the inlined struct that is field 2.
 * Expressions: `s` `b` `i32` `i64` `int` `f64` `y` (bytes) `quantity` `intorstring` `time` `microtime` `duration` `any`, `[T` list,
 * `{T` map, anything else the name of a type.
 */
export type TypeField = readonly [name: string, type: string, flags: string, number: string];

interface Recorded {
  /** What discovery does not say, by `group/version/resource`. */
  extras: Record<string, { hash?: string; columns?: TableColumn[] }>;
  /** Objects that a fresh API server makes (RBAC, priorities), by `group/version/resource`. */
  bootstrap: Record<string, KubeObject[]>;
  types: Record<string, TypeField[] | null>;
  /** Type names by `apiVersion/kind`, those that are only sent (options, reviews) included. */
  kinds: Record<string, string>;
}

let loaded: Recorded | undefined;

/** What was recorded of a real kube-apiserver 1.34.4 and its Go types by schema/generate. Read once, on first use. */
export function builtin(): Recorded {
  loaded ??= JSON.parse(gunzipSync(readFileSync(new URL('./builtin.json.gz', import.meta.url))).toString()) as Recorded;
  return loaded;
}

/** All built-in resources in all served versions. */
export function builtinEntries(): BuiltinResource[] {
  const { extras, kinds } = builtin();
  const { api, apis } = builtinDiscovery();
  return [api, apis].flatMap(({ items = [] }) =>
    items.flatMap(({ metadata, versions = [] }) =>
      versions.flatMap(({ version, resources = [] }) =>
        resources.map((entry) => {
          const group = metadata?.name ?? '';
          const apiVersion = group ? `${group}/${version}` : version;
          const goType = kinds[`${apiVersion}/${entry.responseKind?.kind}`];
          return {
            ...(entry as unknown as BuiltinResource),
            group,
            version,
            ...extras[`${group}/${version}/${entry.resource}`],
            ...(goType ? { goType } : {}),
          };
        }),
      ),
    ),
  );
}
