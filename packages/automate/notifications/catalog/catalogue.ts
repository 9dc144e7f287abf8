import type { Condition, JsonMap } from '../model/notification.ts';

/** Triggers and templates that are there without being configured. */
export interface Catalogue {
  readonly triggers: ReadonlyMap<string, readonly Condition[]>;
  readonly templates: ReadonlyMap<string, JsonMap>;
}

export const emptyCatalogue: Catalogue = { triggers: new Map(), templates: new Map() };
