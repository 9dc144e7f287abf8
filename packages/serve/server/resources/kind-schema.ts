import { type Client, isNotFound, type OpenApiSchema, refName } from '@tiphys/kubernetes';
import { notFound } from '../rpc/rpc-error.ts';

export interface KindName {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** The schema of a kind, and those that it refers to by their names. */
export interface KindSchema {
  readonly root: string;
  readonly definitions: Readonly<Record<string, OpenApiSchema>>;
}

const part = /^[A-Za-z0-9][A-Za-z0-9.-]{0,252}$/;

/** What the cluster's OpenAPI says of a kind; NotFound if it publishes nothing of it. */
export async function readKindSchema(client: Client, name: KindName, signal?: AbortSignal): Promise<KindSchema> {
  const { group, version, kind } = name;
  const shown = `${group ? `${group}/` : ''}${version}, ${kind}`;
  const missing = () => notFound(`The cluster publishes no schema of ${shown}`);
  if (![group || 'core', version, kind].every((one) => part.test(one))) throw missing();
  const path = group === '' ? `api/${version}` : `apis/${group}/${version}`;
  const response = await client
    .request('GET', `/openapi/v3/${path}`, { accept: 'application/json', ...(signal ? { signal } : {}) })
    .catch((error: unknown) => {
      throw isNotFound(error) ? missing() : error;
    });
  const document = (await response.json()) as { components?: { schemas?: Record<string, OpenApiSchema> } };
  const schemas = new Map(Object.entries(document.components?.schemas ?? {}));
  const root = [...schemas].find(([, schema]) =>
    schema['x-kubernetes-group-version-kind']?.some(
      (one) => one.group === group && one.version === version && one.kind === kind,
    ),
  )?.[0];
  if (root === undefined) throw missing();
  return { root, definitions: reachable(root, schemas) };
}

function reachable(root: string, schemas: ReadonlyMap<string, OpenApiSchema>): Record<string, OpenApiSchema> {
  const found = new Map<string, OpenApiSchema>();
  const open: (string | OpenApiSchema)[] = [root];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (typeof next === 'string') {
      const schema = schemas.get(next);
      if (!schema || found.has(next)) continue;
      found.set(next, schema);
      open.push(schema);
      continue;
    }
    const ref = refName(next);
    if (ref !== undefined) open.push(ref);
    const { items, additionalProperties, properties = {} } = next;
    open.push(...Object.values(properties), ...(items ? [items] : []));
    if (typeof additionalProperties === 'object') open.push(additionalProperties);
  }
  return Object.fromEntries(found);
}
