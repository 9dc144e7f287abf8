import type { Machine } from './machine.ts';

/** What an expression gives. Strings are made of code points, numbers are never infinite. */
export type Value = null | boolean | number | string | JsonnetArray | JsonnetObject | JsonnetFunction;

/** A value, or one that is computed when it is first asked for. */
export type Slot = Value | Lazy;

/** Computed at most once. */
export class Lazy {
  #compute: (() => Value) | undefined;
  #value: Value = null;
  #running = false;

  constructor(compute: () => Value) {
    this.#compute = compute;
  }

  force(machine: Machine): Value {
    if (this.#compute === undefined) return this.#value;
    if (this.#running) throw machine.endless();
    this.#running = true;
    machine.enter();
    this.#value = this.#compute();
    machine.leave();
    this.#compute = undefined;
    return this.#value;
  }
}

export class JsonnetArray {
  readonly items: readonly Slot[];

  constructor(items: readonly Slot[]) {
    this.items = items;
  }
}

/** A call's arguments: positional ones, then those by name. */
export interface Arguments {
  readonly positional: readonly Slot[];
  readonly named: readonly { readonly name: string; readonly value: Slot }[];
}

export interface FunctionParameter {
  readonly name: string;
  readonly optional: boolean;
}

export class JsonnetFunction {
  readonly name: string;
  readonly parameters: readonly FunctionParameter[];
  /** Takes one slot for each parameter; undefined where an optional one is not given. */
  readonly run: (slots: (Slot | undefined)[]) => Value | TailCall;

  constructor(name: string, parameters: readonly FunctionParameter[], run: JsonnetFunction['run']) {
    this.name = name;
    this.parameters = parameters;
    this.run = run;
  }
}

/** What a function leaves to its caller to call in its place, so that loops written as recursion need no stack. */
export class TailCall {
  readonly target: JsonnetFunction;
  readonly slots: (Slot | undefined)[];

  constructor(target: JsonnetFunction, slots: (Slot | undefined)[]) {
    this.target = target;
    this.slots = slots;
  }
}

/** One field of one layer of an object. */
export interface Field {
  readonly visibility: 'inherit' | 'hidden' | 'shown';
  readonly plus: boolean;
  /** `layer` is the layer that the field stands in, counted from the base. */
  readonly value: (self: JsonnetObject, layer: number) => Value;
}

export interface Layer {
  readonly fields: ReadonlyMap<string, Field>;
  /** Throws if one of its assertions does not hold. */
  readonly check?: (self: JsonnetObject, layer: number) => void;
}

/** Layers that `+` put on one another, the base first; `self` is always the whole. */
export class JsonnetObject {
  readonly layers: readonly Layer[];
  readonly #known: (Map<string, Value> | undefined)[] = [];
  #names: Map<string, boolean> | undefined;
  #checked: 'not' | 'now' | 'done' = 'not';

  constructor(layers: readonly Layer[]) {
    this.layers = layers;
  }

  /** Of fields that nobody computes: for what does not come from a program. */
  static of(values: Iterable<readonly [string, Slot]>, machine: Machine): JsonnetObject {
    const fields = new Map<string, Field>();
    for (const [name, slot] of values)
      fields.set(name, { visibility: 'inherit', plus: false, value: () => machine.force(slot) });
    return new JsonnetObject([{ fields }]);
  }

  plus(other: JsonnetObject): JsonnetObject {
    return new JsonnetObject([...this.layers, ...other.layers]);
  }

  /** Names in order of code points, with whether they are visible. */
  names(): ReadonlyMap<string, boolean> {
    if (this.#names) return this.#names;
    const visible = new Map<string, boolean>();
    for (const { fields } of this.layers) {
      for (const [name, { visibility }] of fields)
        visible.set(name, visibility === 'inherit' ? (visible.get(name) ?? true) : visibility === 'shown');
    }
    this.#names = new Map([...visible].sort(([a], [b]) => compareText(a, b)));
    return this.#names;
  }

  visibleNames(): string[] {
    return [...this.names()].filter(([, visible]) => visible).map(([name]) => name);
  }

  has(name: string, top = this.layers.length - 1): boolean {
    for (let layer = top; layer >= 0; layer -= 1) if (this.layers[layer]?.fields.has(name)) return true;
    return false;
  }

  /** The value of a field as the layers up to `top` have it; undefined if none of them has it. */
  get(name: string, machine: Machine, top = this.layers.length - 1): Value | undefined {
    this.check(machine);
    return this.#get(name, machine, top);
  }

  #get(name: string, machine: Machine, top: number): Value | undefined {
    let layer = top;
    while (layer >= 0 && !this.layers[layer]?.fields.has(name)) layer -= 1;
    const field = this.layers[layer]?.fields.get(name);
    if (!field) return undefined;
    let values = this.#known[layer];
    if (!values) {
      values = new Map();
      this.#known[layer] = values;
    }
    const known = values.get(name);
    if (known !== undefined) return known;
    machine.enter();
    let value = field.value(this, layer);
    if (field.plus && this.has(name, layer - 1)) {
      const base = this.#get(name, machine, layer - 1) as Value;
      value = machine.add(base, value);
    }
    machine.leave();
    values.set(name, value);
    return value;
  }

  /** Assertions are checked once, when the first field is asked for. */
  check(machine: Machine): void {
    if (this.#checked !== 'not') return;
    this.#checked = 'now';
    machine.enter();
    for (let layer = this.layers.length - 1; layer >= 0; layer -= 1) this.layers[layer]?.check?.(this, layer);
    machine.leave();
    this.#checked = 'done';
  }
}

/** By code points, as UTF-8 bytes would compare. */
export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index += 1) {
    const [x, y] = [a.charCodeAt(index), b.charCodeAt(index)];
    if (x === y) continue;
    // A surrogate stands for what comes after all that is one unit long.
    const [high, other] = [x >= 0xd800 && x < 0xe000, y >= 0xd800 && y < 0xe000];
    return high === other ? x - y : high ? 1 : -1;
  }
  return a.length - b.length;
}

export function typeOf(value: Value): string {
  if (value === null) return 'null';
  if (value instanceof JsonnetArray) return 'array';
  if (value instanceof JsonnetObject) return 'object';
  return value instanceof JsonnetFunction ? 'function' : typeof value;
}

const astral = /[\ud800-\udfff]/;

/** Code points of a text. */
export function pointsOf(text: string): readonly string[] {
  return astral.test(text) ? [...text] : text.split('');
}

export function lengthOf(text: string): number {
  if (!astral.test(text)) return text.length;
  let length = 0;
  for (const _ of text) length += 1;
  return length;
}
