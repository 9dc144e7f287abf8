/** A path that cannot be read or followed. */
export class JsonPathError extends Error {
  override name = 'JsonPathError';
}

export type Step =
  | { readonly kind: 'key'; readonly key: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'deep' }
  | { readonly kind: 'union'; readonly keys: readonly (string | number)[] }
  | { readonly kind: 'slice'; readonly bounds: readonly (Formula | undefined)[] }
  | { readonly kind: 'filter'; readonly formula: Formula }
  | { readonly kind: 'script'; readonly formula: Formula };

/** What stands in a filter or a script. */
export type Formula =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'path'; readonly fromRoot: boolean; readonly steps: readonly Step[] }
  | { readonly kind: 'list'; readonly items: readonly Formula[] }
  | { readonly kind: 'not'; readonly of: Formula }
  | { readonly kind: 'binary'; readonly sign: string; readonly left: Formula; readonly right: Formula };
