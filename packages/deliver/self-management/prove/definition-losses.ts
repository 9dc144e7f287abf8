import type { Client, KubeObject } from '@tiphys/kubernetes';
import { isNotFound } from '@tiphys/kubernetes';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly additionalProperties?: Schema | boolean;
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
}

interface Version {
  readonly name: string;
  readonly served?: boolean;
  readonly schema?: { readonly openAPIV3Schema?: Schema };
}

interface Spec {
  readonly group: string;
  readonly scope?: string;
  readonly names?: { readonly kind?: string };
  readonly versions?: readonly Version[];
}

/** What a definition would cease to hold. */
export interface DefinitionLoss {
  readonly version: string;
  /** Segments of the field; `*` for each item of a list or map, and at the end for all fields that no schema names. Empty for the whole version. */
  readonly path: readonly string[];
}

/** A chain of fields that is longer says nothing new. */
const deepest = 40;

/** The fields and versions that one definition has and the other one, which takes its place, has not. */
export function definitionLosses(before: KubeObject, after: KubeObject): DefinitionLoss[] {
  const [old, next] = [before.spec as Spec, after.spec as Spec];
  if (old.scope !== next.scope || old.names?.kind !== next.names?.kind)
    return (old.versions ?? []).map(({ name }) => ({ version: name, path: [] }));
  return (old.versions ?? []).flatMap(({ name, served, schema }): DefinitionLoss[] => {
    const same = next.versions?.find((version) => version.name === name);
    if (!same || (served && !same.served)) return [{ version: name, path: [] }];
    return lost(schema?.openAPIV3Schema ?? {}, same.schema?.openAPIV3Schema ?? {}, []).map((path) => ({
      version: name,
      path,
    }));
  });
}

function lost(old: Schema, next: Schema, path: readonly string[]): string[][] {
  if (next['x-kubernetes-preserve-unknown-fields'] || path.length > deepest) return [];
  if (old['x-kubernetes-preserve-unknown-fields']) return [[...path, '*']];
  const found: string[][] = [];
  const into = new Map(Object.entries(next.properties ?? {}));
  const map = schemaOf(next.additionalProperties);
  for (const [name, schema] of Object.entries(old.properties ?? {})) {
    const same = into.get(name) ?? map;
    if (same) found.push(...lost(schema, same, [...path, name]));
    else found.push([...path, name]);
  }
  if (old.items) found.push(...lost(old.items, next.items ?? {}, [...path, '*']));
  const values = schemaOf(old.additionalProperties);
  if (values) found.push(...(map ? lost(values, map, [...path, '*']) : [[...path, '*']]));
  return found;
}

function schemaOf(additional: Schema | boolean | undefined): Schema | undefined {
  if (additional === true) return { 'x-kubernetes-preserve-unknown-fields': true };
  return additional || undefined;
}

/** Whether an object has something at the path. */
export function holds(value: unknown, path: readonly string[]): boolean {
  const [first, ...rest] = path;
  if (first === undefined) return value !== undefined;
  if (value === null || typeof value !== 'object') return false;
  if (first === '*') return Object.values(value).some((each) => holds(each, rest));
  return Object.hasOwn(value, first) && holds((value as Record<string, unknown>)[first], rest);
}

/** Names are enough to look further. */
const shown = 5;

/**
 * Of the losses those that stored objects would feel, each with the first of these objects; `unused` are the others.
 * Objects are read in pages.
 */
export async function feltLosses(
  client: Client,
  definition: KubeObject,
  losses: readonly DefinitionLoss[],
  signal?: AbortSignal,
): Promise<{ felt: { readonly field: string; readonly objects: readonly string[] }[]; unused: string[] }> {
  const { group, names } = definition.spec as Spec;
  const felt = new Map<DefinitionLoss, string[]>();
  for (const version of new Set(losses.map((loss) => loss.version))) {
    const wanted = losses.filter((loss) => loss.version === version);
    for await (const object of objectsOf(
      client,
      { apiVersion: `${group}/${version}`, kind: names?.kind ?? '' },
      signal,
    ))
      for (const loss of wanted) {
        if (!holds(object, loss.path)) continue;
        const known = felt.get(loss) ?? [];
        const { namespace, name } = object.metadata;
        if (known.length < shown) felt.set(loss, [...known, namespace ? `${namespace}/${name}` : `${name}`]);
      }
  }
  const field = ({ version, path }: DefinitionLoss) => [`${group}/${version} ${names?.kind}`, ...path].join('.');
  return {
    felt: [...felt].map(([loss, objects]) => ({ field: field(loss), objects })),
    unused: losses.filter((loss) => !felt.has(loss)).map(field),
  };
}

async function* objectsOf(
  client: Client,
  ref: { apiVersion: string; kind: string },
  signal: AbortSignal | undefined,
): AsyncIterable<KubeObject> {
  let next: string | undefined;
  do {
    const options = { limit: 500, ...(next ? { continue: next } : {}), ...(signal ? { signal } : {}) };
    const page = await client.list(ref, options).catch((error: unknown) => {
      // a version that is not served has no objects of its own
      if (isNotFound(error)) return undefined;
      throw error;
    });
    if (!page) return;
    yield* page.items;
    next = page.metadata.continue || undefined;
  } while (next);
}
