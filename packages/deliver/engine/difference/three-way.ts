import { type FieldType, type ListType, type ObjectType, sameValue, untypedType } from '@tiphys/kubernetes';
import { isObject, type JsonObject } from '../model/fields.ts';
import { sameQuantity } from '../model/quantity.ts';
import { isDropped, isServerDefault } from './defaults.ts';
import type { Step } from './field-path.ts';

export interface MergeContext {
  /** Whether the kind's schema is known, so that the server's ways with empty values are. */
  readonly builtin: boolean;
  /** Values that are owned as a whole replace the live one: server-side apply. */
  readonly atomic: boolean;
  /** Whether somebody else than us wrote the value at the path, as far as managed fields tell. */
  readonly foreign: (path: readonly Step[]) => boolean;
}

/**
 * What the live value becomes when the desired one is applied: fields that are desired get their value, fields that
 * were applied before and are desired no more go away, everything else stays. A value that means the same as the live
 * one keeps the live form, so that the result equals the live value where nothing would change.
 */
export function mergeObject(
  desired: JsonObject,
  last: unknown,
  live: JsonObject,
  type: ObjectType,
  path: readonly Step[],
  context: MergeContext,
): JsonObject {
  const before = isObject(last) ? last : {};
  const fields = type.map?.fields;
  const result: JsonObject = {};
  for (const name of Object.keys(live)) {
    const value = live[name];
    // the server writes null for some lists that are empty
    if (value === null) result[name] = null;
    else if (isPresent(desired[name]))
      result[name] = mergeField(name, desired[name], before[name], value, type, [...path, name], context);
    else if (!isPresent(before[name]) || isServerDefault(name, value, fields?.get(name)?.default)) result[name] = value;
  }
  const place = { builtin: context.builtin, declared: (fields?.size ?? 0) > 0 };
  for (const name of Object.keys(desired)) {
    if (isPresent(live[name]) || isDropped(name, desired[name], fieldTypeOf(type, name), place)) continue;
    result[name] = withoutNulls(desired[name]);
  }
  return result;
}

const isPresent = (value: unknown): boolean => value !== undefined && value !== null;

function fieldOf(type: ObjectType, name: string): FieldType | undefined {
  return type.map?.fields.get(name);
}

export function fieldTypeOf(type: ObjectType, name: string): ObjectType {
  return fieldOf(type, name)?.type ?? type.map?.element ?? untypedType;
}

function mergeField(
  name: string,
  desired: unknown,
  last: unknown,
  live: unknown,
  parent: ObjectType,
  path: readonly Step[],
  context: MergeContext,
): unknown {
  const field = fieldOf(parent, name);
  const type = fieldTypeOf(parent, name);
  if (isObject(desired) && isObject(live)) {
    if (context.atomic && context.builtin && type.map?.relationship === 'atomic')
      return mergeWhole(desired, live, type, path, path, context);
    const merged = mergeObject(desired, last, live, type, path, context);
    return field?.patchStrategies.includes('retainKeys') ? retainKeys(desired, live, merged) : merged;
  }
  if (Array.isArray(desired) && Array.isArray(live)) return mergeList(desired, last, live, type, path, context);
  return sameScalar(desired, live, type) ? live : withoutNulls(desired);
}

/** Unions such as volumes: a new member takes the place of the old one. */
function retainKeys(desired: JsonObject, live: JsonObject, merged: JsonObject): JsonObject {
  const switched =
    Object.keys(desired).some((name) => !Object.hasOwn(live, name)) ||
    ('type' in desired && desired['type'] !== live['type']);
  if (!switched) return merged;
  return Object.fromEntries(Object.entries(merged).filter(([name]) => Object.hasOwn(desired, name)));
}

function mergeList(
  desired: readonly unknown[],
  last: unknown,
  live: readonly unknown[],
  type: ObjectType,
  path: readonly Step[],
  context: MergeContext,
): unknown[] {
  const list = type.list;
  if (list?.relationship === 'associative') {
    const merged =
      list.keys.length > 0 ? mergeKeyed(desired, last, live, list, path, context) : mergeSet(desired, last, live);
    if (merged) return merged;
  }
  if (desired.length !== live.length) return desired.map(withoutNulls);
  return desired.map((item, index) =>
    mergeWhole(item, live[index], list?.element ?? untypedType, [...path, index], path, context),
  );
}

/** Undefined where items cannot be told apart by their keys. */
function mergeKeyed(
  desired: readonly unknown[],
  last: unknown,
  live: readonly unknown[],
  list: ListType,
  path: readonly Step[],
  context: MergeContext,
): unknown[] | undefined {
  const wanted = keyItems(desired, list);
  const present = keyItems(live, list);
  if (!wanted || !present) return undefined;
  const before = (Array.isArray(last) ? keyItems(last, list) : undefined) ?? new Map<string, JsonObject>();
  const merged = new Map<string, unknown>();
  let index = 0;
  for (const [key, item] of present) {
    const goal = wanted.get(key);
    const step = { keys: keysOf(item, list), index: index++ };
    if (goal) merged.set(key, mergeObject(goal, before.get(key), item, list.element, [...path, step], context));
    else if (!before.has(key)) merged.set(key, item);
  }
  const common = [...wanted.keys()].filter((key) => present.has(key));
  const inOrder = sameValue(
    common,
    [...present.keys()].filter((key) => wanted.has(key)),
  );
  if (inOrder) {
    for (const [key, item] of wanted) if (!merged.has(key)) merged.set(key, withoutNulls(item));
    return [...merged.values()];
  }
  const ordered = [...wanted].map(([key, item]) => merged.get(key) ?? withoutNulls(item));
  return [...ordered, ...[...merged].filter(([key]) => !wanted.has(key)).map(([, item]) => item)];
}

function keyItems(items: readonly unknown[], list: ListType): Map<string, JsonObject> | undefined {
  const found = new Map<string, JsonObject>();
  for (const item of items) {
    if (!isObject(item)) return undefined;
    const key = JSON.stringify(Object.values(keysOf(item, list)));
    if (found.has(key)) return undefined;
    found.set(key, item);
  }
  return found;
}

export function keysOf(item: JsonObject, list: ListType): JsonObject {
  const fields = list.element.map?.fields;
  return Object.fromEntries(list.keys.map((name) => [name, item[name] ?? fields?.get(name)?.default ?? null]));
}

function mergeSet(desired: readonly unknown[], last: unknown, live: readonly unknown[]): unknown[] {
  const before = Array.isArray(last) ? last : [];
  const has = (list: readonly unknown[], item: unknown) => list.some((other) => sameValue(other, item));
  const kept = live.filter((item) => has(desired, item) || !has(before, item));
  return [...kept, ...desired.filter((item) => !has(live, item))];
}

/**
 * A part of a value that is replaced as a whole. What the live part has more than the desired one is either a default
 * of the server, or was put there by somebody; managed fields tell which.
 */
function mergeWhole(
  desired: unknown,
  live: unknown,
  type: ObjectType,
  path: readonly Step[],
  owner: readonly Step[],
  context: MergeContext,
): unknown {
  if (Array.isArray(desired) && Array.isArray(live)) {
    if (desired.length !== live.length) return desired.map(withoutNulls);
    return desired.map((item, index) =>
      mergeWhole(item, live[index], type.list?.element ?? untypedType, [...path, index], owner, context),
    );
  }
  if (!isObject(desired) || !isObject(live)) return sameScalar(desired, live, type) ? live : withoutNulls(desired);
  const result: JsonObject = {};
  for (const [name, value] of Object.entries(live)) {
    if (isPresent(desired[name]))
      result[name] = mergeWhole(desired[name], value, fieldTypeOf(type, name), [...path, name], owner, context);
    else if (isServerDefault(name, value, fieldOf(type, name)?.default) || (context.builtin && !context.foreign(owner)))
      result[name] = value;
  }
  const place = { builtin: context.builtin, declared: (type.map?.fields.size ?? 0) > 0 };
  for (const [name, value] of Object.entries(desired)) {
    if (!isPresent(live[name]) && !isDropped(name, value, fieldTypeOf(type, name), place))
      result[name] = withoutNulls(value);
  }
  return result;
}

function sameScalar(desired: unknown, live: unknown, type: ObjectType): boolean {
  if (sameValue(desired, live)) return true;
  if (type.schema.format === 'quantity') return sameQuantity(desired, live);
  return false;
}

/** The value without fields that are null, which the server does not store. */
function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (!isObject(value)) return value;
  const result: JsonObject = {};
  for (const [name, inner] of Object.entries(value))
    if (inner !== null && inner !== undefined) result[name] = withoutNulls(inner);
  return result;
}
