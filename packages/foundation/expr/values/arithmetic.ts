import { durationType, GoInt, integerOf, TimeValue, type Value } from '@tiphys/template';
import { Panic } from '../fault/expr-error.ts';
import { durationOf, numberOf, plainInteger, toFloat, typeName, wrapped } from './numbers.ts';

const mismatch = (operator: string, a: Value, b: Value): Panic =>
  new Panic(`invalid operation: ${typeName(a)} ${operator} ${typeName(b)}`);

/** Two integers, two numbers of which one is a float, or neither. */
function numeric(
  a: Value,
  b: Value,
  integers: (x: bigint, y: bigint) => Value,
  floats: (x: number, y: number) => Value,
): Value {
  const [x, y] = [plainInteger(a), plainInteger(b)];
  if (x !== undefined && y !== undefined) return integers(x, y);
  const [left, right] = [numberOf(a), numberOf(b)];
  return left !== undefined && right !== undefined ? floats(left, right) : undefined;
}

export function add(a: Value, b: Value): Value {
  const sum = numeric(
    a,
    b,
    (x, y) => wrapped(x + y),
    (x, y) => x + y,
  );
  if (sum !== undefined) return sum;
  if (typeof a === 'string' && typeof b === 'string') return a + b;
  const [left, right] = [durationOf(a), durationOf(b)];
  if (a instanceof TimeValue && right !== undefined) return new TimeValue(a.nanos + right, a.zone);
  if (b instanceof TimeValue && left !== undefined) return new TimeValue(b.nanos + left, b.zone);
  if (left !== undefined && right !== undefined) return wrapped(left + right, durationType);
  throw mismatch('+', a, b);
}

export function subtract(a: Value, b: Value): Value {
  const difference = numeric(
    a,
    b,
    (x, y) => wrapped(x - y),
    (x, y) => x - y,
  );
  if (difference !== undefined) return difference;
  const [left, right] = [durationOf(a), durationOf(b)];
  if (a instanceof TimeValue && b instanceof TimeValue) return wrapped(a.nanos - b.nanos, durationType);
  if (a instanceof TimeValue && right !== undefined) return new TimeValue(a.nanos - right, a.zone);
  if (left !== undefined && right !== undefined) return wrapped(left - right, durationType);
  throw mismatch('-', a, b);
}

export function multiply(a: Value, b: Value): Value {
  const product = numeric(
    a,
    b,
    (x, y) => wrapped(x * y),
    (x, y) => x * y,
  );
  if (product !== undefined) return product;
  if (durationOf(a) === undefined && durationOf(b) === undefined) throw mismatch('*', a, b);
  const [x, y] = [durationOf(a) ?? plainInteger(a), durationOf(b) ?? plainInteger(b)];
  if (x !== undefined && y !== undefined) return wrapped(x * y, durationType);
  const [left, right] = [asNumber(a), asNumber(b)];
  if (left === undefined || right === undefined) throw mismatch('*', a, b);
  return left * right;
}

/** A number or the nanoseconds of a duration. */
function asNumber(value: Value): number | undefined {
  const nanos = durationOf(value);
  return nanos === undefined ? numberOf(value) : Number(nanos);
}

export function divide(a: Value, b: Value): Value {
  const [x, y] = [numberOf(a), numberOf(b)];
  if (x === undefined || y === undefined) throw mismatch('/', a, b);
  return x / y;
}

export function modulo(a: Value, b: Value): Value {
  const [x, y] = [plainInteger(a), plainInteger(b)];
  if (x === undefined || y === undefined) throw mismatch('%', a, b);
  if (y === 0n) throw new Panic('runtime error: integer divide by zero');
  return wrapped(x % y);
}

/** `math.Pow`. */
function power(x: number, y: number): number {
  if (x === 1 || (x === -1 && !Number.isFinite(y) && !Number.isNaN(y))) return 1;
  return x ** y;
}

export function exponent(a: Value, b: Value): Value {
  const [x, y] = [a, b].map(toFloat) as [number, number];
  return power(x, y);
}

export function negate(value: Value): Value {
  const integer = plainInteger(value);
  if (typeof value === 'bigint') return BigInt.asIntN(64, -value);
  if (value instanceof GoInt && integer !== undefined) return new GoInt(value.type, fitted(-integer, value.type.kind));
  const number = numberOf(value);
  if (number === undefined) throw new Panic(`invalid operation: - ${typeName(value)}`);
  return -number;
}

/** What an integer type keeps of a value. */
function fitted(value: bigint, kind: string): bigint {
  const bits = Number(/(?<!\d)\d+$/.exec(kind)?.[0] ?? 64);
  return kind.startsWith('u') ? BigInt.asUintN(bits, value) : BigInt.asIntN(bits, value);
}

/** True if the value is a number whose sign can be dropped. */
export function isNegative(value: Value): boolean {
  const integer = integerOf(value);
  return integer === undefined ? (numberOf(value) ?? 0) < 0 : integer < 0n;
}
