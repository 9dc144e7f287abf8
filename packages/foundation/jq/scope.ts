import { prelude } from './prelude.ts';
import type { Definition, Query } from './tree.ts';

/** A function that does not exist, or exists in jq and not here. */
export class JqUnknown extends Error {}

/** A parameter: a program with the names that it sees. */
interface Closure {
  readonly body: Query;
  readonly scope: Scope;
}

/** The names that a program sees. */
export interface Scope {
  readonly parent: Scope | undefined;
  readonly variables?: ReadonlyMap<string, unknown>;
  readonly functions?: ReadonlyMap<string, Defined>;
}

export type Defined = { readonly definition: Definition; readonly scope: () => Scope } | Closure;

/** Leaves the program to its label. */
export class Break extends Error {
  readonly label: object;

  constructor(label: object) {
    super('break');
    this.label = label;
  }
}

/** The names that every program sees. */
export function rootScope(): Scope {
  const scope: { parent: undefined; functions: Map<string, Defined> } = { parent: undefined, functions: new Map() };
  for (const definition of prelude())
    scope.functions.set(`${definition.name}/${definition.parameters.length}`, { definition, scope: () => scope });
  return scope;
}

export function functionOf(scope: Scope, id: string): Defined | undefined {
  for (let at: Scope | undefined = scope; at; at = at.parent) {
    const found = at.functions?.get(id);
    if (found) return found;
  }
  return undefined;
}

export function variableOf(scope: Scope, name: string): unknown {
  for (let at: Scope | undefined = scope; at; at = at.parent)
    if (at.variables?.has(name)) return at.variables.get(name);
  if (name === '$ENV') return {};
  throw new JqUnknown(`there is no variable ${name}`);
}
