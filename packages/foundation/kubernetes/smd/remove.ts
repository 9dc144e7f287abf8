import type { ListType, ObjectType } from '../schema/object-type.ts';
import type { FieldSet } from './field-set.ts';
import { fieldElement } from './path-element.ts';
import { type Fields, fieldType, formOf, isFields, itemElement } from './typed-value.ts';

/** The object without the fields and list items of the set. A container that loses all it had becomes null. */
export function removeFields<T>(object: T, fields: FieldSet, type: ObjectType): T {
  return fields.isEmpty ? object : (remove(object, fields, type) as T);
}

function remove(value: unknown, fields: FieldSet, type: ObjectType | undefined): unknown {
  if (!type) return value;
  const form = formOf(type, value);
  if (form === 'scalar') return value;
  if (form === 'map') {
    return isFields(value) && type.map?.relationship !== 'atomic' ? withoutFields(value, fields, type) : null;
  }
  return Array.isArray(value) && type.list?.relationship === 'associative'
    ? withoutItems(value, fields, type.list)
    : null;
}

function withoutFields(value: Fields, fields: FieldSet, type: ObjectType): Fields | null {
  const result: Fields = {};
  let isEmpty = true;
  for (const name of Object.keys(value)) {
    const element = fieldElement(name);
    if (fields.hasElement(element) || name === '__proto__') continue;
    const below = fields.below(element);
    result[name] = below ? remove(value[name], below, fieldType(type, name)) : value[name];
    isEmpty = false;
  }
  return isEmpty ? null : result;
}

function withoutItems(items: unknown[], fields: FieldSet, list: ListType): unknown[] | null {
  const result: unknown[] = [];
  for (const item of items) {
    const element = itemElement(list, item);
    if (fields.hasElement(element)) continue;
    const below = fields.below(element);
    result.push(below ? remove(item, below, list.element) : item);
  }
  return result.length > 0 ? result : null;
}
