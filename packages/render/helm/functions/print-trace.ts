import {
  elementsOf,
  entriesOf,
  GoStruct,
  keyText,
  Rope,
  type Slots,
  type Traced,
  throughOf,
  type Value,
} from '@tiphys/template';
import type { PrintObserver } from '@tiphys/yaml';

/** Follows a value into the YAML or TOML that is printed of it: where each scalar and each key lands. */
export class PrintTrace implements PrintObserver {
  readonly #slots: Slots;
  readonly #name: string;
  readonly #rope = new Rope();
  readonly #outer: { readonly value: Value; readonly traced: Traced }[] = [];
  #value: Value;
  #traced: Traced;
  #key: Traced;

  /** `name` is the function that prints. */
  constructor(slots: Slots, name: string, value: Value, traced: Traced) {
    this.#slots = slots;
    this.#name = name;
    this.#value = value;
    this.#traced = traced;
  }

  enter(step: string | number): void {
    const [container, traced] = [this.#value, this.#traced];
    this.#outer.push({ value: container, traced });
    const { key, value } = contentOf(container, step);
    this.#value = value;
    this.#traced = this.#slots.get(container, traced, key);
    this.#key = this.#slots.key(container, traced, key);
  }

  leave(): void {
    const outer = this.#outer.pop();
    this.#value = outer?.value;
    this.#traced = outer?.traced;
  }

  key(start: number, end: number): void {
    this.#until(start);
    this.#rope.add(throughOf(this.#key, this.#name), end - start);
  }

  scalar(start: number, end: number): void {
    this.#until(start);
    const value = this.#value;
    const through = throughOf(
      typeof value === 'string' ? this.#traced : this.#slots.deep(value, this.#traced),
      this.#name,
    );
    // Written without quotes: after the space, each character is its own.
    const before = typeof value === 'string' ? end - start - value.length : -1;
    if (before !== 0 && before !== 1) this.#rope.add(through, end - start);
    else {
      this.#until(start + before);
      this.#rope.add(through, end - start - before);
    }
  }

  /** What a text of the length, which the print began with, is made of. */
  result(length: number): Rope {
    this.#until(length);
    return this.#rope;
  }

  #until(end: number): void {
    if (end > this.#rope.length) this.#rope.push(end - this.#rope.length, undefined);
  }
}

function contentOf(container: Value, step: string | number): { key: Value; value: Value } {
  if (typeof step === 'number') return { key: step, value: elementsOf(container)?.[step] };
  const entries = container instanceof GoStruct ? container.fields : entriesOf(container);
  if (!entries) return { key: step, value: undefined };
  const names = entries as ReadonlyMap<Value, Value>;
  if (names.has(step)) return { key: step, value: names.get(step) };
  for (const [key, value] of names) if (keyText(key) === step) return { key, value };
  return { key: step, value: undefined };
}
