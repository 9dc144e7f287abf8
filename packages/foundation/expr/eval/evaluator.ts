import {
  type CallContext,
  compileRegex,
  type FunctionSpec,
  fromBytes,
  GoFunction,
  GoSlice,
  int,
  isNil,
  RegexError,
  sliceOfInt,
  type Value,
} from '@tiphys/template';
import type { BuiltinContext } from '../builtins/builtin.ts';
import { builtins } from '../builtins/index.ts';
import { Fault, Panic } from '../fault/expr-error.ts';
import { predicateArguments } from '../syntax/calls.ts';
import type { Node, NodeOf } from '../syntax/node.ts';
import { BoundMethod, fetch, lengthOf, slice } from '../values/access.ts';
import { add, divide, exponent, modulo, multiply, negate, subtract } from '../values/arithmetic.ts';
import { type Comparison, compare, contains, equal } from '../values/compare.ts';
import { asBool, asserted, asText, toInt, typeName } from '../values/numbers.ts';
import { callHost } from './host-call.ts';
import { type ElementScope, evaluatePredicate } from './predicates.ts';

export interface EvaluatorOptions extends BuiltinContext {
  readonly env: Value;
  readonly functions: ReadonlyMap<string, FunctionSpec>;
  context(): CallContext;
}

/** What a chain gives as soon as one of its `?.` meets nil. */
const broken = Symbol('broken chain');
type Result = Value | typeof broken;

/** Walks a tree once. Throws `Fault` with the place of the node that failed. */
export class Evaluator {
  readonly #options: EvaluatorOptions;
  readonly #variables: { readonly name: string; readonly value: Value }[] = [];
  readonly #scopes: ElementScope[] = [];

  constructor(options: EvaluatorOptions) {
    this.#options = options;
  }

  get budget(): BuiltinContext['budget'] {
    return this.#options.budget;
  }

  visit(node: Node): Value {
    const result = this.#visit(node);
    return result === broken ? null : result;
  }

  inside<T>(scope: ElementScope, body: () => T): T {
    this.#scopes.push(scope);
    const result = body();
    this.#scopes.pop();
    return result;
  }

  #visit(node: Node): Result {
    try {
      this.budget.step();
      return this.#evaluate(node);
    } catch (error) {
      if (error instanceof Panic) throw new Fault(error.message, node.at, error.kind);
      throw error;
    }
  }

  #evaluate(node: Node): Result {
    switch (node.kind) {
      case 'nil':
        return null;
      case 'int':
        return int(node.value);
      case 'float':
      case 'bool':
      case 'text':
      case 'bytes':
      case 'constant':
        return node.value;
      case 'name':
        return this.#name(node.name);
      case 'unary':
        return this.#unary(node);
      case 'binary':
        return this.#binary(node);
      case 'chain':
        return this.visit(node.node);
      case 'member':
        return this.#member(node);
      case 'slice':
        return this.#slice(node);
      case 'call':
        return this.#call(node);
      case 'builtin':
        return this.#builtin(node);
      case 'predicate':
        return this.visit(node.node);
      case 'pointer':
        return this.#pointer(node.name);
      case 'let':
        return this.#let(node);
      case 'sequence':
        return node.nodes.map((part) => this.visit(part)).at(-1);
      case 'conditional':
        return this.visit(asBool(this.visit(node.condition)) ? node.yes : node.no);
      case 'array':
        return this.#made(node.nodes.map((part) => this.visit(part)));
      case 'map':
        return this.#map(node);
    }
  }

  #name(name: string): Value {
    const variable = this.#variables.findLast((candidate) => candidate.name === name);
    if (variable) return variable.value;
    const { env } = this.#options;
    return name === '$env' ? env : fetch(env, name);
  }

  #unary({ operator, operand }: NodeOf<'unary'>): Value {
    const value = this.visit(operand);
    if (operator === '+') return value;
    return operator === '-' ? negate(value) : !asBool(value);
  }

  #binary({ operator, left, right }: NodeOf<'binary'>): Value {
    const a = this.visit(left);
    if (operator === 'and' || operator === '&&') return asBool(a) ? this.visit(right) : a;
    if (operator === 'or' || operator === '||') return asBool(a) ? a : this.visit(right);
    if (operator === '??') return isNil(a) ? this.visit(right) : a;
    if (operator === 'in' && right.kind === 'constant') return inConstant(a, right.value);
    const apply = operators[operator];
    if (!apply) throw new Panic(`unknown operator (${operator})`);
    return apply(a, this.visit(right), this.budget);
  }

  #member({ node, property, isOptional }: NodeOf<'member'>): Result {
    const base = this.#visit(node);
    if (base === broken || (isOptional && isNil(base))) return broken;
    if (isFirstOfFilter(node, property) && lengthOf(base) === 0) throw new Panic('reflect: slice index out of range');
    return fetch(base, this.visit(property));
  }

  #slice({ node, from, to }: NodeOf<'slice'>): Value {
    const value = this.visit(node);
    const end = to ? this.visit(to) : int(lengthOf(value));
    return slice(value, from ? this.visit(from) : int(0), end);
  }

  #call({ callee, args }: NodeOf<'call'>): Result {
    const passed = args.map((arg) => this.visit(arg));
    const context = this.#options.context;
    if (callee.kind === 'name') {
      const spec = this.#options.functions.get(callee.name);
      if (spec) return callHost({ spec, args: passed, isTyped: false, context });
    }
    const target = this.#visit(callee);
    if (target === broken) return broken;
    if (isNil(target)) throw new Panic('invalid operation: cannot call nil');
    if (!(target instanceof GoFunction))
      throw new Panic(`invalid operation: cannot call non-function of type ${typeName(target)}`);
    const receiver = target instanceof BoundMethod ? target : undefined;
    const isTyped = callee.nature?.call !== undefined;
    return callHost({ spec: target.spec, args: passed, receiver, isTyped, context });
  }

  #builtin(node: NodeOf<'builtin'>): Value {
    if (Object.hasOwn(predicateArguments, node.name)) return evaluatePredicate(node, this);
    const builtin = builtins.get(node.name);
    if (!builtin) throw new Panic(`unknown builtin ${node.name}`);
    const args = node.args.map((arg) => this.visit(arg));
    const result = builtin(args, this.#options);
    if (typeof result === 'string') this.budget.text(result.length);
    return result;
  }

  #pointer(name: string): Value {
    const scope = this.#scopes.at(-1);
    if (!scope) throw new Panic('cannot use pointer accessor outside predicate');
    if (name === 'index') return int(scope.index);
    return name === 'acc' ? scope.acc : scope.items.at(scope.index);
  }

  #let({ name, value, body }: NodeOf<'let'>): Value {
    this.#variables.push({ name, value: this.visit(value) });
    const result = this.visit(body);
    this.#variables.pop();
    return result;
  }

  #made(list: Value[]): Value {
    this.budget.grow(list.length);
    return list;
  }

  #map({ pairs }: NodeOf<'map'>): Value {
    const entries = pairs.map(({ key, value }) => [this.visit(key), this.visit(value)] as const);
    this.budget.grow(pairs.length);
    return new Map(entries.map(([key, value]) => [asText(key), value]));
  }
}

/** `filter(…)[0]`, which Go finds without making the list, and fails in other words. */
function isFirstOfFilter(node: Node, property: Node): boolean {
  return node.kind === 'builtin' && node.name === 'filter' && property.kind === 'int' && property.value === 0n;
}

type Operator = (a: Value, b: Value, budget: BuiltinContext['budget']) => Value;

const comparing =
  (operator: Comparison): Operator =>
  (a, b) =>
    compare(operator, a, b);

/** Operators of texts: false if one is nil. */
const textual =
  (test: (text: string, part: string) => boolean): Operator =>
  (a, b) => {
    if (isNil(a) || isNil(b)) return false;
    const part = asText(b);
    return test(asText(a), part);
  };

const matches: Operator = (a, b, budget) => {
  if (isNil(a) || isNil(b)) return false;
  const pattern = asText(b);
  const text =
    a instanceof Uint8Array ? fromBytes(a) : asserted(a, typeof a === 'string' ? 'string' : '[]uint8', isText);
  budget.step(text.length >> 3);
  try {
    return compileRegex(pattern).matcher(text).find();
  } catch (error) {
    if (error instanceof RegexError) throw new Panic(error.message);
    throw error;
  }
};

const isText = (value: Value): value is string => typeof value === 'string';

const range: Operator = (a, b, budget) => {
  const [from, to] = [toInt(a), toInt(b)];
  const size = to < from ? 0n : to - from + 1n;
  budget.grow(Number(size));
  return new GoSlice(
    sliceOfInt,
    Array.from({ length: Number(size) }, (_unused, i) => int(from + BigInt(i))),
  );
};

/** Lists of texts that are written out are sets of texts: nil is the empty one, other types are refused. */
function inConstant(needle: Value, list: Value): boolean {
  const isTexts = Array.isArray(list) && list.every((item) => typeof item === 'string');
  if (!isTexts || typeof needle === 'string') return contains(needle, list);
  if (isNil(needle)) return (list as readonly Value[]).includes('');
  throw new Panic(`reflect.Value.MapIndex: value of type ${typeName(needle)} is not assignable to type string`);
}

const operators: Readonly<Record<string, Operator>> = {
  '==': equal,
  '!=': (a, b) => !equal(a, b),
  '<': comparing('<'),
  '>': comparing('>'),
  '<=': comparing('<='),
  '>=': comparing('>='),
  '+': (a, b, budget) => {
    const sum = add(a, b);
    if (typeof sum === 'string') budget.text(sum.length);
    return sum;
  },
  '-': subtract,
  '*': multiply,
  '/': divide,
  '%': modulo,
  '**': exponent,
  '^': exponent,
  in: contains,
  matches,
  contains: textual((text, part) => text.includes(part)),
  startsWith: textual((text, part) => text.startsWith(part)),
  endsWith: textual((text, part) => text.endsWith(part)),
  '..': range,
};
