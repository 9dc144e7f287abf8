import { JsonnetError, type SourceText } from './jsonnet-error.ts';
import { blockString, quotedString } from './string-literal.ts';

export type TokenKind = 'identifier' | 'keyword' | 'number' | 'string' | 'operator' | 'punctuation' | 'end';

export interface Token {
  readonly kind: TokenKind;
  /** As it is written; of a string what it stands for. */
  readonly text: string;
  readonly at: number;
  readonly end: number;
  /** A text block: not allowed for imports. */
  readonly block?: boolean;
}

const keywords = new Set(
  'assert else error false for function if import importstr importbin in local null self super tailstrict then true'.split(
    ' ',
  ),
);
const skipped = /(?:[ \t\r\n]+|\/\/[^\n]*|#[^\n]*)+/y;
const identifier = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(?:0|[1-9](?:_?[0-9])*)(?:\.[0-9](?:_?[0-9])*)?(?:[eE][+-]?[0-9](?:_?[0-9])*)?/y;
const symbols = /[!:~+\-&|^=<>*/%]+/y;

/** Takes a program apart. Throws a `JsonnetError` for what is no token. */
export function tokenize(source: SourceText): Token[] {
  const { text } = source;
  const tokens: Token[] = [];
  let at = 0;
  const fail = (message: string, where = at): never => {
    throw new JsonnetError('static', message, { spot: { source, at: where } });
  };
  const match = (pattern: RegExp): string | undefined => {
    pattern.lastIndex = at;
    return pattern.exec(text)?.[0];
  };
  for (;;) {
    at += match(skipped)?.length ?? 0;
    if (text.startsWith('/*', at)) {
      const close = text.indexOf('*/', at + 2);
      if (close < 0) fail('Multi-line comment has no terminator');
      at = close + 2;
      continue;
    }
    const start = at;
    const add = (kind: TokenKind, end: number, value = text.slice(start, end), block = false) => {
      tokens.push({ kind, text: value, at: start, end, ...(block ? { block } : {}) });
      at = end;
    };
    if (at >= text.length) {
      tokens.push({ kind: 'end', text: 'end of file', at, end: at });
      return tokens;
    }
    const character = text[at] as string;
    const word = match(identifier);
    if (word !== undefined) add(keywords.has(word) ? 'keyword' : 'identifier', at + word.length);
    else if (/[0-9]/.test(character)) add('number', at + readNumber(source, at));
    else if ('{}[](),.;$'.includes(character)) add('punctuation', at + 1);
    else if (character === '"' || character === "'" || (character === '@' && /["']/.test(text[at + 1] ?? ''))) {
      const { value, end } = quotedString(source, at);
      add('string', end, value);
    } else if (text.startsWith('|||', at)) {
      const { value, end } = blockString(source, at);
      add('string', end, value, true);
    } else {
      const run = match(symbols);
      if (run === undefined) fail(`Could not lex the character '${String.fromCodePoint(text.codePointAt(at) ?? 0)}'`);
      add('operator', at + operatorLength(run as string));
    }
  }
}

/** As many symbols as make one operator: a comment or a text block ends it, and longer ones end in no prefix operator. */
function operatorLength(run: string): number {
  const ends = ['//', '/*', '|||'].map((mark) => run.indexOf(mark)).filter((index) => index > 0);
  let length = Math.min(run.length, ...ends);
  while (length > 1 && '+-~!'.includes(run[length - 1] as string)) length -= 1;
  return length;
}

function readNumber(source: SourceText, at: number): number {
  number.lastIndex = at;
  const length = number.exec(source.text)?.[0].length ?? 1;
  const next = source.text.slice(at + length, at + length + 1);
  if (/[0-9_.eE]/.test(next) && !/^\.[A-Za-z_]/.test(source.text.slice(at + length)))
    throw new JsonnetError('static', `Could not lex the number: it goes on with '${next}'`, { spot: { source, at } });
  return length;
}
