import { goSyntax, goText } from '../object/go-value.ts';
import type { ListType, ObjectType } from '../schema/object-type.ts';
import { describeElement, fieldElement, type PathElement } from './path-element.ts';
import { formOf, isFields, itemElement, TypedValueError } from './typed-value.ts';

/** Throws `TypedValueError`, with the texts of structured-merge-diff, if the object does not fit the type or has list items twice. */
export function validateObject(object: unknown, type: ObjectType): void {
  const errors: string[] = [];
  visit(object, type, '', errors);
  if (errors.length === 1) throw new TypedValueError(errors[0] as string);
  if (errors.length > 1) throw new TypedValueError(['errors:', ...errors.map((error) => `  ${error}`)].join('\n'));
}

function visit(value: unknown, type: ObjectType, path: string, errors: string[]): void {
  const fail = (message: string) => errors.push(path ? `${path}: ${message}` : message);
  const form = formOf(type, value);
  if (value === null || value === undefined) return;
  if (form === 'scalar') {
    const message = scalarError(value, type);
    if (message) fail(message);
  } else if (form === 'list') {
    if (Array.isArray(value)) visitItems(value, type.list as ListType, path, errors);
    else fail(`expected list, got ${show(value)}`);
  } else if (isFields(value)) {
    for (const name of Object.keys(value)) {
      const inner = type.map?.fields.get(name)?.type ?? type.map?.element;
      const at = path + describeElement(fieldElement(name));
      if (inner) visit(value[name], inner, at, errors);
      else errors.push(`${at}: field not declared in schema`);
    }
  } else fail(`expected map, got ${show(value)}`);
}

function visitItems(items: unknown[], list: ListType, path: string, errors: string[]): void {
  const seen = new Set<PathElement>();
  for (const [index, item] of items.entries()) {
    let element = `i:${index}`;
    if (list.relationship === 'associative') {
      try {
        element = itemElement(list, item);
      } catch (error) {
        if (!(error instanceof TypedValueError)) throw error;
        errors.push(`${path}: element ${index}: ${error.message}`);
        return;
      }
      if (seen.has(element)) errors.push(`${path}: duplicate entries for key ${describeElement(element)}`);
      seen.add(element);
    }
    visit(item, list.element, path + describeElement(element), errors);
  }
}

function scalarError(value: unknown, type: ObjectType): string | undefined {
  switch (type.scalar) {
    case 'numeric':
      return typeof value === 'number' ? undefined : `expected numeric (int or float), got ${goType(value)}`;
    case 'string':
      return typeof value === 'string'
        ? undefined
        : `expected string, got &value.valueUnstructured{Value:${goSyntax(value)}}`;
    case 'boolean':
      return typeof value === 'boolean' ? undefined : `expected boolean, got ${show(value)}`;
    default:
      return typeof value === 'object' ? `expected any scalar, got ${show(value)}` : undefined;
  }
}

function goType(value: unknown): string {
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'string') return 'string';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}

/** A value of a wrong kind, in the words of structured-merge-diff. */
function show(value: unknown): string {
  return `&{${goText(value)}}`;
}
