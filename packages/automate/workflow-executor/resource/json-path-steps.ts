/** A template of kubectl's JSONPath that cannot be read or followed. */
export class JsonPathError extends Error {
  override name = 'JsonPathError';
}

/** One step of an action: from the values before it to those after it. */
export type Step =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'key'; readonly name: string; readonly path: readonly string[] }
  | { readonly kind: 'all' | 'descendants' }
  | { readonly kind: 'value'; readonly value: string | number | boolean }
  | { readonly kind: 'slice'; readonly slice: Slice }
  | { readonly kind: 'union'; readonly branches: readonly (readonly Step[])[] }
  | { readonly kind: 'filter'; readonly filter: Filter };

/** `[from:to:step]`; an index is `isIndex`, and has neither `to` nor `step`. */
export interface Slice {
  readonly isIndex: boolean;
  readonly from: number;
  readonly to?: number;
  readonly step: number;
}

/** `?(left operator right)`; without operator it asks whether there is anything at `left`. */
export interface Filter {
  readonly left: readonly Step[];
  readonly operator?: Operator;
  readonly right: readonly Step[];
}

export type Operator = '==' | '!=' | '<' | '<=' | '>' | '>=';

/** What a template is made of: texts, actions, and the blocks that `range` repeats. */
export type Block =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'action'; readonly steps: readonly Step[] }
  | { readonly kind: 'range'; readonly steps: readonly Step[]; readonly body: readonly Block[] };
