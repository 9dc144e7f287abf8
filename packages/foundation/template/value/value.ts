import type { FunctionSpec } from './function-spec.ts';
import {
  boolType,
  bytesType,
  complexType,
  float32Type,
  float64Type,
  type GoType,
  int64Type,
  intType,
  mapOfAny,
  namedType,
  pointerTo,
  sliceOfAny,
  stringType,
} from './type.ts';

/**
 * A Go value. What YAML and JSON documents are made of costs nothing; every other Go type is a small object.
 *
 * | Go | here |
 * |---|---|
 * | no value (the zero reflect.Value) | `undefined` |
 * | nil in an `interface {}` | `null` |
 * | bool, string, float64, int64 | `boolean`, `string`, `number`, `bigint` |
 * | `[]interface {}`, `map[string]interface {}`, `[]byte` | `Array`, `Map`, `Uint8Array` |
 * | int, uint8, time.Duration … | `GoInt` |
 * | every other type | a `GoValue` that knows its type |
 *
 * Strings are Go's bytes: a byte that is not part of valid UTF-8 is the lone surrogate U+DC00 + byte (see bytes.ts).
 */
export type Value = undefined | null | boolean | string | number | bigint | Value[] | ValueMap | Uint8Array | GoValue;

/** `map[string]interface {}`. */
export type ValueMap = Map<string, Value>;

/** A value of a Go type that no JavaScript type stands for. */
export abstract class GoValue {
  abstract readonly type: GoType;
}

/** An integer of any type but int64, declared types such as time.Duration included. */
export class GoInt extends GoValue {
  readonly type: GoType;
  readonly value: bigint;
  constructor(type: GoType, value: bigint) {
    super();
    this.type = type;
    this.value = value;
  }
}

/** A float32; its value is already rounded to one. */
export class GoFloat32 extends GoValue {
  readonly type = float32Type;
  readonly value: number;
  constructor(value: number) {
    super();
    this.value = Math.fround(value);
  }
}

/** A complex128. */
export class GoComplex extends GoValue {
  readonly type = complexType;
  readonly real: number;
  readonly imaginary: number;
  constructor(real: number, imaginary: number) {
    super();
    this.real = real;
    this.imaginary = imaginary;
  }
}

/** A string of a declared type, such as json.Number. */
export class GoString extends GoValue {
  readonly type: GoType;
  readonly value: string;
  constructor(type: GoType, value: string) {
    super();
    this.type = type;
    this.value = value;
  }
}

/** A slice other than `[]interface {}` and `[]byte`, or a nil slice. */
export class GoSlice extends GoValue {
  readonly type: GoType;
  readonly items: Value[];
  readonly nil: boolean;
  constructor(type: GoType, items: Value[] = [], nil = false) {
    super();
    this.type = type;
    this.items = items;
    this.nil = nil;
  }
}

/** A map other than `map[string]interface {}`, or a nil map. Keys are kept as they are, so keys of struct types do not work. */
export class GoMap extends GoValue {
  readonly type: GoType;
  readonly entries: Map<Value, Value>;
  readonly nil: boolean;
  constructor(type: GoType, entries: Map<Value, Value> = new Map(), nil = false) {
    super();
    this.type = type;
    this.entries = entries;
    this.nil = nil;
  }
}

/** A struct, or a pointer to one if its type is a pointer type. */
export class GoStruct extends GoValue {
  readonly type: GoType;
  /** Values of the fields by name, in order of declaration. */
  readonly fields: ReadonlyMap<string, Value>;
  constructor(type: GoType, fields: ReadonlyMap<string, Value>) {
    super();
    this.type = type;
    this.fields = fields;
  }
  /** What `String()` of the Go type gives, if it has one: how `%v` prints it. */
  toGoString(): string | undefined {
    return undefined;
  }
  /** What `GoString()` of the Go type gives, if it has one: how `%#v` prints it. */
  toGoSyntax(): string | undefined {
    return undefined;
  }
  /** What `String()` of the pointer to the Go type gives: how an action prints a field of that type. */
  toActionText(): string | undefined {
    return undefined;
  }
  /** The fields that JSON holds, in their order. */
  jsonFields(): readonly (readonly [string, Value])[] {
    return [...this.fields].filter(([name]) => /^\p{Lu}/u.test(name));
  }
  /** What `MarshalJSON` of the Go type would encode, if it has one; else the fields are encoded. */
  toJsonValue(): Value | undefined {
    return undefined;
  }
}

/** A nil pointer or nil function of a type. */
export class GoNil extends GoValue {
  readonly type: GoType;
  constructor(type: GoType) {
    super();
    this.type = type;
  }
}

/** A function as a value, for `call`. */
export class GoFunction extends GoValue {
  readonly type: GoType;
  readonly spec: FunctionSpec;
  constructor(type: GoType, spec: FunctionSpec) {
    super();
    this.type = type;
    this.spec = spec;
  }
}

const errorType = pointerTo(namedType('errors.errorString', { kind: 'struct', fields: ['s'] }));

/** An error as a value. */
export class GoError extends GoValue {
  readonly type: GoType;
  readonly message: string;
  constructor(message: string, type: GoType = errorType) {
    super();
    this.type = type;
    this.message = message;
  }
}

const smallInts: GoInt[] = [];
for (let n = -16; n < 1024; n++) smallInts.push(new GoInt(intType, BigInt(n)));

/** A Go `int`. */
export function int(value: number | bigint): GoInt {
  if (typeof value === 'number') {
    if (value >= -16 && value < 1024) return smallInts[value + 16] as GoInt;
    return new GoInt(intType, BigInt(value));
  }
  return new GoInt(intType, value);
}

/** The type of a value; undefined for no value and for nil. */
export function typeOf(value: Value): GoType | undefined {
  switch (typeof value) {
    case 'string':
      return stringType;
    case 'number':
      return float64Type;
    case 'bigint':
      return int64Type;
    case 'boolean':
      return boolType;
    case 'undefined':
      return undefined;
  }
  if (value === null) return undefined;
  if (value instanceof GoValue) return value.type;
  if (value instanceof Map) return mapOfAny;
  if (Array.isArray(value)) return sliceOfAny;
  return bytesType;
}

/** The value of any integer kind, or undefined. */
export function integerOf(value: Value): bigint | undefined {
  if (typeof value === 'bigint') return value;
  return value instanceof GoInt ? value.value : undefined;
}

/** The text of a string or of a declared string type, or undefined. */
export function stringOf(value: Value): string | undefined {
  if (typeof value === 'string') return value;
  return value instanceof GoString ? value.value : undefined;
}

/** The elements of a slice of any type, or undefined. The caller must not change them. */
export function elementsOf(value: Value): readonly Value[] | undefined {
  if (Array.isArray(value)) return value;
  if (value instanceof GoSlice) return value.items;
  if (value instanceof Uint8Array) return Array.from(value, byteValue);
  return undefined;
}

/** The entries of a map of any type, or undefined. The caller must not change them. */
export function entriesOf(value: Value): ReadonlyMap<Value, Value> | undefined {
  if (value instanceof Map) return value;
  return value instanceof GoMap ? value.entries : undefined;
}

const bytes: GoInt[] = [];

function byteValue(byte: number): GoInt {
  if (bytes.length === 0) {
    const uint8 = bytesType.elem as GoType;
    for (let n = 0; n < 256; n++) bytes.push(new GoInt(uint8, BigInt(n)));
  }
  return bytes[byte] as GoInt;
}

/** True for a nil slice, map, pointer or function of a type, and for nil and no value themselves. */
export function isNil(value: Value): boolean {
  if (value === undefined || value === null || value instanceof GoNil) return true;
  return (value instanceof GoSlice || value instanceof GoMap) && value.nil;
}

/**
 * The value of plain JavaScript data: objects become maps, numbers float64, bigints int64.
 * For tests and for JSON that was parsed elsewhere.
 */
export function goValue(data: unknown): Value {
  if (data === null || data === undefined) return null;
  if (Array.isArray(data)) return data.map(goValue);
  if (data instanceof GoValue || data instanceof Map || data instanceof Uint8Array) return data as Value;
  if (typeof data === 'object') return new Map(Object.entries(data).map(([key, item]) => [key, goValue(item)]));
  return data as Value;
}
