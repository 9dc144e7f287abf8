import { formatText } from './format.ts';
import type { Machine } from './machine.ts';
import { JsonnetObject, type Value } from './values.ts';

/** What a binary operator gives of two values. `&&` and `||` are not here: they may leave the second one alone. */
export function arithmetic(machine: Machine, operator: string, left: Value, right: Value): Value {
  switch (operator) {
    case '+':
      return machine.add(left, right);
    case '==':
      return machine.equals(left, right);
    case '!=':
      return !machine.equals(left, right);
    case '<':
      return machine.compare(left, right) < 0;
    case '<=':
      return machine.compare(left, right) <= 0;
    case '>':
      return machine.compare(left, right) > 0;
    case '>=':
      return machine.compare(left, right) >= 0;
    case 'in':
      if (!(right instanceof JsonnetObject)) throw machine.unexpected(right, 'object');
      if (typeof left !== 'string') throw machine.unexpected(left, 'string');
      return right.has(left);
    case '%':
      if (typeof left === 'string') return machine.sized(formatText(machine, left, right));
  }
  const [a, b] = [numberOf(machine, left), numberOf(machine, right)];
  switch (operator) {
    case '-':
      return machine.finite(a - b);
    case '*':
      return machine.finite(a * b);
    case '/':
      if (b === 0) throw machine.fail('Division by zero.');
      return machine.finite(a / b);
    case '%':
      if (b === 0) throw machine.fail('Division by zero.');
      return a % b;
  }
  return bitwise(machine, operator, integer64(machine, a), integer64(machine, b));
}

function bitwise(machine: Machine, operator: string, a: bigint, b: bigint): number {
  switch (operator) {
    case '&':
      return Number(a & b);
    case '^':
      return Number(a ^ b);
    case '|':
      return Number(a | b);
  }
  if (b < 0n) throw machine.fail('Shift by negative exponent.');
  const by = b % 64n;
  if (operator === '>>') return Number(a >> by);
  const shifted = a << by;
  if (by > 0n && BigInt.asIntN(64, shifted) !== shifted) throw machine.fail('left shift would overflow');
  return Number(shifted);
}

function numberOf(machine: Machine, value: Value): number {
  if (typeof value === 'number') return value;
  throw machine.unexpected(value, 'number');
}

function integer64(machine: Machine, value: number): bigint {
  if (value >= -(2 ** 63) && value < 2 ** 63) return BigInt(Math.trunc(value));
  throw machine.fail(`Bitwise operator argument ${value} outside of range [-9223372036854775808, 9223372036854775807]`);
}
