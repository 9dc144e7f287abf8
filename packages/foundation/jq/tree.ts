/** A jq program. */
export type Query =
  | { readonly kind: 'identity' }
  | { readonly kind: 'recurse' }
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'text'; readonly format: string; readonly parts: readonly (string | Query)[] }
  | { readonly kind: 'format'; readonly name: string }
  | { readonly kind: 'index'; readonly target: Query; readonly index: Query }
  | { readonly kind: 'slice'; readonly target: Query; readonly from: Query | undefined; readonly to: Query | undefined }
  | { readonly kind: 'iterate'; readonly target: Query }
  | { readonly kind: 'array'; readonly items: Query | undefined }
  | { readonly kind: 'object'; readonly entries: readonly { readonly key: Query; readonly value: Query }[] }
  | { readonly kind: 'negate'; readonly operand: Query }
  | { readonly kind: 'pipe' | 'comma' | 'and' | 'or'; readonly left: Query; readonly right: Query }
  | { readonly kind: 'alternative'; readonly left: Query; readonly right: Query }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Query; readonly right: Query }
  | { readonly kind: 'update'; readonly operator: string; readonly left: Query; readonly right: Query }
  | { readonly kind: 'if'; readonly test: Query; readonly then: Query; readonly otherwise: Query }
  | { readonly kind: 'try'; readonly body: Query; readonly handler: Query | undefined }
  | {
      readonly kind: 'reduce';
      readonly source: Query;
      readonly pattern: Pattern;
      readonly start: Query;
      readonly update: Query;
    }
  | {
      readonly kind: 'foreach';
      readonly source: Query;
      readonly pattern: Pattern;
      readonly start: Query;
      readonly update: Query;
      readonly extract: Query | undefined;
    }
  | { readonly kind: 'bind'; readonly source: Query; readonly pattern: Pattern; readonly body: Query }
  | { readonly kind: 'label'; readonly name: string; readonly body: Query }
  | { readonly kind: 'break'; readonly name: string }
  | { readonly kind: 'variable'; readonly name: string }
  | { readonly kind: 'define'; readonly definition: Definition; readonly body: Query }
  | { readonly kind: 'call'; readonly name: string; readonly parameters: readonly Query[] };

/** What `as` binds: a variable, or the parts of a list or an object. */
export type Pattern =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'list'; readonly items: readonly Pattern[] }
  | {
      readonly kind: 'fields';
      readonly fields: readonly {
        readonly key: Query;
        readonly pattern: Pattern | undefined;
        readonly name: string | undefined;
      }[];
    };

export interface Definition {
  readonly name: string;
  /** Those with `$` are values. */
  readonly parameters: readonly string[];
  readonly body: Query;
}
