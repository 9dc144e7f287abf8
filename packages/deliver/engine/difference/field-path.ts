import type { KubeObject, ManagedFieldsEntry, ObjectType } from '@tiphys/kubernetes';
import { isObject, type JsonObject } from '../model/fields.ts';

/** A step into a value: a field, an item of a list by the fields that identify it, or by its place. */
export type Step = string | { readonly keys: JsonObject; readonly index: number } | number;

/** `spec.template.spec.containers[0].image`; names that are no identifiers are quoted: `metadata.labels["a/b"]`. */
export function formatPath(path: readonly Step[]): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else if (typeof step === 'object') text += `[${step.index}]`;
    else if (/^[A-Za-z_$][\w$-]*$/.test(step)) text += text ? `.${step}` : step;
    else text += `[${JSON.stringify(step)}]`;
  }
  return text;
}

/** Whether a managed-fields set holds the field, itself or as part of a value that is owned as a whole. */
export function owns(entry: ManagedFieldsEntry, path: readonly Step[]): boolean {
  let current: unknown = entry.fieldsV1;
  for (const step of path) {
    if (!isObject(current)) return false;
    const names = Object.keys(current).filter((name) => name !== '.');
    if (names.length === 0) return current !== entry.fieldsV1;
    current = childOf(current, step, names);
    if (current === undefined) return false;
  }
  return current !== undefined;
}

function childOf(fields: JsonObject, step: Step, names: readonly string[]): unknown {
  if (typeof step === 'string') return fields[`f:${step}`];
  if (typeof step === 'number') return fields[`i:${step}`];
  for (const name of names) {
    if (!name.startsWith('k:')) continue;
    const keys = parseKeys(name.slice(2));
    if (keys && Object.entries(keys).every(([field, value]) => step.keys[field] === value)) return fields[name];
  }
  return undefined;
}

function parseKeys(text: string): JsonObject | undefined {
  try {
    const parsed: unknown = JSON.parse(text);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    // a set that another program wrote wrongly owns nothing that we could name
    return undefined;
  }
}

/** The manager that wrote the field last. */
export function managerOf(live: KubeObject, path: readonly Step[]): string | undefined {
  let found: ManagedFieldsEntry | undefined;
  for (const entry of live.metadata.managedFields ?? []) {
    if (entry.subresource === 'status' && path[0] !== 'status') continue;
    if (owns(entry, path) && (!found || (entry.time ?? '') >= (found.time ?? ''))) found = entry;
  }
  return found?.manager;
}

/** The part of the value that a managed-fields set holds; items of keyed lists keep the fields that identify them. */
export function extractOwned(value: unknown, fields: unknown, type: ObjectType): unknown {
  if (!isObject(fields)) return value;
  const names = Object.keys(fields).filter((name) => name !== '.');
  // owning a structure without any of its fields is owning that it is there
  if (names.length === 0) return isObject(value) && type.map?.relationship !== 'atomic' ? {} : value;
  if (Array.isArray(value)) return extractItems(value, fields, names, type.list?.element ?? type);
  if (!isObject(value)) return undefined;
  const part: JsonObject = {};
  for (const name of names) {
    const field = name.slice(2);
    if (!name.startsWith('f:') || !Object.hasOwn(value, field)) continue;
    const inner = extractOwned(
      value[field],
      fields[name],
      type.map?.fields.get(field)?.type ?? type.map?.element ?? type,
    );
    if (inner !== undefined) part[field] = inner;
  }
  return part;
}

function extractItems(
  list: readonly unknown[],
  fields: JsonObject,
  names: readonly string[],
  element: ObjectType,
): unknown[] {
  return list.flatMap((item) => {
    for (const name of names) {
      if (name.startsWith('v:') && JSON.stringify(item) === name.slice(2)) return [item];
      if (!name.startsWith('k:') || !isObject(item)) continue;
      const keys = parseKeys(name.slice(2));
      if (!keys || !Object.entries(keys).every(([field, value]) => item[field] === value)) continue;
      const owned = extractOwned(item, fields[name], element);
      return [{ ...keys, ...(isObject(owned) ? owned : {}) }];
    }
    return [];
  });
}

/** Removes from `value`, which is changed, what the managed-fields set holds. `like` is the live value whose fields the set names. */
export function removeOwned(value: unknown, fields: unknown): void {
  if (!isObject(fields)) return;
  for (const [name, inner] of Object.entries(fields)) {
    if (name === '.') continue;
    const leaf = isObject(inner) && Object.keys(inner).every((child) => child === '.');
    if (name.startsWith('f:') && isObject(value)) {
      if (leaf) delete value[name.slice(2)];
      else removeOwned(value[name.slice(2)], inner);
    } else if (Array.isArray(value)) {
      const index = value.findIndex((item) => matchesItem(item, name));
      if (index < 0) continue;
      if (leaf || name.startsWith('v:')) value.splice(index, 1);
      else removeOwned(value[index], inner);
    }
  }
}

function matchesItem(item: unknown, name: string): boolean {
  if (name.startsWith('v:')) return JSON.stringify(item) === name.slice(2);
  const keys = name.startsWith('k:') ? parseKeys(name.slice(2)) : undefined;
  return keys !== undefined && isObject(item) && Object.entries(keys).every(([field, value]) => item[field] === value);
}
