import { END, isBlank, isBlankOrEnd, isWord } from '../text/characters.ts';
import { Cursor } from './cursor.ts';
import { type ScannedScalar, scanBlock, scanPlain, scanQuoted } from './scan-scalar.ts';
import { scanDirective, scanTag } from './scan-tag.ts';
import type { Mark, ScalarStyle, Token, TokenType } from './token.ts';

/** Deepest nesting of flow collections, and of block collections, as in go-yaml. */
const maxDepth = 10_000;

/** A place at which a key without `?` may have begun. */
interface SimpleKey {
  readonly required: boolean;
  /** Number of its first token, counted from the beginning of the stream. */
  readonly token: number;
  readonly mark: Mark;
}

/**
 * The tokens of a YAML 1.1 text, by libyaml's rules and with its error messages, because what Helm and Argo CD accept,
 * refuse and say is what go-yaml, its port, does.
 */
export class Scanner {
  readonly #cursor: Cursor;
  #tokens: Token[] = [];
  #head = 0;
  /** Tokens that were taken. */
  #taken = 0;
  #indent = -1;
  readonly #indents: number[] = [];
  #flowLevel = 0;
  #keyAllowed = true;
  /** The possible simple key of each flow level. */
  readonly #keys: (SimpleKey | undefined)[] = [undefined];
  /** Flow levels by the number of the token that may be their key: a text of many levels would cost all of them at each token. */
  readonly #levelOfToken = new Map<number, number>();

  constructor(text: string) {
    this.#cursor = new Cursor(text);
  }

  /** The next token, which stays where it is. */
  peek(): Token {
    while (this.#head === this.#tokens.length || this.#mayBecomeKey()) this.#fetch();
    return this.#tokens[this.#head] as Token;
  }

  /** Consumes the token that `peek` returned. */
  skip(): void {
    this.#levelOfToken.delete(this.#taken);
    this.#taken++;
    this.#head++;
    if (this.#head === this.#tokens.length) {
      this.#tokens = [];
      this.#head = 0;
    }
  }

  #mayBecomeKey(): boolean {
    const level = this.#levelOfToken.get(this.#taken);
    if (level === undefined) return false;
    const key = this.#keys[level];
    return key?.token === this.#taken && this.#stillPossible(level, key);
  }

  #stillPossible(level: number, key: SimpleKey): boolean {
    if (key.mark.line >= this.#cursor.line && key.mark.index + 1024 >= this.#cursor.at) return true;
    if (key.required) this.#cursor.fail("could not find expected ':'", key.mark);
    this.#keys[level] = undefined;
    return false;
  }

  #fetch(): void {
    const cursor = this.#cursor;
    this.#skipToToken();
    this.#unroll(cursor.column);
    const code = cursor.peek();
    if (code === END && cursor.at >= cursor.text.length) {
      this.#fetchStreamEnd();
      return;
    }
    if (cursor.column === 0 && code === 0x25) {
      this.#unroll(-1);
      this.#dropKey();
      this.#keyAllowed = false;
      this.#tokens.push(scanDirective(cursor));
      return;
    }
    if (cursor.atDocumentIndicator(0x2d)) {
      this.#fetchDocument('document-start');
      return;
    }
    if (cursor.atDocumentIndicator(0x2e)) {
      this.#fetchDocument('document-end');
      return;
    }
    this.#fetchIndicator(code);
    return;
  }

  #fetchIndicator(code: number): void {
    const cursor = this.#cursor;
    const inFlow = this.#flowLevel > 0;
    switch (code) {
      case 0x5b:
        this.#fetchFlowStart('flow-sequence-start');
        return;
      case 0x7b:
        this.#fetchFlowStart('flow-mapping-start');
        return;
      case 0x5d:
        this.#fetchFlowEnd('flow-sequence-end');
        return;
      case 0x7d:
        this.#fetchFlowEnd('flow-mapping-end');
        return;
      case 0x2c:
        this.#dropKey();
        this.#keyAllowed = true;
        this.#indicator('flow-entry');
        return;
      case 0x2d:
        if (isBlankOrEnd(cursor.peek(1))) {
          this.#fetchBlockEntry();
          return;
        }
        break;
      case 0x3f:
        if (inFlow || isBlankOrEnd(cursor.peek(1))) {
          this.#fetchKey();
          return;
        }
        break;
      case 0x3a:
        if (inFlow || isBlankOrEnd(cursor.peek(1))) {
          this.#fetchValue();
          return;
        }
        break;
      case 0x2a:
        this.#fetchAnchor('alias');
        return;
      case 0x26:
        this.#fetchAnchor('anchor');
        return;
      case 0x21:
        this.#saveKey();
        this.#keyAllowed = false;
        this.#tokens.push(scanTag(cursor));
        return;
      case 0x7c:
      case 0x3e:
        if (inFlow) break;
        this.#dropKey();
        this.#keyAllowed = true;
        this.#pushScalar(scanBlock(cursor, code === 0x7c, this.#indent), code === 0x7c ? 'literal' : 'folded');
        return;
      case 0x27:
      case 0x22:
        this.#saveKey();
        this.#keyAllowed = false;
        this.#pushScalar(scanQuoted(cursor, code === 0x27), code === 0x27 ? 'single' : 'double');
        return;
    }
    if (!this.#startsPlain(code)) cursor.fail('found character that cannot start any token', cursor.mark());
    this.#saveKey();
    this.#keyAllowed = false;
    const scalar = scanPlain(cursor, this.#indent + 1, inFlow);
    if (scalar.endedOnNewLine) this.#keyAllowed = true;
    this.#pushScalar(scalar, 'plain');
    return;
  }

  #startsPlain(code: number): boolean {
    if (code === 0x2d) return !isBlank(this.#cursor.peek(1));
    if (code === 0x3f || code === 0x3a) return this.#flowLevel === 0 && !isBlankOrEnd(this.#cursor.peek(1));
    return !isBlankOrEnd(code) && !',[]{}#&*!|>\'"%@`'.includes(String.fromCharCode(code));
  }

  #pushScalar({ start, end, value }: ScannedScalar, style: ScalarStyle): void {
    this.#tokens.push({ type: 'scalar', start, end, value, suffix: '', plain: style === 'plain', style });
  }

  #skipToToken(): void {
    const cursor = this.#cursor;
    for (;;) {
      if (cursor.column === 0 && cursor.peek() === 0xfeff) {
        cursor.at++;
        cursor.lineStart++;
      }
      const tabs = this.#flowLevel > 0 || !this.#keyAllowed;
      for (let code = cursor.peek(); code === 0x20 || (tabs && code === 0x09); code = cursor.peek()) cursor.at++;
      if (cursor.peek() === 0x23) cursor.skipToBreak();
      if (cursor.readBreak() === '') return;
      if (this.#flowLevel === 0) this.#keyAllowed = true;
    }
  }

  #fetchStreamEnd(): void {
    const cursor = this.#cursor;
    if (cursor.column !== 0) {
      cursor.lineStart = cursor.at;
      cursor.line++;
    }
    this.#unroll(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    this.#push('stream-end', cursor.mark());
  }

  #fetchDocument(type: 'document-start' | 'document-end'): void {
    this.#unroll(-1);
    this.#dropKey();
    this.#keyAllowed = false;
    const start = this.#cursor.mark();
    this.#cursor.at += 3;
    this.#push(type, start);
  }

  #fetchFlowStart(type: 'flow-sequence-start' | 'flow-mapping-start'): void {
    this.#saveKey();
    this.#keys.push(undefined);
    this.#flowLevel++;
    if (this.#flowLevel > maxDepth) this.#cursor.fail(`exceeded max depth of ${maxDepth}`);
    this.#keyAllowed = true;
    this.#indicator(type);
  }

  #fetchFlowEnd(type: 'flow-sequence-end' | 'flow-mapping-end'): void {
    this.#dropKey();
    if (this.#flowLevel > 0) {
      this.#flowLevel--;
      this.#keys.pop();
    }
    this.#keyAllowed = false;
    this.#indicator(type);
  }

  #fetchBlockEntry(): void {
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed)
        this.#cursor.fail('block sequence entries are not allowed in this context', this.#cursor.mark());
      this.#roll(this.#cursor.column, -1, 'block-sequence-start', this.#cursor.mark());
    }
    this.#dropKey();
    this.#keyAllowed = true;
    this.#indicator('block-entry');
  }

  #fetchKey(): void {
    if (this.#flowLevel === 0) {
      if (!this.#keyAllowed) this.#cursor.fail('mapping keys are not allowed in this context', this.#cursor.mark());
      this.#roll(this.#cursor.column, -1, 'block-mapping-start', this.#cursor.mark());
    }
    this.#dropKey();
    this.#keyAllowed = this.#flowLevel === 0;
    this.#indicator('key');
  }

  #fetchValue(): void {
    const level = this.#keys.length - 1;
    const key = this.#keys[level];
    if (key && this.#stillPossible(level, key)) {
      const token: Token = { type: 'key', start: key.mark, end: key.mark, value: '', suffix: '', plain: false };
      this.#tokens.splice(this.#head + key.token - this.#taken, 0, token);
      this.#roll(key.mark.column, key.token, 'block-mapping-start', key.mark);
      this.#keys[level] = undefined;
      this.#keyAllowed = false;
    } else {
      if (this.#flowLevel === 0) {
        if (!this.#keyAllowed) this.#cursor.fail('mapping values are not allowed in this context', this.#cursor.mark());
        this.#roll(this.#cursor.column, -1, 'block-mapping-start', this.#cursor.mark());
      }
      this.#keyAllowed = this.#flowLevel === 0;
    }
    this.#indicator('value');
  }

  #fetchAnchor(type: 'alias' | 'anchor'): void {
    this.#saveKey();
    this.#keyAllowed = false;
    const cursor = this.#cursor;
    const start = cursor.mark();
    cursor.at++;
    const from = cursor.at;
    while (isWord(cursor.peek())) cursor.at++;
    const value = cursor.text.slice(from, cursor.at);
    const next = cursor.peek();
    if (value === '' || !(isBlankOrEnd(next) || '?:,]}%@`'.includes(String.fromCharCode(next)))) {
      cursor.fail('did not find expected alphabetic or numeric character', start);
    }
    this.#tokens.push({ type, start, end: cursor.mark(), value, suffix: '', plain: false });
  }

  #indicator(type: TokenType): void {
    const start = this.#cursor.mark();
    this.#cursor.at++;
    this.#push(type, start);
  }

  #push(type: TokenType, start: Mark): void {
    this.#tokens.push({ type, start, end: this.#cursor.mark(), value: '', suffix: '', plain: false });
  }

  #saveKey(): void {
    if (!this.#keyAllowed) return;
    const required = this.#flowLevel === 0 && this.#indent === this.#cursor.column;
    this.#dropKey();
    const level = this.#keys.length - 1;
    const token = this.#taken + this.#tokens.length - this.#head;
    this.#keys[level] = { required, token, mark: this.#cursor.mark() };
    this.#levelOfToken.set(token, level);
  }

  #dropKey(): void {
    const level = this.#keys.length - 1;
    const key = this.#keys[level];
    if (key?.required) this.#cursor.fail("could not find expected ':'", key.mark);
    this.#keys[level] = undefined;
  }

  #roll(column: number, token: number, type: TokenType, mark: Mark): void {
    if (this.#flowLevel > 0 || this.#indent >= column) return;
    this.#indents.push(this.#indent);
    this.#indent = column;
    if (this.#indents.length > maxDepth) this.#cursor.fail(`exceeded max depth of ${maxDepth}`);
    const start: Token = { type, start: mark, end: mark, value: '', suffix: '', plain: false };
    if (token < 0) this.#tokens.push(start);
    else this.#tokens.splice(this.#head + token - this.#taken, 0, start);
  }

  #unroll(column: number): void {
    if (this.#flowLevel > 0) return;
    while (this.#indent > column) {
      this.#push('block-end', this.#cursor.mark());
      this.#indent = this.#indents.pop() as number;
    }
  }
}
