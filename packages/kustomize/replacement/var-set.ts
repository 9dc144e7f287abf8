import { GoError } from '../go-error.ts';
import type { Var } from '../kustomization/kustomization.ts';

/** Vars by name; each name once. */
export class VarSet {
  readonly #vars = new Map<string, Var>();

  get all(): Var[] {
    return [...this.#vars.values()].sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
  }

  add(variable: Var): void {
    const name = variable.name ?? '';
    if (this.#vars.has(name)) throw new GoError(`var '${name}' already encountered`);
    this.#vars.set(name, variable);
  }

  mergeSet(other: VarSet): void {
    for (const variable of other.#vars.values()) this.add(variable);
  }
}
