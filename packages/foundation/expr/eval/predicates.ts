import { anyType, entriesOf, GoMap, int, mapOf, sliceOfAny, type Value } from '@tiphys/template';
import { putEntry } from '../builtins/collections.ts';
import { Panic } from '../fault/expr-error.ts';
import type { Node, NodeOf } from '../syntax/node.ts';
import { type Sequence, sequenceOf } from '../values/access.ts';
import { add } from '../values/arithmetic.ts';
import type { RunBudget } from '../values/budget.ts';
import { findEntry } from '../values/compare.ts';
import { asBool, typeName } from '../values/numbers.ts';
import { sorted } from '../values/sort.ts';

/** Where `#`, `#index` and `#acc` point while a predicate runs. */
export interface ElementScope {
  readonly items: Sequence;
  index: number;
  acc: Value;
}

/** What the functions below need of the evaluator. */
export interface PredicateRun {
  readonly budget: RunBudget;
  visit(node: Node): Value;
  /** Evaluates with the scope on top. */
  inside<T>(scope: ElementScope, body: () => T): T;
}

const groupType = mapOf(anyType, sliceOfAny);

/** `all(list, predicate)` and its like. */
export function evaluatePredicate(node: NodeOf<'builtin'>, run: PredicateRun): Value {
  const [list, predicate, extra] = node.args as [Node, Node | undefined, Node | undefined];
  const items = itemsOf(run.visit(list));
  const scope: ElementScope = { items, index: 0, acc: null };
  return run.inside(scope, () => {
    const loop = new Loop(run, scope, predicate);
    const evaluate = loops[node.name];
    if (!evaluate) throw new Panic(`unknown builtin ${node.name}`);
    return evaluate(loop, extra);
  });
}

function itemsOf(value: Value): Sequence {
  const sequence = sequenceOf(value);
  if (sequence) return sequence;
  const entries = entriesOf(value);
  if (entries) {
    // Go counts them, and fails as soon as one is looked at.
    const at = (): never => {
      throw new Panic('reflect: call of reflect.Value.Index on map Value');
    };
    return { length: entries.size, at };
  }
  const shown = value === null || value === undefined ? 'zero' : typeName(value);
  throw new Panic(`reflect: call of reflect.Value.Len on ${shown} Value`);
}

/** A walk over the elements. */
class Loop {
  readonly run: PredicateRun;
  readonly scope: ElementScope;
  readonly #predicate: Node | undefined;

  constructor(run: PredicateRun, scope: ElementScope, predicate: Node | undefined) {
    this.run = run;
    this.scope = scope;
    this.#predicate = predicate;
  }

  get item(): Value {
    return this.scope.items.at(this.scope.index);
  }

  /** The predicate's value for the current element; the element without a predicate. */
  value(): Value {
    this.run.budget.step();
    return this.#predicate ? this.run.visit(this.#predicate) : this.item;
  }

  /** Visits the elements until the body says that it is enough. */
  each(body: (loop: Loop) => unknown, isBackwards = false): void {
    const { scope } = this;
    const last = scope.items.length - 1;
    for (let i = 0; i <= last; i++) {
      scope.index = isBackwards ? last - i : i;
      if (body(this) === true) return;
    }
  }

  /** The index of the first element for which the predicate is as wanted; -1 if there is none. */
  find(wanted = true, isBackwards = false): number {
    let found = -1;
    this.each((loop) => {
      if (asBool(loop.value()) !== wanted) return false;
      found = loop.scope.index;
      return true;
    }, isBackwards);
    return found;
  }

  count(): number {
    let count = 0;
    this.each((loop) => {
      if (asBool(loop.value())) count++;
    });
    return count;
  }
}

type Evaluate = (loop: Loop, extra: Node | undefined) => Value;

const element = (loop: Loop, index: number): Value => (index < 0 ? null : loop.scope.items.at(index));
const indexOf = (index: number): Value => (index < 0 ? null : int(index));

const loops: Readonly<Record<string, Evaluate>> = {
  all: (loop) => loop.find(false) < 0,
  none: (loop) => loop.find() < 0,
  any: (loop) => loop.find() >= 0,
  one: (loop) => loop.count() === 1,
  count: (loop) => int(loop.count()),
  find: (loop) => element(loop, loop.find()),
  findLast: (loop) => element(loop, loop.find(true, true)),
  findIndex: (loop) => indexOf(loop.find()),
  findLastIndex: (loop) => indexOf(loop.find(true, true)),
  filter: (loop) => {
    const out: Value[] = [];
    loop.each(() => {
      if (asBool(loop.value())) out.push(loop.item);
    });
    loop.run.budget.grow(out.length);
    return out;
  },
  map: (loop) => {
    const out: Value[] = [];
    loop.each(() => {
      out.push(loop.value());
    });
    loop.run.budget.grow(out.length);
    return out;
  },
  sum: (loop) => {
    let sum: Value = int(0);
    loop.each(() => {
      sum = add(loop.value(), sum);
    });
    return sum;
  },
  groupBy: (loop) => {
    const entries = new Map<Value, Value>();
    const groups = new GoMap(groupType, entries);
    loop.each(() => {
      const key = loop.value();
      loop.run.budget.step(entries.size);
      const group = findEntry(groups, entries, key)?.[1] as Value[] | undefined;
      if (group) group.push(loop.item);
      else putEntry(groups, entries, key, [loop.item]);
    });
    return groups;
  },
  sortBy: (loop, extra) => {
    const order = extra ? loop.run.visit(extra) : 'asc';
    if (typeof order !== 'string') throw new Panic('sortBy order argument must be a string');
    if (order !== 'asc' && order !== 'desc') throw new Panic('unknown order, use asc or desc');
    const keys: Value[] = [];
    loop.each(() => {
      keys.push(loop.value());
    });
    loop.run.budget.grow(keys.length);
    const { items } = loop.scope;
    return sorted(
      keys.map((_key, i) => items.at(i)),
      { keys, order },
    );
  },
  reduce: (loop, extra) => {
    const { scope } = loop;
    if (!extra && scope.items.length === 0) throw new Panic('reduce of empty array with no initial value');
    scope.acc = extra ? loop.run.visit(extra) : scope.items.at(0);
    for (scope.index = extra ? 0 : 1; scope.index < scope.items.length; scope.index++) scope.acc = loop.value();
    return scope.acc;
  },
};
