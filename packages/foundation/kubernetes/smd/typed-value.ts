import type { ListType, ObjectType } from '../schema/object-type.ts';
import { keyElement, type PathElement, valueElement } from './path-element.ts';

/** A value that does not fit its schema; the text is the one of structured-merge-diff. */
export class TypedValueError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'TypedValueError';
  }
}

export type Fields = Record<string, unknown>;

/** Whether a value is an object of JSON: neither null nor a list. */
export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export type Form = 'map' | 'list' | 'scalar';

/** Which of the forms that a type allows a value has; null, absent and unfitting values take the first that the type has. */
export function formOf(type: ObjectType, value: unknown): Form {
  if (Array.isArray(value)) {
    if (type.list) return 'list';
  } else if (value !== undefined && value !== null) {
    if (typeof value === 'object') {
      if (type.map) return 'map';
    } else if (type.scalar) return 'scalar';
  }
  if (type.map) return 'map';
  return type.scalar ? 'scalar' : 'list';
}

/** Type of a field; undefined if the schema declares no such field and allows no others. */
export function fieldType(type: ObjectType, name: string): ObjectType | undefined {
  const map = type.map;
  return map?.fields.get(name)?.type ?? map?.element;
}

/** How an item of an associative list is told from the others. Throws if it can't be. */
export function itemElement(list: ListType, item: unknown): PathElement {
  if (list.relationship !== 'associative') throw new TypedValueError('invalid indexing of non-associative list');
  return list.keys.length > 0 ? keyedElement(list, item) : setElement(item);
}

function keyedElement(list: ListType, item: unknown): PathElement {
  if (item === null || item === undefined) {
    throw new TypedValueError('associative list with keys may not have a null element');
  }
  if (!isFields(item)) throw new TypedValueError('associative list with keys may not have non-map elements');
  const keys: Fields = {};
  let found = false;
  for (const name of sortedKeys(list)) {
    const value = Object.hasOwn(item, name) ? item[name] : list.element.map?.fields.get(name)?.default;
    if (value === undefined) continue;
    keys[name] = value;
    found = true;
  }
  if (!found) {
    const names = list.keys.map((name) => JSON.stringify(name)).join(' ');
    throw new TypedValueError(
      `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
    );
  }
  return keyElement(keys);
}

function setElement(item: unknown): PathElement {
  if (isFields(item)) throw new TypedValueError("associative list without keys has an element that's a map type");
  if (Array.isArray(item)) throw new TypedValueError('not supported: associative list with lists as elements');
  if (item === null || item === undefined) {
    throw new TypedValueError("associative list without keys has an element that's an explicit null");
  }
  return valueElement(item);
}

const sorted = new WeakMap<readonly string[], readonly string[]>();

function sortedKeys(list: ListType): readonly string[] {
  if (list.keys.length < 2) return list.keys;
  let keys = sorted.get(list.keys);
  if (!keys) {
    keys = [...list.keys].sort();
    sorted.set(list.keys, keys);
  }
  return keys;
}

/** Whether two JSON values are the same; the order of fields does not matter. */
export function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a)) {
    return Array.isArray(b) && a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
  if (Array.isArray(b)) return false;
  const left = a as Fields;
  const right = b as Fields;
  const names = Object.keys(left);
  if (names.length !== Object.keys(right).length) return false;
  return names.every((name) => Object.hasOwn(right, name) && sameValue(left[name], right[name]));
}
