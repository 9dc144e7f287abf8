import { goText } from '../object/go-value.ts';
import type { ObjectType } from '../schema/object-type.ts';
import { type Fields, isFields, sameValue } from '../smd/typed-value.ts';
import { PatchError } from './patch-error.ts';
import { patchMetaOf } from './patch-meta.ts';
import {
  deletePrefix,
  directive,
  goType,
  itemKind,
  orderPrefix,
  requireKey,
  retainKeys,
  sortByOrder,
} from './strategic-lists.ts';
import { combineStrategicPatches } from './strategic-merge.ts';

/** Which differences a patch is to carry. */
interface Wanted {
  changes: boolean;
  deletions: boolean;
}

/** The strategic merge patch that makes `modified` of `original`. */
export function twoWayStrategicPatch(original: object, modified: object, type: ObjectType): Fields {
  return diffFields(original as Fields, modified as Fields, type, { changes: true, deletions: true }, false);
}

/**
 * The patch of client-side apply, as `kubectl apply` makes it: what `modified` changes in `current`, and removals of what
 * `original`, the last applied configuration, had and `modified` has not. Empty if there is nothing to do.
 */
export function threeWayStrategicPatch(original: object, modified: object, current: object, type: ObjectType): Fields {
  const delta = diffFields(current as Fields, modified as Fields, type, { changes: true, deletions: false }, false);
  const deletions = diffFields(
    original as Fields,
    modified as Fields,
    type,
    { changes: false, deletions: true },
    false,
  );
  return combineStrategicPatches(deletions, delta, type);
}

function diffFields(
  original: Fields,
  modified: Fields,
  type: ObjectType | undefined,
  wanted: Wanted,
  retains: boolean,
): Fields {
  const patch: Fields = {};
  for (const [name, value] of Object.entries(modified)) {
    const before = original[name];
    if (before === undefined || kindOf(before) !== kindOf(value)) {
      if (wanted.changes) patch[name] = value;
    } else if (name === directive) {
      if (before !== value) patch[name] = value;
    } else if (isFields(before) && isFields(value)) diffField(patch, name, before, value, type, wanted);
    else if (Array.isArray(before) && Array.isArray(value)) diffList(patch, name, before, value, type, wanted);
    else if (wanted.changes && before !== value) patch[name] = value;
  }
  if (wanted.deletions)
    for (const name of Object.keys(original)) if (!Object.hasOwn(modified, name)) patch[name] = null;
  if (retains) addRetainKeys(patch, original, modified);
  return patch;
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'list' : value === null ? 'null' : typeof value;
}

function addRetainKeys(patch: Fields, original: Fields, modified: Fields): void {
  const keys = Object.keys(modified).filter((name) => modified[name] !== null);
  const clears = Object.keys(original).some((name) => original[name] !== null && !Object.hasOwn(modified, name));
  if (keys.length > 0 && (Object.keys(patch).length > 0 || clears)) patch[retainKeys] = keys.sort();
}

function diffField(
  patch: Fields,
  name: string,
  before: Fields,
  after: Fields,
  type: ObjectType | undefined,
  wanted: Wanted,
): void {
  const meta = patchMetaOf(type, name, after);
  if (meta.strategy === 'replace') {
    if (wanted.changes) patch[name] = after;
    return;
  }
  const inner = diffFields(before, after, meta.type, wanted, meta.retainKeys);
  if (Object.keys(inner).length > 0) patch[name] = inner;
}

function diffList(
  patch: Fields,
  name: string,
  before: unknown[],
  after: unknown[],
  type: ObjectType | undefined,
  wanted: Wanted,
): void {
  const { strategy, mergeKey, retainKeys: retains, type: itemType } = patchMetaOf(type, name, after);
  if (strategy !== 'merge') {
    if (wanted.changes && !sameValue(before, after)) patch[name] = after;
    return;
  }
  if (before.length === 0) {
    if (after.length > 0 && wanted.changes) patch[name] = after;
    return;
  }
  if (itemKind(before, after) === 'scalar') diffScalars(patch, name, before, after, wanted);
  else diffItems(patch, name, before as Fields[], after as Fields[], itemType, mergeKey, wanted, retains);
}

function diffScalars(patch: Fields, name: string, before: unknown[], after: unknown[], wanted: Wanted): void {
  const added = wanted.changes ? missing(after, before) : [];
  const removed = wanted.deletions ? [...new Set(missing(before, after))].sort(byText) : [];
  if (added.length > 0) patch[name] = sortByOrder(added, after, '');
  if (removed.length > 0) patch[deletePrefix + name] = removed;
  if (removed.length > 0 || (wanted.changes && !sameValue(before, after))) {
    if (after.length > 0) patch[orderPrefix + name] = after;
  }
}

/** Items of the first list that the second has not, or not as often. */
function missing(items: unknown[], others: unknown[]): unknown[] {
  const left = [...others];
  return items.filter((item) => {
    const index = left.indexOf(item);
    if (index >= 0) left.splice(index, 1);
    return index < 0;
  });
}

function byText(a: unknown, b: unknown): number {
  const left = String(a);
  const right = String(b);
  return left < right ? -1 : left > right ? 1 : 0;
}

function diffItems(
  patch: Fields,
  name: string,
  before: Fields[],
  after: Fields[],
  type: ObjectType | undefined,
  mergeKey: string,
  wanted: Wanted,
  retains: boolean,
): void {
  const oldItems = indexByKey(before, mergeKey);
  const newItems = indexByKey(after, mergeKey);
  const changes: Fields[] = [];
  for (const [key, item] of newItems) {
    const old = oldItems.get(key);
    if (old) {
      const inner = diffFields(old, item, type, wanted, retains);
      if (Object.keys(inner).length > 0) changes.push({ ...inner, [mergeKey]: key });
    } else if (wanted.changes) changes.push(item);
  }
  const removed = wanted.deletions ? [...oldItems.keys()].filter((key) => !newItems.has(key)).sort(byText) : [];
  const list = [
    ...sortByOrder(changes, after, mergeKey),
    ...removed.map((key) => ({ [mergeKey]: key, [directive]: 'delete' })),
  ];
  if (list.length > 0) patch[name] = list;
  const sameOrder =
    before.length === after.length && before.every((item, index) => item[mergeKey] === after[index]?.[mergeKey]);
  const ordered = (wanted.changes && (list.length > 0 || !sameOrder)) || (wanted.deletions && list.length > 0);
  if (ordered && after.length > 0) patch[orderPrefix + name] = after.map((item) => ({ [mergeKey]: item[mergeKey] }));
}

function indexByKey(items: Fields[], mergeKey: string): Map<unknown, Fields> {
  const index = new Map<unknown, Fields>();
  for (const item of items) {
    const key = requireKey(item, mergeKey);
    if (typeof key === 'object') {
      throw new PatchError(500, `merge key ${mergeKey} of ${goText(item)} is a ${goType(key)}`);
    }
    if (!index.has(key)) index.set(key, item);
  }
  return index;
}
