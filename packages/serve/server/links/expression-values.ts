import { isDeepStrictEqual } from 'node:util';
import { RE2JS, RE2JSException } from 're2js';
import { ExpressionError } from './expression-tokens.ts';

type Predicate = (element: unknown) => unknown;

/** The value of a condition, which must be a boolean. */
export function truth(value: unknown): boolean {
  if (typeof value === 'boolean') return value;
  throw new ExpressionError(`${typeName(value)} where a bool is wanted`);
}

/** A member of a map or an element of a list; nothing if a map has no such key. */
export function member(object: unknown, key: unknown, optional: boolean): unknown {
  if (object === undefined || object === null) {
    if (optional) return undefined;
    throw new ExpressionError(`cannot fetch ${String(key)} from <nil>`);
  }
  if (Array.isArray(object) && typeof key === 'number') {
    const index = key < 0 ? object.length + key : key;
    if (Object.hasOwn(object, index)) return object[index];
    throw new ExpressionError(`index out of range: ${key}`);
  }
  if (typeof object === 'object' && !Array.isArray(object)) {
    const name = String(key);
    return Object.hasOwn(object, name) ? ((object as Record<string, unknown>)[name] ?? undefined) : undefined;
  }
  throw new ExpressionError(`cannot fetch ${String(key)} from ${typeName(object)}`);
}

/** The right side is not evaluated where the left one decides. */
export function binary(operator: string, left: () => unknown, right: () => unknown): unknown {
  switch (operator) {
    case '??':
      return left() ?? right();
    case '||':
    case 'or':
      return truth(left()) || truth(right());
    case '&&':
    case 'and':
      return truth(left()) && truth(right());
    default:
      return operate(operator, left() ?? undefined, right() ?? undefined);
  }
}

function operate(operator: string, a: unknown, b: unknown): unknown {
  if (operator === '==') return isDeepStrictEqual(a, b);
  if (operator === '!=') return !isDeepStrictEqual(a, b);
  if (operator === 'in') return isIn(a, b);
  if (typeof a === 'string' && typeof b === 'string') {
    const test = ofTexts[operator];
    if (test) return test(a, b);
  }
  if (typeof a === 'number' && typeof b === 'number') {
    const compute = ofNumbers[operator];
    if (compute) return compute(a, b);
  }
  throw new ExpressionError(`invalid operation: ${typeName(a)} ${operator} ${typeName(b)}`);
}

const ofTexts: Readonly<Record<string, (a: string, b: string) => unknown>> = {
  '+': (a, b) => a + b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
  contains: (a, b) => a.includes(b),
  startsWith: (a, b) => a.startsWith(b),
  endsWith: (a, b) => a.endsWith(b),
  matches: (a, b) => expression(b).matcher(a).find(),
};

const ofNumbers: Readonly<Record<string, (a: number, b: number) => unknown>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => a / b,
  '%': (a, b) => a % b,
  '**': (a, b) => a ** b,
  '^': (a, b) => a ** b,
  '<': (a, b) => a < b,
  '>': (a, b) => a > b,
  '<=': (a, b) => a <= b,
  '>=': (a, b) => a >= b,
};

function expression(source: string): RE2JS {
  try {
    return RE2JS.compile(source);
  } catch (error) {
    if (error instanceof RE2JSException) throw new ExpressionError(`the expression ${source} does not compile`);
    throw error;
  }
}

function isIn(item: unknown, container: unknown): boolean {
  if (container === undefined) return false;
  if (Array.isArray(container)) return container.some((other) => isDeepStrictEqual(item, other));
  if (typeof container === 'object' && container !== null) return Object.hasOwn(container, String(item));
  throw new ExpressionError(`operator "in" is not defined on ${typeName(container)}`);
}

/** A function of the language; predicates come as functions of an element. */
export function call(name: string, values: readonly unknown[]): unknown {
  const [first, second] = values;
  const text = () => {
    if (typeof first === 'string') return first;
    throw new ExpressionError(`${name}() wants a string, found ${typeName(first)}`);
  };
  const filtered = (keep: (holds: boolean) => boolean) => {
    if (!Array.isArray(first) || typeof second !== 'function')
      throw new ExpressionError(`${name}() wants a list and a predicate`);
    return first.filter((element: unknown) => keep(truth((second as Predicate)(element))));
  };
  switch (name) {
    case 'len':
      if (typeof first === 'string') return [...first].length;
      if (typeof first === 'object' && first !== null) return Object.keys(first).length;
      throw new ExpressionError(`invalid argument for len: ${typeName(first)}`);
    case 'lower':
      return text().toLowerCase();
    case 'upper':
      return text().toUpperCase();
    case 'trim':
      return text().trim();
    case 'split':
      return text().split(String(second));
    case 'hasPrefix':
      return text().startsWith(String(second));
    case 'hasSuffix':
      return text().endsWith(String(second));
    case 'any':
      return filtered((holds) => holds).length > 0;
    case 'all':
      return filtered((holds) => !holds).length === 0;
    case 'none':
      return filtered((holds) => holds).length === 0;
    case 'one':
      return filtered((holds) => holds).length === 1;
    case 'count':
      return filtered((holds) => holds).length;
    case 'filter':
      return filtered((holds) => holds);
    case 'map':
      if (!Array.isArray(first) || typeof second !== 'function')
        throw new ExpressionError('map() wants a list and a predicate');
      return first.map((element: unknown) => (second as Predicate)(element));
    case 'keys':
      return Object.keys((first ?? {}) as object);
    case 'values':
      return Object.values((first ?? {}) as object);
    default:
      throw new ExpressionError(`the function ${name}() is not known`);
  }
}

function typeName(value: unknown): string {
  if (value === undefined || value === null) return '<nil>';
  if (Array.isArray(value)) return 'list';
  return { boolean: 'bool', object: 'map' }[typeof value as 'boolean' | 'object'] ?? typeof value;
}
