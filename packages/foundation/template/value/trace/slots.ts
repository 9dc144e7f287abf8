import { elementsOf, entriesOf, GoMap, GoSlice, GoStruct, type Value } from '../value.ts';
import { type Traced, wholeOf } from './rope.ts';
import { type Source, type Step, unite } from './source.ts';

interface Slot {
  /** By map key; of lists by number. */
  readonly values: Map<unknown, Traced>;
  readonly keys: Map<unknown, Traced>;
}

/** Beyond this nobody reads where a value is from. */
const maxContainers = 100_000;

/**
 * What is known of the contents of containers, by the identity of the container. A container of the data needs none
 * until something is put into it: what it holds stands below the path by which it was reached.
 */
export class Slots {
  readonly #known = new WeakMap<object, Slot>();
  #isUsed = false;

  /** What a container, itself reached as `traced`, holds under a key. */
  get(container: Value, traced: Traced, key: Value): Traced {
    const step = stepOf(key);
    if (this.#isUsed) {
      const slot = this.#slotOf(container);
      if (slot?.values.has(step)) return slot.values.get(step);
    }
    const source = wholeOf(traced);
    return source?.child(step, container instanceof GoStruct);
  }

  /** What the key itself is made of. */
  key(container: Value, traced: Traced, key: Value): Traced {
    const step = stepOf(key);
    if (this.#isUsed) {
      const slot = this.#slotOf(container);
      if (slot?.keys.has(step)) return slot.keys.get(step);
      if (slot?.values.has(step)) return undefined;
    }
    if (!entriesOf(container)) return undefined;
    const source = wholeOf(traced);
    const [origin] = source?.origins ?? [];
    return source?.exact && origin?.kind === 'data' ? origin.child(step).as('key').source : source;
  }

  put(container: Value, key: Value, traced: Traced, keyTraced?: Traced): void {
    const identity = identityOf(container);
    if (!identity) return;
    let slot = this.#known.get(identity);
    if (!slot) {
      slot = { values: new Map(), keys: new Map() };
      this.#known.set(identity, slot);
      this.#isUsed = true;
    }
    const step = stepOf(key);
    slot.values.set(step, traced);
    if (keyTraced) slot.keys.set(step, keyTraced);
    else slot.keys.delete(step);
  }

  remove(container: Value, key: Value): void {
    const slot = this.#slotOf(container);
    slot?.values.delete(stepOf(key));
    slot?.keys.delete(stepOf(key));
  }

  /** Takes over what was put under keys of a container into another one that holds the same under them. */
  copy(from: Value, into: Value, deep: boolean): void {
    if (!this.#isUsed) return;
    const slot = this.#slotOf(from);
    if (slot) {
      for (const [step, traced] of slot.values) {
        if (hasStep(into, step)) this.put(into, step as Value, traced, slot.keys.get(step));
      }
    }
    if (!deep) return;
    for (const [key, value] of contentsOf(into)) {
      if (identityOf(value)) this.copy(childOf(from, key), value, true);
    }
  }

  /** One source for a value with all that it contains. */
  deep(value: Value, traced: Traced): Source | undefined {
    const whole = wholeOf(traced);
    if (!this.#isUsed || !identityOf(value)) return whole;
    const sources: (Source | undefined)[] = [];
    return this.#collect(value, traced, sources, new Set()) ? unite(sources) : whole;
  }

  /** Adds what a container holds; true if any of it was put there, so that its own source does not tell all. */
  #collect(container: Value, traced: Traced, sources: (Source | undefined)[], seen: Set<object>): boolean {
    let isKnown = this.#slotOf(container) !== undefined;
    // A list that holds a list twice, which holds a list twice, and so on, is small all the same.
    const identity = identityOf(container);
    if (!identity || seen.has(identity) || seen.size > maxContainers) return isKnown;
    seen.add(identity);
    for (const [key, item] of contentsOf(container)) {
      const at = this.get(container, traced, key);
      const before = sources.length;
      const isContainer = identityOf(item) !== undefined;
      if (isContainer && this.#collect(item, at, sources, seen)) isKnown = true;
      else {
        // Nothing inside was put there.
        sources.length = before;
        sources.push(wholeOf(at));
      }
      const name = this.#slotOf(container)?.keys.get(stepOf(key));
      if (name) sources.push(wholeOf(name));
    }
    return isKnown;
  }

  #slotOf(container: Value): Slot | undefined {
    const identity = identityOf(container);
    return identity && this.#known.get(identity);
  }
}

/** What stays the same when a container gets another type. */
function identityOf(value: Value): object | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (value instanceof GoMap) return value.entries;
  if (value instanceof GoSlice) return value.items;
  return Array.isArray(value) || value instanceof Map || value instanceof GoStruct ? value : undefined;
}

function stepOf(key: Value): Step {
  if (typeof key === 'string' || typeof key === 'number') return key;
  const { value } = (key ?? {}) as { value?: unknown };
  return typeof value === 'bigint' ? Number(value) : String(value ?? key);
}

function contentsOf(value: Value): Iterable<[Value, Value]> {
  if (value instanceof GoStruct) return value.fields;
  const entries = entriesOf(value);
  if (entries) return entries;
  return Array.isArray(value) || value instanceof GoSlice
    ? ((elementsOf(value) as readonly Value[]).entries() as Iterable<[Value, Value]>)
    : [];
}

function childOf(value: Value, key: Value): Value {
  const entries = value instanceof GoStruct ? value.fields : entriesOf(value);
  return entries ? (entries as ReadonlyMap<Value, Value>).get(key) : elementsOf(value)?.[Number(key)];
}

function hasStep(value: Value, step: unknown): boolean {
  const entries = entriesOf(value);
  return entries ? entries.has(step as Value) : Number(step) < (elementsOf(value)?.length ?? 0);
}
