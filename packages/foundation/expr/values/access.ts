import {
  elementsOf,
  entriesOf,
  fromBytes,
  GoFunction,
  GoInt,
  GoSlice,
  GoStruct,
  isNil,
  sprintf,
  toBytes,
  typeOf,
  uint8Type,
  type Value,
} from '@tiphys/template';
import { Panic } from '../fault/expr-error.ts';
import { findEntry } from './compare.ts';
import { methodType } from './method-type.ts';
import { toInt, typeName } from './numbers.ts';

/** A method together with the value that it is of. */
export class BoundMethod extends GoFunction {
  readonly receiver: Value;
  constructor(spec: GoFunction['spec'], receiver: Value) {
    super(methodType, spec);
    this.receiver = receiver;
  }
}

/** `from[key]` and `from.key`. */
export function fetch(from: Value, key: Value): Value {
  const missing = (): Panic => new Panic(`cannot fetch ${sprintf('%v', [key])} from ${typeName(from)}`);
  if (from === null || from === undefined) throw missing();
  const method = typeof key === 'string' ? typeOf(from)?.methods?.get(key) : undefined;
  if (method) return new BoundMethod(method, from);
  const sequence = sequenceOf(from);
  if (sequence) {
    const index = indexIn(sequence.length, key);
    if (index < 0 || index >= sequence.length)
      throw new Panic(`index out of range: ${index} (array length is ${sequence.length})`);
    return sequence.at(index);
  }
  const entries = entriesOf(from);
  if (!entries) throw missing();
  const entry = findEntry(from, entries, key);
  if (entry) return entry[1];
  return typeOf(from)?.elem?.kind === 'string' ? '' : null;
}

/** The function `get`: nil where `fetch` fails. */
export function get(from: Value, key: Value): Value {
  if (from === null || from === undefined) return null;
  const method = typeof key === 'string' ? typeOf(from)?.methods?.get(key) : undefined;
  if (method) return new BoundMethod(method, from);
  const sequence = sequenceOf(from);
  if (sequence) {
    const index = indexIn(sequence.length, key);
    return index >= 0 && index < sequence.length ? sequence.at(index) : null;
  }
  const entries = entriesOf(from);
  if (entries) return findEntry(from, entries, key)?.[1] ?? null;
  if (from instanceof GoStruct && typeof key === 'string' && /^\p{Lu}/u.test(key)) return from.fields.get(key) ?? null;
  return null;
}

function indexIn(length: number, key: Value): number {
  const index = Number(toInt(key));
  return index < 0 ? length + index : index;
}

/** What can be counted and looked into by index. */
export interface Sequence {
  readonly length: number;
  at(index: number): Value;
}

/** The elements of a list, or the bytes of a text; undefined for other values. */
export function sequenceOf(value: Value): Sequence | undefined {
  if (typeof value === 'string') {
    const bytes = toBytes(value);
    return { length: bytes.length, at: (index) => new GoInt(uint8Type, BigInt(bytes[index] as number)) };
  }
  const items = elementsOf(value);
  return items && { length: items.length, at: (index) => items[index] };
}

/** `value[from:to]`; bounds beyond the ends are the ends. */
export function slice(value: Value, from: Value, to: Value): Value {
  const bytes = typeof value === 'string' ? toBytes(value) : undefined;
  const items = bytes ?? elementsOf(value);
  if (!items || isNil(value)) {
    if (items) return value;
    throw new Panic(`cannot slice ${sprintf('%v', [from])}`);
  }
  const { length } = items;
  const bound = (given: Value): number => {
    const index = Number(toInt(given));
    return Math.max(0, index < 0 ? length + index : index);
  };
  const end = Math.min(bound(to), length);
  const start = Math.min(bound(from), end);
  if (bytes) return fromBytes(bytes.subarray(start, end));
  if (value instanceof Uint8Array) return value.subarray(start, end);
  const part = (items as readonly Value[]).slice(start, end);
  return value instanceof GoSlice ? new GoSlice(value.type, part) : part;
}

/** `len` without looking at letters: bytes of texts. */
export function lengthOf(value: Value): number {
  const length = sequenceOf(value)?.length ?? entriesOf(value)?.size;
  if (length === undefined) throw new Panic(`invalid argument for len (type ${typeName(value)})`);
  return length;
}
