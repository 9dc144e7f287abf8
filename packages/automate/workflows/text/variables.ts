import { encodeJson, type Value as GoAny, isNil } from '@tiphys/template';
import type { Artifact } from '../model/types.ts';

/**
 * What a name stands for: text, an artifact, or null for the output of a node that did not run and that has no default.
 * Using such a null is an error; `??` and `== nil` in expressions may ask for it.
 */
export type Value = string | Artifact | null;

/** Variables by their full names, such as `steps.build.outputs.result`. */
export type Variables = ReadonlyMap<string, Value>;

/** The time of the decision, in milliseconds, for `now()`; no name that a user can write. */
export const clockVariable = '\0now';

/** The first map that has a name wins. */
export function merged(...maps: readonly Variables[]): Map<string, Value> {
  const all = new Map<string, Value>();
  for (const map of maps.toReversed()) for (const [name, value] of map) all.set(name, value);
  return all;
}

/** Variables of its own before others, which are not copied: those of a workflow are the same for its thousands of nodes. */
export class Layer implements Variables {
  readonly #below: Variables;
  readonly #own: Map<string, Value>;

  constructor(below: Variables, own: Iterable<readonly [string, Value]> = []) {
    this.#below = below;
    this.#own = new Map(own);
  }

  set(name: string, value: Value): void {
    this.#own.set(name, value);
  }

  get(name: string): Value | undefined {
    const own = this.#own.get(name);
    return own === undefined ? this.#below.get(name) : own;
  }

  has(name: string): boolean {
    return this.#own.has(name) || this.#below.has(name);
  }

  get size(): number {
    return this.#whole().size;
  }

  keys(): MapIterator<string> {
    return this.#whole().keys();
  }

  values(): MapIterator<Value> {
    return this.#whole().values();
  }

  entries(): MapIterator<[string, Value]> {
    return this.#whole().entries();
  }

  [Symbol.iterator](): MapIterator<[string, Value]> {
    return this.entries();
  }

  forEach(each: (value: Value, name: string, map: Variables) => void): void {
    for (const [name, value] of this.#whole()) each(value, name, this);
  }

  #whole(): Map<string, Value> {
    return merged(this.#own, this.#below);
  }
}

/**
 * Variables as nested maps for expressions: `a.b` and `a.c` become `a: {b, c}`. Where one name is the beginning of another, the
 * longer one stays.
 */
export function nested(variables: Variables): Map<string, GoAny> {
  const root = new Map<string, GoAny>();
  const branches = new WeakSet<object>([root]);
  for (const name of [...variables.keys()].sort()) {
    if (name === clockVariable) continue;
    const parts = name.split('.');
    const last = parts.pop() as string;
    let at = root;
    for (const part of parts) {
      const next = at.get(part);
      if (next instanceof Map && branches.has(next)) at = next as Map<string, GoAny>;
      else {
        const branch = new Map<string, GoAny>();
        branches.add(branch);
        at.set(part, branch);
        at = branch;
      }
    }
    at.set(last, toGo(variables.get(name)));
  }
  return root;
}

/** A plain JSON value as the language of expressions has it. */
export function toGo(value: unknown): GoAny {
  if (Array.isArray(value)) return value.map(toGo);
  if (value !== null && typeof value === 'object') {
    return new Map(
      Object.entries(value)
        .filter(([, field]) => field !== undefined)
        .map(([key, field]) => [key, toGo(field)]),
    );
  }
  return (value ?? null) as GoAny;
}

/** The way back: maps become objects, numbers of all kinds JavaScript's. */
export function fromGo(value: GoAny): unknown {
  if (isNil(value)) return null;
  if (Array.isArray(value)) return value.map((item) => fromGo(item as GoAny));
  if (value instanceof Map)
    return Object.fromEntries([...value].map(([key, field]) => [String(key), fromGo(field as GoAny)]));
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'object' && value !== null && 'value' in value) return fromGo((value as { value: GoAny }).value);
  if (typeof value === 'object') return JSON.parse(encodeJson(value));
  return value;
}
