import { goQuote } from '@tiphys/go';
import type { Location } from '../fault/expr-error.ts';

export type TokenKind = 'Identifier' | 'Number' | 'String' | 'Bytes' | 'Operator' | 'Bracket' | 'EOF';

export interface Token {
  readonly kind: TokenKind;
  /** The text; of strings and bytes, what they stand for. */
  readonly value: string;
  readonly at: Location;
}

/** As error messages show a token. */
export function tokenText({ kind, value }: Token): string {
  return value === '' ? kind : `${kind}(${goQuote(value)})`;
}

export function is(token: Token, kind: TokenKind, value?: string): boolean {
  return token.kind === kind && (value === undefined || token.value === value);
}
