import type { LuaValue } from './value.ts';

/** How far beyond its end the array part is extended by one assignment; farther keys are in the hash part. */
const largestGap = 1024;

/**
 * A table: an array part for the keys 1 to n, and a hash part that is traversed in the order of insertion. Its length
 * is its last element that is not nil, holes or none, as in the interpreter of upstream.
 */
export class LuaTable {
  metatable: LuaTable | undefined;
  /** It was made of an object of JSON, and is one again even when it is empty. */
  object = false;
  readonly array: LuaValue[] = [];
  #places: Map<LuaValue, number> | undefined;
  #keys: LuaValue[] = [];
  #values: LuaValue[] = [];
  #numbers = 0;
  #pending: (() => void)[] | undefined;

  get length(): number {
    return this.array.length;
  }

  /** Puts off what fills the hash part until somebody reads it: most scripts use few libraries. */
  later(fill: () => void): void {
    this.#pending ??= [];
    this.#pending.push(fill);
  }

  #settle(): void {
    const pending = this.#pending ?? [];
    this.#pending = undefined;
    for (const fill of pending) fill();
  }

  get(key: LuaValue): LuaValue {
    if (this.#pending) this.#settle();
    if (typeof key === 'number' && key > 0 && key <= this.array.length && Number.isInteger(key))
      return this.array[key - 1];
    const place = this.#places?.get(key);
    return place === undefined ? undefined : this.#values[place];
  }

  /** The key is neither nil nor NaN. Returns the work it was, in steps. */
  set(key: LuaValue, value: LuaValue): number {
    if (this.#pending) this.#settle();
    if (typeof key === 'number' && key > 0 && Number.isInteger(key)) {
      const { array } = this;
      const gap = key - 1 - array.length;
      if (gap < 0) {
        array[key - 1] = value;
        if (value === undefined && gap === -1) this.#trim();
        return 1;
      }
      if (gap <= largestGap && value !== undefined) {
        for (let i = 0; i < gap; i++) array.push(this.#numbers > 0 ? this.#take(array.length + 1) : undefined);
        if (this.#numbers > 0) this.#take(key);
        array.push(value);
        while (this.#numbers > 0 && this.get(array.length + 1) !== undefined) array.push(this.#take(array.length + 1));
        return gap + 1;
      }
    }
    this.#setHash(key, value);
    return 1;
  }

  /** The key after this one (nil: the first) and its value; undefined at the end; null if the key is not there. */
  next(key: LuaValue): [LuaValue, LuaValue] | undefined | null {
    if (this.#pending) this.#settle();
    const { array } = this;
    let place = 0;
    let index = array.length;
    if (key === undefined) index = 0;
    else {
      const known = this.#places?.get(key);
      if (known !== undefined) place = known + 1;
      else if (typeof key === 'number' && key > 0 && Number.isInteger(key)) index = key;
      else return null;
    }
    for (; index < array.length; index++) if (array[index] !== undefined) return [index + 1, array[index]];
    for (; place < this.#keys.length; place++)
      if (this.#values[place] !== undefined) return [this.#keys[place], this.#values[place]];
    return undefined;
  }

  /** The largest positive number among the keys. */
  get largest(): number {
    let largest = this.array.length;
    if (this.#numbers > 0) {
      for (const [place, key] of this.#keys.entries())
        if (typeof key === 'number' && key > largest && this.#values[place] !== undefined) largest = key;
    }
    return largest;
  }

  /** Moves the elements from a position of the array up, and puts a value there. */
  insert(position: number, value: LuaValue): void {
    this.array.splice(position - 1, 0, value);
    this.#trim();
  }

  /** Takes the element at a position of the array out. */
  remove(position: number): LuaValue {
    const [removed] = this.array.splice(position - 1, 1);
    this.#trim();
    return removed;
  }

  #trim(): void {
    while (this.array.length > 0 && this.array.at(-1) === undefined) this.array.pop();
  }

  #setHash(key: LuaValue, value: LuaValue): void {
    this.#places ??= new Map();
    const place = this.#places.get(key);
    if (place !== undefined) this.#values[place] = value;
    else if (value !== undefined) {
      this.#places.set(key, this.#keys.length);
      this.#keys.push(key);
      this.#values.push(value);
      if (typeof key === 'number') this.#numbers++;
    }
  }

  /** Moves a number's value from the hash part to the caller. */
  #take(key: number): LuaValue {
    const place = this.#places?.get(key);
    if (place === undefined) return undefined;
    const value = this.#values[place];
    this.#values[place] = undefined;
    this.#places?.delete(key);
    this.#numbers--;
    return value;
  }
}
