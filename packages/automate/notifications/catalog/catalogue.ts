import type { Condition, JsonMap } from '../model/notification.ts';

/** Triggers and templates that are there without being configured. */
export interface Catalogue {
  readonly triggers: ReadonlyMap<string, readonly Condition[]>;
  readonly templates: ReadonlyMap<string, JsonMap>;
}

export const emptyCatalogue: Catalogue = { triggers: new Map(), templates: new Map() };

/** What several kinds have whose settings stand in one ConfigMap; names of the first come first. */
export const joined = (...all: readonly Catalogue[]): Catalogue => ({
  triggers: new Map(all.toReversed().flatMap(({ triggers }) => [...triggers])),
  templates: new Map(all.toReversed().flatMap(({ templates }) => [...templates])),
});
