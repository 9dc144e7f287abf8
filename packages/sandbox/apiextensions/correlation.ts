import { isDeepStrictEqual } from 'node:util';
import type { Schema } from '@tiphys/apimachinery';
import { isFields } from '@tiphys/kubernetes';

/** The value that a value was before an update; undefined when there is none that could be told to be it. */
export interface Past {
  readonly value: unknown;
}

/**
 * Tells whether a value is what it was. Only what the schema tells apart counts: an object with a field that the schema
 * does not name is never the same, and the items of a map may change their places.
 */
export function isUnchanged(value: unknown, past: Past | undefined, schema: Schema): boolean {
  if (past === undefined) return false;
  const old = past.value;
  if (Array.isArray(value) && Array.isArray(old)) return isSameList(value, old, schema);
  if (!isFields(value) || !isFields(old)) return isDeepStrictEqual(value ?? null, old ?? null);
  const keys = Object.keys(value);
  return (
    keys.length === Object.keys(old).length &&
    keys.every((key) => {
      const property = propertyOf(schema, key);
      return (
        property !== undefined && Object.hasOwn(old, key) && isUnchanged(value[key], { value: old[key] }, property)
      );
    })
  );
}

function isSameList(value: readonly unknown[], old: readonly unknown[], schema: Schema): boolean {
  if (value.length !== old.length) return false;
  const { items } = schema;
  if (schema['x-kubernetes-list-type'] !== 'map' || !items) return isDeepStrictEqual(value, old);
  return value.every((item) => isUnchanged(item, pastOfItem({ value: old }, item, schema), items));
}

function propertyOf({ properties, additionalProperties }: Schema, key: string): Schema | undefined {
  return properties?.[key] ?? (typeof additionalProperties === 'object' ? additionalProperties : undefined);
}

/** What a field was; the type of the whole object is never looked at. */
export function pastOfField(past: Past | undefined, key: string, root: boolean): Past | undefined {
  if (!past || !isFields(past.value) || !Object.hasOwn(past.value, key)) return undefined;
  return root && (key === 'apiVersion' || key === 'kind') ? undefined : { value: past.value[key] };
}

/** Items of maps are told apart by their keys; those of other lists have no past. */
export function pastOfItem(past: Past | undefined, item: unknown, schema: Schema): Past | undefined {
  if (!past || !Array.isArray(past.value) || !isFields(item) || schema['x-kubernetes-list-type'] !== 'map')
    return undefined;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const found: unknown = past.value.find((other) => isFields(other) && keys.every((key) => other[key] === item[key]));
  return found === undefined ? undefined : { value: found };
}
