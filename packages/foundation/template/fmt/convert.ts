import { charge } from '../bounds/active-budget.ts';
import { fromBytes } from '../text/bytes.ts';
import { parseInt64 } from '../text/parse-number.ts';
import { elementsOf, GoError, GoFloat32, integerOf, isNil, stringOf, type Value } from '../value/value.ts';
import { formatValue } from './format-value.ts';

/** Sprig's text of any value. */
export function textOf(value: Value): string {
  if (typeof value === 'string') return value;
  if (value instanceof Uint8Array) return fromBytes(value);
  return value instanceof GoError ? value.message : formatValue(value);
}

/** Sprig's list of texts of a list, without its nils; anything else is a list of one. */
export function textsOf(value: Value): string[] {
  const items = elementsOf(value);
  if (items) charge(items.length);
  if (items) return items.filter((item) => item !== null && item !== undefined).map(textOf);
  return value === null || value === undefined ? [] : [textOf(value)];
}

const minInt64 = -(2n ** 63n);

function truncate(value: number): bigint {
  // What amd64 does with floats that no int64 can hold.
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) return minInt64;
  return BigInt(Math.trunc(value));
}

/** Sprig's int64 of any value; 0 where there is none. */
export function int64Of(value: Value): bigint {
  const integer = integerOf(value);
  if (integer !== undefined) return BigInt.asIntN(64, integer);
  if (typeof value === 'number') return truncate(value);
  if (value instanceof GoFloat32) return truncate(value.value);
  if (typeof value === 'boolean') return value ? 1n : 0n;
  const text = stringOf(value);
  if (text === undefined) return 0n;
  // A decimal point is allowed where nothing but zeros follow it.
  const parsed = parseInt64(trimZeroDecimal(text), 0);
  return parsed.fault ? 0n : parsed.value;
}

function trimZeroDecimal(text: string): string {
  return /^[^.]*\.0+$/.test(text) ? text.slice(0, text.indexOf('.')) : text;
}

/** Sprig's float64 of any value; 0 where there is none. */
export function float64Of(value: Value): number {
  if (typeof value === 'number') return value;
  if (value instanceof GoFloat32) return value.value;
  if (typeof value === 'boolean') return value ? 1 : 0;
  const integer = integerOf(value);
  if (integer !== undefined) return Number(integer);
  const text = stringOf(value);
  if (text === undefined) return 0;
  if (/^[-+]?(?:[0-9]+(?:_[0-9]+)*\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?$/.test(text) && !text.includes('_')) {
    const parsed = Number(text);
    return Number.isFinite(parsed) ? parsed : 0;
  }
  if (/^[-+]?(?:inf|infinity)$/i.test(text))
    return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return /^nan$/i.test(text) ? Number.NaN : 0;
}

/** Sprig's notion of emptiness. */
export function isEmpty(value: Value): boolean {
  if (value === null || value === undefined) return true;
  if (typeof value === 'string') return value === '';
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value === 0;
  if (value instanceof Map) return value.size === 0;
  const integer = integerOf(value);
  if (integer !== undefined) return integer === 0n;
  const text = stringOf(value);
  if (text !== undefined) return text === '';
  if (value instanceof GoFloat32) return value.value === 0;
  const items = elementsOf(value);
  if (items) return items.length === 0;
  const { entries } = value as { entries?: unknown };
  if (entries instanceof Map) return entries.size === 0;
  return isNil(value);
}
