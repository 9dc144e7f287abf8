import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliDecompressSync } from 'node:zlib';
import type { BuiltinSchema } from './generate-schema.ts';
import type { SchemaNode } from './schema-node.ts';

export const builtinSchemaVersion = 'v1.21.2';

let loaded: BuiltinSchema | undefined;

/** The schema that Kustomize has built in: of Kubernetes 1.21.2, whatever the cluster's version. */
export function builtinSchema(): BuiltinSchema {
  loaded ??= JSON.parse(
    brotliDecompressSync(readFileSync(join(import.meta.dirname, 'data', 'schema-1.21.2.json.br'))).toString(),
  ) as BuiltinSchema;
  return loaded;
}

let namespaced: ReadonlySet<string> | undefined;

/** Kinds that are known to have a namespace: `apps/v1 Deployment`. */
export function builtinNamespaced(): ReadonlySet<string> {
  namespaced ??= new Set(builtinSchema().namespaced);
  return namespaced;
}

const generators: SchemaNode = { e: {}, k: ['name'] };

/** Kustomize's own kinds: the generators of a Kustomization are merged by their names. */
export const kustomizationSchema: SchemaNode = {
  f: { configMapGenerator: generators, secretGenerator: generators },
};
