import { float64Of, int64Of } from '../fmt/convert.ts';
import { formatValue } from '../fmt/format-value.ts';
import { parseInt64 } from '../text/parse-number.ts';
import { define, FunctionError, type FunctionSpec } from '../value/function-spec.ts';
import { int, integerOf, type Value } from '../value/value.ts';
import { powerOfTen } from './go-pow.ts';

const wrap = (value: bigint): bigint => BigInt.asIntN(64, value);

function divide(a: Value, b: Value, remainder: boolean): bigint {
  const divisor = int64Of(b);
  if (divisor === 0n) throw new FunctionError('runtime error: integer divide by zero');
  return wrap(remainder ? int64Of(a) % divisor : int64Of(a) / divisor);
}

/** A decimal number: digits × 10^-scale. */
interface Decimal {
  readonly digits: bigint;
  readonly scale: number;
}

function decimalOf(value: Value): Decimal {
  const number = float64Of(value);
  if (!Number.isFinite(number)) throw new FunctionError(`Cannot create a Decimal from ${formatValue(number)}`);
  const [mantissa, exponent] = number.toExponential().split('e') as [string, string];
  const [whole, fraction = ''] = mantissa.split('.') as [string, string?];
  const scale = fraction.length - Number(exponent);
  const digits = BigInt(whole + fraction);
  return scale >= 0 ? { digits, scale } : { digits: digits * 10n ** BigInt(-scale), scale: 0 };
}

function sameScale(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  return [a.digits * 10n ** BigInt(scale - a.scale), b.digits * 10n ** BigInt(scale - b.scale), scale];
}

function add(a: Decimal, b: Decimal): Decimal {
  const [x, y, scale] = sameScale(a, b);
  return { digits: x + y, scale };
}

/** To 16 places, half away from zero, as the decimal library divides. */
function quotient(a: Decimal, b: Decimal): Decimal {
  if (b.digits === 0n) throw new FunctionError('decimal division by 0');
  const places = 16;
  const [x, y] = sameScale(a, b);
  const scaled = x * 10n ** BigInt(places);
  const whole = scaled / y;
  const rest = scaled % y;
  const twice = (rest < 0n ? -rest : rest) * 2n;
  const away = twice >= (y < 0n ? -y : y) ? (x < 0n !== y < 0n ? -1n : 1n) : 0n;
  return { digits: whole + away, scale: places };
}

function toNumber({ digits, scale }: Decimal): number {
  return Number(`${digits}e-${scale}`);
}

const decimals = (body: (a: Decimal, b: Decimal) => Decimal): FunctionSpec =>
  define('any, ...any', ([first, ...others]) => toNumber(others.map(decimalOf).reduce(body, decimalOf(first))));

function round(value: Value, places: number, on: number): number {
  const power = powerOfTen(places);
  const digit = power * float64Of(value);
  const fraction = digit - Math.trunc(digit);
  return (fraction >= on ? Math.ceil(digit) : Math.floor(digit)) / power;
}

const extreme = (better: (a: bigint, b: bigint) => boolean): FunctionSpec =>
  define('any, ...any', (args) => args.map(int64Of).reduce((best, value) => (better(value, best) ? value : best)));

/** Sprig's functions on numbers. */
export const numberFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  [
    'atoi',
    define('string', ([text]) => {
      const parsed = parseInt64(text as string);
      return int(parsed.value);
    }),
  ],
  ['int64', define('any', ([value]) => int64Of(value))],
  ['int', define('any', ([value]) => int(int64Of(value)))],
  ['float64', define('any', ([value]) => float64Of(value))],
  [
    'toDecimal',
    define('any', ([value]) => {
      const parsed = parseInt64(formatValue(value), 8);
      return parsed.fault ? 0n : parsed.value;
    }),
  ],
  ['add1', define('any', ([value]) => wrap(int64Of(value) + 1n))],
  ['add', define('...any', (args) => wrap(args.reduce((sum: bigint, value) => sum + int64Of(value), 0n)))],
  ['sub', define('any, any', ([a, b]) => wrap(int64Of(a) - int64Of(b)))],
  ['div', define('any, any', ([a, b]) => divide(a, b, false))],
  ['mod', define('any, any', ([a, b]) => divide(a, b, true))],
  ['mul', define('any, ...any', (args) => args.map(int64Of).reduce((product, value) => wrap(product * value)))],
  ['add1f', define('any', ([value]) => toNumber(add(decimalOf(value), { digits: 1n, scale: 0 })))],
  ['addf', define('...any', (args) => toNumber(args.map(decimalOf).reduce(add, { digits: 0n, scale: 0 })))],
  ['subf', decimals((a, b) => add(a, { digits: -b.digits, scale: b.scale }))],
  ['mulf', decimals((a, b) => ({ digits: a.digits * b.digits, scale: a.scale + b.scale }))],
  ['divf', decimals(quotient)],
  ['biggest', extreme((a, b) => a > b)],
  ['max', extreme((a, b) => a > b)],
  ['min', extreme((a, b) => a < b)],
  ['maxf', define('any, ...any', (args) => Math.max(...args.map(float64Of)))],
  ['minf', define('any, ...any', (args) => Math.min(...args.map(float64Of)))],
  ['ceil', define('any', ([value]) => Math.ceil(float64Of(value)))],
  ['floor', define('any', ([value]) => Math.floor(float64Of(value)))],
  [
    'round',
    define('any, int, ...float64', ([value, places, on]) =>
      round(value, Number(integerOf(places)), on === undefined ? 0.5 : (on as number)),
    ),
  ],
]);
