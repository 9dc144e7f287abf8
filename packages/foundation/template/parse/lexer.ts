import { goQuote, isPrint } from '@tiphys/go';

export type TokenType =
  | 'error'
  | 'bool'
  | 'char'
  | 'charConstant'
  | 'complex'
  | 'assign'
  | 'declare'
  | 'eof'
  | 'field'
  | 'identifier'
  | 'leftDelim'
  | 'leftParen'
  | 'number'
  | 'pipe'
  | 'rawString'
  | 'rightDelim'
  | 'rightParen'
  | 'space'
  | 'string'
  | 'text'
  | 'variable'
  | Keyword;

type Keyword =
  | 'block'
  | 'break'
  | 'continue'
  | 'dot'
  | 'define'
  | 'else'
  | 'end'
  | 'if'
  | 'nil'
  | 'range'
  | 'template'
  | 'with';

export interface Token {
  readonly type: TokenType;
  /** Offset in UTF-16 units. */
  readonly pos: number;
  readonly value: string;
  /** 1-based line of the token's start. */
  readonly line: number;
}

const keywords = new Map<string, Keyword>([
  ['.', 'dot'],
  ...(['block', 'break', 'continue', 'define', 'else', 'end', 'if', 'nil', 'range', 'template', 'with'] as const).map(
    (word): [string, Keyword] => [word, word],
  ),
]);
const keywordTypes = new Set<TokenType>(keywords.values());

/** The token as error messages name it. */
export function formatToken(token: Token): string {
  if (token.type === 'eof') return 'EOF';
  if (token.type === 'error') return token.value;
  if (keywordTypes.has(token.type)) return `<${token.value}>`;
  if (Buffer.byteLength(token.value) > 10) return `${goQuote(Array.from(token.value).slice(0, 10).join(''))}...`;
  return goQuote(token.value);
}

const eof = '';
const spaces = ' \t\r\n';

/** The scanner of Go templates: text outside actions, tokens inside. One token a call of `next`. */
export class Lexer {
  #input: string;
  readonly #left: string;
  readonly #right: string;
  readonly #breakWords: ReadonlySet<string>;
  #pos = 0;
  #start = 0;
  #line = 1;
  #startLine = 1;
  #parens = 0;
  #insideAction = false;

  /** `identifiers` are the words among `break` and `continue` that name functions and so are no keywords. */
  constructor(input: string, left: string, right: string, identifiers: ReadonlySet<string>) {
    this.#input = input;
    this.#left = left;
    this.#right = right;
    this.#breakWords = identifiers;
  }

  next(): Token {
    return this.#insideAction ? this.#lexInsideAction() : this.#lexText();
  }

  #token(type: TokenType): Token {
    const token = { type, pos: this.#start, value: this.#input.slice(this.#start, this.#pos), line: this.#startLine };
    this.#start = this.#pos;
    this.#startLine = this.#line;
    return token;
  }

  #error(message: string): Token {
    const token: Token = { type: 'error', pos: this.#start, value: message, line: this.#startLine };
    this.#input = '';
    this.#start = 0;
    this.#pos = 0;
    return token;
  }

  #countLines(): void {
    // Not by indexOf, which would read on to the end of a text without line breaks.
    for (let at = this.#start; at < this.#pos; at++) if (this.#input.charCodeAt(at) === 0x0a) this.#line++;
  }

  #ignore(): void {
    this.#countLines();
    this.#start = this.#pos;
    this.#startLine = this.#line;
  }

  #peek(): string {
    const code = this.#input.codePointAt(this.#pos);
    return code === undefined ? eof : String.fromCodePoint(code);
  }

  #advance(): string {
    const rune = this.#peek();
    this.#pos += rune.length;
    if (rune === '\n') this.#line++;
    return rune;
  }

  #lexText(): Token {
    const input = this.#input;
    const at = input.indexOf(this.#left, this.#pos);
    if (at < 0) {
      this.#pos = input.length;
      if (this.#pos === this.#start) return this.#token('eof');
      this.#countLines();
      return this.#token('text');
    }
    if (at > this.#pos) {
      let end = at;
      if (this.#hasLeftTrim(at + this.#left.length)) {
        while (end > this.#start && spaces.includes(input[end - 1] as string)) end--;
      }
      this.#pos = end;
      this.#countLines();
      const token = this.#token('text');
      this.#pos = at;
      this.#ignore();
      if (token.value !== '') return token;
    }
    return this.#lexLeftDelim();
  }

  #hasLeftTrim(at: number): boolean {
    return this.#input[at] === '-' && isSpace(this.#input[at + 1]);
  }

  #hasRightTrim(at: number): boolean {
    return isSpace(this.#input[at]) && this.#input[at + 1] === '-' && this.#input.startsWith(this.#right, at + 2);
  }

  #lexLeftDelim(): Token {
    this.#pos += this.#left.length;
    const trim = this.#hasLeftTrim(this.#pos) ? 2 : 0;
    if (this.#input.startsWith('/*', this.#pos + trim)) {
      this.#pos += trim;
      this.#ignore();
      return this.#lexComment();
    }
    const token = this.#token('leftDelim');
    this.#insideAction = true;
    this.#pos += trim;
    this.#ignore();
    this.#parens = 0;
    return token;
  }

  #lexComment(): Token {
    const close = this.#input.indexOf('*/', this.#pos + 2);
    if (close < 0) return this.#error('unclosed comment');
    this.#pos = close + 2;
    const trim = this.#hasRightTrim(this.#pos);
    if (!trim && !this.#input.startsWith(this.#right, this.#pos)) {
      return this.#error('comment ends before closing delimiter');
    }
    this.#pos += (trim ? 2 : 0) + this.#right.length;
    if (trim) this.#skipSpaces();
    this.#ignore();
    return this.#lexText();
  }

  #skipSpaces(): void {
    while (isSpace(this.#input[this.#pos])) this.#pos++;
  }

  #lexRightDelim(trim: boolean): Token {
    if (trim) {
      this.#pos += 2;
      this.#ignore();
    }
    this.#pos += this.#right.length;
    const token = this.#token('rightDelim');
    if (trim) {
      this.#skipSpaces();
      this.#ignore();
    }
    this.#insideAction = false;
    return token;
  }

  #lexInsideAction(): Token {
    const trim = this.#hasRightTrim(this.#pos);
    if (trim || this.#input.startsWith(this.#right, this.#pos)) {
      return this.#parens === 0 ? this.#lexRightDelim(trim) : this.#error('unclosed left paren');
    }
    const rune = this.#advance();
    switch (rune) {
      case eof:
        return this.#error('unclosed action');
      case ' ':
      case '\t':
      case '\r':
      case '\n':
        return this.#lexSpace();
      case '=':
        return this.#token('assign');
      case ':':
        return this.#advance() === '=' ? this.#token('declare') : this.#error('expected :=');
      case '|':
        return this.#token('pipe');
      case '"':
        return this.#lexQuoted('"', 'string', 'unterminated quoted string');
      case "'":
        return this.#lexQuoted("'", 'charConstant', 'unterminated character constant');
      case '`':
        return this.#lexRawString();
      case '$':
        return this.#atTerminator() ? this.#token('variable') : this.#lexName('variable');
      case '(':
        this.#parens++;
        return this.#token('leftParen');
      case ')':
        return --this.#parens < 0 ? this.#error('unexpected right paren') : this.#token('rightParen');
      case '.':
        if (this.#pos < this.#input.length && !/[0-9]/.test(this.#input[this.#pos] as string)) {
          return this.#atTerminator() ? this.#token('dot') : this.#lexName('field');
        }
    }
    if (/^[.+\-0-9]$/.test(rune)) {
      this.#pos--;
      return this.#lexNumber();
    }
    if (isAlphaNumeric(rune)) return this.#lexIdentifier();
    if (rune > ' ' && rune <= '~') return this.#token('char');
    return this.#error(`unrecognized character in action: ${describe(rune)}`);
  }

  #lexSpace(): Token {
    while (isSpace(this.#input[this.#pos])) {
      if (this.#input[this.#pos] === '\n') this.#line++;
      this.#pos++;
    }
    const last = this.#pos - 1;
    if (this.#hasRightTrim(last)) {
      if (this.#input[last] === '\n') this.#line--;
      this.#pos = last;
      if (last === this.#start) return this.#lexRightDelim(true);
    }
    return this.#token('space');
  }

  #lexIdentifier(): Token {
    this.#skipAlphaNumeric();
    if (!this.#atTerminator()) return this.#badCharacter();
    const word = this.#input.slice(this.#start, this.#pos);
    const keyword = keywords.get(word);
    if (keyword && !this.#breakWords.has(word)) return this.#token(keyword);
    return this.#token(word === 'true' || word === 'false' ? 'bool' : 'identifier');
  }

  #lexName(type: 'field' | 'variable'): Token {
    this.#skipAlphaNumeric();
    return this.#atTerminator() ? this.#token(type) : this.#badCharacter();
  }

  #badCharacter(): Token {
    return this.#error(`bad character ${describe(this.#peek())}`);
  }

  #skipAlphaNumeric(): void {
    for (;;) {
      const code = this.#input.charCodeAt(this.#pos);
      if ((code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57) || code === 95) {
        this.#pos++;
        continue;
      }
      if (!(code > 0x7f)) return;
      const rune = this.#peek();
      if (!isAlphaNumeric(rune)) return;
      this.#pos += rune.length;
    }
  }

  #atTerminator(): boolean {
    const char = this.#input[this.#pos];
    if (char === undefined || isSpace(char) || '.,|:)('.includes(char)) return true;
    return this.#input.startsWith(this.#right, this.#pos);
  }

  #lexQuoted(quote: string, type: TokenType, unterminated: string): Token {
    for (;;) {
      let rune = this.#advance();
      if (rune === quote) return this.#token(type);
      if (rune === '\\') {
        rune = this.#advance();
        if (rune !== eof && rune !== '\n') continue;
      }
      if (rune === eof || rune === '\n') return this.#error(unterminated);
    }
  }

  #lexRawString(): Token {
    const end = this.#input.indexOf('`', this.#pos);
    if (end < 0) return this.#error('unterminated raw quoted string');
    for (; this.#pos <= end; this.#pos++) if (this.#input[this.#pos] === '\n') this.#line++;
    return this.#token('rawString');
  }

  #lexNumber(): Token {
    if (!this.#scanNumber()) return this.#badNumber();
    const sign = this.#input[this.#pos];
    if (sign !== '+' && sign !== '-') return this.#token('number');
    if (!this.#scanNumber() || this.#input[this.#pos - 1] !== 'i') return this.#badNumber();
    return this.#token('complex');
  }

  #badNumber(): Token {
    return this.#error(`bad number syntax: ${goQuote(this.#input.slice(this.#start, this.#pos))}`);
  }

  #scanNumber(): boolean {
    this.#accept('+-');
    let digits = '0123456789_';
    if (this.#accept('0')) {
      if (this.#accept('xX')) digits = '0123456789abcdefABCDEF_';
      else if (this.#accept('oO')) digits = '01234567_';
      else if (this.#accept('bB')) digits = '01_';
    }
    while (this.#accept(digits));
    if (this.#accept('.')) while (this.#accept(digits));
    if (digits.length === 11 && this.#accept('eE')) this.#scanExponent();
    if (digits.length === 23 && this.#accept('pP')) this.#scanExponent();
    this.#accept('i');
    const rune = this.#peek();
    if (rune === eof || !isAlphaNumeric(rune)) return true;
    this.#pos += rune.length;
    return false;
  }

  #scanExponent(): void {
    this.#accept('+-');
    while (this.#accept('0123456789_'));
  }

  #accept(valid: string): boolean {
    const char = this.#input[this.#pos];
    if (char === undefined || !valid.includes(char)) return false;
    this.#pos++;
    return true;
  }
}

function isSpace(char: string | undefined): boolean {
  return char === ' ' || char === '\t' || char === '\r' || char === '\n';
}

function isAlphaNumeric(rune: string): boolean {
  return /^[\p{L}\p{Nd}_]$/u.test(rune);
}

/** `%#U` of a rune. */
function describe(rune: string): string {
  if (rune === eof) return 'U+FFFFFFFFFFFFFFFF';
  const shown = rune.isWellFormed() ? rune : '\ufffd';
  const code = (shown.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, '0');
  return isPrint(shown) ? `U+${code} '${shown}'` : `U+${code}`;
}
