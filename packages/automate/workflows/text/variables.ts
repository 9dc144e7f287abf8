import type { Artifact } from '../model/types.ts';

/**
 * What a name stands for: text, an artifact, or null for the output of a node that did not run and that has no default.
 * Using such a null is an error; `??` and `== nil` in expressions may ask for it.
 */
export type Value = string | Artifact | null;

/** Variables by their full names, such as `steps.build.outputs.result`. */
export type Variables = ReadonlyMap<string, Value>;

/** The first map that has a name wins. */
export function merged(...maps: readonly Variables[]): Map<string, Value> {
  const all = new Map<string, Value>();
  for (const map of maps.toReversed()) for (const [name, value] of map) all.set(name, value);
  return all;
}

/**
 * Variables as nested objects for expressions: `a.b` and `a.c` become `a: {b, c}`. Where one name is the beginning of another,
 * the longer one stays. Objects have no prototype: names come from users.
 */
export function nested(variables: Variables): Record<string, unknown> {
  const root: Record<string, unknown> = Object.create(null);
  for (const name of [...variables.keys()].sort()) {
    const parts = name.split('.');
    const last = parts.pop() as string;
    let at = root;
    for (const part of parts) {
      const next = at[part];
      if (isBranch(next)) at = next;
      else {
        const branch: Record<string, unknown> = Object.create(null);
        at[part] = branch;
        at = branch;
      }
    }
    at[last] = variables.get(name);
  }
  return root;
}

function isBranch(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === null;
}
