import { builtinModels, type OpenApiSchema } from '@tiphys/kubernetes';
import type { Choices } from './choices.ts';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export const isMap = (value: unknown): value is Record<string, Json> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const LONG = 'x'.repeat(64);
const NAMES = ['a', 'b', 'main', 'web', '', 'A_b', 'a.b', LONG, '-a', 'a/b'];

/** What a text is likely to be by the name of its field: right values first, then what people get wrong. */
const TEXTS: readonly [RegExp, readonly string[]][] = [
  [/^(protocol)$/, ['TCP', 'UDP', 'SCTP', 'tcp', '']],
  [/(^n|N)ame$/, NAMES],
  [/image$/, ['nginx', 'nginx:1', '', ' nginx']],
  [
    /^(cpu|memory|storage|sizeLimit|pods|min|max|averageValue|value)$/,
    ['1', '100m', '1Gi', '0', '-1', 'abc', '', '0.5', '1e3'],
  ],
  [/[tT]ime(stamp)?$/, ['2026-01-01T00:00:00Z', '2026-01-01', '', 'now']],
  [/(^ip|IPs?)$/, ['10.0.0.1', 'fe80::1', '1.2.3', '', '300.0.0.1']],
  [/(path|Path)$/, ['/a', '/a/b', 'a', '', '../a', '/a/../b']],
  [
    /^(host|hosts|hostname|hostnames|externalName|subdomain)$/,
    ['a.example.com', '*.example.com', 'A.com', '', '1.2.3.4', LONG],
  ],
  [/^schedule$/, ['* * * * *', '*/5 * * * *', '@hourly', '', 'x', '60 * * * *']],
  [/^timeZone$/, ['Europe/Paris', 'UTC', 'Nowhere/X', '']],
  [/^uid$/, ['f3b1c9a0-0000-4000-8000-000000000000', 'x', '']],
  [/^(apiGroup|group)s?$/i, ['', 'apps', 'rbac.authorization.k8s.io', 'A b']],
  [/^apiVersion$/, ['v1', 'apps/v1', '', 'a/b/c']],
  [/^kind$/, ['ConfigMap', 'Deployment', 'Role', '', 'x y']],
  [/^verbs$/, ['get', '*', '', 'fly']],
  [/^resources$/, ['pods', '*', 'pods/log', '']],
  [/^finalizers$/, ['example.com/a', 'foregroundDeletion', 'a', '', 'kubernetes']],
  [/^accessModes$/, ['ReadWriteOnce', 'ReadOnlyMany', 'x', '']],
  [/^operator$/, ['In', 'Exists', 'DoesNotExist', 'NotIn', 'Gt', 'Equal', '', 'x']],
  [/^key$/, ['app', 'example.com/a', '', 'a b', LONG]],
];
const OTHER_TEXTS = ['a', 'web', '', 'A_b', '1', 'a b', LONG, 'é'];
const KEYS = ['app', 'a', 'example.com/a', 'b.c', 'a b', '', LONG, 'A_b'];
const QUANTITY_KEYS = [
  'cpu',
  'memory',
  'ephemeral-storage',
  'example.com/gpu',
  'storage',
  'pods',
  'x',
  'hugepages-2Mi',
  '',
];
const INTEGERS = [1, 0, 2, 80, 3, 10, -1, 65535, 65536, 1000, 2147483647, 2147483648];

/** The schema with what it refers to in its place. */
export function resolved(schema: OpenApiSchema): OpenApiSchema {
  return builtinModels().resolve(schema);
}

/** A value for a field: mostly one that fits its schema, at times one of another type. */
export function valueFor(choices: Choices, given: OpenApiSchema, name: string, depth = 0): Json {
  if (choices.chance(12)) return oddValue(choices);
  const schema = resolved(given);
  if (schema.enum) return choices.chance(15) ? choices.pick(['x', '', 'A']) : (choices.pick(schema.enum) as Json);
  if (schema['x-kubernetes-int-or-string'] || schema.format === 'int-or-string')
    return choices.pick<Json>([80, 'http', '50%', 0, 1, '', -1, '150%', 'x y', 70000]);
  switch (schema.type) {
    case 'integer':
      return choices.pick(INTEGERS);
    case 'number':
      return choices.pick([1, 0.5, -1, 0]);
    case 'boolean':
      return choices.pick([true, false]);
    case 'array': {
      const { items = {} } = schema;
      const count = depth > 3 ? 0 : choices.pick([1, 0, 2, 2]);
      return Array.from({ length: count }, () => valueFor(choices, items, name, depth + 1));
    }
    case 'string':
      return textFor(choices, name);
  }
  if (schema.properties) return objectFor(choices, schema, depth);
  if (isMap(schema.additionalProperties)) {
    const values = schema.additionalProperties as OpenApiSchema;
    return Object.fromEntries(Array.from({ length: choices.pick([1, 0, 2]) }, () => entryFor(choices, values, depth)));
  }
  // Quantities are told by no type of their own.
  return choices.pick<Json>(['1', '100m', '1Gi', 0, 1.5, '-1', 'abc', '0', '1e3', '0.1m']);
}

function objectFor(choices: Choices, schema: OpenApiSchema, depth: number): Json {
  const names = Object.keys(schema.properties ?? {});
  const wanted = new Set(schema.required ?? []);
  const more = depth > 3 ? 0 : choices.pick([1, 0, 2, 3]);
  for (let left = more; left > 0; left--) wanted.add(choices.pick(names));
  if (choices.chance(4)) wanted.delete(choices.pick([...wanted]));
  return Object.fromEntries(
    [...wanted].map((name) => [name, valueFor(choices, schema.properties?.[name] ?? {}, name, depth + 1)]),
  );
}

function entryFor(choices: Choices, values: OpenApiSchema, depth: number): [string, Json] {
  const isQuantity = resolved(values).type === undefined && !resolved(values).properties;
  const key = choices.pick(isQuantity ? QUANTITY_KEYS : KEYS);
  return [key, valueFor(choices, values, key, depth + 1)];
}

export function textFor(choices: Choices, name: string): string {
  const [, texts] = TEXTS.find(([pattern]) => pattern.test(name)) ?? [undefined, OTHER_TEXTS];
  // The right ones come first, and more often.
  return choices.chance(60) ? choices.pick(texts) : choices.pick(texts.slice(0, 3));
}

export function oddValue(choices: Choices): Json {
  return choices.pick<Json>([null, '', 0, {}, [], 'a', 1.5, true, [null], { a: null }, ['a', 'a']]);
}

/** A place inside of an object: names, and indexes of lists. */
export type Place = readonly (string | number)[];

/** Where something is changed, and to what; undefined takes it away. */
export interface Change {
  readonly place: Place;
  readonly value: Json | undefined;
}

/** Fields that the servers write themselves, whatever is sent. */
const NOT_OURS = new Set(['managedFields', 'selfLink']);

/** Walks down the object and the schema, what is there before what could be, and changes what is at the end. */
export function changeOf(choices: Choices, object: Json, schema: OpenApiSchema): Change {
  const place: (string | number)[] = [];
  let at: Json | undefined = object;
  let type = resolved(schema);
  let name = '';
  for (let depth = 0; depth < 12; depth++) {
    const stops = depth > 1 && choices.chance(8);
    if (stops) break;
    if (type.properties || isMap(type.additionalProperties)) {
      const typed = depth > 0 || choices.chance(10) ? [] : ['apiVersion', 'kind'];
      const present: string[] = isMap(at) ? Object.keys(at).filter((key) => !typed.includes(key)) : [];
      const known = Object.keys(type.properties ?? {}).filter((key) => !NOT_OURS.has(key) && !typed.includes(key));
      if (choices.chance(3)) name = 'bogus';
      else if (present.length && (!known.length || !choices.chance(35))) name = choices.pick(present);
      else name = known.length ? choices.pick(known) : choices.pick(KEYS);
      place.push(name);
      at = isMap(at) ? at[name] : undefined;
      const values = type.additionalProperties;
      type = resolved(type.properties?.[name] ?? (isMap(values) ? (values as OpenApiSchema) : {}));
    } else if (type.type === 'array') {
      const length = Array.isArray(at) ? at.length : 0;
      const index = choices.chance(30) ? length : choices.below(Math.max(1, length));
      if (index === length && length > 0 && choices.chance(40))
        return { place: [...place, index], value: structuredClone((at as Json[])[0] as Json) };
      place.push(index);
      at = Array.isArray(at) ? at[index] : undefined;
      type = resolved(type.items ?? {});
    } else break;
  }
  if (at !== undefined && choices.chance(12)) return { place, value: undefined };
  return { place, value: valueFor(choices, type, name) };
}

/** The object with the change; lists and maps on the way are made. */
export function changed(object: Json | undefined, { place, value }: Change): Json {
  const [first, ...rest] = place;
  if (first === undefined) return value ?? null;
  const inner = (current: Json | undefined) =>
    rest.length ? changed(current, { place: rest, value }) : (value as Json);
  if (typeof first === 'number') {
    const list = Array.isArray(object) ? [...object] : [];
    if (rest.length === 0 && value === undefined) list.splice(first, 1);
    else list[Math.min(first, list.length)] = inner(list[first]);
    return list;
  }
  const map = isMap(object) ? { ...object } : {};
  if (rest.length === 0 && value === undefined) delete map[first];
  else map[first] = inner(map[first]);
  return map;
}
