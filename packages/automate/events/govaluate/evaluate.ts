import { formatGeneral } from '@tiphys/template';
import { RE2JS } from 're2js';
import { EvaluateError } from './tokens.ts';
import type { Expression } from './tree.ts';

type Parameters = ReadonlyMap<string, unknown>;

/** Evaluates an expression of govaluate with its checks of types. Throws `EvaluateError`. */
export function evaluate(expression: Expression, parameters: Parameters): unknown {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'name':
      if (!parameters.has(expression.name)) throw new EvaluateError(`No parameter '${expression.name}' found.`);
      return parameters.get(expression.name);
    case 'list':
      return expression.items.map((item) => evaluate(item, parameters));
    case 'unary':
      return unary(expression.operator, evaluate(expression.operand, parameters));
    case 'binary':
      return binary(expression, parameters);
  }
}

/** All names that an expression asks for. */
export function namesOf(expression: Expression): string[] {
  switch (expression.kind) {
    case 'literal':
      return [];
    case 'name':
      return [expression.name];
    case 'list':
      return expression.items.flatMap(namesOf);
    case 'unary':
      return namesOf(expression.operand);
    case 'binary':
      return [...namesOf(expression.left), ...namesOf(expression.right)];
  }
}

function unary(operator: string, value: unknown): unknown {
  if (operator === '!') return !booleanOf(value, '!');
  const number = numberOf(value, operator);
  return operator === '-' ? -number : Number(~integer(number));
}

function binary({ operator, left, right }: Expression & { kind: 'binary' }, parameters: Parameters): unknown {
  const a = evaluate(left, parameters);
  if (operator === '&&' || operator === '||') {
    const first = booleanOf(a, operator);
    if (first === (operator === '||')) return first;
    return booleanOf(evaluate(right, parameters), operator);
  }
  if (operator === '?') return booleanOf(a, '?') ? evaluate(right, parameters) : null;
  if (operator === '??' || operator === ':') return a ?? evaluate(right, parameters);
  const b = evaluate(right, parameters);
  if (operator === '==' || operator === '!=') return same(a, b) === (operator === '==');
  if (operator === '+' && (typeof a === 'string' || typeof b === 'string')) return textOf(a) + textOf(b);
  if (operator === '=~' || operator === '!~')
    return matches(textIn(a, operator), textIn(b, operator)) === (operator === '=~');
  if (operator === 'in') return member(a, b);
  if (['<', '<=', '>', '>='].includes(operator)) return ordered(operator, a, b);
  return arithmetic(operator, numberOf(a, operator), numberOf(b, operator));
}

function arithmetic(operator: string, a: number, b: number): number {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return a % b;
    case '**':
      return a ** b;
    default:
      return bitwise(operator, integer(a), integer(b));
  }
}

/** Whole numbers have 64 bits; those that are shifted, and the number of places, have no sign. */
function bitwise(operator: string, a: bigint, b: bigint): number {
  if (operator === '&') return Number(a & b);
  if (operator === '|') return Number(a | b);
  if (operator === '^') return Number(a ^ b);
  const [value, places] = [BigInt.asUintN(64, a), BigInt.asUintN(64, b)];
  if (places > 63n) return 0;
  return Number(operator === '<<' ? BigInt.asUintN(64, value << places) : value >> places);
}

/** Without the fraction; what no 64 bits hold is the least of them, as amd64 converts it. */
function integer(value: number): bigint {
  return Math.abs(value) < 2 ** 63 ? BigInt(Math.trunc(value)) : -(2n ** 63n);
}

function ordered(operator: string, a: unknown, b: unknown): boolean {
  if (!(typeof a === 'number' && typeof b === 'number') && !(typeof a === 'string' && typeof b === 'string'))
    throw unusable(typeof a === 'number' || typeof a === 'string' ? b : a, operator, 'comparator');
  const order = a === b ? 0 : a < b ? -1 : 1;
  if (operator === '<') return order < 0;
  if (operator === '<=') return order <= 0;
  return operator === '>' ? order > 0 : order >= 0;
}

function member(value: unknown, list: unknown): boolean {
  if (!Array.isArray(list)) throw unusable(list, 'in', 'comparator, it is not an array');
  return list.some((item) => same(item, value));
}

function same(a: unknown, b: unknown): boolean {
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return a === b;
  return JSON.stringify(a) === JSON.stringify(b);
}

function matches(text: string, pattern: string): boolean {
  try {
    return RE2JS.compile(pattern).matcher(text).find();
  } catch (error) {
    throw new EvaluateError(`Unable to compile regexp pattern '${pattern}': ${(error as Error).message}`);
  }
}

function booleanOf(value: unknown, operator: string): boolean {
  if (typeof value !== 'boolean') throw unusable(value, operator, 'logical operator, it is not a bool');
  return value;
}

function numberOf(value: unknown, operator: string): number {
  if (typeof value !== 'number') throw unusable(value, operator, 'modifier, it is not a number');
  return value;
}

function textIn(value: unknown, operator: string): string {
  if (typeof value !== 'string') throw unusable(value, operator, 'comparator, it is not a string');
  return value;
}

/** A value as Go's `%v` writes it. */
function textOf(value: unknown): string {
  if (typeof value === 'number') return formatGeneral(value);
  if (Array.isArray(value)) return `[${value.map(textOf).join(' ')}]`;
  if (typeof value !== 'object') return String(value);
  if (value === null) return '<nil>';
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return `map[${entries.map(([key, item]) => `${key}:${textOf(item)}`).join(' ')}]`;
}

function unusable(value: unknown, operator: string, what: string): EvaluateError {
  return new EvaluateError(`Value '${JSON.stringify(value)}' cannot be used with the ${what} '${operator}'`);
}
