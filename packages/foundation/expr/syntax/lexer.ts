import { goQuote } from '@tiphys/go';
import { Fault } from '../fault/expr-error.ts';
import { isNameRune, isSpace } from './characters.ts';
import type { Token, TokenKind } from './token.ts';
import { unescapeBytes, unescapeText } from './unescape.ts';

const wordOperators = new Set([
  'in',
  'or',
  'and',
  'not',
  'matches',
  'contains',
  'startsWith',
  'endsWith',
  'let',
  'if',
  'else',
]);

/** Reads tokens one at a time, so that the first thing that is wrong is the one that is reported. */
export class Lexer {
  readonly #runes: readonly string[];
  #start = 0;
  #end = 0;
  /** The name that follows `#` is its own token, whatever the word. */
  #pending: Token | undefined;
  #isDone = false;

  constructor(text: string) {
    this.#runes = Array.from(text);
  }

  /** The next token; undefined after the one that marks the end. Throws `Fault`. */
  next(): Token | undefined {
    const pending = this.#pending;
    this.#pending = undefined;
    if (pending) return pending;
    if (this.#isDone) return undefined;
    this.#skipBlank();
    const rune = this.#take();
    if (rune === undefined) {
      this.#isDone = true;
      return { kind: 'EOF', value: '', at: { from: Math.max(0, this.#end - 1), to: this.#end } };
    }
    return this.#token(rune);
  }

  #token(rune: string): Token {
    if (rune === "'" || rune === '"') return this.#text(rune);
    if (rune === '`') return this.#rawText();
    if ((rune === 'b' || rune === 'B') && (this.#peek() === "'" || this.#peek() === '"')) return this.#bytes();
    if (/^[0-9]$/.test(rune)) return this.#number();
    if (rune === '.') {
      if (/^[0-9]$/.test(this.#peek() ?? '')) return this.#number();
      this.#accept('.');
      return this.#emit('Operator');
    }
    if (rune === '#') return this.#pointer();
    if ('([{)]}'.includes(rune)) return this.#emit('Bracket');
    const second = secondRunes[rune];
    if (second !== undefined) {
      this.#accept(second);
      return this.#emit('Operator');
    }
    if (isNameRune(rune)) return this.#name();
    const code = (rune.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
    throw this.#fault(`unrecognized character: U+${code} '${rune}'`);
  }

  #name(): Token {
    while (isNameRune(this.#peek())) this.#end++;
    return this.#emit(wordOperators.has(this.#word()) ? 'Operator' : 'Identifier');
  }

  #pointer(): Token {
    this.#accept('#');
    const token = this.#emit('Operator');
    while (isNameRune(this.#peek())) this.#end++;
    if (this.#end > this.#start) this.#pending = this.#emit('Identifier');
    return token;
  }

  #number(): Token {
    this.#end = this.#start;
    let digits = '0123456789_';
    const sign = this.#accept('0') ? this.#peek()?.toLowerCase() : undefined;
    const special = sign === undefined ? undefined : radixDigits[sign];
    if (special) {
      digits = special;
      this.#end++;
    }
    while (this.#accept(digits));
    const whole = this.#end;
    if (this.#accept('.')) {
      if (this.#peek() === '.') {
        // 1..2 is a range
        this.#end = whole;
        return this.#emit('Number');
      }
      while (this.#accept(digits));
    }
    if (this.#accept('eE')) {
      this.#accept('+-');
      while (this.#accept(digits));
    }
    if (isNameRune(this.#peek())) {
      this.#end++;
      throw this.#fault(`bad number syntax: ${goQuote(this.#word())}`);
    }
    return this.#emit('Number');
  }

  #text(quote: string): Token {
    this.#scan(quote);
    return this.#unescaped('String', unescapeText, 1);
  }

  #bytes(): Token {
    this.#scan(this.#take() as string);
    return this.#unescaped('Bytes', unescapeBytes, 2);
  }

  #unescaped(kind: TokenKind, decode: (body: string) => string, prefix: number): Token {
    try {
      return this.#emit(kind, decode(this.#word().slice(prefix, -1)));
    } catch (error) {
      if (error instanceof RangeError) throw this.#fault(error.message);
      throw error;
    }
  }

  #scan(quote: string): void {
    for (;;) {
      const rune = this.#take();
      if (rune === quote) return;
      if (rune === undefined || rune === '\n') throw this.#fault('literal not terminated', rune === undefined);
      if (rune === '\\') this.#escape(quote);
    }
  }

  #escape(quote: string): void {
    const rune = this.#take();
    if (rune === undefined) throw this.#fault('invalid char escape', true);
    if (rune === quote || 'abfnrtv\\'.includes(rune)) return;
    if (/^[0-7]$/.test(rune)) this.#escapeDigits(/^[0-7]$/, 2);
    else if (rune === 'x') this.#escapeDigits(hexDigit, 2);
    else if (rune === 'U') this.#escapeDigits(hexDigit, 8);
    else if (rune !== 'u') throw this.#fault('invalid char escape');
    else if (this.#peek() === '{') this.#bracedEscape();
    else this.#escapeDigits(hexDigit, 4);
  }

  #bracedEscape(): void {
    this.#end++;
    let count = 0;
    for (; hexDigit.test(this.#peek() ?? '') && count < 6; count++) this.#end++;
    if (this.#peek() !== '}' || count === 0) throw this.#fault('invalid char escape');
    this.#end++;
  }

  #escapeDigits(digit: RegExp, count: number): void {
    for (let i = 0; i < count; i++) {
      const rune = this.#take();
      if (rune === undefined || !digit.test(rune)) throw this.#fault('invalid char escape', rune === undefined);
    }
  }

  #rawText(): Token {
    let value = '';
    for (;;) {
      const rune = this.#take();
      if (rune === undefined) throw this.#fault('literal not terminated', true);
      if (rune !== '`') value += rune;
      else if (this.#accept('`')) value += '`';
      else return this.#emit('String', value);
    }
  }

  #skipBlank(): void {
    for (;;) {
      while (isSpace(this.#peek())) this.#end++;
      if (this.#peek() === '/' && this.#runes[this.#end + 1] === '/') {
        while (this.#peek() !== undefined && this.#peek() !== '\n') this.#end++;
      } else if (this.#peek() === '/' && this.#runes[this.#end + 1] === '*') this.#skipBlock();
      else break;
    }
    this.#start = this.#end;
  }

  #skipBlock(): void {
    this.#end += 2;
    while (this.#peek() !== undefined) {
      if (this.#take() === '*' && this.#accept('/')) return;
    }
    throw this.#fault('unclosed comment', true);
  }

  #peek(): string | undefined {
    return this.#runes[this.#end];
  }

  #take(): string | undefined {
    const rune = this.#peek();
    if (rune !== undefined) this.#end++;
    return rune;
  }

  #accept(valid: string): boolean {
    const rune = this.#peek();
    if (rune === undefined || !valid.includes(rune)) return false;
    this.#end++;
    return true;
  }

  #word(): string {
    return this.#runes.slice(this.#start, this.#end).join('');
  }

  #emit(kind: TokenKind, value = this.#word()): Token {
    const token = { kind, value, at: { from: this.#start, to: this.#end } };
    this.#start = this.#end;
    return token;
  }

  #fault(message: string, atEnd = false): Fault {
    const to = this.#end + (atEnd ? 1 : 0);
    return new Fault(message, { from: to - 1, to });
  }
}

const hexDigit = /^[0-9a-fA-F]$/;

const radixDigits: Readonly<Record<string, string>> = {
  x: '0123456789abcdefABCDEF_',
  o: '01234567_',
  b: '01_',
};

/** What may follow as the second character of an operator, by its first. */
const secondRunes: Readonly<Record<string, string>> = {
  '?': '.?',
  '/': '',
  '|': '|',
  ':': ':',
  ...Object.fromEntries(Array.from(',;%+-^', (rune) => [rune, ''])),
  ...Object.fromEntries(Array.from('&!=*<>', (rune) => [rune, '&=*'])),
};
