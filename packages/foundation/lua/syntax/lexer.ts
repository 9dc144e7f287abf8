import { LuaSyntaxError } from './syntax-error.ts';

const keywordList = [
  'and',
  'break',
  'do',
  'else',
  'elseif',
  'end',
  'false',
  'for',
  'function',
  'goto',
  'if',
  'in',
  'local',
  'nil',
  'not',
  'or',
  'repeat',
  'return',
  'then',
  'true',
  'until',
  'while',
] as const;
const keywords: ReadonlySet<string> = new Set(keywordList);

const symbols = ['...', '..', '==', '~=', '<=', '>=', '::', ...'+-*/%^#<>=(){}[];:,.'] as const;

/** `kind` is a keyword, a symbol, or one of the four below; a name or string has its text, a number its value. */
export interface Token {
  readonly kind: string | 'name' | 'string' | 'number' | 'end of text';
  readonly text: string;
  readonly number: number;
  readonly line: number;
  /** A line break stands before it. */
  readonly fresh: boolean;
}

/** Splits Lua, given as one character a byte, into tokens. */
export class Lexer {
  readonly #source: string;
  #at = 0;
  #line = 1;

  constructor(source: string) {
    this.#source = source;
    if (source.startsWith('#')) this.#at = endOfLine(source, 0);
  }

  next(): Token {
    const before = this.#line;
    this.#skipBlanks();
    const fresh = this.#line > before;
    const line = this.#line;
    const source = this.#source;
    const start = this.#at;
    const c = source[start];
    const token = (kind: string, text: string, number = 0): Token => ({ kind, text, number, line, fresh });
    if (c === undefined) return token('end of text', '');
    if (/[A-Za-z_]/.test(c)) {
      const text = this.#match(/[A-Za-z0-9_]+/y);
      return token(keywords.has(text) ? text : 'name', text);
    }
    if (/[0-9]/.test(c) || (c === '.' && /[0-9]/.test(source[start + 1] ?? ''))) {
      const text = this.#match(/0[xX][0-9a-fA-F]*|[0-9]*(?:\.[0-9]*)?(?:[eE][+-]?[0-9]*)?/y);
      const value = /^0[xX]/.test(text) ? (text.length > 2 ? Number(text) : Number.NaN) : decimal(text);
      if (Number.isNaN(value)) throw this.error(`malformed number ${text}`, text);
      return token('number', text, value);
    }
    if (c === '"' || c === "'") return token('string', this.#quoted(c));
    if (c === '[') {
      const long = this.#long();
      if (long !== undefined) return token('string', long);
    }
    const symbol = symbols.find((candidate) => source.startsWith(candidate, start));
    if (!symbol) throw this.error(`unexpected character ${JSON.stringify(c)}`, c);
    this.#at += symbol.length;
    return token(symbol, symbol);
  }

  error(message: string, near: string): LuaSyntaxError {
    return new LuaSyntaxError(message, this.#line, near);
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const text = pattern.exec(this.#source)?.[0] ?? '';
    this.#at += text.length;
    return text;
  }

  #skipBlanks(): void {
    const source = this.#source;
    for (;;) {
      const c = source[this.#at];
      if (c === '\n') this.#line++;
      if (c === ' ' || c === '\t' || c === '\r' || c === '\n' || c === '\f' || c === '\v') this.#at++;
      else if (c === '-' && source[this.#at + 1] === '-') {
        this.#at += 2;
        if (source[this.#at] !== '[' || this.#long() === undefined) this.#at = endOfLine(source, this.#at);
      } else return;
    }
  }

  /** The text between long brackets, or undefined if none open here. */
  #long(): string | undefined {
    const source = this.#source;
    const opening = /\[(=*)\[(\r?\n)?/y;
    opening.lastIndex = this.#at;
    const match = opening.exec(source);
    if (!match) return undefined;
    const start = this.#at + match[0].length;
    const closing = `]${match[1]}]`;
    const end = source.indexOf(closing, start);
    if (end < 0) throw this.error('unfinished long string or comment', '');
    this.#line += source.slice(this.#at, end).split('\n').length - 1;
    this.#at = end + closing.length;
    return source.slice(start, end);
  }

  #quoted(quote: string): string {
    const source = this.#source;
    let out = '';
    this.#at++;
    for (;;) {
      const c = source[this.#at++];
      if (c === quote) return out;
      if (c === undefined || c === '\n') throw this.error('unfinished string', out.slice(0, 40));
      out += c === '\\' ? this.#escape() : c;
    }
  }

  #escape(): string {
    const source = this.#source;
    const digits = /[0-9]{1,3}/y;
    digits.lastIndex = this.#at;
    const code = digits.exec(source)?.[0];
    if (code !== undefined) {
      this.#at += code.length;
      return String.fromCharCode(Number(code) & 255);
    }
    const c = source[this.#at++] ?? '';
    if (c === '\n') this.#line++;
    if (c === '\r' && source[this.#at] === '\n') {
      this.#at++;
      this.#line++;
      return '\n';
    }
    return escapes[c] ?? c;
  }
}

const escapes: Readonly<Record<string, string>> = {
  a: '\x07',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
};

function decimal(text: string): number {
  return /[eE][+-]?$/.test(text) ? Number.NaN : Number(text);
}

function endOfLine(source: string, from: number): number {
  const end = source.indexOf('\n', from);
  return end < 0 ? source.length : end;
}
