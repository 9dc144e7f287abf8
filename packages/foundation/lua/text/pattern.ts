import type { Bounds } from '../run/bounds.ts';

/** Start and end in the text, from 0; or a position, from 1. */
export type CapturedPart = { readonly start: number; readonly end: number } | number;

export interface Match {
  readonly start: number;
  readonly end: number;
  readonly captures: readonly CapturedPart[];
}

type Class = (code: number) => boolean;

type Item =
  | { readonly kind: 'one'; readonly test: Class; readonly repeat: '' | '*' | '+' | '-' | '?' }
  | { readonly kind: 'position' | 'open' | 'close' | 'again'; readonly index: number }
  | { readonly kind: 'balanced'; readonly open: number; readonly close: number };

/** What is wrong with a pattern. */
export class PatternError extends Error {}

const mostItems = 400;

/** A pattern of Lua 5.1, compiled. Work is charged to the bounds for each character that is looked at. */
export class Pattern {
  readonly #items: Item[] = [];
  readonly #anchored: boolean;
  readonly #tail: boolean;
  readonly #captures: number;

  constructor(source: string) {
    const reader = new PatternReader(source);
    reader.read();
    this.#items = reader.items;
    this.#anchored = reader.anchored;
    this.#tail = reader.tail;
    this.#captures = reader.captures;
    if (this.#items.length > mostItems) throw new PatternError('pattern/input too complex');
  }

  /** The matches from an offset on, at most so many; an empty one moves on by one character. */
  find(text: string, offset: number, limit: number, bounds: Bounds): Match[] {
    const matches: Match[] = [];
    for (let at = offset; at <= text.length; ) {
      bounds.work(1);
      const matcher = new Matcher(this.#items, this.#tail, text, this.#captures, bounds);
      const end = matcher.match(0, at);
      if (end >= 0) matches.push({ start: at, end, captures: matcher.parts() });
      at = Math.max(at + 1, end);
      if (matches.length === limit || this.#anchored) break;
    }
    return matches;
  }
}

class Matcher {
  readonly #items: readonly Item[];
  readonly #tail: boolean;
  readonly #text: string;
  readonly #bounds: Bounds;
  /** Start and end by capture; an end of -1 marks a position. */
  readonly #ends: Int32Array;

  constructor(items: readonly Item[], tail: boolean, text: string, captures: number, bounds: Bounds) {
    this.#items = items;
    this.#tail = tail;
    this.#text = text;
    this.#bounds = bounds;
    this.#ends = new Int32Array(captures * 2);
  }

  parts(): CapturedPart[] {
    const parts: CapturedPart[] = [];
    for (let i = 0; i < this.#ends.length; i += 2) {
      const [start = 0, end = 0] = [this.#ends[i], this.#ends[i + 1]];
      parts.push(end === -1 ? start + 1 : { start, end });
    }
    return parts;
  }

  /** Where the rest of the items ends if it begins at a place; below zero if it does not fit. */
  match(from: number, start: number): number {
    let at = start;
    for (let i = from; i < this.#items.length; i++) {
      this.#bounds.work(1);
      const item = this.#items[i] as Item;
      if (item.kind === 'one') {
        if (item.repeat !== '') return this.#repeated(item, i, at);
        if (at >= this.#text.length || !item.test(this.#text.charCodeAt(at))) return -1;
        at++;
      } else if (item.kind === 'balanced') {
        at = this.#balanced(item.open, item.close, at);
        if (at < 0) return -1;
      } else if (item.kind === 'again') {
        const again = this.#part(item.index);
        this.#bounds.work(again.length >> 3);
        if (!this.#text.startsWith(again, at)) return -1;
        at += again.length;
      } else return this.#mark(item, i, at);
    }
    return this.#tail && at < this.#text.length ? -1 : at;
  }

  #mark(item: Item & { index: number }, i: number, at: number): number {
    const place = item.index * 2 + (item.kind === 'close' ? 1 : 0);
    const before = this.#ends[place] as number;
    this.#ends[place] = at;
    if (item.kind === 'position') this.#ends[place + 1] = -1;
    const end = this.match(i + 1, at);
    if (end < 0) this.#ends[place] = before;
    return end;
  }

  #repeated(item: Item & { kind: 'one' }, i: number, start: number): number {
    const { test, repeat } = item;
    const fits = (at: number) => at < this.#text.length && test(this.#text.charCodeAt(at));
    if (repeat === '-') {
      for (let at = start; ; at++) {
        const end = this.match(i + 1, at);
        if (end >= 0 || !fits(at)) return end;
        this.#bounds.work(1);
      }
    }
    let most = start;
    const limit = repeat === '?' ? start + 1 : Number.POSITIVE_INFINITY;
    while (most < limit && fits(most)) most++;
    this.#bounds.work(most - start);
    for (let at = most; at >= (repeat === '+' ? start + 1 : start); at--) {
      const end = this.match(i + 1, at);
      if (end >= 0) return end;
    }
    return -1;
  }

  #balanced(open: number, close: number, start: number): number {
    if (start >= this.#text.length || this.#text.charCodeAt(start) !== open) return -1;
    let depth = 1;
    for (let at = start + 1; at < this.#text.length; at++) {
      this.#bounds.work(1);
      const code = this.#text.charCodeAt(at);
      if (code === close && --depth === 0) return at + 1;
      if (code === open && code !== close) depth++;
    }
    return -1;
  }

  #part(index: number): string {
    if (index * 2 >= this.#ends.length) throw new PatternError('invalid capture index');
    return this.#text.slice(this.#ends[index * 2], Math.max(0, this.#ends[index * 2 + 1] as number));
  }
}

class PatternReader {
  readonly items: Item[] = [];
  anchored = false;
  tail = false;
  captures = 0;
  readonly #source: string;
  #at = 0;

  constructor(source: string) {
    this.#source = source;
    if (source.startsWith('^')) {
      this.anchored = true;
      this.#at = 1;
    }
  }

  read(): void {
    const open: number[] = [];
    const source = this.#source;
    while (this.#at < source.length) {
      const c = source[this.#at] as string;
      if (c === '(') {
        this.#at++;
        const index = this.captures++;
        if (source[this.#at] === ')') {
          this.#at++;
          this.items.push({ kind: 'position', index });
        } else {
          open.push(index);
          this.items.push({ kind: 'open', index });
        }
      } else if (c === ')') {
        const index = open.pop();
        if (index === undefined) throw new PatternError(`invalid ')' at ${this.#at}`);
        this.#at++;
        this.items.push({ kind: 'close', index });
      } else if (c === '$' && this.#at === source.length - 1 && open.length === 0) {
        this.#at++;
        this.tail = true;
      } else this.#item(c);
    }
    if (open.length > 0) throw new PatternError('unfinished capture at EOS');
  }

  #item(c: string): void {
    const next = this.#source[this.#at + 1] ?? '';
    if (c === '%' && next === '0') throw new PatternError(`invalid capture index at ${this.#at + 1}`);
    if (c === '%' && next >= '1' && next <= '9') {
      this.#at += 2;
      this.items.push({ kind: 'again', index: Number(next) - 1 });
      return;
    }
    if (c === '%' && next === 'b') {
      const [open, close] = [this.#source.charCodeAt(this.#at + 2), this.#source.charCodeAt(this.#at + 3)];
      this.#at += 4;
      this.items.push({ kind: 'balanced', open, close });
      return;
    }
    const test = this.#class(true);
    const repeat = this.#source[this.#at] ?? '';
    if (repeat === '*' || repeat === '+' || repeat === '-' || repeat === '?') {
      this.#at++;
      this.items.push({ kind: 'one', test, repeat });
    } else this.items.push({ kind: 'one', test, repeat: '' });
  }

  #class(outside: boolean): Class {
    const c = this.#source[this.#at++];
    if (c === undefined) throw new PatternError('unexpected EOS at EOS');
    if (c === '%') return this.#named();
    if (outside && c === '.') return () => true;
    if (outside && c === '[') return this.#set();
    const wanted = c.charCodeAt(0);
    return (code) => code === wanted;
  }

  #named(): Class {
    const c = this.#source[this.#at++];
    const test = c === undefined ? undefined : classes[c.toLowerCase()];
    if (!test || c === undefined) {
      const wanted = c?.charCodeAt(0) ?? -1;
      return (code) => code === wanted;
    }
    return c === c.toLowerCase() ? test : (code) => !test(code);
  }

  #set(): Class {
    const source = this.#source;
    const members: Class[] = [];
    const not = source[this.#at] === '^';
    if (not) this.#at++;
    for (let first = true; first || source[this.#at] !== ']'; first = false) {
      if (this.#at >= source.length) throw new PatternError('unexpected EOS at EOS');
      const begin = source[this.#at] as string;
      const end = source[this.#at + 2];
      if (begin !== '%' && source[this.#at + 1] === '-' && end !== undefined && end !== ']') {
        const [low, high] = [begin.charCodeAt(0), end.charCodeAt(0)];
        this.#at += 3;
        members.push((code) => code >= low && code <= high);
      } else members.push(this.#class(false));
    }
    this.#at++;
    return (code) => members.some((member) => member(code)) !== not;
  }
}

const between = (code: number, low: string, high: string) => code >= low.charCodeAt(0) && code <= high.charCodeAt(0);
const isDigit: Class = (code) => between(code, '0', '9');
const isLower: Class = (code) => between(code, 'a', 'z');
const isUpper: Class = (code) => between(code, 'A', 'Z');
const isLetter: Class = (code) => isLower(code) || isUpper(code);
const isWord: Class = (code) => isLetter(code) || isDigit(code);

const classes: Readonly<Record<string, Class>> = {
  a: isLetter,
  c: (code) => code < 32 || code === 127,
  d: isDigit,
  l: isLower,
  p: (code) => code > 32 && code < 127 && !isWord(code),
  s: (code) => code === 32 || (code >= 9 && code <= 13),
  u: isUpper,
  w: isWord,
  x: (code) => isDigit(code) || between(code, 'a', 'f') || between(code, 'A', 'F'),
  z: (code) => code === 0,
};
