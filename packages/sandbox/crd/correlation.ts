import { isDeepStrictEqual } from 'node:util';
import type { Schema } from './definition.ts';

/** The value that a value was before an update; undefined when there is none that could be told to be it. */
export interface Past {
  readonly value: unknown;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function isUnchanged(value: unknown, past: Past | undefined): boolean {
  return past !== undefined && isDeepStrictEqual(value, past.value);
}

/** What a field was; the type of the whole object is never looked at. */
export function pastOfField(past: Past | undefined, key: string, root: boolean): Past | undefined {
  if (!past || !isObject(past.value) || !(key in past.value)) return undefined;
  return root && (key === 'apiVersion' || key === 'kind') ? undefined : { value: past.value[key] };
}

/** Items of maps are told apart by their keys; those of other lists have no past. */
export function pastOfItem(past: Past | undefined, item: unknown, schema: Schema): Past | undefined {
  if (!past || !Array.isArray(past.value) || !isObject(item) || schema['x-kubernetes-list-type'] !== 'map')
    return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const found: unknown = past.value.find((other) => isObject(other) && keys.every((key) => other[key] === item[key]));
  return found === undefined ? undefined : { value: found };
}
