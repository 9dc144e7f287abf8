import { goQuote } from '@tiphys/go';
import type { Value, ValueMap } from '@tiphys/template';
import { parseJson } from '@tiphys/template';
import { tableOf } from '../chart/value-tables.ts';

/** How the right side of a `--set` expression becomes a value. */
export type SetKind = 'typed' | 'string' | 'json' | 'literal' | { readonly file: (path: string) => string };

const maxIndex = 65_536;
const maxNesting = 30;

/** An error of the `--set` syntax, in Helm's words. */
export class SetError extends Error {}

class EndOfInput extends Error {
  constructor() {
    super('EOF');
  }
}

/** Puts what `a.b[0]=c,d={e,f}` says into the values, which are changed. Throws `SetError`. */
export function parseSet(expression: string, values: ValueMap, kind: SetKind): void {
  const parser = new SetParser(expression, kind);
  try {
    for (;;) parser.key(values, 0);
  } catch (error) {
    if (error instanceof EndOfInput) return;
    throw error;
  }
}

class SetParser {
  readonly #runes: string[];
  readonly #kind: SetKind;
  #at = 0;

  constructor(text: string, kind: SetKind) {
    this.#runes = Array.from(text);
    this.#kind = kind;
  }

  /** Runes up to one of the stops; `last` is undefined at the end of the text. */
  #until(stops: string): { text: string; last: string | undefined } {
    let text = '';
    while (this.#at < this.#runes.length) {
      const rune = this.#runes[this.#at++] as string;
      if (stops.includes(rune)) return { text, last: rune };
      if (rune === '\\' && this.#kind !== 'literal') {
        if (this.#at >= this.#runes.length) break;
        text += this.#runes[this.#at++];
      } else text += rune;
    }
    return { text, last: undefined };
  }

  key(data: ValueMap, nesting: number): void {
    const { text: key, last } = this.#until(this.#kind === 'literal' ? '=[.' : '=[,.');
    if (last === undefined) {
      if (key === '') throw new EndOfInput();
      throw new SetError(`key ${goQuote(key)} has no value`);
    }
    if (last === '[') {
      this.#indexed(data, key, nesting);
      return;
    }
    if (last === '=') {
      this.#assign((value) => put(data, key, value));
      return;
    }
    if (last === ',') {
      put(data, key, '');
      throw new SetError(`key ${goQuote(key)} has no value (cannot end with ,)`);
    }
    this.#nested(data, key, nesting + 1);
    return;
  }

  #nested(data: ValueMap, key: string, nesting: number): void {
    if (nesting > maxNesting) {
      throw new SetError(`value name nested level is greater than maximum supported nested level of ${maxNesting}`);
    }
    let inner: ValueMap = new Map();
    if (data.has(key)) {
      const table = tableOf(data.get(key));
      if (!table)
        throw new SetError(
          `unable to parse key: interface conversion: interface {} is ${typeWord(data.get(key))}, not map[string]interface {}`,
        );
      inner = table;
    }
    try {
      this.key(inner, nesting);
      if (inner.size === 0) throw new SetError(`key map ${goQuote(key)} has no value`);
    } finally {
      if (inner.size > 0) put(data, key, inner);
    }
  }

  #indexed(data: ValueMap, key: string, nesting: number): void {
    const index = this.#keyIndex();
    let list: Value[] = [];
    if (data.has(key)) {
      const present = data.get(key);
      if (!Array.isArray(present))
        throw new SetError(
          `unable to parse key: interface conversion: interface {} is ${typeWord(present)}, not []interface {}`,
        );
      list = present;
    }
    const holder = { list };
    try {
      this.#item(holder, index, nesting);
    } finally {
      put(data, key, holder.list);
    }
  }

  #keyIndex(): number {
    const { text, last } = this.#until(']');
    if (last === undefined) throw new EndOfInput();
    if (!/^[+-]?[0-9]+$/.test(text))
      throw new SetError(`error parsing index: strconv.Atoi: parsing ${goQuote(text)}: invalid syntax`);
    const index = Number(text);
    if (!Number.isSafeInteger(index))
      throw new SetError(`error parsing index: strconv.Atoi: parsing ${goQuote(text)}: value out of range`);
    return index;
  }

  #item(holder: { list: Value[] }, index: number, nesting: number): void {
    if (index < 0) throw new SetError(`negative ${index} index not allowed`);
    const { text, last } = this.#until('[.=');
    if (text !== '') throw new SetError(`unexpected data at end of array index: ${goQuote(text)}`);
    if (last === undefined) throw new EndOfInput();
    if (last === '=') {
      this.#assign((value) => setIndex(holder, index, value));
      return;
    }
    if (last === '[') {
      const next = this.#keyIndex();
      const present = holder.list[index];
      if (present !== null && present !== undefined && !Array.isArray(present)) {
        throw new SetError(
          `unable to parse key: interface conversion: interface {} is ${typeWord(present)}, not []interface {}`,
        );
      }
      const inner = { list: Array.isArray(present) ? present : [] };
      this.#item(inner, next, nesting);
      setIndex(holder, index, inner.list);
      return;
    }
    let inner: ValueMap = new Map();
    if (holder.list.length > index) {
      inner = tableOf(holder.list[index]) ?? inner;
      holder.list[index] = inner;
    }
    this.key(inner, nesting);
    setIndex(holder, index, inner);
    return;
  }

  #assign(store: (value: Value) => void): void {
    if (this.#kind === 'json') {
      this.#assignJson(store);
      return;
    }
    if (this.#kind === 'literal') {
      store(this.#runes.slice(this.#at).join(''));
      this.#at = this.#runes.length;
      return;
    }
    if (this.#at >= this.#runes.length) {
      store('');
      throw new EndOfInput();
    }
    if (this.#runes[this.#at] === '{') {
      this.#at++;
      store(this.#list());
      return;
    }
    store(this.#convert(this.#until(',').text));
    return;
  }

  #list(): Value[] {
    const list: Value[] = [];
    for (;;) {
      const { text, last } = this.#until(',}');
      if (last === undefined) throw new SetError("list must terminate with '}'");
      list.push(this.#convert(text));
      if (last === '}') {
        if (this.#runes[this.#at] === ',') this.#at++;
        return list;
      }
    }
  }

  #convert(text: string): Value {
    if (typeof this.#kind === 'object') return this.#kind.file(text);
    return this.#kind === 'string' ? text : typedValue(text);
  }

  #assignJson(store: (value: Value) => void): void {
    if (this.#emptyValue()) {
      store(null);
      return;
    }
    const rest = this.#runes.slice(this.#at).join('');
    const { value, length } = parseJson(rest, { prefix: true });
    store(value);
    this.#at += Array.from(rest.slice(0, length)).length;
    this.#emptyValue();
    return;
  }

  /** Skips spaces; true if a comma or the end follows, which is then consumed. */
  #emptyValue(): boolean {
    for (; this.#at < this.#runes.length; this.#at++) {
      const rune = this.#runes[this.#at] as string;
      if (rune === ',') {
        this.#at++;
        return true;
      }
      if (!/\s/.test(rune)) return false;
    }
    return true;
  }
}

function put(data: ValueMap, key: string, value: Value): void {
  if (key !== '') data.set(key, value);
}

function setIndex(holder: { list: Value[] }, index: number, value: Value): void {
  if (index > maxIndex) throw new SetError(`index of ${index} is greater than maximum supported index of ${maxIndex}`);
  while (holder.list.length <= index) holder.list.push(null);
  holder.list[index] = value;
}

/** What `--set` makes of a text. */
function typedValue(text: string): Value {
  const lower = text.toLowerCase();
  if (lower === 'true') return true;
  if (lower === 'false') return false;
  if (lower === 'null') return null;
  if (text === '0') return 0n;
  if (/^[+-]?[0-9]+$/.test(text) && !text.startsWith('0')) {
    const value = BigInt(text.replace(/^\+/, ''));
    if (BigInt.asIntN(64, value) === value) return value;
  }
  return text;
}

function typeWord(value: Value): string {
  if (value === null || value === undefined) return 'nil';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number') return 'float64';
  if (typeof value === 'bigint') return 'int64';
  if (typeof value === 'boolean') return 'bool';
  return Array.isArray(value) ? '[]interface {}' : 'map[string]interface {}';
}
