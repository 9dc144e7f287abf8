import { GoComplex, GoFloat32, GoInt, GoMap, GoNil, GoSlice, GoString, type Value } from './value.ts';

/** Go's truth: not the zero of its type, not empty. Structs, functions and errors are true. */
export function isTrue(value: Value): boolean {
  switch (typeof value) {
    case 'undefined':
      return false;
    case 'boolean':
      return value;
    case 'string':
      return value.length > 0;
    case 'number':
      return value !== 0;
    case 'bigint':
      return value !== 0n;
  }
  if (value === null) return false;
  if (value instanceof Map) return value.size > 0;
  if (Array.isArray(value)) return value.length > 0;
  if (value instanceof GoInt) return value.value !== 0n;
  if (value instanceof GoSlice) return value.items.length > 0;
  if (value instanceof GoMap) return value.entries.size > 0;
  if (value instanceof GoString) return value.value !== '';
  if (value instanceof GoFloat32) return value.value !== 0;
  if (value instanceof GoComplex) return value.real !== 0 || value.imaginary !== 0;
  if (value instanceof Uint8Array) return value.length > 0;
  return !(value instanceof GoNil);
}
