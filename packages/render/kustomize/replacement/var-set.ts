import type { Place } from '@tiphys/diagnosis';
import { GoError } from '../failure/go-error.ts';
import type { Var } from '../kustomization/kustomization.ts';

export interface PlacedVar {
  readonly variable: Var;
  /** Of its entry. */
  readonly place: Place;
}

/** Vars by name; each name once. */
export class VarSet {
  readonly #vars = new Map<string, PlacedVar>();

  /** By name. */
  get all(): PlacedVar[] {
    return [...this.#vars.entries()].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, placed]) => placed);
  }

  /** Throws if there is one of that name. */
  add(placed: PlacedVar): void {
    const name = placed.variable.name ?? '';
    const other = this.#vars.get(name);
    if (other)
      throw new GoError(`var '${name}' already encountered`, {
        place: placed.place,
        evidence: { 'is also at': `${other.place.file}:${other.place.line}` },
        remedies: ['Rename one of the two, or remove it'],
      });
    this.#vars.set(name, placed);
  }

  mergeSet(other: VarSet): void {
    for (const placed of other.#vars.values()) this.add(placed);
  }
}
