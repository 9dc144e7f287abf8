import {
  anyType,
  durationType,
  GoFunction,
  type GoType,
  sliceOfAny,
  timeType,
  typeOf,
  type Value,
} from '@tiphys/template';
import type { Nature } from '../syntax/node.ts';

export type { Nature };

export const unknown: Nature = {};
export const nil: Nature = { isNil: true };

const known = new Map<GoType, Nature>();

/** The nature of a type; unknown without one. */
export function ofType(type: GoType | undefined): Nature {
  if (!type) return unknown;
  let nature = known.get(type);
  if (!nature) {
    nature = Object.freeze({ type });
    known.set(type, nature);
  }
  return nature;
}

/** The nature of a value of the environment. */
export function ofValue(value: Value): Nature {
  if (value === null || value === undefined) return nil;
  if (value instanceof GoFunction) return { type: value.type, call: value.spec };
  return ofType(typeOf(value));
}

export const listOf = (elem: Nature): Nature => ({ type: sliceOfAny, elem });

export function isUnknown({ type, isNil }: Nature): boolean {
  return (!type && !isNil) || type === anyType;
}

const integers = new Set('int int8 int16 int32 int64 uint uint8 uint16 uint32 uint64 uintptr'.split(' '));

export const isInteger = ({ type }: Nature): boolean => type !== undefined && !type.named && integers.has(type.kind);
export const isFloat = ({ type }: Nature): boolean =>
  type !== undefined && !type.named && (type.kind === 'float64' || type.kind === 'float32');
export const isNumber = (nature: Nature): boolean => isInteger(nature) || isFloat(nature);
export const isBool = ({ type }: Nature): boolean => type?.kind === 'bool';
export const isString = ({ type }: Nature): boolean => type?.kind === 'string';
export const isList = ({ type }: Nature): boolean => type?.kind === 'slice' || type?.kind === 'array';
export const isMap = ({ type }: Nature): boolean => type?.kind === 'map';
export const isTime = ({ type }: Nature): boolean => type === timeType;
export const isDuration = ({ type }: Nature): boolean => type === durationType;

/** As messages show it. */
export function natureText({ type }: Nature): string {
  return type?.name ?? 'unknown';
}

/** What the elements of a list or the values of a map are. */
export function elemOf(nature: Nature): Nature {
  return nature.elem ?? ofType(nature.type?.elem);
}

const nilable = new Set(['ptr', 'interface', 'func', 'map', 'slice']);

/** Go's assignability, for the types that values have here. */
export function isAssignable(from: Nature, to: Nature): boolean {
  if (from.isNil && nilable.has(to.type?.kind ?? '')) return true;
  if (!from.type || !to.type) return false;
  return from.type === to.type || to.type === anyType;
}

export function isComparable(a: Nature, b: Nature): boolean {
  if (isUnknown(a) || isUnknown(b) || a.isNil || b.isNil) return true;
  return (
    (isNumber(a) && isNumber(b)) ||
    (isDuration(a) && isDuration(b)) ||
    (isTime(a) && isTime(b)) ||
    (isList(a) && isList(b)) ||
    isAssignable(a, b)
  );
}

/** True if one is unknown and the other unknown too, or one of the checks. */
export function mayFit(a: Nature, b: Nature, ...checks: ((nature: Nature) => boolean)[]): boolean {
  const fits = (nature: Nature): boolean => checks.some((check) => check(nature));
  if (isUnknown(a)) return isUnknown(b) || fits(b);
  return isUnknown(b) && fits(a);
}
