import { goQuote, readDuration } from '@tiphys/go';
import {
  define,
  durationType,
  FunctionError,
  type FunctionSpec,
  GoFloat32,
  GoInt,
  integerOf,
  stringOf,
  typeOf,
  type Value,
} from '@tiphys/template';

const maxInt64 = 2n ** 63n - 1n;
const second = 1_000_000_000n;

/** The duration of any template value, in nanoseconds. Throws `FunctionError` in Helm's words. */
function asDuration(value: Value): bigint {
  if (value === null || value === undefined) throw new FunctionError('invalid duration');
  const text = typeof value === 'string' ? value : undefined;
  if (text !== undefined) {
    const trimmed = text.trim();
    if (trimmed === '') throw new FunctionError('empty duration');
    const parsed = readDuration(trimmed);
    if (typeof parsed === 'bigint') return parsed;
    if (/^[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?$/.test(trimmed)) return fromFloat(Number(trimmed));
    throw new FunctionError(`could not parse duration ${goQuote(text)}`);
  }
  if (value instanceof GoInt && value.type.name === 'time.Duration') return value.value;
  const integer = integerOf(value);
  if (integer !== undefined) {
    const nanos = integer * second;
    if (nanos > maxInt64 || nanos < -maxInt64 - 1n) throw new FunctionError(`duration seconds overflow: ${integer}`);
    return nanos;
  }
  if (typeof value === 'number') return fromFloat(value);
  if (value instanceof GoFloat32) return fromFloat(value.value);
  throw new FunctionError(
    `unsupported duration type ${stringOf(value) === undefined ? typeOf(value)?.name : 'string'}`,
  );
}

function fromFloat(seconds: number): bigint {
  if (!Number.isFinite(seconds))
    throw new FunctionError(`invalid duration seconds: ${seconds > 0 ? '+Inf' : seconds < 0 ? '-Inf' : 'NaN'}`);
  if (Math.abs(seconds) > Number(maxInt64) / 1e9) throw new FunctionError(`duration seconds overflow: ${seconds}`);
  return BigInt(Math.trunc(seconds * 1e9));
}

function orZero(value: Value): bigint {
  try {
    return asDuration(value);
  } catch (error) {
    if (error instanceof FunctionError) return 0n;
    throw error;
  }
}

/** Go computes hours as whole hours plus the rest, which rounds differently from one division. */
function inUnits(nanos: bigint, unit: bigint): number {
  return Number(nanos / unit) + Number(nanos % unit) / Number(unit);
}

function roundTo(value: Value, multiple: Value): bigint {
  const [nanos, step] = [orZero(value), stepOf(multiple)];
  if (step <= 0n) return nanos;
  const rest = nanos % step;
  if (nanos < 0n) return -rest * 2n < step ? nanos - rest : nanos - rest - step;
  return rest * 2n < step ? nanos - rest : nanos + step - rest;
}

function truncateTo(value: Value, multiple: Value): bigint {
  const [nanos, step] = [orZero(value), stepOf(multiple)];
  return step <= 0n ? nanos : nanos - (nanos % step);
}

function stepOf(value: Value): bigint {
  try {
    return asDuration(value);
  } catch (error) {
    if (error instanceof FunctionError) return 0n;
    throw error;
  }
}

const duration = (nanos: bigint): GoInt => new GoInt(durationType, nanos);

/** Helm 4's duration helpers. */
export const durationFunctions: ReadonlyMap<string, FunctionSpec> = new Map([
  ['mustToDuration', define('any', ([value]) => duration(asDuration(value)))],
  ['durationSeconds', define('any', ([value]) => inUnits(orZero(value), second))],
  ['durationMilliseconds', define('any', ([value]) => orZero(value) / 1_000_000n)],
  ['durationMicroseconds', define('any', ([value]) => orZero(value) / 1000n)],
  ['durationNanoseconds', define('any', ([value]) => orZero(value))],
  ['durationMinutes', define('any', ([value]) => inUnits(orZero(value), 60n * second))],
  ['durationHours', define('any', ([value]) => inUnits(orZero(value), 3600n * second))],
  ['durationDays', define('any', ([value]) => inUnits(orZero(value), 3600n * second) / 24)],
  ['durationWeeks', define('any', ([value]) => inUnits(orZero(value), 3600n * second) / 24 / 7)],
  ['durationRoundTo', define('any, any', ([value, multiple]) => duration(roundTo(value, multiple)))],
  ['durationTruncateTo', define('any, any', ([value, multiple]) => duration(truncateTo(value, multiple)))],
]);
