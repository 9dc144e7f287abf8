import type { ObjectType } from '../schema/object-type.ts';
import { type Fields, isFields } from './typed-value.ts';

const zeros = new WeakMap<ObjectType, Fields>();

/**
 * What kube-apiserver's Go type of the schema is as JSON before anything is set: structs that are not pointers are there
 * as `{}`, and values that are always written have their zero. The schema tells both by defaults that are zero values.
 */
export function zeroObject(type: ObjectType): Fields {
  let zero = zeros.get(type);
  if (!zero) {
    zero = {};
    zeros.set(type, zero);
    const required = new Set(type.schema.required ?? []);
    for (const [name, field] of type.map?.fields ?? []) {
      const value = zeroOf(field.default, field.type, required.has(name));
      if (value !== undefined) zero[name] = value;
    }
  }
  return zero;
}

function zeroOf(value: unknown, type: ObjectType, required: boolean): unknown {
  if (isFields(value) && Object.keys(value).length === 0) {
    // times are structs in Go, and scalars in JSON
    return type.map && !type.scalar ? zeroObject(type) : null;
  }
  if (value === '' || value === 0 || value === false) return value;
  if (value === undefined && required && (type.list || type.map) && !type.scalar) return null;
  return undefined;
}
