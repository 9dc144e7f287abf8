import { anyType, errorInterface, type GoType, mapOfAny, reflectValueType, sliceOfAny } from './type.ts';
import {
  GoComplex,
  GoError,
  GoFloat32,
  GoInt,
  GoMap,
  GoNil,
  GoSlice,
  GoString,
  GoStruct,
  typeOf,
  type Value,
} from './value.ts';

/** True if nil can be a value of the type. */
export function canBeNil(type: GoType): boolean {
  return ['func', 'interface', 'map', 'ptr', 'slice'].includes(type.kind) || type === reflectValueType;
}

/** The zero value of a type. */
export function zeroOf(type: GoType): Value {
  switch (type.kind) {
    case 'bool':
      return false;
    case 'string':
      return type.named ? new GoString(type, '') : '';
    case 'float64':
      return 0;
    case 'float32':
      return new GoFloat32(0);
    case 'complex128':
      return new GoComplex(0, 0);
    case 'interface':
      return null;
    case 'slice':
      return new GoSlice(type, [], true);
    case 'map':
      return new GoMap(type, new Map(), true);
    case 'ptr':
    case 'func':
      return new GoNil(type);
    case 'int64':
      return type.named ? new GoInt(type, 0n) : 0n;
    case 'struct':
      return type === reflectValueType ? undefined : new GoStruct(type, new Map());
    default:
      return new GoInt(type, 0n);
  }
}

/** Go's assignability of a value of one type to another. */
export function isAssignable(from: GoType, to: GoType): boolean {
  if (from === to || to === anyType) return true;
  if (to.kind === 'interface') return to === errorInterface && (from.methods?.has('Error') ?? false);
  if (from.kind !== to.kind || (from.named && to.named)) return false;
  // Identical underlying types of which one is not declared.
  if (from.kind === 'map' || from.kind === 'slice' || from.kind === 'ptr') {
    return (from.named || to.named) && from.elem === to.elem && from.key === to.key;
  }
  return false;
}

/**
 * The value as a parameter of the type receives it, or undefined with `expected`/`got` words in `refuse`.
 * A declared map or slice type loses its name, as the conversion in Go does.
 */
export function assign(value: Value, type: GoType, refuse: (words: string) => never): Value {
  if (type === anyType) return value === undefined ? null : value;
  if (type === reflectValueType) return value;
  if (value === undefined) {
    return canBeNil(type) ? zeroOf(type) : refuse(`invalid value; expected ${type.name}`);
  }
  if (value === null) return refuse(`wrong type for value; expected ${type.name}; got interface {}`);
  const from = typeOf(value) as GoType;
  if (from === type) return value;
  if (value instanceof GoError && type === errorInterface) return value;
  if (isAssignable(from, type)) return converted(value, type);
  if (from.kind === 'ptr' && from.elem && isAssignable(from.elem, type)) {
    if (value instanceof GoStruct) return new GoStruct(type, value.fields);
    if (value instanceof GoNil) return refuse(`dereference of nil pointer of type ${type.name}`);
  }
  return refuse(`wrong type for value; expected ${type.name}; got ${from.name}`);
}

function converted(value: Value, type: GoType): Value {
  if (value instanceof GoMap) {
    if (type === mapOfAny && !value.nil) return value.entries as Map<string, Value>;
    return new GoMap(type, value.entries, value.nil);
  }
  if (value instanceof GoSlice) {
    if (type === sliceOfAny && !value.nil) return value.items;
    return new GoSlice(type, value.items, value.nil);
  }
  if (value instanceof Map) return new GoMap(type, value as Map<Value, Value>);
  if (Array.isArray(value)) return new GoSlice(type, value);
  return value;
}
