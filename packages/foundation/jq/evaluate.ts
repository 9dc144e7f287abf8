import { type Bounds, JqStopped } from './bounds.ts';
import { formatText } from './formats.ts';
import { functions } from './functions.ts';
import { isObject } from './is-object.ts';
import { Break, type Defined, functionOf, JqUnknown, rootScope, type Scope, variableOf } from './scope.ts';
import type { Definition, Pattern, Query } from './tree.ts';
import { arithmetic, compareValues, isTrue, JqError, type Path, updateAt, valueAtIndex } from './values.ts';

/** A value, and where it was found; null for one that was made. */
interface Item {
  readonly value: unknown;
  readonly path: Path | null;
}

const deepestCall = 400;
/** Nothing that a program makes may weigh more: parts that are there many times count as often. */
const heaviest = 500_000;

/** Functions that look at a part of their value alone. */
const light = new Set(['not/0', 'type/0', 'has/1', 'length/0', 'setpath/2']);

/** Runs programs over one value. */
export class Evaluation {
  readonly #bounds: Bounds;
  #depth = 0;
  readonly #root = rootScope();

  constructor(bounds: Bounds) {
    this.#bounds = bounds;
  }

  /** All places that the program leads to. Throws `JqError`, `JqStopped`, `JqUnknown`. */
  paths(query: Query, value: unknown): Path[] {
    return [...this.#run(query, this.#root, { value, path: [] })].map(({ path }) => {
      if (!path) throw new JqError('invalid path expression: it makes a value');
      return path;
    });
  }

  /** The first value that the program makes; undefined if none. Throws as `paths`. */
  first(query: Query, value: unknown): unknown {
    for (const item of this.#run(query, this.#root, { value, path: null })) return item.value;
    return undefined;
  }

  #made(value: unknown): Item {
    if (typeof value === 'object' && value !== null && this.#bounds.weigh(value) > heaviest)
      throw new JqStopped('it makes a value that is too large');
    return { value: value ?? null, path: null };
  }

  *#run(query: Query, scope: Scope, input: Item): Generator<Item> {
    this.#bounds.charge(1);
    switch (query.kind) {
      case 'identity':
        yield input;
        return;
      case 'recurse':
        yield* this.#recurse(input);
        return;
      case 'literal':
        yield this.#made(query.value);
        return;
      case 'text':
        yield* this.#text(query, scope, input, 0, '');
        return;
      case 'format':
        this.#bounds.charge(this.#bounds.weigh(input.value) >> 2);
        yield this.#made(formatText(query.name, input.value));
        return;
      case 'index':
        for (const target of this.#run(query.target, scope, input))
          for (const index of this.#values(query.index, scope, input)) yield this.#step(target, index);
        return;
      case 'slice':
        yield* this.#slice(query, scope, input);
        return;
      case 'iterate':
        for (const target of this.#run(query.target, scope, input)) yield* this.#children(target);
        return;
      case 'array': {
        const items: unknown[] = [];
        if (query.items) for (const item of this.#values(query.items, scope, input)) items.push(item);
        yield this.#made(items);
        return;
      }
      case 'object':
        for (const object of this.#object(query.entries, scope, input)) yield this.#made(object);
        return;
      case 'negate':
        for (const value of this.#values(query.operand, scope, input)) yield this.#made(arithmetic('-', 0, value));
        return;
      case 'pipe':
        for (const item of this.#run(query.left, scope, input)) yield* this.#run(query.right, scope, item);
        return;
      case 'comma':
        yield* this.#run(query.left, scope, input);
        yield* this.#run(query.right, scope, input);
        return;
      case 'and':
      case 'or':
        for (const left of this.#values(query.left, scope, input)) {
          if (isTrue(left) === (query.kind === 'or')) yield this.#made(query.kind === 'or');
          else for (const right of this.#values(query.right, scope, input)) yield this.#made(isTrue(right));
        }
        return;
      case 'alternative':
        yield* this.#alternative(query, scope, input);
        return;
      case 'binary':
        for (const right of this.#values(query.right, scope, input))
          for (const left of this.#values(query.left, scope, input))
            yield this.#made(this.#binary(query.operator, left, right));
        return;
      case 'update':
        yield* this.#update(query, scope, input);
        return;
      case 'if':
        for (const test of this.#values(query.test, scope, input))
          yield* this.#run(isTrue(test) ? query.then : query.otherwise, scope, input);
        return;
      case 'try':
        yield* this.#try(query, scope, input);
        return;
      case 'reduce':
        yield* this.#reduce(query, scope, input);
        return;
      case 'foreach':
        yield* this.#foreach(query, scope, input);
        return;
      case 'bind':
        for (const value of this.#values(query.source, scope, input))
          for (const bound of this.#bind(query.pattern, scope, value, input))
            yield* this.#run(query.body, bound, input);
        return;
      case 'label':
        yield* this.#label(query, scope, input);
        return;
      case 'break':
        throw new Break(variableOf(scope, query.name) as object);
      case 'variable':
        yield this.#made(variableOf(scope, query.name));
        return;
      case 'define': {
        const inner: Scope & { functions: Map<string, Defined> } = { parent: scope, functions: new Map() };
        const { definition } = query;
        inner.functions.set(`${definition.name}/${definition.parameters.length}`, { definition, scope: () => inner });
        yield* this.#run(query.body, inner, input);
        return;
      }
      case 'call':
        yield* this.#call(query, scope, input);
    }
  }

  /** The values alone: what the places are does not matter. */
  *#values(query: Query, scope: Scope, { value }: Item): Generator<unknown> {
    for (const item of this.#run(query, scope, this.#made(value))) yield item.value;
  }

  #step({ value, path }: Item, index: unknown): Item {
    return { value: valueAtIndex(value, index), path: path && [...path, index] };
  }

  *#children(item: Item): Generator<Item> {
    const { value, path } = item;
    if (Array.isArray(value))
      for (const [i, child] of value.entries()) yield { value: child, path: path && [...path, i] };
    else if (isObject(value))
      for (const key of Object.keys(value).sort()) yield { value: value[key], path: path && [...path, key] };
    else throw new JqError(`cannot iterate over ${JSON.stringify(value)?.slice(0, 40)}`);
  }

  *#recurse(item: Item): Generator<Item> {
    this.#bounds.charge(1);
    yield item;
    if (isObject(item.value) || Array.isArray(item.value))
      for (const child of this.#children(item)) yield* this.#recurse(child);
  }

  *#slice({ target, from, to }: Query & { kind: 'slice' }, scope: Scope, input: Item): Generator<Item> {
    const values = (query: Query | undefined) => (query ? this.#values(query, scope, input) : [null]);
    for (const item of this.#run(target, scope, input))
      for (const end of values(to)) for (const start of values(from)) yield this.#step(item, { start, end });
  }

  *#text(query: Query & { kind: 'text' }, scope: Scope, input: Item, from: number, before: string): Generator<Item> {
    const part = query.parts[from];
    if (part === undefined) yield this.#made(before);
    else if (typeof part === 'string') yield* this.#text(query, scope, input, from + 1, before + part);
    else
      for (const value of this.#values(part, scope, input)) {
        this.#bounds.charge(this.#bounds.weigh(value) >> 2);
        const text = before + formatText(query.format, value);
        this.#bounds.charge(text.length >> 5);
        yield* this.#text(query, scope, input, from + 1, text);
      }
  }

  *#object(
    entries: readonly { readonly key: Query; readonly value: Query }[],
    scope: Scope,
    input: Item,
    from = 0,
  ): Generator<Record<string, unknown>> {
    const entry = entries[from];
    if (!entry) {
      yield {};
      return;
    }
    for (const key of this.#values(entry.key, scope, input)) {
      if (typeof key !== 'string') throw new JqError('a key of an object is no string');
      for (const value of this.#values(entry.value, scope, input))
        for (const rest of this.#object(entries, scope, input, from + 1)) yield { [key]: value, ...rest };
    }
  }

  *#alternative({ left, right }: Query & { kind: 'alternative' }, scope: Scope, input: Item): Generator<Item> {
    let any = false;
    try {
      for (const item of this.#run(left, scope, input)) {
        if (!isTrue(item.value)) continue;
        any = true;
        yield item;
      }
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
    }
    if (!any) yield* this.#run(right, scope, input);
  }

  #binary(operator: string, left: unknown, right: unknown): unknown {
    const comparison = /^[=!<>]/.test(operator);
    const [a, b] = [this.#bounds.weigh(left), this.#bounds.weigh(right)];
    this.#bounds.charge(comparison ? Math.min(a, b) >> 2 : (a + b) >> 3);
    if (operator === '-' && Array.isArray(left) && Array.isArray(right)) this.#bounds.charge(a * right.length);
    switch (operator) {
      case '==':
        return compareValues(left, right) === 0;
      case '!=':
        return compareValues(left, right) !== 0;
      case '<':
        return compareValues(left, right) < 0;
      case '<=':
        return compareValues(left, right) <= 0;
      case '>':
        return compareValues(left, right) > 0;
      case '>=':
        return compareValues(left, right) >= 0;
      default:
        return arithmetic(operator, left, right);
    }
  }

  *#update({ operator, left, right }: Query & { kind: 'update' }, scope: Scope, input: Item): Generator<Item> {
    const places = [...this.#run(left, scope, { value: input.value, path: [] })].map(({ path }) => path ?? []);
    if (operator === '|=') {
      let { value } = input;
      for (const path of places)
        value = updateAt(
          value,
          path,
          (old) => {
            for (const changed of this.#values(right, scope, this.#made(old))) return changed;
            return null;
          },
          this.#bounds,
        );
      yield this.#made(value);
      return;
    }
    for (const operand of this.#values(right, scope, input)) {
      const change = (old: unknown) => {
        if (operator === '=') return operand;
        if (operator === '//=') return isTrue(old) ? old : operand;
        return arithmetic(operator.slice(0, -1), old, operand);
      };
      yield this.#made(
        places.reduce<unknown>((value, path) => updateAt(value, path, change, this.#bounds), input.value),
      );
    }
  }

  *#try({ body, handler }: Query & { kind: 'try' }, scope: Scope, input: Item): Generator<Item> {
    try {
      yield* this.#run(body, scope, input);
    } catch (error) {
      if (!(error instanceof JqError)) throw error;
      if (handler) yield* this.#run(handler, scope, this.#made(error.value));
    }
  }

  *#reduce({ source, pattern, start, update }: Query & { kind: 'reduce' }, scope: Scope, input: Item): Generator<Item> {
    for (const first of this.#run(start, scope, input)) {
      let state: Item = first;
      for (const value of this.#values(source, scope, input))
        for (const bound of this.#bind(pattern, scope, value, input)) {
          let next: Item = this.#made(null);
          for (const item of this.#run(update, bound, state)) next = item;
          state = next;
        }
      yield state;
    }
  }

  *#foreach(
    { source, pattern, start, update, extract }: Query & { kind: 'foreach' },
    scope: Scope,
    input: Item,
  ): Generator<Item> {
    for (const first of this.#run(start, scope, input)) {
      let state: Item = first;
      for (const value of this.#values(source, scope, input))
        for (const bound of this.#bind(pattern, scope, value, input))
          for (const item of this.#run(update, bound, state)) {
            state = item;
            if (extract) yield* this.#run(extract, bound, item);
            else yield item;
          }
    }
  }

  *#bind(pattern: Pattern, scope: Scope, value: unknown, input: Item): Generator<Scope> {
    if (pattern.kind === 'name') {
      yield { parent: scope, variables: new Map([[pattern.name, value]]) };
      return;
    }
    if (pattern.kind === 'list') {
      let bound: Scope[] = [scope];
      for (const [i, item] of pattern.items.entries())
        bound = bound.flatMap((one) => [...this.#bind(item, one, valueAtIndex(value, i), input)]);
      yield* bound;
      return;
    }
    let bound: Scope[] = [scope];
    for (const { key, name, pattern: inner } of pattern.fields) {
      bound = bound.flatMap((one) =>
        [...this.#values(key, one, input)].flatMap((index) => {
          const part = valueAtIndex(value, index);
          const named: Scope = name ? { parent: one, variables: new Map([[name, part]]) } : one;
          return inner ? [...this.#bind(inner, named, part, input)] : [named];
        }),
      );
    }
    yield* bound;
  }

  *#label({ name, body }: Query & { kind: 'label' }, scope: Scope, input: Item): Generator<Item> {
    const label = {};
    try {
      yield* this.#run(body, { parent: scope, variables: new Map([[name, label]]) }, input);
    } catch (error) {
      if (!(error instanceof Break) || error.label !== label) throw error;
    }
  }

  *#call({ name, parameters }: Query & { kind: 'call' }, scope: Scope, input: Item): Generator<Item> {
    const id = `${name}/${parameters.length}`;
    const found = functionOf(scope, id);
    if (++this.#depth > deepestCall) throw new JqStopped('its functions call each other too deeply');
    try {
      if (!found) yield* this.#builtin(id, parameters, scope, input);
      else if ('body' in found) yield* this.#run(found.body, found.scope, input);
      else yield* this.#defined(found.definition, found.scope(), parameters, scope, input);
    } finally {
      this.#depth--;
    }
  }

  *#defined(
    { parameters: names, body }: Definition,
    home: Scope,
    parameters: readonly Query[],
    scope: Scope,
    input: Item,
  ): Generator<Item> {
    const closures = new Map<string, Defined>();
    let inner: Scope[] = [{ parent: home, functions: closures }];
    for (const [i, name] of names.entries()) {
      const parameter = parameters[i] as Query;
      const plain = name.replace('$', '');
      closures.set(`${plain}/0`, { body: parameter, scope });
      if (name !== plain)
        inner = inner.flatMap((one) =>
          [...this.#values(parameter, scope, input)].map((value) => ({
            parent: one,
            variables: new Map([[name, value]]),
          })),
        );
    }
    for (const one of inner) yield* this.#run(body, one, input);
  }

  *#builtin(id: string, parameters: readonly Query[], scope: Scope, input: Item): Generator<Item> {
    if (id === 'empty/0') return;
    if (id === 'error/0') throw new JqError(input.value);
    if (id === 'path/1') {
      for (const { path } of this.#run(parameters[0] as Query, scope, { value: input.value, path: [] })) {
        if (!path) throw new JqError('invalid path expression: it makes a value');
        yield this.#made(path);
      }
      return;
    }
    if (id === 'getpath/1') {
      for (const path of this.#values(parameters[0] as Query, scope, input)) {
        if (!Array.isArray(path)) throw new JqError('a path is no array');
        yield path.reduce<Item>((item, index) => this.#step(item, index), input);
      }
      return;
    }
    const [first, second] = parameters as [Query, Query];
    if (id === 'last/1') {
      let last: Item | undefined;
      for (const item of this.#run(first, scope, input)) last = item;
      if (last) yield last;
      return;
    }
    if (id === 'limit/2') {
      for (const count of this.#values(first, scope, input)) yield* this.#limit(Number(count), second, scope, input);
      return;
    }
    const run = functions[id];
    if (!run) throw new JqUnknown(`there is no function ${id}`);
    for (const values of this.#products(parameters, scope, input)) {
      this.#bounds.charge(light.has(id) ? 1 : (this.#bounds.weigh(input.value) + this.#bounds.weigh(values)) >> 1);
      yield this.#made(run(input.value, values, this.#bounds));
    }
  }

  *#limit(count: number, query: Query, scope: Scope, input: Item): Generator<Item> {
    let left = count;
    if (!(left > 0)) return;
    for (const item of this.#run(query, scope, input)) {
      yield item;
      if (--left <= 0) return;
    }
  }

  *#products(parameters: readonly Query[], scope: Scope, input: Item, from = 0): Generator<unknown[]> {
    const parameter = parameters[from];
    if (!parameter) yield [];
    else
      for (const rest of this.#products(parameters, scope, input, from + 1))
        for (const value of this.#values(parameter, scope, input)) yield [value, ...rest];
  }
}
