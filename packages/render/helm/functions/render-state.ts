import type { Value } from '@tiphys/template';

/** One object, or with an empty name all objects of a kind, that a template looked up. */
export interface LookupRequest {
  readonly apiVersion: string;
  readonly kind: string;
  /** Empty for cluster-scoped objects and for all namespaces. */
  readonly namespace: string;
  readonly name: string;
}

/**
 * Answers `lookup`: the object or the list as JSON data, undefined if there is none. Synchronous, because templates are;
 * a caller with a cluster renders again after it has fetched what was asked for.
 */
export type Lookup = (request: LookupRequest) => unknown;

/** What the functions of one render share. */
export interface RenderState {
  /** How often each template is being included right now. */
  readonly included: Map<string, number>;
  readonly lookups: (request: LookupRequest) => Value;
}
