import { goText } from '../object/go-value.ts';
import type { ObjectType } from '../schema/object-type.ts';
import { type Fields, isFields, sameValue } from '../smd/typed-value.ts';
import { PatchError } from './patch-error.ts';
import { patchMetaOf } from './patch-meta.ts';
import {
  deletePrefix,
  directive,
  goType,
  identity,
  itemKind,
  mergeOrder,
  orderPrefix,
  requireKey,
  retainKeys,
  without,
} from './strategic-lists.ts';

/** Whether a patch is applied to an object, or laid over another patch, whose directives and nulls are kept. */
type Mode = 'apply' | 'combine';

/**
 * Applies a strategic merge patch to an object of a built-in kind, with all its directives ($patch, $retainKeys,
 * $setElementOrder, $deleteFromPrimitiveList). Nothing given is changed. Throws `PatchError`.
 */
export function strategicMerge<T extends object>(object: T, patch: unknown, type: ObjectType): T {
  if (!isFields(patch)) {
    const kind = Array.isArray(patch) ? 'array' : typeof patch;
    throw new PatchError(400, `json: cannot unmarshal ${kind} into Go value of type map[string]interface {}`);
  }
  return mergeFields(object as Fields, patch, type, 'apply') as T;
}

/** Lays one strategic merge patch over another: applying the result does what applying both does. */
export function combineStrategicPatches(first: Fields, second: Fields, type: ObjectType): Fields {
  return mergeFields(first, second, type, 'combine');
}

function mergeFields(original: Fields, patch: Fields, type: ObjectType | undefined, mode: Mode): Fields {
  const whole = patch[directive];
  if (whole === 'replace') return without(patch, directive);
  if (whole === 'delete') return {};
  if (whole !== undefined) throw new PatchError(500, `unknown patch type: ${String(whole)} in map: ${goText(patch)}`);
  const result = { ...original };
  const rest = { ...patch };
  applyRetainKeys(result, rest, mode);
  for (const key of Object.keys(rest)) if (key.startsWith(orderPrefix)) applyOrder(result, rest, key, type, mode);
  for (const [key, value] of Object.entries(rest)) {
    const isDeletion = key.startsWith(deletePrefix);
    if (isDeletion && mode === 'combine') result[key] = value;
    else mergeField(result, isDeletion ? key.slice(deletePrefix.length) : key, value, isDeletion, type, mode);
  }
  return result;
}

function mergeField(
  result: Fields,
  name: string,
  value: unknown,
  isDeletion: boolean,
  type: ObjectType | undefined,
  mode: Mode,
): void {
  if (name === '__proto__') return; // assigning it would change the prototype; no kind has such a field
  if (value === null) {
    delete result[name];
    if (mode === 'apply') return;
  }
  const before = result[name];
  if (before === undefined || kindOf(before) !== kindOf(value)) {
    if (!isDeletion) setClean(result, name, value, mode);
    return;
  }
  const meta = patchMetaOf(type, name, value);
  if (isFields(before) && isFields(value)) {
    result[name] = meta.strategy === 'replace' ? value : mergeFields(before, value, meta.type, mode);
  } else if (Array.isArray(before) && Array.isArray(value)) {
    const merges = meta.strategy === 'merge' || isDeletion;
    result[name] = merges ? mergeLists(before, value, meta.type, meta.mergeKey, isDeletion, mode) : value;
  } else setClean(result, name, value, mode);
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
}

/** Takes a value that has nothing to be merged with: its directives, and when applying its nulls, mean nothing there. */
function setClean(result: Fields, name: string, value: unknown, mode: Mode): void {
  const cleaned = clean(value, mode === 'apply');
  if (cleaned === undefined) delete result[name];
  else result[name] = cleaned;
}

function clean(value: unknown, dropNulls: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => clean(item, dropNulls)).filter((item) => item !== undefined);
  if (!isFields(value)) return value;
  if (Object.hasOwn(value, directive)) return undefined;
  const result: Fields = {};
  for (const [name, inner] of Object.entries(value)) {
    const cleaned = name === '__proto__' || (dropNulls && inner === null) ? undefined : clean(inner, dropNulls);
    if (cleaned !== undefined) result[name] = cleaned;
  }
  return result;
}

/** `$retainKeys` lists the fields that may stay. */
function applyRetainKeys(result: Fields, patch: Fields, mode: Mode): void {
  if (!Object.hasOwn(patch, retainKeys)) return;
  const keys = patch[retainKeys];
  delete patch[retainKeys];
  if (mode === 'combine') {
    if (Object.hasOwn(result, retainKeys) && !sameValue(result[retainKeys], keys)) {
      throw new PatchError(
        500,
        `${goText(result[retainKeys])} and ${goText(keys)} are not deep equal: this may happen when calculating the 3-way diff patch`,
      );
    }
    result[retainKeys] = keys;
    return;
  }
  const kept = new Set(Array.isArray(keys) ? keys : []);
  const isListed = ([name, value]: [string, unknown]) =>
    value === null || kept.has(name) || name.startsWith(deletePrefix) || name.startsWith(orderPrefix);
  if (!Array.isArray(keys) || !Object.entries(patch).every(isListed)) {
    throw new PatchError(400, 'invalid patch format of retainKeys');
  }
  for (const name of Object.keys(result)) if (!kept.has(name)) delete result[name];
}

/** Merges the list of a `$setElementOrder/<name>` and sets it in that order; the list is taken out of the patch. */
function applyOrder(result: Fields, patch: Fields, key: string, type: ObjectType | undefined, mode: Mode): void {
  const order = patch[key];
  delete patch[key];
  if (mode === 'combine') {
    if (Object.hasOwn(result, key) && !sameValue(result[key], order))
      throw new PatchError(400, 'invalid patch format of setElementOrder list');
    result[key] = order;
  }
  if (!Array.isArray(order)) throw new PatchError(500, `expected a []interface {}, but received a ${goType(order)}`);
  const name = key.slice(orderPrefix.length);
  const before = listAt(result, name);
  const change = listAt(patch, name);
  const { type: itemType, mergeKey, strategy } = patchMetaOf(type, name, order);
  checkOrder(change ?? [], order, mergeKey);
  if (!before && !change) return;
  let merged: unknown[];
  if (!change) merged = before ?? [];
  else if (!before) merged = clean(change, false) as unknown[];
  else merged = strategy === 'merge' ? mergeLists(before, change, itemType, mergeKey, false, mode) : change;
  if (mergeKey) for (const item of merged) requireKey(item, mergeKey);
  result[name] = mergeOrder(merged, order, before ?? [], mergeKey);
  delete patch[name];
}

function listAt(fields: Fields, name: string): unknown[] | undefined {
  const value = fields[name];
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return value;
  throw new PatchError(500, `expected a []interface {}, but received a ${goType(value)}`);
}

/** Items of the patch must come in the order that the patch itself asks for. */
function checkOrder(change: readonly unknown[], order: readonly unknown[], mergeKey: string): void {
  if (change.length === 0 || order.length === 0) return;
  const items = change.filter((item) => !(isFields(item) && Object.hasOwn(item, directive)));
  let next = 0;
  for (const place of order) {
    const item = items[next];
    if (item === undefined) return;
    if (mergeKey) requireKey(item, mergeKey);
    if (identity(item, mergeKey) === identity(place, mergeKey)) next++;
  }
  if (next < items.length) {
    throw new PatchError(
      500,
      `The order in patch list:\n${goText(change)}\n doesn't match $setElementOrder list:\n${goText(order)}\n`,
    );
  }
}

function mergeLists(
  before: unknown[],
  change: unknown[],
  type: ObjectType | undefined,
  mergeKey: string,
  isDeletion: boolean,
  mode: Mode,
): unknown[] {
  if (before.length === 0 && change.length === 0) return before;
  if (itemKind(before, change) === 'scalar') {
    if (isDeletion && mode === 'apply') return before.filter((item) => !change.includes(item));
    return mergeOrder([...new Set([...before, ...change])], change, before, '');
  }
  if (!mergeKey) throw new PatchError(500, 'cannot merge lists without merge key');
  const { kept, items } = applyItemDirectives(before as Fields[], change as Fields[], mergeKey);
  const merged = [...kept];
  for (const item of items) {
    const key = requireKey(item, mergeKey);
    const index = merged.findIndex((other) => other[mergeKey] === key);
    if (index < 0) merged.push(item);
    else merged[index] = mergeFields(merged[index] as Fields, item, type, mode);
  }
  for (const item of merged) requireKey(item, mergeKey);
  return mergeOrder(merged, items, kept, mergeKey);
}

/** Carries out `$patch: delete` and `$patch: replace` items of a list and leaves the others. */
function applyItemDirectives(
  before: Fields[],
  change: Fields[],
  mergeKey: string,
): { kept: Fields[]; items: Fields[] } {
  let kept = before;
  let replaces = false;
  const items: Fields[] = [];
  for (const item of change) {
    const what = item[directive];
    if (what === undefined) items.push(item);
    else if (what === 'replace') replaces = true;
    else if (what === 'delete') {
      const key = requireKey(item, mergeKey);
      kept = kept.filter((other) => other[mergeKey] !== key);
    } else if (what === 'merge') throw new PatchError(500, 'merging lists cannot yet be specified in the patch');
    else throw new PatchError(500, `unknown patch type: ${String(what)} in map: ${goText(item)}`);
  }
  return replaces ? { kept: items, items: [] } : { kept, items };
}
