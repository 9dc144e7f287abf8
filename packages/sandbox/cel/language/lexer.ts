import { CelCompileError, type CelIssue } from './ast.ts';
import { Uint, type Value } from './values.ts';

export interface Token {
  readonly kind: 'ident' | 'literal' | 'operator' | 'end' | 'bad';
  readonly text: string;
  readonly at: number;
  readonly value?: Value;
}

const OPERATORS = ['&&', '||', '==', '!=', '<=', '>=', ...'<>+-*/%!?:.,()[]{}'];
const SIMPLE: Record<string, string> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
};
const NUMBER = /(0x[0-9a-fA-F]+|\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?|\d+)([uU]?)/y;
const STRING = /([rRbB]{0,2})("""|'''|"|')/y;
const IDENT = /[A-Za-z_][A-Za-z0-9_]*|`[A-Za-z0-9_.\-/ ]+`/y;

/** Splits an expression into tokens; what is none is skipped and told in ANTLR's words. */
export function tokenize(text: string): { tokens: Token[]; issues: CelIssue[] } {
  const tokens: Token[] = [];
  const issues: CelIssue[] = [];
  let at = 0;
  while (at < text.length) {
    const space = /(?:\s|\/\/[^\n]*)+/y;
    space.lastIndex = at;
    if (space.test(text)) {
      at = space.lastIndex;
      continue;
    }
    const token = next(text, at);
    if (token.kind !== 'bad') tokens.push(token);
    else issues.push({ at, message: `Syntax error: token recognition error at: '${token.text}'` });
    at += token.text.length;
  }
  tokens.push({ kind: 'end', text: '<EOF>', at: text.length });
  return { tokens, issues };
}

function next(text: string, at: number): Token {
  STRING.lastIndex = at;
  const quote = STRING.exec(text);
  if (quote) return stringToken(text, at, quote);
  NUMBER.lastIndex = at;
  const number = NUMBER.exec(text);
  if (number && !(text[at] === '.' && /[\w)\]]/.test(text[at - 1] ?? ''))) return numberToken(text, at, number);
  IDENT.lastIndex = at;
  const ident = IDENT.exec(text);
  if (ident) {
    const value = ident[0] === 'true' ? true : ident[0] === 'false' ? false : ident[0] === 'null' ? null : undefined;
    return value === undefined ? { kind: 'ident', text: ident[0], at } : { kind: 'literal', text: ident[0], at, value };
  }
  const operator = OPERATORS.find((candidate) => text.startsWith(candidate, at));
  if (operator) return { kind: 'operator', text: operator, at };
  // Half of an operator takes the character with it that is not its other half.
  return { kind: 'bad', text: text.slice(at, at + (/[=&|]/.test(text[at] ?? '') ? 2 : 1)), at };
}

function numberToken(text: string, at: number, [whole, digits = '', unsigned]: RegExpExecArray): Token {
  const hex = digits.startsWith('0x');
  if (!hex && /[.eE]/.test(digits)) return { kind: 'literal', text: whole, at, value: Number(digits) };
  const value = BigInt(digits);
  if (unsigned) {
    if (value >= 2n ** 64n) throw new CelCompileError(text, [{ at, message: 'invalid uint literal' }]);
    return { kind: 'literal', text: whole, at, value: new Uint(value) };
  }
  // One more than the largest, for the smallest negative number.
  if (value > 2n ** 63n) throw new CelCompileError(text, [{ at, message: 'invalid int literal' }]);
  return { kind: 'literal', text: whole, at, value };
}

function stringToken(text: string, at: number, [open, prefix = '', quote = '']: RegExpExecArray): Token {
  const raw = /r/i.test(prefix);
  const bytes = /b/i.test(prefix);
  const pieces: (string | number)[] = [];
  let index = at + open.length;
  for (;;) {
    if (index >= text.length || (quote.length === 1 && text[index] === '\n'))
      return { kind: 'bad', text: text.slice(at, index), at };
    if (text.startsWith(quote, index)) break;
    if (text[index] !== '\\' || raw) {
      pieces.push(String.fromCodePoint(text.codePointAt(index) as number));
      index += (pieces.at(-1) as string).length;
      continue;
    }
    const sequence =
      /\\(?:x([0-9a-fA-F]{2})|X([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))/sy;
    sequence.lastIndex = index;
    const found = sequence.exec(text);
    if (!found) return { kind: 'bad', text: text.slice(at, index + 1), at };
    const [piece, x, upper, short, long, octal, simple] = found;
    const code = x ?? upper ?? short ?? long;
    const plain = simple === undefined ? undefined : SIMPLE[simple];
    if (code === undefined && octal === undefined && plain === undefined)
      return { kind: 'bad', text: text.slice(at, index + 2), at };
    const number =
      code !== undefined ? Number.parseInt(code, 16) : octal !== undefined ? Number.parseInt(octal, 8) : -1;
    if (plain !== undefined) pieces.push(plain);
    else pieces.push(bytes && short === undefined && long === undefined ? number : String.fromCodePoint(number));
    index += piece.length;
  }
  const whole = text.slice(at, index + quote.length);
  const value = bytes
    ? new Uint8Array(Buffer.concat(pieces.map((piece) => Buffer.from(typeof piece === 'number' ? [piece] : piece))))
    : pieces.join('');
  return { kind: 'literal', text: whole, at, value };
}
