import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliCompress, constants } from 'node:zlib';
import { connect } from '../connect/api-client.ts';
import type { Client } from '../connect/client.ts';
import { loadKubeconfig } from '../connect/kubeconfig.ts';

/*
 * Writes schema/data from a running kube-apiserver that has no extensions:
 *   node packages/foundation/kubernetes/schema/generate.ts KUBECONFIG
 * (`node scripts/cluster/control-plane.ts > KUBECONFIG` starts one). Run by hand when the release changes.
 */

type Json = Record<string, unknown>;

const discoveryType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
const openapiV2Type = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';

export async function generate(client: Client, folder: string): Promise<void> {
  const json = async (path: string, accept?: string) =>
    (await (await client.request('GET', path, accept ? { accept } : {})).json()) as Json;
  const index = (await json('/openapi/v3')) as { paths: Record<string, unknown> };
  const documents: Record<string, Json> = {};
  for (const path of Object.keys(index.paths).sort()) documents[path] = await json(`/openapi/v3/${path}`);
  const discovery = {
    version: await json('/version'),
    api: await json('/api', discoveryType),
    apis: await json('/apis', discoveryType),
  };
  const protobuf = await client.request('GET', '/openapi/v2', { accept: openapiV2Type });
  await mkdir(folder, { recursive: true });
  await Promise.all([
    write(join(folder, 'discovery.json.br'), JSON.stringify(discovery)),
    write(join(folder, 'schemas.json.br'), JSON.stringify(collectSchemas(documents))),
    write(join(folder, 'openapi-v3.json.br'), JSON.stringify(documents)),
    write(join(folder, 'openapi-v2.json.br'), JSON.stringify(await json('/openapi/v2'))),
    write(join(folder, 'openapi-v2.pb.br'), await protobuf.bytes()),
  ]);
}

/** The component schemas of all documents, once each, without descriptions. */
function collectSchemas(documents: Record<string, Json>): Json {
  const schemas: Json = {};
  for (const document of Object.values(documents)) {
    const components = document.components as { schemas?: Record<string, Json> } | undefined;
    for (const [name, schema] of Object.entries(components?.schemas ?? {})) schemas[name] ??= strip(schema);
  }
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function strip(schema: Json): Json {
  const { description: _, ...rest } = schema;
  for (const [key, value] of Object.entries(rest)) {
    if (key === 'properties')
      rest[key] = Object.fromEntries(
        Object.entries(value as Json).map(([name, child]) => [name, strip(child as Json)]),
      );
    else if (key === 'items' || key === 'additionalProperties')
      rest[key] = typeof value === 'object' ? strip(value as Json) : value;
    else if (key === 'allOf') rest[key] = (value as Json[]).map(strip);
  }
  return rest;
}

async function write(file: string, content: string | Uint8Array): Promise<void> {
  const bytes = Buffer.from(content as string);
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_LGWIN, BROTLI_PARAM_SIZE_HINT } = constants;
  const params = { [BROTLI_PARAM_QUALITY]: 11, [BROTLI_PARAM_LGWIN]: 24, [BROTLI_PARAM_SIZE_HINT]: bytes.length };
  const packed = await promisify(brotliCompress)(bytes, { params });
  await writeFile(file, packed);
  process.stdout.write(`${basename(file)}: ${bytes.length} → ${packed.length} bytes\n`);
}

if (import.meta.main) {
  const file = process.argv[2];
  if (!file) throw new Error('usage: generate.ts KUBECONFIG');
  const config = loadKubeconfig(await readFile(file, 'utf8'), { file, baseDir: dirname(file) });
  const client = connect(config, { caller: { component: 'schema', purpose: 'generate' } });
  await generate(client, join(import.meta.dirname, 'data'));
  await client.close();
}
