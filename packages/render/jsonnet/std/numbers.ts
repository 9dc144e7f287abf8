import { arithmetic } from '../machine/arithmetic.ts';
import type { Machine } from '../machine/machine.ts';
import type { Slot, Value } from '../machine/values.ts';
import { booleanOf, type Library, type Native, numberOf } from './native.ts';

const real =
  (compute: (value: number) => number): Native =>
  (machine, x) =>
    machine.finite(compute(numberOf(machine, x)));

/** Half away from zero. */
const round = (value: number): number => Math.sign(value) * Math.round(Math.abs(value));

/** `value = mantissa × 2^exponent`, the mantissa in [0.5, 1). */
function parts(value: number): { mantissa: number; exponent: number } {
  if (value === 0) return { mantissa: 0, exponent: 0 };
  let exponent = Math.floor(Math.log2(Math.abs(value))) + 1;
  let mantissa = value / 2 ** exponent;
  if (Math.abs(mantissa) >= 1) {
    mantissa /= 2;
    exponent += 1;
  } else if (Math.abs(mantissa) < 0.5) {
    mantissa *= 2;
    exponent -= 1;
  }
  return { mantissa, exponent };
}

const chosen = (machine: Machine, a: Slot, b: Slot, choose: (a: number, b: number) => number): Value =>
  choose(numberOf(machine, a), numberOf(machine, b));

/** What the standard library does with numbers and booleans. */
export const numbers: Library = {
  'abs(n)': real(Math.abs),
  'sign(n)': real(Math.sign),
  'ceil(x)': real(Math.ceil),
  'floor(x)': real(Math.floor),
  'round(x)': real(round),
  'sqrt(x)': real(Math.sqrt),
  'sin(x)': real(Math.sin),
  'cos(x)': real(Math.cos),
  'tan(x)': real(Math.tan),
  'asin(x)': real(Math.asin),
  'acos(x)': real(Math.acos),
  'atan(x)': real(Math.atan),
  'log(x)': real(Math.log),
  'log2(x)': real(Math.log2),
  'log10(x)': real(Math.log10),
  'exp(x)': real(Math.exp),
  'deg2rad(x)': real((value) => (value * Math.PI) / 180),
  'rad2deg(x)': real((value) => (value * 180) / Math.PI),
  'mantissa(x)': real((value) => parts(value).mantissa),
  'exponent(x)': real((value) => parts(value).exponent),
  'isEven(x)': (machine, x) => Math.trunc(numberOf(machine, x)) % 2 === 0,
  'isOdd(x)': (machine, x) => Math.trunc(numberOf(machine, x)) % 2 !== 0,
  'isInteger(x)': (machine, x) => Number.isInteger(numberOf(machine, x)),
  'isDecimal(x)': (machine, x) => !Number.isInteger(numberOf(machine, x)),
  'atan2(y, x)': (machine, y, x) => chosen(machine, y, x, Math.atan2),
  'hypot(x, y)': (machine, x, y) => machine.finite(Math.hypot(numberOf(machine, x), numberOf(machine, y))),
  'pow(x, n)': (machine, x, n) => machine.finite(numberOf(machine, x) ** numberOf(machine, n)),
  'modulo(x, y)': (machine, x, y) => machine.finite(numberOf(machine, x) % numberOf(machine, y)),
  'mod(a, b)': (machine, a, b) => arithmetic(machine, '%', machine.force(a), machine.force(b)),
  'max(a, b)': (machine, a, b) => chosen(machine, a, b, Math.max),
  'min(a, b)': (machine, a, b) => chosen(machine, a, b, Math.min),
  'clamp(x, minVal, maxVal)': (machine, x, low, high) => {
    const [value, least, most] = [machine.force(x), machine.force(low), machine.force(high)];
    if (machine.compare(value, least) < 0) return least;
    return machine.compare(value, most) > 0 ? most : value;
  },
  'xor(x, y)': (machine, x, y) => booleanOf(machine, x) !== booleanOf(machine, y),
  'xnor(x, y)': (machine, x, y) => booleanOf(machine, x) === booleanOf(machine, y),
};
