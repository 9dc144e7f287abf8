import type { ObjectType } from '../schema/object-type.ts';
import { FieldSet } from './field-set.ts';
import { fieldElement, type PathElement } from './path-element.ts';
import { type Fields, fieldType, formOf, isFields, itemElement } from './typed-value.ts';

/** Every leaf field and list item that the object mentions. Throws `TypedValueError` for list items without identity. */
export function fieldsOf(object: unknown, type: ObjectType): FieldSet {
  const set = new FieldSet();
  visit(object, type, [], set);
  return set;
}

function visit(value: unknown, type: ObjectType | undefined, path: PathElement[], set: FieldSet): void {
  if (!type) return;
  const form = formOf(type, value);
  if (form === 'scalar') {
    set.insert(path);
  } else if (form === 'map') {
    if (type.map?.relationship === 'atomic') set.insert(path);
    else if (isFields(value)) visitFields(value, type, path, set);
  } else if (type.list?.relationship === 'atomic') {
    set.insert(path);
  } else if (Array.isArray(value)) {
    visitItems(value, type, path, set);
  }
}

function visitFields(fields: Fields, type: ObjectType, path: PathElement[], set: FieldSet): void {
  for (const name of Object.keys(fields)) {
    const value = fields[name];
    path.push(fieldElement(name));
    visit(value, fieldType(type, name), path, set);
    const isEmpty = value === null || (isFields(value) && Object.keys(value).length === 0);
    if (isEmpty || !type.map?.fields.has(name)) set.insert(path);
    path.pop();
  }
}

function visitItems(items: unknown[], type: ObjectType, path: PathElement[], set: FieldSet): void {
  const list = type.list;
  if (!list) return;
  const elements = items.map((item) => itemElement(list, item));
  const counts = new Map<PathElement, number>();
  for (const element of elements) counts.set(element, (counts.get(element) ?? 0) + 1);
  elements.forEach((element, index) => {
    path.push(element);
    // items that cannot be told apart are owned as a whole
    if (counts.get(element) === 1) visit(items[index], list.element, path, set);
    set.insert(path);
    path.pop();
  });
}
