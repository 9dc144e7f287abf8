/** An unsigned 64-bit integer; a signed one is a bigint, a double a number. */
export class Uint {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** Nanoseconds since the epoch, and how many minutes east of Greenwich they were written. */
export class Timestamp {
  readonly nanos: bigint;
  readonly offset: number;

  constructor(nanos: bigint, offset = 0) {
    this.nanos = nanos;
    this.offset = offset;
  }
}

/** A length of time in nanoseconds. */
export class Duration {
  readonly nanos: bigint;

  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** The type of a value, as `type(x)` gives it. */
export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** A value that may be missing. */
export class Optional {
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

/** A value of a library's own type: URL, quantity, authorizer. Two are equal when their `identity` is. */
export class Opaque<T = unknown> {
  readonly type: string;
  readonly value: T;
  readonly identity: string;

  constructor(type: string, value: T, identity: string) {
    this.type = type;
    this.value = value;
    this.identity = identity;
  }
}

/** A list whose equality and addition follow a list type of Kubernetes. */
export class KeyedList extends Array<Value> {
  /** The parts of an item that tell it apart; all of it for sets. */
  keyOf: (item: Value) => string = (item) => keyText(item);

  static override get [Symbol.species](): ArrayConstructor {
    return Array;
  }
}

export type MapKey = string | boolean | bigint;
export type Value =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint
  | Uint8Array
  | Timestamp
  | Duration
  | TypeValue
  | Optional
  | Opaque
  | readonly Value[]
  | ReadonlyMap<MapKey, Value>;

/** Thrown while an expression is evaluated; the words are cel-go's. */
export class CelError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'CelError';
  }
}

export function isMap(value: Value): value is ReadonlyMap<MapKey, Value> {
  return value instanceof Map;
}

export function isList(value: Value): value is readonly Value[] {
  return Array.isArray(value);
}

/** Name of a value's type, as in messages and `type()`. */
export function typeNameOf(value: Value): string {
  if (value === null) return 'null_type';
  switch (typeof value) {
    case 'boolean':
      return 'bool';
    case 'bigint':
      return 'int';
    case 'number':
      return 'double';
    case 'string':
      return 'string';
    default:
  }
  if (value instanceof Uint) return 'uint';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof TypeValue) return 'type';
  if (value instanceof Optional) return 'optional_type';
  if (value instanceof Opaque) return value.type;
  return Array.isArray(value) ? 'list' : 'map';
}

/** A key of a map for a value: numbers that are equal are the same key. */
export function mapKey(value: Value): MapKey {
  if (typeof value === 'string' || typeof value === 'boolean' || typeof value === 'bigint') return value;
  if (value instanceof Uint) return value.value;
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  throw new CelError(`unsupported key type: ${typeNameOf(value)}`);
}

/** A text that is equal for equal values. */
export function keyText(value: Value): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value === 'bigint' || typeof value === 'boolean' || typeof value === 'number') return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return `b${Buffer.from(value).toString('base64')}`;
  if (value instanceof Timestamp) return `t${value.nanos}`;
  if (value instanceof Duration) return `d${value.nanos}`;
  if (value instanceof TypeValue) return `type ${value.name}`;
  if (value instanceof Optional) return value.value === undefined ? 'none' : `some ${keyText(value.value)}`;
  if (value instanceof Opaque) return `${value.type} ${value.identity}`;
  if (isList(value)) return `[${value.map(keyText).join()}]`;
  const entries = [...value].map(([key, item]) => `${keyText(key)}:${keyText(item)}`).sort();
  return `{${entries.join()}}`;
}

export function equal(a: Value, b: Value): boolean {
  if (a === b) return true;
  if (a === null || b === null) return false;
  const order = numericOrder(a, b);
  if (order !== undefined) return order === 0;
  if (typeof a !== 'object' || typeof b !== 'object') return false;
  if (isList(a) && isList(b)) return listsEqual(a, b);
  if (isMap(a) && isMap(b)) {
    if (a.size !== b.size) return false;
    for (const [key, value] of a) {
      const other = b.get(key);
      if (other === undefined || !equal(value, other)) return false;
    }
    return true;
  }
  return typeNameOf(a) === typeNameOf(b) && !isList(a) && !isMap(a) && keyText(a) === keyText(b);
}

function listsEqual(a: readonly Value[], b: readonly Value[]): boolean {
  if (a.length !== b.length) return false;
  // Sets and maps by key are equal in any order.
  if (a instanceof KeyedList) {
    const others = new Map(b.map((item) => [a.keyOf(item), item]));
    return a.every((item) => {
      const other = others.get(a.keyOf(item));
      return other !== undefined && equal(item, other);
    });
  }
  return a.every((item, index) => equal(item, b[index] as Value));
}

const number = (value: Value): bigint | number | undefined =>
  typeof value === 'bigint' || typeof value === 'number' ? value : value instanceof Uint ? value.value : undefined;

function numericOrder(a: Value, b: Value): number | undefined {
  const [left, right] = [number(a), number(b)];
  if (left === undefined || right === undefined) return undefined;
  if (Number.isNaN(left as number) || Number.isNaN(right as number)) return Number.NaN;
  // JavaScript compares bigints and numbers exactly.
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Negative, zero or positive; undefined for values that have no order. */
export function compare(a: Value, b: Value): number | undefined {
  const order = numericOrder(a, b);
  if (order !== undefined) return order;
  if (typeof a === 'string' && typeof b === 'string')
    return a === b ? 0 : Buffer.compare(Buffer.from(a), Buffer.from(b));
  if (typeof a === 'boolean' && typeof b === 'boolean') return Number(a) - Number(b);
  if (a instanceof Uint8Array && b instanceof Uint8Array) return Buffer.compare(a, b);
  if ((a instanceof Timestamp && b instanceof Timestamp) || (a instanceof Duration && b instanceof Duration))
    return a.nanos < b.nanos ? -1 : a.nanos > b.nanos ? 1 : 0;
  return undefined;
}

const MAX_INT = 2n ** 63n - 1n;
const MIN_INT = -(2n ** 63n);
const MAX_UINT = 2n ** 64n - 1n;

export function checkedInt(value: bigint): bigint {
  if (value > MAX_INT || value < MIN_INT) throw new CelError('integer overflow');
  return value;
}

export function checkedUint(value: bigint): Uint {
  if (value < 0n || value > MAX_UINT) throw new CelError('unsigned integer overflow');
  return new Uint(value);
}

/** JSON without a schema as a value: whole numbers are ints. */
export function fromJson(value: unknown): Value {
  if (value === undefined || value === null) return null;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : value;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(fromJson);
  const result = new Map<MapKey, Value>();
  for (const [key, item] of Object.entries(value)) result.set(key, fromJson(item));
  return result;
}

/** A value as JSON; throws for those that have none. */
export function toJson(value: Value): unknown {
  if (value === null || typeof value === 'boolean' || typeof value === 'number' || typeof value === 'string')
    return value;
  if (typeof value === 'bigint') return Number(value);
  if (value instanceof Uint) return Number(value.value);
  if (isList(value)) return value.map(toJson);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (isMap(value)) return Object.fromEntries([...value].map(([key, item]) => [String(key), toJson(item)]));
  throw new CelError(`no such overload: cannot convert ${typeNameOf(value)} to JSON`);
}

/** Lists add up as their list types say: sets and maps by key keep one item of each key, the later one. */
export function concatenated(a: readonly Value[], b: readonly Value[]): readonly Value[] {
  if (!(a instanceof KeyedList)) return [...a, ...b];
  const items = new Map(a.map((item) => [a.keyOf(item), item]));
  for (const item of b) items.set(a.keyOf(item), item);
  const result = KeyedList.from(items.values()) as KeyedList;
  result.keyOf = a.keyOf;
  return result;
}
