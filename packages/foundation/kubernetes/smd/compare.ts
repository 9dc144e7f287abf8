import type { ListType, ObjectType } from '../schema/object-type.ts';
import { FieldSet } from './field-set.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { type Fields, fieldType, formOf, isFields, itemElement, sameValue } from './typed-value.ts';

export interface Comparison {
  /** In the second object only. */
  added: FieldSet;
  /** In both, with different values. */
  modified: FieldSet;
  /** In the first object only. */
  removed: FieldSet;
}

/** How the second object differs from the first, field by field as the schema divides them. */
export function compareObjects(before: unknown, after: unknown, type: ObjectType): Comparison {
  const comparison = { added: new FieldSet(), modified: new FieldSet(), removed: new FieldSet() };
  compare(before, after, type, [], comparison);
  return comparison;
}

export function isSame({ added, modified, removed }: Comparison): boolean {
  return added.isEmpty && modified.isEmpty && removed.isEmpty;
}

function compare(
  before: unknown,
  after: unknown,
  type: ObjectType | undefined,
  path: PathElement[],
  out: Comparison,
): void {
  if (before === after || !type) return;
  const forms = formsOf(before, after, type);
  let isLeaf = false;
  for (const form of forms) {
    isLeaf = isLeafIn(form, before, after, type);
    if (isLeaf) {
      if (before === undefined) out.added.insert(path);
      else if (after === undefined) out.removed.insert(path);
      else if (!sameValue(before, after)) out.modified.insert(path);
    } else if (form === 'map') compareFields(before, after, type, path, out);
    else if (type.list) compareItems(before, after, type.list, path, out);
  }
  if (isLeaf) return;
  if (before === undefined) out.added.insert(path);
  else if (after === undefined) out.removed.insert(path);
}

/** An absent value takes the form of the other one; values of different forms are looked at in both. */
export function formsOf(before: unknown, after: unknown, type: ObjectType): ('map' | 'list' | 'scalar')[] {
  if (after === undefined) return [formOf(type, before)];
  const form = formOf(type, after);
  if (before === undefined) return [form];
  const other = formOf(type, before);
  return other === form ? [form] : [other, form];
}

/** Whether the values are compared as a whole: scalars, atomic containers, and containers that are both empty or null. */
export function isLeafIn(form: 'map' | 'list' | 'scalar', before: unknown, after: unknown, type: ObjectType): boolean {
  if (form === 'scalar') return true;
  if (form === 'map') return type.map?.relationship === 'atomic' || (hasNoFields(before) && hasNoFields(after));
  return type.list?.relationship === 'atomic' || (hasNoItems(before) && hasNoItems(after));
}

function hasNoFields(value: unknown): boolean {
  if (!isFields(value)) return true;
  for (const _ in value) return false;
  return true;
}

function hasNoItems(value: unknown): boolean {
  return !Array.isArray(value) || value.length === 0;
}

const nothing: Fields = Object.freeze({});

function compareFields(before: unknown, after: unknown, type: ObjectType, path: PathElement[], out: Comparison): void {
  const left = isFields(before) ? before : nothing;
  const right = isFields(after) ? after : nothing;
  for (const name of Object.keys(left)) {
    if (left[name] === right[name] && Object.hasOwn(right, name)) continue;
    path.push(fieldElement(name));
    compare(left[name], right[name], fieldType(type, name), path, out);
    path.pop();
  }
  for (const name of Object.keys(right)) {
    if (Object.hasOwn(left, name)) continue;
    path.push(fieldElement(name));
    compare(undefined, right[name], fieldType(type, name), path, out);
    path.pop();
  }
}

function compareItems(before: unknown, after: unknown, list: ListType, path: PathElement[], out: Comparison): void {
  const left = itemsByElement(before, list);
  const right = itemsByElement(after, list);
  for (const element of new Set([...left.keys(), ...right.keys()])) {
    path.push(element);
    compareSameItems(left.get(element) ?? [], right.get(element) ?? [], list, path, out);
    path.pop();
  }
}

/** Items that cannot be told apart count as one atomic field; a lone item that others join or leave is compared as absent. */
function compareSameItems(
  left: unknown[],
  right: unknown[],
  list: ListType,
  path: PathElement[],
  out: Comparison,
): void {
  if (left.length <= 1 && right.length <= 1) {
    compare(left[0], right[0], list.element, path, out);
  } else if (left.length >= 2 && right.length >= 2) {
    if (!sameValue(left, right)) out.modified.insert(path);
  } else if (left.length >= 2) {
    if (right.length > 0) compare(undefined, right[0], list.element, path, out);
    out.removed.insert(path);
  } else {
    if (left.length > 0) compare(left[0], undefined, list.element, path, out);
    out.added.insert(path);
  }
}

function itemsByElement(value: unknown, list: ListType): Map<PathElement, unknown[]> {
  const items = new Map<PathElement, unknown[]>();
  for (const item of Array.isArray(value) ? value : []) {
    const element = itemElement(list, item);
    const same = items.get(element);
    if (same) same.push(item);
    else items.set(element, [item]);
  }
  return items;
}
