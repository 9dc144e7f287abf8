import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { ApiResource } from '../connect/client.ts';
import { type AggregatedList, readAggregated } from '../connect/cluster-discovery.ts';
import type { GroupVersionKind } from '../object/object.ts';
import { type ObjectType, TypeModels } from './object-type.ts';
import type { OpenApiSchema } from './openapi-schema.ts';

/** What a kube-apiserver without extensions serves, as recorded by generate.ts: discovery, schemas and OpenAPI documents. */

export interface BuiltinDiscovery {
  /** `/version` of the recorded server. */
  version: Record<string, string>;
  /** `/api` as `APIGroupDiscoveryList` v2. */
  api: AggregatedList;
  /** `/apis` as `APIGroupDiscoveryList` v2, in the server's order of preference. */
  apis: AggregatedList;
}

function unpack(name: string): Buffer {
  return brotliDecompressSync(readFileSync(join(import.meta.dirname, 'data', `${name}.br`)));
}

function once<T>(load: () => T): () => T {
  let value: { loaded: T } | undefined;
  return () => {
    value ??= { loaded: load() };
    return value.loaded;
  };
}

/** The recorded discovery documents, with subresources; treat as read-only. */
export const builtinDiscovery: () => BuiltinDiscovery = once(
  () => JSON.parse(unpack('discovery.json').toString()) as BuiltinDiscovery,
);

/** All built-in resources in all served versions. */
export const builtinResources: () => readonly ApiResource[] = once(() => {
  const { api, apis } = builtinDiscovery();
  return [...readAggregated(api).resources, ...readAggregated(apis).resources];
});

/** Schemas of built-in types by OpenAPI name, such as `io.k8s.api.apps.v1.Deployment`, without descriptions. */
export const builtinModels: () => TypeModels = once(() => new TypeModels(schemas()));

const schemas = once(() => JSON.parse(unpack('schemas.json').toString()) as Record<string, OpenApiSchema>);

const names = once(() => {
  const byKind = new Map<string, string>();
  for (const [name, schema] of Object.entries(schemas())) {
    const kinds = schema['x-kubernetes-group-version-kind'];
    // options and events that belong to every group are no objects
    const [kind] = kinds?.length === 1 ? kinds : [];
    if (kind) byKind.set(kindKey(kind), name);
  }
  return byKind;
});

const kindKey = ({ group, version, kind }: GroupVersionKind) => `${group}/${version}/${kind}`;

/** OpenAPI name of a built-in kind. */
export function builtinName(gvk: GroupVersionKind): string | undefined {
  return names().get(kindKey(gvk));
}

/** OpenAPI v3 schema of a built-in kind, without descriptions; references are resolved by `builtinModels().resolve`. */
export function builtinSchema(gvk: GroupVersionKind): OpenApiSchema | undefined {
  const name = builtinName(gvk);
  return name === undefined ? undefined : schemas()[name];
}

/** How objects of a built-in kind are merged; undefined for kinds that are not built in. */
export function builtinType(gvk: GroupVersionKind): ObjectType | undefined {
  const name = builtinName(gvk);
  return name === undefined ? undefined : builtinModels().named(name);
}

/** The recorded OpenAPI v2 document, with descriptions. */
export const openapiV2: () => Record<string, unknown> = once(
  () => JSON.parse(unpack('openapi-v2.json').toString()) as Record<string, unknown>,
);

/** The recorded OpenAPI v2 document as protobuf (`application/com.github.proto-openapi.spec.v2@v1.0+protobuf`), which client-go asks for. */
export const openapiV2Protobuf: () => Uint8Array = once(() => unpack('openapi-v2.pb'));

const v3Documents = once(
  () => JSON.parse(unpack('openapi-v3.json').toString()) as Record<string, Record<string, unknown>>,
);

/** Paths of the recorded OpenAPI v3 documents below `/openapi/v3/`, such as `api/v1` and `apis/apps/v1`. */
export function openapiV3Paths(): string[] {
  return Object.keys(v3Documents());
}

/** A recorded OpenAPI v3 document, with descriptions, by path. */
export function openapiV3Document(path: string): Record<string, unknown> | undefined {
  return v3Documents()[path];
}

/** The recorded OpenAPI v3 document of a group version. */
export function openapiV3(group: string, version: string): Record<string, unknown> | undefined {
  return openapiV3Document(group ? `apis/${group}/${version}` : `api/${version}`);
}
