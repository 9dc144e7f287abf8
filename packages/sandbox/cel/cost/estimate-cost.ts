import type { Checked } from '../check/checker.ts';
import { type Node, partsOf } from '../language/ast.ts';
import { isOptional, type Type } from '../language/types.ts';
import { Uint } from '../language/values.ts';
import { type Argument, kubernetesEstimate, standardEstimate } from './call-estimate.ts';
import { CARRIED, loopOf } from './expand-macro.ts';
import { COST, exactly, NOTHING, plus, type Range, times, UNKNOWN, union } from './range.ts';

/** How large a value may be at a path: a variable, then fields, `@items`, `@values` and `@keys`. */
export type SizeAt = (path: readonly string[]) => Range | undefined;

/** The most that an evaluation of a checked expression can cost, by the rules of cel-go and of Kubernetes' libraries. */
export function estimateCost(node: Node, checked: Checked, sizeAt: SizeAt): number {
  return new Estimator(checked, sizeAt).cost(node).max;
}

interface Local {
  readonly path: readonly string[] | undefined;
  readonly size: Range | undefined;
  readonly entries?: Entries | undefined;
}

/** Sizes of the keys and the values of a list or map that is made in the expression. */
interface Entries {
  readonly kind: 'list' | 'map';
  readonly key: Range;
  readonly value: Range;
}

const SCALARS = new Set(['bool', 'double', 'duration', 'int', 'timestamp', 'uint']);
const isScalar = (type: Type): boolean =>
  (type.kind === 'simple' && SCALARS.has(type.name)) || (isOptional(type) && isScalar(type.parameters[0] as Type));

class Estimator {
  readonly #checked: Checked;
  readonly #sizeAt: SizeAt;
  readonly #paths = new Map<Node, readonly string[]>();
  readonly #sizes = new Map<Node, Range>();
  readonly #entries = new Map<Node, Entries>();
  readonly #types = new Map<Node, Type>();
  readonly #locals = new Map<string, Local[]>();

  constructor(checked: Checked, sizeAt: SizeAt) {
    this.#checked = checked;
    this.#sizeAt = sizeAt;
  }

  cost(node: Node): Range {
    switch (node.kind) {
      case 'literal':
        return exactly(0);
      case 'ident':
        this.#name(node);
        return exactly(COST.name);
      case 'select':
        return this.#select(node);
      case 'call':
        return this.#call(node);
      case 'list':
      case 'map':
        return this.#container(node);
      case 'macro':
        return node.name === 'optMap' || node.name === 'optFlatMap' ? this.#optionalMacro(node) : this.#loop(node);
      default:
        return plus(exactly(COST.struct), ...partsOf(node).map((part) => this.cost(part)));
    }
  }

  #name(node: Node & { kind: 'ident' }): void {
    const local = this.#local(node.name);
    const path = local ? local.path : [node.name];
    if (path) this.#paths.set(node, path);
  }

  #local(name: string): Local | undefined {
    return this.#locals.get(name)?.at(-1);
  }

  #bound<T>(name: string, local: Local, work: () => T): T {
    const stack = this.#locals.get(name) ?? [];
    this.#locals.set(name, [...stack, local]);
    const result = work();
    this.#locals.set(name, stack);
    return result;
  }

  #type(node: Node): Type {
    return this.#types.get(node) ?? this.#checked.typeOf(node);
  }

  #path(node: Node): readonly string[] | undefined {
    if (node.kind === 'ident') {
      const local = this.#local(node.name);
      if (local) return local.path;
    }
    return this.#paths.get(node);
  }

  #select(node: Node & { kind: 'select' }): Range {
    const cost = this.cost(node.operand);
    if (node.test) return cost;
    if (node.optional) return plus(cost, exactly(1));
    this.#paths.set(node, [...(this.#path(node.operand) ?? []), node.field]);
    const { kind } = this.#type(node.operand);
    return kind === 'map' || kind === 'object' || kind === 'parameter' ? plus(cost, exactly(COST.name)) : cost;
  }

  #call(node: Node & { kind: 'call' }): Range {
    const { name, target, args } = node;
    if (name === 'dyn' && !target) return this.#dyn(node);
    const costs = args.map((arg) => this.cost(arg));
    const sum = plus(...costs);
    const shown = args.map((arg) => this.#argument(arg));
    const qualified = this.#checked.overloadsOf(node)?.[0]?.name ?? name;
    const method = target && qualified === name ? target : undefined;
    const own = method ? this.cost(method) : exactly(0);
    const home = method ? this.#argument(method) : undefined;
    if (name === '_&&_' || name === '_||_') {
      const [left, right] = costs as [Range, Range];
      return { min: left.min, max: plus(left, right).max };
    }
    if (name === '_?_:_') return this.#conditional(node, costs as [Range, Range, Range]);
    const known = kubernetesEstimate(qualified, home, shown);
    if (known) {
      this.#setSize(node, known.size);
      return plus(own, known.cost, sum);
    }
    let cost = NOTHING;
    let size: Range | undefined;
    for (const types of this.#meanings(node)) {
      const estimate = standardEstimate(qualified, types, home, shown);
      cost = union(cost, plus(estimate.cost, sum));
      if (estimate.size) size = size ? union(size, estimate.size) : estimate.size;
      if (name === '_[_]') {
        const [operand] = args as [Node];
        size = this.#entriesOf(operand)?.value;
        const part = types[0]?.kind === 'list' ? '@items' : '@values';
        this.#paths.set(node, [...(this.#path(operand) ?? []), part]);
      }
      size ??= this.#size(node);
    }
    if (name === '_+_') this.#joinEntries(node, args as [Node, Node]);
    this.#setSize(node, size);
    return plus(own, cost);
  }

  /** The types of the arguments, for each way in which a call may be meant. */
  #meanings(node: Node & { kind: 'call' }): readonly (readonly Type[])[] {
    const overloads = this.#checked.overloadsOf(node);
    if (overloads) return overloads.map((one) => one.args.map((type) => type));
    return [node.args.map((arg) => this.#type(arg))];
  }

  #dyn(node: Node & { kind: 'call' }): Range {
    const [arg] = node.args as [Node];
    const cost = this.cost(arg);
    this.#copySizes(node, arg);
    return plus(exactly(1), cost);
  }

  #conditional(node: Node & { kind: 'call' }, [condition, yes, no]: [Range, Range, Range]): Range {
    const [, left, right] = node.args as [Node, Node, Node];
    this.#joinEntries(node, [left, right]);
    this.#setSize(node, union(this.#size(left) ?? UNKNOWN, this.#size(right) ?? UNKNOWN));
    return plus(condition, union(yes, no));
  }

  #joinEntries(node: Node, [a, b]: [Node, Node]): void {
    const [left, right] = [this.#entriesOf(a), this.#entriesOf(b)];
    if (left && right)
      this.#entries.set(node, { ...left, key: union(left.key, right.key), value: union(left.value, right.value) });
  }

  #container(node: Node & { kind: 'list' | 'map' }): Range {
    const costs = partsOf(node).map((part) => this.cost(part));
    const widest = (parts: readonly Node[]) =>
      parts.length ? parts.map((part) => this.#size(part) ?? UNKNOWN).reduce(union, NOTHING) : exactly(0);
    const [keys, values] =
      node.kind === 'list'
        ? [exactly(1), widest(node.items.map((item) => item.node))]
        : [widest(node.entries.map(({ key }) => key)), widest(node.entries.map(({ value }) => value))];
    this.#entries.set(node, { kind: node.kind, key: keys, value: values });
    return plus(exactly(node.kind === 'list' ? COST.list : COST.map), ...costs);
  }

  #loop(node: Node & { kind: 'macro' }): Range {
    const loop = loopOf(node);
    const range = this.cost(node.range);
    const type = loop.type ?? this.#type(node);
    for (const part of [loop.start, ...within(loop.condition), ...within(loop.step), ...within(loop.result)])
      if (part.kind === 'ident' && part.name === CARRIED) this.#types.set(part, type);
    const start = this.cost(loop.start);
    const work = () => {
      const [first = '', second] = node.variables;
      const round = () => plus(this.cost(loop.condition), this.cost(loop.step));
      const inner =
        second === undefined
          ? this.#bound(first, this.#element(node.range, 'single'), round)
          : this.#bound(first, this.#element(node.range, 'key'), () =>
              this.#bound(second, this.#element(node.range, 'value'), round),
            );
      return { inner, result: this.cost(loop.result) };
    };
    const local = { path: this.#path(loop.start), size: this.#size(loop.start), entries: this.#entriesOf(loop.start) };
    const { inner, result } = this.#bound(CARRIED, local, work);
    const count = this.#size(node.range) ?? UNKNOWN;
    if (loop.start.kind === 'literal') this.#setSize(node, this.#size(loop.start));
    else {
      this.#setSize(node, count);
      const entries = this.#entriesOf(loop.step);
      if (entries) this.#entries.set(node, entries);
    }
    return plus(range, start, result, times(count, inner));
  }

  #element(range: Node, which: 'single' | 'key' | 'value'): Local {
    const entries = this.#entriesOf(range);
    const list = (entries?.kind ?? this.#type(range).kind) === 'list';
    const value = which === 'value' || (which === 'single' && list);
    const part = value ? (list ? '@items' : '@values') : list ? '@indices' : '@keys';
    return { path: [...(this.#path(range) ?? []), part], size: value ? entries?.value : entries?.key };
  }

  /** `a.hasValue() ? optional.of(expression with a.value()) : optional.none()`. */
  #optionalMacro(node: Node & { kind: 'macro' }): Range {
    const asked = plus(this.cost(node.range), exactly(1));
    const local = { path: undefined, size: undefined };
    const result = this.#bound(node.variables[0] as string, local, () => this.cost(node.args[0] as Node));
    const bound = plus(exactly(COST.list), asked, result);
    return plus(asked, union(node.name === 'optMap' ? plus(bound, exactly(1)) : bound, exactly(1)));
  }

  #argument(node: Node): Argument {
    const type = this.#type(node);
    const path = this.#path(node);
    const items =
      type.kind === 'list'
        ? { type: type.element, size: (path && this.#sizeAt([...path, '@items'])) ?? UNKNOWN }
        : undefined;
    const literal = node.kind === 'literal' && typeof node.value === 'bigint' ? node.value : undefined;
    return { type, size: this.#size(node), literal, items };
  }

  #setSize(node: Node, size: Range | undefined): void {
    if (size) this.#sizes.set(node, size);
  }

  #copySizes(to: Node, from: Node): void {
    this.#setSize(to, this.#size(from));
    const entries = this.#entriesOf(from);
    if (entries) this.#entries.set(to, entries);
  }

  #entriesOf(node: Node): Entries | undefined {
    return this.#entries.get(node) ?? (node.kind === 'ident' ? this.#local(node.name)?.entries : undefined);
  }

  #size(node: Node): Range | undefined {
    const known = this.#sizes.get(node) ?? writtenSize(node);
    if (known) return known;
    const path = this.#path(node);
    const found = path?.length && path[0] !== CARRIED ? this.#sizeAt(path) : undefined;
    if (found) {
      this.#sizes.set(node, found);
      return found;
    }
    if (isScalar(this.#type(node))) return exactly(1);
    return node.kind === 'ident' ? this.#local(node.name)?.size : undefined;
  }
}

function* within(node: Node): Generator<Node> {
  yield node;
  for (const part of partsOf(node)) yield* within(part);
}

/** The size of what is written out. */
function writtenSize(node: Node): Range | undefined {
  if (node.kind === 'list') return exactly(node.items.length);
  if (node.kind === 'map') return exactly(node.entries.length);
  if (node.kind !== 'literal') return undefined;
  const { value } = node;
  if (typeof value === 'string') return exactly([...value].length);
  if (value instanceof Uint8Array) return exactly(value.length);
  return value === null || typeof value !== 'object' || value instanceof Uint ? exactly(1) : undefined;
}
