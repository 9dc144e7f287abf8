import type { Checked } from '../check/checker.ts';
import { actualCost, type CostMeter } from '../cost/actual-cost.ts';
import { COST } from '../cost/range.ts';
import type { Node } from '../language/ast.ts';
import type { Functions, Overload } from '../language/functions.ts';
import { qualifiedName, TYPE_NAMES } from '../language/names.ts';
import {
  CelError,
  equal,
  isList,
  isMap,
  type MapKey,
  mapKey,
  Optional,
  TypeValue,
  typeNameOf,
  type Value,
} from '../language/values.ts';

/** Gives the value of a variable; undefined for one that there is not. */
export type Variables = (name: string) => Value | undefined;

/** Said when an evaluation would cost more than it may. */
export const COST_EXCEEDED = 'operation cancelled: actual cost limit exceeded';

interface Scope {
  readonly name: string;
  value: Value;
  readonly parent: Scope | undefined;
}

/** One evaluation: its variables, and how much work is left. */
interface Run {
  readonly variables: Variables;
  budget: number;
}

type Step = (run: Run, scope: Scope | undefined) => Value;

/** What one evaluation may cost, as in the API server. */
const LIMIT = 1_000_000;

function spend(run: Run, cost: number): void {
  run.budget -= cost;
  if (run.budget < 0) throw new CelError(COST_EXCEEDED);
}

/** A function that evaluates the expression; it throws CelError. */
export function compileNode(
  node: Node,
  functions: Functions,
  checked?: Pick<Checked, 'overloadsOf'>,
): (variables: Variables, meter?: CostMeter) => Value {
  const step = new Compiler(functions, checked).compile(node, []);
  return (variables, meter) => {
    const run = { variables, budget: LIMIT };
    try {
      return step(run, undefined);
    } finally {
      if (meter) meter.spent += LIMIT - run.budget;
    }
  };
}

class Compiler {
  readonly #functions: Functions;
  readonly #checked: Pick<Checked, 'overloadsOf'> | undefined;

  constructor(functions: Functions, checked: Pick<Checked, 'overloadsOf'> | undefined) {
    this.#functions = functions;
    this.#checked = checked;
  }

  compile(node: Node, bound: readonly string[]): Step {
    const step = this.#step(node, bound);
    const cost = costOf(node);
    if (!cost) return step;
    return (run, scope) => {
      spend(run, cost);
      return step(run, scope);
    };
  }

  /** A call of a function, which costs what its arguments make of it. */
  #calling(name: string, overloads: readonly Overload[], method: boolean, steps: readonly Step[]): Step {
    return (run, scope) => {
      const values = steps.map((step) => step(run, scope));
      const result = this.#functions.call(name, overloads, method, values);
      spend(run, actualCost(name, method, values));
      return result;
    };
  }

  #step(node: Node, bound: readonly string[]): Step {
    switch (node.kind) {
      case 'literal': {
        const { value } = node;
        return () => value;
      }
      case 'ident':
        return identStep(node.name, bound.includes(node.name));
      case 'select':
        return this.#select(node, bound);
      case 'call':
        return this.#call(node, bound);
      case 'list':
        return this.#list(node, bound);
      case 'map':
        return this.#map(node, bound);
      case 'struct': {
        const { name } = node;
        return () => {
          throw new CelError(`unknown type: ${name}`);
        };
      }
      default:
        return this.#macro(node, bound);
    }
  }

  #select(node: Node & { kind: 'select' }, bound: readonly string[]): Step {
    const { field, test, optional } = node;
    const operand = this.compile(node.operand, bound);
    const qualified = qualifiedName(node);
    if (qualified && TYPE_NAMES.has(qualified) && !bound.includes(qualified.split('.')[0] as string))
      return () => new TypeValue(qualified);
    // The one variable whose name is qualified.
    if (qualified === 'authorizer.requestResource' && !bound.includes('authorizer'))
      return (run) => run.variables(qualified) as Value;
    if (test) return (run, scope) => hasField(operand(run, scope), field);
    return (run, scope) => {
      const value = operand(run, scope);
      if (value instanceof Optional) return value.value === undefined ? value : maybe(value.value, field);
      return optional ? maybe(value, field) : selected(value, field);
    };
  }

  #list({ items }: Node & { kind: 'list' }, bound: readonly string[]): Step {
    const steps = items.map(({ node, optional }) => ({ step: this.compile(node, bound), optional }));
    return (run, scope) => {
      const result: Value[] = [];
      for (const { step, optional } of steps) {
        const value = step(run, scope);
        if (!optional) result.push(value);
        else if (!(value instanceof Optional)) throw new CelError('no such overload');
        else if (value.value !== undefined) result.push(value.value);
      }
      return result;
    };
  }

  #map({ entries }: Node & { kind: 'map' }, bound: readonly string[]): Step {
    const steps = entries.map(({ key, value, optional }) => ({
      key: this.compile(key, bound),
      value: this.compile(value, bound),
      optional,
    }));
    return (run, scope) => {
      const result = new Map<MapKey, Value>();
      for (const { key, value, optional } of steps) {
        const name = mapKey(key(run, scope));
        const item = value(run, scope);
        if (result.has(name)) throw new CelError(`Failed with repeated key`);
        if (!optional) result.set(name, item);
        else if (!(item instanceof Optional)) throw new CelError('no such overload');
        else if (item.value !== undefined) result.set(name, item.value);
      }
      return result;
    };
  }

  #call(node: Node & { kind: 'call' }, bound: readonly string[]): Step {
    const { name, target } = node;
    const qualified = target && qualifiedName(target);
    const global = qualified === undefined ? undefined : this.#functions.find(`${qualified}.${name}`);
    if (global && !bound.includes((qualified as string).split('.')[0] as string)) {
      const steps = node.args.map((arg) => this.compile(arg, bound));
      return this.#calling(`${qualified}.${name}`, global, false, steps);
    }
    const steps = [...(target ? [target] : []), ...node.args].map((arg) => this.compile(arg, bound));
    const special = operatorStep(name, steps);
    if (special) return special;
    const overloads = this.#checked?.overloadsOf(node) ?? this.#functions.find(name) ?? [];
    return this.#calling(name, overloads, target !== undefined, steps);
  }

  #macro(node: Node & { kind: 'macro' }, bound: readonly string[]): Step {
    const range = this.compile(node.range, bound);
    const args = node.args.map((arg) => this.compile(arg, [...bound, ...node.variables]));
    const [first = '', second] = node.variables;
    if (node.name === 'optMap' || node.name === 'optFlatMap') {
      const flat = node.name === 'optFlatMap';
      return (run, scope) => {
        const value = range(run, scope);
        if (!(value instanceof Optional)) throw new CelError('no such overload');
        if (value.value === undefined) return value;
        const result = (args[0] as Step)(run, { name: first, value: value.value, parent: scope });
        return flat ? result : new Optional(result);
      };
    }
    const body = MACROS[node.name] as Macro;
    // Names of what is carried along, and what is made of it.
    const made = node.name.startsWith('transformMap') ? COST.map : LISTS.has(node.name) ? COST.list : 0;
    const round = 2 * COST.name + made;
    return (run, scope) => {
      const over = range(run, scope);
      const elements = elementsOf(over, second !== undefined);
      const evaluate = (index: number) => (element: Element) => {
        spend(run, round);
        const outer: Scope = { name: first, value: element.first, parent: scope };
        const inner = second === undefined ? outer : { name: second, value: element.second, parent: outer };
        return (args[index] as Step)(run, inner);
      };
      return body(
        elements,
        args.map((_, index) => evaluate(index)),
      );
    };
  }
}

interface Element {
  /** What the first variable is, and the second when there are two. */
  readonly first: Value;
  readonly second: Value;
}

function elementsOf(range: Value, two: boolean): Element[] {
  if (isList(range))
    return range.map((item, index) => (two ? { first: BigInt(index), second: item } : { first: item, second: null }));
  if (isMap(range)) return [...range].map(([key, value]) => ({ first: key, second: value }));
  throw new CelError(`no such overload`);
}

type Macro = (elements: readonly Element[], args: readonly ((element: Element) => Value)[]) => Value;
type Predicate = (element: Element) => Value;

function truth(value: Value): boolean {
  if (typeof value !== 'boolean') throw new CelError('no such overload');
  return value;
}

/** True as soon as an element is as wanted; an error only counts when none is. */
function some(elements: readonly Element[], predicate: Predicate, wanted: boolean): boolean {
  let failure: unknown;
  for (const element of elements) {
    try {
      if (truth(predicate(element)) === wanted) return true;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      failure ??= error;
    }
  }
  if (failure) throw failure;
  return false;
}

const mapped: Macro = (elements, args) => {
  const [filter, transform] = args.length === 2 ? args : [undefined, args[0]];
  return elements
    .filter((element) => !filter || truth(filter(element)))
    .map((element) => (transform as Predicate)(element));
};

const MACROS: Record<string, Macro> = {
  all: (elements, [predicate]) => !some(elements, predicate as Predicate, false),
  exists: (elements, [predicate]) => some(elements, predicate as Predicate, true),
  exists_one: (elements, [predicate]) =>
    elements.filter((element) => truth((predicate as Predicate)(element))).length === 1,
  filter: (elements, [predicate]) =>
    elements.filter((element) => truth((predicate as Predicate)(element))).map(({ first }) => first),
  map: mapped,
  transformList: mapped,
  transformMap: (elements, args) => {
    const [filter, transform] = args.length === 2 ? args : [undefined, args[0]];
    const kept = elements.filter((element) => !filter || truth(filter(element)));
    return new Map(kept.map((element) => [mapKey(element.first), (transform as Predicate)(element)]));
  },
  transformMapEntry: (elements, args) => {
    const [filter, transform] = args.length === 2 ? args : [undefined, args[0]];
    const result = new Map<MapKey, Value>();
    for (const element of elements) {
      if (filter && !truth(filter(element))) continue;
      const entry = (transform as Predicate)(element);
      if (!isMap(entry)) throw new CelError('no such overload');
      for (const [key, value] of entry) {
        if (result.has(key)) throw new CelError(`insert failed: key ${String(key)} already exists`);
        result.set(key, value);
      }
    }
    return result;
  },
};

function identStep(name: string, bound: boolean): Step {
  const bare = name.replace(/^\./, '');
  return (run, scope) => {
    if (bound)
      for (let current = scope; current; current = current.parent) if (current.name === name) return current.value;
    const value = run.variables(bare);
    if (value !== undefined) return value;
    if (TYPE_NAMES.has(bare)) return new TypeValue(bare);
    throw new CelError(`no such attribute(s): ${bare}`);
  };
}

function selected(operand: Value, field: string): Value {
  if (isList(operand)) throw new CelError("unsupported index type 'string' in list");
  const value = isMap(operand) ? operand.get(field) : undefined;
  if (value === undefined) throw new CelError(`no such key: ${field}`);
  return value;
}

function hasField(operand: Value, field: string): boolean {
  const value = operand instanceof Optional ? operand.value : operand;
  if (value === undefined) return false;
  if (isList(value)) throw new CelError("unsupported index type 'string' in list");
  return isMap(value) && value.has(field);
}

function maybe(operand: Value, field: string): Optional {
  if (!isMap(operand)) throw new CelError('no such overload');
  return new Optional(operand.get(field));
}

function indexed(operand: Value, index: Value): Value {
  if (isMap(operand)) {
    const value = operand.get(mapKey(index));
    if (value === undefined) throw new CelError(`no such key: ${keyName(index)}`);
    return value;
  }
  if (!isList(operand)) throw new CelError('no such overload');
  const number = typeof index === 'number' && Number.isInteger(index) ? BigInt(index) : index;
  if (typeof number !== 'bigint') throw new CelError(`unsupported index type '${typeNameOf(index)}' in list`);
  const value = operand[Number(number)];
  if (number < 0n || value === undefined) throw new CelError(`index out of bounds: ${number}`);
  return value;
}

function keyName(value: Value): string {
  return typeof value === 'object' ? typeNameOf(value) : String(value);
}

function paid(name: string, first: Step, second: Step, combine: (a: Value, b: Value) => Value): Step {
  return (run, scope) => {
    const [a, b] = [first(run, scope), second(run, scope)];
    spend(run, actualCost(name, false, [a, b]));
    return combine(a, b);
  };
}

const LISTS = new Set(['map', 'filter', 'transformList']);

/** What a node costs, whatever comes of it. */
function costOf(node: Node): number {
  switch (node.kind) {
    case 'ident':
      return COST.name;
    case 'select':
      return node.test ? 0 : COST.name;
    case 'list':
      return COST.list;
    case 'map':
      return COST.map;
    case 'call':
      return node.name === '_[_]' || node.name === '_[?_]' ? COST.name : 0;
    default:
      return 0;
  }
}

/** Operators that do not evaluate all of their arguments, or take values of any type. */
function operatorStep(name: string, steps: readonly Step[]): Step | undefined {
  const [first, second, third] = steps as [Step, Step, Step];
  switch (name) {
    case '_&&_':
      return logical(first, second, false);
    case '_||_':
      return logical(first, second, true);
    case '_?_:_':
      return (run, scope) => (truth(first(run, scope)) ? second : third)(run, scope);
    case '_==_':
      return paid(name, first, second, equal);
    case '_!=_':
      return paid(name, first, second, (a, b) => !equal(a, b));
    case '@in':
      return paid(name, first, second, (item, collection) => contains(collection, item));
    case '_[_]':
    case '_[?_]': {
      const optional = name === '_[?_]';
      return (run, scope) => {
        const operand = first(run, scope);
        const index = second(run, scope);
        if (!(operand instanceof Optional)) return optional ? maybeIndexed(operand, index) : indexed(operand, index);
        return operand.value === undefined ? operand : maybeIndexed(operand.value, index);
      };
    }
    default:
      return undefined;
  }
}

function maybeIndexed(operand: Value, index: Value): Optional {
  if (isMap(operand)) return new Optional(operand.get(mapKey(index)));
  if (!isList(operand) || typeof index !== 'bigint') throw new CelError('no such overload');
  return new Optional(index < 0n ? undefined : operand[Number(index)]);
}

function contains(collection: Value, item: Value): boolean {
  if (isMap(collection)) {
    if (typeof item === 'number' && !Number.isInteger(item)) return false;
    return collection.has(mapKey(item));
  }
  if (!isList(collection)) throw new CelError('no such overload');
  return collection.some((other) => equal(other, item));
}

/** `&&` and `||`: one side that decides makes an error of the other irrelevant. */
function logical(left: Step, right: Step, decisive: boolean): Step {
  return (run, scope) => {
    let failure: CelError | undefined;
    try {
      if (truth(left(run, scope)) === decisive) return decisive;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      failure = error;
    }
    if (truth(right(run, scope)) === decisive) return decisive;
    if (failure) throw failure;
    return !decisive;
  };
}
