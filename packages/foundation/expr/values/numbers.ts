import {
  durationType,
  GoFloat32,
  GoInt,
  type GoType,
  int,
  integerOf,
  intType,
  typeOf,
  type Value,
} from '@tiphys/template';
import { Panic } from '../fault/expr-error.ts';

/** As `%T` prints it. */
export function typeName(value: Value): string {
  return typeOf(value)?.name ?? '<nil>';
}

/** The value of an integer of a built-in type (so not of a duration), or undefined. */
export function plainInteger(value: Value): bigint | undefined {
  if (value instanceof GoInt && value.type.named) return undefined;
  return integerOf(value);
}

/** The value of a float of either size, or undefined. */
export function floatOf(value: Value): number | undefined {
  if (typeof value === 'number') return value;
  return value instanceof GoFloat32 ? value.value : undefined;
}

/** The value of any number of a built-in type as float64, or undefined. */
export function numberOf(value: Value): number | undefined {
  const integer = plainInteger(value);
  return integer === undefined ? floatOf(value) : Number(integer);
}

export function durationOf(value: Value): bigint | undefined {
  return value instanceof GoInt && value.type === durationType ? value.value : undefined;
}

/** A Go `int`; what does not fit wraps. */
export function wrapped(value: bigint, type: GoType = intType): Value {
  const fitting = BigInt.asIntN(64, value);
  return type === intType ? int(fitting) : new GoInt(type, fitting);
}

const smallest = -(1n << 63n);

/** Go's conversion of a float: towards zero; what does not fit is the smallest integer. */
export function truncated(value: number): bigint {
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) return smallest;
  return BigInt(Math.trunc(value));
}

/** The integer that an index or a bound stands for. */
export function toInt(value: Value): bigint {
  const integer = plainInteger(value);
  if (integer !== undefined) return BigInt.asIntN(64, integer);
  const float = floatOf(value);
  if (float === undefined) throw new Panic(`invalid operation: int(${typeName(value)})`);
  return truncated(float);
}

export function toFloat(value: Value): number {
  const number = numberOf(value);
  if (number === undefined) throw new Panic(`invalid operation: float(${typeName(value)})`);
  return number;
}

/** Go's assertion of a value's type. */
export function asserted<T extends Value>(value: Value, type: string, check: (value: Value) => value is T): T {
  if (check(value)) return value;
  throw new Panic(
    `interface conversion: interface {} is ${value === null || value === undefined ? 'nil' : typeName(value)}, not ${type}`,
  );
}

export const asBool = (value: Value): boolean => asserted(value, 'bool', (it) => typeof it === 'boolean');
export const asText = (value: Value): string => asserted(value, 'string', (it) => typeof it === 'string');
