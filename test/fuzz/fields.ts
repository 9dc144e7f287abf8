import type { OpenApiSchema } from '@tiphys/kubernetes';
import type { Step } from '../conformance/run-case.ts';
import type { Choices } from './choices.ts';
import type { FuzzKind } from './kinds.ts';
import { isMap, type Json, resolved, textFor, valueFor } from './values.ts';

/*
 * One odd value in one field, however deep: what random writes hardly ever reach. Lists and maps on the way are made,
 * with what their schemas require.
 */

const TEXTS = ['', 'a', 'A_b', 'a b', '-a', 'a/b', 'example.com/a', 'kubernetes.io/a', 'a.b', '*', '1', 'x'.repeat(64)];
const NUMBERS = [0, 1, -1, 2, 100, 256, 65536, 2147483647];
const MAP_KEYS = ['a', '', 'a b', 'example.com/a', 'cpu', 'storage', 'kubernetes.io/x', 'x'.repeat(64)];
const MAX_DEPTH = 14;

/** Words in capitals that a description names: mostly the values that are allowed. */
const namedIn = ({ description = '' }: OpenApiSchema): string[] =>
  [...description.matchAll(/[`"]([A-Z][A-Za-z]{1,40})[`"]/g)].map(([, word]) => word as string);

/** What is required, each with the simplest value. */
function least(choices: Choices, given: OpenApiSchema, name: string): Json {
  const schema = resolved(given);
  if (!schema.properties) return valueFor(choices, given, name, MAX_DEPTH);
  const { properties = {}, required = [] } = schema;
  return Object.fromEntries(required.map((key) => [key, least(choices, properties[key] ?? {}, key)]));
}

function leafValue(choices: Choices, given: OpenApiSchema, name: string): Json {
  const schema = resolved(given);
  if (schema.type === 'string')
    return choices.pick([...TEXTS, ...namedIn(given), ...namedIn(schema), textFor(choices, name)]);
  if (schema.type === 'integer') return choices.pick(NUMBERS);
  if (isMap(schema.additionalProperties) && choices.chance(60)) {
    const value = least(choices, schema.additionalProperties as OpenApiSchema, name);
    return { [choices.pick(MAP_KEYS)]: value };
  }
  return valueFor(choices, given, name);
}

/** The object with an odd value at the end of a walk down its schema. */
function withOdd(choices: Choices, object: Json | undefined, given: OpenApiSchema, name: string, depth = 0): Json {
  const schema = resolved(given);
  if (depth > MAX_DEPTH || (depth > 1 && choices.chance(10))) return leafValue(choices, given, name);
  if (schema.properties) {
    const hidden = depth === 0 ? ['apiVersion', 'kind', 'metadata', 'status'] : ['managedFields'];
    const names = Object.keys(schema.properties).filter((key) => !hidden.includes(key));
    const key = choices.pick(names);
    const known = isMap(object) ? object : least(choices, given, name);
    const map = isMap(known) ? known : {};
    return { ...map, [key]: withOdd(choices, map[key], schema.properties[key] ?? {}, key, depth + 1) };
  }
  if (schema.type === 'array' && !choices.chance(10)) {
    const [first, ...rest] = Array.isArray(object) ? object : [];
    return [withOdd(choices, first, schema.items ?? {}, name, depth + 1), ...rest];
  }
  return leafValue(choices, given, name);
}

/** Creates an object of a kind that has one field as nobody would have it, or changes one that is there. */
export function fieldOf(choices: Choices, kind: FuzzKind): Step {
  const { name: fixed, ...metadata } = isMap(kind.base.metadata) ? kind.base.metadata : {};
  const name = fixed ?? `${kind.clusterWide ? '{ns}-' : ''}a`;
  const base: Json = { apiVersion: kind.apiVersion, kind: kind.kind, ...kind.base, metadata: { ...metadata, name } };
  const body = withOdd(choices, base, kind.schema, '');
  return { method: 'POST', path: `${kind.path}?dryRun=All`, body };
}
