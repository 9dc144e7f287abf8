import { resolvePlain } from '../text/resolve.ts';
import { Cursor } from './cursor.ts';
import type { Shape } from './decode.ts';
import { readBlockScalar } from './literal-block.ts';
import { endsWord, isLetter, isSimple, startsPlain } from './plain-characters.ts';
import { ScanFailure } from './scan-failure.ts';
import { scanQuoted } from './scan-scalar.ts';

/** The keys of a mapping that are wanted, in small letters, and what of their values. Others are checked and dropped. */
export interface Wanted extends ReadonlyMap<string, true | Wanted> {}

/** Anything that only the whole reader judges: other breaks, control characters, marks, surrogates. */
const unusual = /[^\t\n\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd]/;
const maxDepth = 200;
/** The whole reader takes a key for one only if its colon is nearer than 1024 characters. */
const maxKey = 1000;
const maxText = 16 * 1024 * 1024;
/** Stands for a value that was checked and dropped. */
const dropped = Symbol('dropped');

/** Raised to give up; one object, because it says nothing. */
const beyond = new Error('the text is beyond the quick reader');

/**
 * Reads a text of one document that uses nothing but what manifests and values are made of nearly always: block mappings
 * and sequences, scalars, flow collections, comments, at most one `---`. Undefined for every other text, also
 * for every text with an error: then the whole reader has to read it. What it reads is what the whole reader reads.
 */
export function quickRead<T, M extends T>(text: string, shape: Shape<T, M>, wanted?: Wanted): { value: T } | undefined {
  if (text.length > maxText || unusual.test(text)) return undefined;
  try {
    return { value: new QuickReader(text, shape).document(wanted ?? true) };
  } catch (error) {
    if (error === beyond || error instanceof ScanFailure) return undefined;
    throw error;
  }
}

class QuickReader<T, M extends T> {
  readonly #text: string;
  readonly #shape: Shape<T, M>;
  /** The next character. Whatever has read a value leaves it at the beginning of a line. */
  #at = 0;
  /** Where its line begins. */
  #line = 0;
  #depth = 0;
  /** The column of content that a block met and left to the block around it; -1 if there is none. */
  #held = -1;
  /** Where a key was seen already, and where its colon is. */
  #keyStart = -1;
  #keyEnd = -1;
  /** A comment ended the last line of a plain scalar. */
  #commented = false;

  constructor(text: string, shape: Shape<T, M>) {
    this.#text = text;
    this.#shape = shape;
  }

  document(wanted: true | Wanted): T {
    this.#skipStart();
    const column = this.#nextContent();
    if (column < 0) throw beyond;
    const value = this.#isDash() ? this.#sequence(column, true) : this.#mapping(column, wanted);
    if (this.#at < this.#text.length) throw beyond;
    return value as T;
  }

  /** Skips a first line of `---`. */
  #skipStart(): void {
    const start = /^(?:[ ]*(?:#[^\n]*)?\n)*---[ ]*\n/.exec(this.#text);
    if (start) this.#at = start[0].length;
  }

  /** Goes to the next line with content, from the beginning of a line; gives its column, -1 at the end. */
  #nextContent(): number {
    const held = this.#held;
    if (held >= 0) {
      this.#held = -1;
      return held;
    }
    const text = this.#text;
    for (let at = this.#at; ; ) {
      const line = at;
      let code = text.charCodeAt(at);
      while (code === 0x20) code = text.charCodeAt(++at);
      if (code === 0x0a) {
        at++;
        continue;
      }
      if (code === 0x23) {
        at = text.indexOf('\n', at) + 1;
        if (at > 0) continue;
        code = Number.NaN;
      }
      if (Number.isNaN(code)) {
        this.#at = text.length;
        return -1;
      }
      if (code === 0x09 || (at === line && this.#isMarker(at))) throw beyond;
      this.#line = line;
      this.#at = at;
      return at - line;
    }
  }

  /** True where the reader must look closer: directives and the ends of documents. */
  #isMarker(at: number): boolean {
    const code = this.#text.charCodeAt(at);
    return code === 0x25 || ((code === 0x2d || code === 0x2e) && this.#text.charCodeAt(at + 1) === code);
  }

  #isDash(): boolean {
    return this.#text.charCodeAt(this.#at) === 0x2d && endsWord(this.#text.charCodeAt(this.#at + 1));
  }

  /** A block mapping whose keys stand in the column; the reader stands on the first. */
  #mapping(column: number, wanted: boolean | Wanted): T | typeof dropped {
    if (++this.#depth > maxDepth) throw beyond;
    const shape = this.#shape;
    const map = wanted === false ? undefined : shape.map();
    for (;;) {
      const key = this.#key(map !== undefined);
      const below = typeof wanted === 'boolean' ? wanted : (wanted.get(key.toLowerCase()) ?? false);
      const value = this.#valueOf(column, below, false);
      if (map !== undefined && value !== dropped) shape.set(map, key, value as T);
      if (!this.#goesOn(column)) break;
      if (this.#isDash()) throw beyond;
    }
    this.#depth--;
    return map === undefined ? dropped : map;
  }

  /** Whether the next content is in the column of the block; if not, the reader stays before its line. */
  #goesOn(column: number): boolean {
    const next = this.#nextContent();
    if (next > column) throw beyond;
    if (next === column) return true;
    this.#held = next;
    return false;
  }

  #sequence(column: number, wanted: boolean): T | typeof dropped {
    if (++this.#depth > maxDepth) throw beyond;
    const items: T[] = [];
    for (;;) {
      this.#at++;
      const value = this.#valueOf(column, wanted, true);
      if (value !== dropped) items.push(value as T);
      if (!this.#goesOn(column)) break;
      if (!this.#isDash()) {
        this.#held = column;
        break;
      }
    }
    this.#depth--;
    return wanted ? this.#shape.list(items) : dropped;
  }

  /** The key at which the reader stands, and its colon; an empty text for one that nobody wants to know. */
  #key(isWanted: boolean): string {
    const text = this.#text;
    const start = this.#at;
    const first = text.charCodeAt(start);
    if (first === 0x22 || first === 0x27) {
      const line = this.#line;
      const key = this.#quoted(first);
      if (
        key === '' ||
        this.#line !== line ||
        this.#at - start > maxKey ||
        text.charCodeAt(this.#at) !== 0x3a ||
        !endsWord(text.charCodeAt(this.#at + 1))
      )
        throw beyond;
      this.#at++;
      return key;
    }
    if (!startsPlain(first, text.charCodeAt(start + 1))) throw beyond;
    const colon = this.#keyStart === start ? this.#keyEnd : this.#colonFrom(start);
    if (colon < 0 || colon - start > maxKey) throw beyond;
    this.#at = colon + 1;
    if (!isWanted && colon - start > 5 && isLetter(first)) return '';
    const key = text.charCodeAt(colon - 1) === 0x20 ? text.slice(start, colon).trimEnd() : text.slice(start, colon);
    if (key === '<<' || !isName(key)) throw beyond;
    return key;
  }

  /** Where the colon behind a plain key is; -1 if none stands here. */
  #colonFrom(start: number): number {
    const text = this.#text;
    for (let at = start; ; at++) {
      const code = text.charCodeAt(at);
      // Nothing that ends the search comes behind a colon in the order of characters.
      if (code > 0x3a) continue;
      if (code === 0x3a && endsWord(text.charCodeAt(at + 1))) return at;
      if (code === 0x0a || code === 0x09 || Number.isNaN(code)) return -1;
      if (code === 0x23 && text.charCodeAt(at - 1) === 0x20) return -1;
    }
  }

  /** What follows a colon, or the dash of an item, of a block in the column; leaves the reader at the beginning of a line. */
  #valueOf(column: number, wanted: boolean | Wanted, item: boolean): T | typeof dropped {
    const text = this.#text;
    let at = this.#at;
    let code = text.charCodeAt(at);
    while (code === 0x20) code = text.charCodeAt(++at);
    this.#at = at;
    if (code === 0x0a || Number.isNaN(code) || (code === 0x23 && text.charCodeAt(at - 1) === 0x20)) {
      this.#endLine();
      return this.#below(column, wanted, item);
    }
    if (code === 0x7c || code === 0x3e) return this.#block(column, wanted !== false, code === 0x7c);
    if (item && (this.#isDash() || this.#isKeyHere())) {
      const inner = at - this.#line;
      if (this.#isDash()) return this.#sequence(inner, wanted !== false);
      return this.#mapping(inner, wanted);
    }
    return this.#scalarOrFlow(code, column, wanted !== false);
  }

  /** A value that begins on a line below. */
  #below(column: number, wanted: boolean | Wanted, item: boolean): T | typeof dropped {
    const next = this.#nextContent();
    const dash = next >= 0 && this.#isDash();
    if (next > column || (next === column && dash && !item)) {
      if (dash) return this.#sequence(next, wanted !== false);
      if (this.#isKeyHere()) return this.#mapping(next, wanted);
      const code = this.#text.charCodeAt(this.#at);
      if (code === 0x7c || code === 0x3e) throw beyond;
      return this.#scalarOrFlow(code, column, wanted !== false);
    }
    this.#held = next;
    return wanted === false ? dropped : this.#shape.scalar(null);
  }

  /** Whether a key stands here, by its colon on this line; a quick look that may be wrong about scalars with a colon inside. */
  #isKeyHere(): boolean {
    const text = this.#text;
    const first = text.charCodeAt(this.#at);
    if (first === 0x22 || first === 0x27) {
      const at = text.indexOf(first === 0x22 ? '"' : "'", this.#at + 1) + 1;
      return at > 0 && text.charCodeAt(at) === 0x3a && endsWord(text.charCodeAt(at + 1));
    }
    this.#keyStart = this.#at;
    this.#keyEnd = this.#colonFrom(this.#at);
    return this.#keyEnd >= 0;
  }

  /** A scalar or flow collection with the rest of its last line, inside a block in the column. */
  #scalarOrFlow(code: number, column: number, wanted: boolean): T | typeof dropped {
    if (code === 0x22 || code === 0x27) {
      const value = this.#quoted(code);
      this.#endLine();
      return wanted ? this.#shape.scalar(value) : dropped;
    }
    if (code === 0x5b || code === 0x7b) {
      const value = this.#flow(code, wanted);
      this.#endLine();
      return value;
    }
    if (!startsPlain(code, this.#text.charCodeAt(this.#at + 1))) throw beyond;
    let value = this.#plainLine();
    let breaks = this.#deeper(column);
    if (breaks === 0) return this.#plain(value, wanted);
    for (; breaks > 0; breaks = this.#deeper(column)) {
      // A comment ends the scalar, and what follows it is an error.
      if (this.#commented || this.#text.charCodeAt(this.#at) === 0x23) throw beyond;
      const part = this.#plainLine();
      if (wanted) value += (breaks === 1 ? ' ' : '\n'.repeat(breaks - 1)) + part;
    }
    return wanted ? this.#shape.scalar(value) : dropped;
  }

  /** What is left of the line as part of a plain scalar, and its end. */
  #plainLine(): string {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    for (; ; at++) {
      const code = text.charCodeAt(at);
      if (code > 0x3a) continue;
      if (code === 0x0a || Number.isNaN(code)) break;
      if (code === 0x09 || (code === 0x3a && endsWord(text.charCodeAt(at + 1)))) throw beyond;
      if (code === 0x23 && text.charCodeAt(at - 1) === 0x20) break;
    }
    this.#commented = text.charCodeAt(at) === 0x23;
    this.#at = at;
    let end = at;
    while (text.charCodeAt(end - 1) === 0x20) end--;
    this.#endLine();
    return text.slice(start, end);
  }

  /** The number of line breaks up to the next content if that is deeper than the column, which makes it go on; else 0. */
  #deeper(column: number): number {
    const text = this.#text;
    let breaks = 1;
    for (let at = this.#at; ; breaks++) {
      const line = at;
      let code = text.charCodeAt(at);
      while (code === 0x20) code = text.charCodeAt(++at);
      if (code === 0x0a) {
        at++;
        continue;
      }
      if (at - line <= column || Number.isNaN(code)) return 0;
      this.#line = line;
      this.#at = at;
      return breaks;
    }
  }

  #plain(text: string, wanted: boolean): T | typeof dropped {
    if (!wanted && !mayFail(text)) return dropped;
    const resolved = resolvePlain(text);
    switch (resolved.type) {
      case 'null':
        return wanted ? this.#shape.scalar(null) : dropped;
      case 'timestamp':
        return wanted ? this.#shape.scalar(text) : dropped;
      case 'float':
        if (!Number.isFinite(resolved.value)) throw beyond;
    }
    return wanted ? this.#shape.scalar(resolved.value) : dropped;
  }

  /** A quoted text, from its quote to behind the other. */
  #quoted(quote: number): string {
    const text = this.#text;
    const start = this.#at + 1;
    let at = start;
    let code = text.charCodeAt(at);
    while (code !== quote && code !== 0x0a && code !== 0x5c && !Number.isNaN(code)) code = text.charCodeAt(++at);
    if (code === quote && (quote === 0x22 || text.charCodeAt(at + 1) !== quote)) {
      this.#at = at + 1;
      return text.slice(start, at);
    }
    const cursor = new Cursor(text);
    cursor.at = this.#at;
    cursor.lineStart = this.#line;
    const { value } = scanQuoted(cursor, quote === 0x27);
    this.#at = cursor.at;
    this.#line = cursor.lineStart;
    return value;
  }

  /** A flow collection, from its bracket to behind the other. */
  #flow(open: number, wanted: boolean): T | typeof dropped {
    if (++this.#depth > maxDepth) throw beyond;
    const close = open === 0x5b ? 0x5d : 0x7d;
    const items: T[] = [];
    const map = open === 0x7b && wanted ? this.#shape.map() : undefined;
    this.#at++;
    for (let code = this.#blanks(); code !== close || items.length > 0; ) {
      if (open === 0x7b) {
        const key = this.#flowKey(code);
        const value = this.#flowValue(this.#blanks(), wanted);
        if (map !== undefined) this.#shape.set(map, key, value as T);
      } else {
        const value = this.#flowValue(code, wanted);
        if (wanted) items.push(value as T);
      }
      code = this.#blanks();
      if (code === close) break;
      if (code !== 0x2c) throw beyond;
      this.#at++;
      code = this.#blanks();
      if (code === close) throw beyond;
    }
    this.#at++;
    this.#depth--;
    if (!wanted) return dropped;
    return map ?? this.#shape.list(items);
  }

  #flowKey(code: number): string {
    const text = this.#text;
    const start = this.#at;
    const line = this.#line;
    const isQuoted = code === 0x22 || code === 0x27;
    const key = isQuoted ? this.#quoted(code) : this.#flowPlain(code);
    if (!isQuoted && (key === '<<' || !isName(key))) throw beyond;
    if (key === '' || this.#at - start > maxKey || this.#line !== line || text.charCodeAt(this.#at) !== 0x3a)
      throw beyond;
    this.#at++;
    return key;
  }

  #flowValue(code: number, wanted: boolean): T | typeof dropped {
    if (code === 0x5b || code === 0x7b) return this.#flow(code, wanted);
    if (code !== 0x22 && code !== 0x27) return this.#plain(this.#flowPlain(code), wanted);
    const value = this.#quoted(code);
    return wanted ? this.#shape.scalar(value) : dropped;
  }

  /** A plain scalar of the commonest characters inside a flow collection. */
  #flowPlain(first: number): string {
    const text = this.#text;
    const start = this.#at;
    let at = start;
    let code = first;
    while (isSimple(code) || (code === 0x3a && at > start && isSimple(text.charCodeAt(at + 1))))
      code = text.charCodeAt(++at);
    if (at === start || first === 0x2d || code === 0x09) throw beyond;
    this.#at = at;
    return text.slice(start, at);
  }

  /** Skips blanks and line breaks inside a flow collection; gives the next character. */
  #blanks(): number {
    const text = this.#text;
    let at = this.#at;
    let code = text.charCodeAt(at);
    for (; code === 0x20 || code === 0x0a; code = text.charCodeAt(++at)) if (code === 0x0a) this.#line = at + 1;
    if (at === this.#line && this.#isMarker(at)) throw beyond;
    this.#at = at;
    return code;
  }

  /** A block scalar inside a block in the column, from its `|` or `>`. */
  #block(column: number, wanted: boolean, literal: boolean): T | typeof dropped {
    if (wanted && !literal) throw beyond;
    const block = readBlockScalar(this.#text, this.#at + 1, column);
    if (block === undefined) throw beyond;
    this.#at = block.end;
    this.#line = block.end;
    return wanted ? this.#shape.scalar(block.value()) : dropped;
  }

  /** The rest of the line, which may only be a comment; then the reader stands at the beginning of the next. */
  #endLine(): void {
    const text = this.#text;
    let code = text.charCodeAt(this.#at);
    while (code === 0x20) code = text.charCodeAt(++this.#at);
    if (code === 0x23 && text.charCodeAt(this.#at - 1) === 0x20) {
      const end = text.indexOf('\n', this.#at);
      this.#at = end < 0 ? text.length : end;
      code = text.charCodeAt(this.#at);
    }
    if (Number.isNaN(code)) this.#at = text.length;
    else if (code === 0x0a) this.#at++;
    else throw beyond;
    this.#line = this.#at;
  }
}

/** True for a key that is a string without further look. */
function isName(key: string): boolean {
  const first = key.charCodeAt(0);
  if (isLetter(first) && key.length > 5) return true;
  const { type } = resolvePlain(key);
  return type === 'str' || type === 'timestamp';
}

/** True for a plain scalar that JSON may have no word for. */
function mayFail(text: string): boolean {
  const first = text.charCodeAt(0);
  return first === 0x2e || first === 0x2b || first === 0x2d;
}
