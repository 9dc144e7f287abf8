import { isDeepStrictEqual } from 'node:util';
import type { OpenApiV2 } from './openapi-conversion.ts';

type Json = Record<string, unknown>;

const DEFINITION = '#/definitions/';

/** The document with these paths alone, and with the definitions that they need. */
export function onlyPaths(document: OpenApiV2, wanted: (path: string) => boolean): OpenApiV2 {
  const { definitions = {} } = document;
  const paths = Object.fromEntries(Object.entries(document.paths ?? {}).filter(([path]) => wanted(path)));
  const needed = new Set<string>();
  const need = (value: unknown): void => {
    for (const name of referencesIn(value)) {
      if (needed.has(name)) continue;
      needed.add(name);
      need(definitions[name]);
    }
  };
  need(paths);
  need(document.parameters);
  return {
    ...document,
    paths,
    definitions: Object.fromEntries(Object.entries(definitions).filter(([name]) => needed.has(name))),
  };
}

/**
 * The document with the paths, definitions and parameters of another one. Paths that both have stay as they are, and
 * definitions and parameters of the same name that say something else are taken over under a name of their own (`NAME_v2`).
 */
export function mergedDocument(into: OpenApiV2, from: OpenApiV2): OpenApiV2 {
  const added = onlyPaths(from, (path) => into.paths?.[path] === undefined);
  if (!Object.keys(added.paths ?? {}).length) return into;
  const definitions = namesFor(into.definitions ?? {}, added.definitions ?? {}, sameDefinition);
  const parameters = namesFor(into.parameters ?? {}, added.parameters ?? {}, isDeepStrictEqual);
  const renamed = (value: unknown) =>
    withReferences(withReferences(value, DEFINITION, definitions), '#/parameters/', parameters);
  const all = (items: Readonly<Record<string, Json>> | undefined, names: ReadonlyMap<string, string>) =>
    Object.fromEntries(Object.entries(items ?? {}).map(([name, item]) => [names.get(name) ?? name, renamed(item)]));
  const shared = { ...into.parameters, ...all(added.parameters, parameters) } as Record<string, Json>;
  return {
    ...into,
    paths: { ...into.paths, ...(renamed(added.paths) as Record<string, Json>) },
    definitions: { ...(all(added.definitions, definitions) as Record<string, Json>), ...into.definitions },
    ...(Object.keys(shared).length ? { parameters: shared } : {}),
  };
}

/** New names of those that mean something else where they are to go. */
function namesFor(
  present: Readonly<Record<string, Json>>,
  added: Readonly<Record<string, Json>>,
  same: (one: Json, other: Json) => boolean,
): Map<string, string> {
  const names = new Map<string, string>();
  const taken = new Set([...Object.keys(present), ...Object.keys(added)]);
  for (const [name, item] of Object.entries(added)) {
    const before = present[name];
    if (!before || same(before, item)) continue;
    let number = 2;
    const fits = (other: Json | undefined) => other !== undefined && same(other, item);
    while (taken.has(`${name}_v${number}`) && !fits(present[`${name}_v${number}`])) number += 1;
    names.set(name, `${name}_v${number}`);
    taken.add(`${name}_v${number}`);
  }
  return names;
}

const KINDS = 'x-kubernetes-group-version-kind';

/** Kinds that share a definition do not make it another one. */
function sameDefinition({ [KINDS]: _, ...one }: Json, { [KINDS]: __, ...other }: Json): boolean {
  return isDeepStrictEqual(one, other);
}

function* referencesIn(value: unknown): Generator<string> {
  if (typeof value !== 'object' || value === null) return;
  for (const [key, item] of Object.entries(value))
    if (key === '$ref' && typeof item === 'string') yield item.replace(DEFINITION, '');
    else yield* referencesIn(item);
}

function withReferences(value: unknown, prefix: string, names: ReadonlyMap<string, string>): unknown {
  if (!names.size || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => withReferences(item, prefix, names));
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => {
      if (key !== '$ref' || typeof item !== 'string') return [key, withReferences(item, prefix, names)];
      const name = item.startsWith(prefix) ? names.get(item.slice(prefix.length)) : undefined;
      return [key, name === undefined ? item : prefix + name];
    }),
  );
}
