import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { kindsOf, type SchemaNode, schemaNode, scopesOf } from './schema-node.ts';

/*
 * Writes config/data from the OpenAPI v2 document of the Kubernetes release that Kustomize has built in:
 *   node packages/render/kustomize/config/generate-schema.ts SWAGGER_JSON
 * Run by hand when Kustomize changes the release.
 */

export interface BuiltinSchema {
  readonly definitions: Readonly<Record<string, SchemaNode>>;
  /** `apps/v1 Deployment` → name of its definition. */
  readonly kinds: Readonly<Record<string, string>>;
  /** Kinds that are known to have a namespace. */
  readonly namespaced: readonly string[];
}

function generate(document: { definitions: Record<string, Record<string, unknown>>; paths: unknown }): BuiltinSchema {
  const definitions: Record<string, SchemaNode> = {};
  const kinds: Record<string, string> = {};
  for (const [name, part] of Object.entries(document.definitions).sort(([a], [b]) => (a < b ? -1 : 1))) {
    definitions[name] = schemaNode(part);
    for (const kind of kindsOf(part)) kinds[kind] = name;
  }
  const scopes = 'paths' in (document.paths as object) ? (document.paths as { paths: unknown }).paths : document.paths;
  const namespaced = [...scopesOf(scopes)].filter(([, value]) => value).map(([kind]) => kind);
  return { definitions, kinds, namespaced: namespaced.sort() };
}

const [file] = process.argv.slice(2);
if (file !== undefined) {
  const json = Buffer.from(JSON.stringify(generate(JSON.parse(readFileSync(file, 'utf8')))));
  const packed = brotliCompressSync(json, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: json.length } });
  writeFileSync(join(import.meta.dirname, 'data', 'schema-1.21.2.json.br'), packed);
}
