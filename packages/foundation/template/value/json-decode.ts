import { goQuote as quoteGo } from '@tiphys/go';
import { toBytes } from '../text/bytes.ts';
import type { Value, ValueMap } from './value.ts';

/** A text that Go's encoding/json refuses, in its words. */
export class JsonError extends Error {}

const maxDepth = 10_000;

export interface JsonOptions {
  readonly prefix?: boolean;
  /** The value of a number, from its text: float64 without. */
  readonly number?: (text: string) => Value;
}

/**
 * What `json.Unmarshal` into an `interface {}` gives: numbers are float64, objects maps, the last of equal keys wins.
 * With `prefix`, text after the value is allowed and `length` says where the value ended.
 */
export function parseJson(text: string, options: JsonOptions = {}): { value: Value; length: number } {
  const reader = new JsonReader(text, options.number);
  const value = reader.value(0);
  if (!options.prefix) reader.end();
  return { value, length: reader.at };
}

const numberPattern = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?/y;
function float(text: string): Value {
  const value = Number(text);
  if (!Number.isFinite(value))
    throw new JsonError(`json: cannot unmarshal number ${text} into Go value of type float64`);
  return value;
}

const plainString = /[^"\\\x00-\x1f]*"/y;

class JsonReader {
  readonly #text: string;
  readonly #numberOf: (text: string) => Value;
  at = 0;

  constructor(text: string, numberOf: (text: string) => Value = float) {
    this.#text = text;
    this.#numberOf = numberOf;
  }

  #space(): void {
    for (
      let code = this.#text.charCodeAt(this.at);
      code === 0x20 || (code >= 9 && code <= 13 && code !== 11 && code !== 12);
    ) {
      code = this.#text.charCodeAt(++this.at);
    }
  }

  #fail(where: string): never {
    // Go names the first byte, as if it were a character.
    const char = String.fromCharCode(toBytes(String.fromCodePoint(this.#text.codePointAt(this.at) ?? 0))[0] as number);
    if (this.at >= this.#text.length) throw new JsonError('unexpected end of JSON input');
    const shown = char === "'" ? `'\\''` : char === '"' ? `'"'` : `'${quoteGo(char).slice(1, -1)}'`;
    throw new JsonError(`invalid character ${shown} ${where}`);
  }

  end(): void {
    this.#space();
    if (this.at < this.#text.length) this.#fail('after top-level value');
  }

  value(depth: number): Value {
    if (depth > maxDepth) throw new JsonError('exceeded max depth');
    this.#space();
    switch (this.#text[this.at]) {
      case '{':
        return this.#object(depth);
      case '[':
        return this.#array(depth);
      case '"':
        return this.#string();
      case 't':
        return this.#word('true', true);
      case 'f':
        return this.#word('false', false);
      case 'n':
        return this.#word('null', null);
      default:
        return this.#number();
    }
  }

  #word(word: string, value: Value): Value {
    for (let i = 0; i < word.length; i++, this.at++) {
      if (this.#text[this.at] !== word[i]) this.#fail(`in literal ${word} (expecting '${word[i]}')`);
    }
    return value;
  }

  #number(): Value {
    numberPattern.lastIndex = this.at;
    const match = numberPattern.exec(this.#text);
    if (!match) {
      if (this.#text[this.at] === '-') {
        this.at++;
        this.#fail('in numeric literal');
      }
      this.#fail('looking for beginning of value');
    }
    this.at += match[0].length;
    const next = this.#text[this.at];
    if (next === '.' && !match[0].includes('.') && !/e/i.test(match[0])) {
      this.at++;
      this.#fail('after decimal point in numeric literal');
    }
    return this.#numberOf(match[0]);
  }

  #string(): string {
    this.at++;
    plainString.lastIndex = this.at;
    const plain = plainString.exec(this.#text);
    if (plain) {
      this.at += plain[0].length;
      return plain[0].slice(0, -1);
    }
    const start = this.at;
    for (; this.at < this.#text.length; this.at++) {
      const code = this.#text.charCodeAt(this.at);
      if (code === 0x22) return this.#unescape(start);
      if (code < 0x20) this.#fail('in string literal');
      if (code !== 0x5c) continue;
      this.at++;
      const letter = this.#text[this.at] ?? '';
      if (letter === 'u') {
        for (let i = 0; i < 4; i++) {
          this.at++;
          if (!/[0-9a-fA-F]/.test(this.#text[this.at] ?? '')) this.#fail('in \\u hexadecimal character escape');
        }
      } else if (!'"\\/bfnrt'.includes(letter) || letter === '') this.#fail('in string escape code');
    }
    throw new JsonError('unexpected end of JSON input');
  }

  #unescape(start: number): string {
    const text = JSON.parse(`"${this.#text.slice(start, this.at)}"`) as string;
    this.at++;
    return text.toWellFormed();
  }

  #array(depth: number): Value[] {
    const items: Value[] = [];
    this.at++;
    this.#space();
    if (this.#text[this.at] === ']') {
      this.at++;
      return items;
    }
    for (;;) {
      items.push(this.value(depth + 1));
      this.#space();
      const next = this.#text[this.at];
      if (next !== ',' && next !== ']') this.#fail('after array element');
      this.at++;
      if (next === ']') return items;
    }
  }

  #object(depth: number): ValueMap {
    const map: ValueMap = new Map();
    this.at++;
    this.#space();
    if (this.#text[this.at] === '}') {
      this.at++;
      return map;
    }
    for (;;) {
      this.#space();
      if (this.#text[this.at] !== '"') this.#fail('looking for beginning of object key string');
      const key = this.#string();
      this.#space();
      if (this.#text[this.at] !== ':') this.#fail('after object key');
      this.at++;
      map.set(key, this.value(depth + 1));
      this.#space();
      const next = this.#text[this.at];
      if (next !== ',' && next !== '}') this.#fail('after object key:value pair');
      this.at++;
      if (next === '}') return map;
    }
  }
}
