import { elementsOf, GoInt, parseFloat64, parseInt64, type Value } from '@tiphys/template';
import { Panic } from '../fault/expr-error.ts';
import { isNegative, negate } from '../values/arithmetic.ts';
import { compare } from '../values/compare.ts';
import { floatOf, numberOf, plainInteger, truncated, typeName, wrapped } from '../values/numbers.ts';
import type { Builtin, BuiltinContext } from './builtin.ts';

const rounding =
  (name: string, round: (value: number) => number): Builtin =>
  ([value]) => {
    const float = floatOf(value);
    if (float !== undefined) return round(float);
    const number = numberOf(value);
    if (number === undefined) throw new Panic(`invalid argument for ${name} (type ${typeName(value)})`);
    return number;
  };

/** Halves away from zero. */
const roundHalf = (value: number): number => {
  const whole = Math.trunc(value);
  return Math.abs(value - whole) >= 0.5 ? whole + Math.sign(value) : whole;
};

const toInteger: Builtin = ([value]) => {
  const integer = value instanceof GoInt ? value.value : plainInteger(value);
  if (integer !== undefined) return wrapped(integer);
  const float = floatOf(value);
  if (float !== undefined) return wrapped(truncated(float));
  if (typeof value !== 'string') {
    if (value === null || value === undefined) throw new Panic('reflect: call of reflect.Value.Type on zero Value');
    throw new Panic(`invalid operation: int(${typeName(value)})`);
  }
  const parsed = parseInt64(value);
  if (parsed.fault) throw new Panic(`invalid operation: int(${value})`);
  return wrapped(parsed.value);
};

const toFloat: Builtin = ([value]) => {
  const number = numberOf(value);
  if (number !== undefined) return number;
  if (typeof value !== 'string') throw new Panic(`invalid operation: float(${typeName(value)})`);
  const parsed = parseFloat64(value);
  if (parsed.fault) throw new Panic(`invalid operation: float(${value})`);
  return parsed.value;
};

/** `min` and `max`: the first value that is before or behind all others; lists are looked into. */
const extreme = (name: string, operator: '<' | '>'): Builtin => {
  const fold = (args: readonly Value[], context: BuiltinContext): Value => {
    let best: Value;
    const offer = (value: Value): void => {
      if (best === undefined || compare(operator, best, value)) best = value;
    };
    for (const arg of args) {
      context.budget.step();
      const items = elementsOf(arg);
      if (items) {
        const inner = fold(items, context);
        if (inner !== undefined) offer(inner);
      } else if (numberOf(arg) !== undefined) offer(arg);
      else throw new Panic(`invalid argument for ${name} (type ${typeName(arg)})`);
    }
    return best;
  };
  return (args, context) => {
    const [only] = args;
    if (args.length === 1 && !elementsOf(only) && numberOf(only) === undefined) return only;
    return fold(args, context) ?? null;
  };
};

/** All numbers of the arguments, of lists inside of lists too. */
function numbersOf(name: string, args: readonly Value[], context: BuiltinContext): number[] {
  return args.flatMap((arg) => {
    context.budget.step();
    const items = elementsOf(arg);
    if (items) return numbersOf(name, items, context);
    const number = arg instanceof GoInt ? Number(arg.value) : numberOf(arg);
    if (number === undefined) throw new Panic(`invalid argument for ${name} (type ${typeName(arg)})`);
    return [number];
  });
}

const bits =
  (name: string, apply: (x: bigint, y: bigint) => bigint): Builtin =>
  (args) => {
    const [x, y] = args.map((arg) => {
      const integer = plainInteger(arg);
      if (integer === undefined) throw new Panic(`cannot use ${typeName(arg)} as argument (type int) to call ${name}`);
      return BigInt.asIntN(64, integer);
    }) as [bigint, bigint];
    return wrapped(apply(x, y));
  };

const shift =
  (apply: (x: bigint, y: bigint) => bigint) =>
  (x: bigint, y: bigint): bigint => {
    if (y < 0n) throw new Panic(`invalid operation: negative shift count ${y} (type int)`);
    return apply(x, y > 64n ? 64n : y);
  };

export const numbers: Readonly<Record<string, Builtin>> = {
  abs: ([value]) => {
    const isNumber = numberOf(value) !== undefined;
    if (!isNumber) throw new Panic(`invalid argument for abs (type ${typeName(value)})`);
    if (!isNegative(value)) return value;
    return negate(value);
  },
  ceil: rounding('ceil', Math.ceil),
  floor: rounding('floor', Math.floor),
  round: rounding('round', roundHalf),
  int: toInteger,
  float: toFloat,
  max: extreme('max', '<'),
  min: extreme('min', '>'),
  mean: (args, context) => {
    const all = numbersOf('mean', args, context);
    return all.length === 0 ? 0 : all.reduce((sum, value) => sum + value, 0) / all.length;
  },
  median: (args, context) => {
    const all = numbersOf('median', args, context).sort((a, b) => a - b);
    const middle = all.length >> 1;
    if (all.length === 0) return 0;
    return all.length % 2 === 1 ? (all[middle] as number) : ((all[middle - 1] as number) + (all[middle] as number)) / 2;
  },
  bitand: bits('bitand', (x, y) => x & y),
  bitor: bits('bitor', (x, y) => x | y),
  bitxor: bits('bitxor', (x, y) => x ^ y),
  bitnand: bits('bitnand', (x, y) => x & ~y),
  bitshl: bits(
    'bitshl',
    shift((x, y) => x << y),
  ),
  bitshr: bits(
    'bitshr',
    shift((x, y) => x >> y),
  ),
  bitushr: bits(
    'bitushr',
    shift((x, y) => BigInt.asUintN(64, x) >> y),
  ),
  bitnot: bits('bitnot', (x) => ~x),
};
