/** A position in the text; line and column are 0-based, in UTF-16 units. */
export interface Mark {
  readonly index: number;
  readonly line: number;
  readonly column: number;
}

export type TokenType =
  | 'stream-end'
  | 'version-directive'
  | 'tag-directive'
  | 'document-start'
  | 'document-end'
  | 'block-sequence-start'
  | 'block-mapping-start'
  | 'block-end'
  | 'flow-sequence-start'
  | 'flow-sequence-end'
  | 'flow-mapping-start'
  | 'flow-mapping-end'
  | 'block-entry'
  | 'flow-entry'
  | 'key'
  | 'value'
  | 'alias'
  | 'anchor'
  | 'tag'
  | 'scalar';

/** How a scalar is written. */
export type ScalarStyle = 'plain' | 'single' | 'double' | 'literal' | 'folded';

export interface Token {
  readonly type: TokenType;
  readonly start: Mark;
  /** Where it ends; for scalars, the end of their last content. */
  readonly end: Mark;
  /** Text of a scalar, name of an anchor or alias, handle of a tag or tag directive, version. */
  readonly value: string;
  /** Suffix of a tag, prefix of a tag directive. */
  readonly suffix: string;
  /** Of scalars: whether they were written without quotes and not as a block. */
  readonly plain: boolean;
  /** Of scalars. */
  readonly style?: ScalarStyle;
}
