import { parseFloat64 } from '@tiphys/template';

/** A JSON value with the text that it was written as, so that numbers and blocks pass through byte for byte. */
export type Node =
  | { readonly kind: 'object'; readonly entries: readonly (readonly [string, Node])[]; readonly raw: string }
  | { readonly kind: 'array'; readonly items: readonly Node[]; readonly raw: string }
  | { readonly kind: 'string'; readonly value: string; readonly raw: string }
  | { readonly kind: 'number' | 'true' | 'false' | 'null'; readonly raw: string };

/** The text is no JSON. */
export class JsonSyntaxError extends Error {}

const deepest = 1000;
const space = /[ \t\n\r]*/y;
const number = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
/** What a text cannot have as it is. */
const special = /[\\\u0000-\u001f]/;
const word = /true|false|null/y;

/** Reads a text as a tree. Throws `JsonSyntaxError`. */
export function parseNode(text: string): Node {
  const reader = new Reader(text);
  const node = reader.value(0);
  reader.skip();
  if (reader.at < text.length) throw reader.error();
  return node;
}

class Reader {
  readonly #text: string;
  at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  error(): JsonSyntaxError {
    const found = this.at < this.#text.length ? JSON.stringify(this.#text[this.at]) : 'the end';
    return new JsonSyntaxError(`not valid JSON: unexpected ${found} at ${this.at}`);
  }

  skip(): void {
    // most of JSON has no space
    if (this.#text.charCodeAt(this.at) > 32) return;
    space.lastIndex = this.at;
    this.at += space.exec(this.#text)?.[0].length ?? 0;
  }

  value(depth: number): Node {
    if (depth > deepest) throw new JsonSyntaxError('it goes too deep');
    this.skip();
    const start = this.at;
    const first = this.#text[start];
    if (first === '{') return this.#object(start, depth);
    if (first === '[') return this.#array(start, depth);
    if (first === '"') {
      const value = this.#string();
      return { kind: 'string', value, raw: this.#text.slice(start, this.at) };
    }
    const raw = this.#match(number);
    if (raw !== undefined) return { kind: 'number', raw };
    const name = this.#match(word);
    if (name === undefined) throw this.error();
    return { kind: name as 'true' | 'false' | 'null', raw: name };
  }

  #match(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.#text)?.[0];
    if (found) this.at += found.length;
    return found || undefined;
  }

  #string(): string {
    const start = this.at;
    const end = this.#text.indexOf('"', start + 1);
    const plain = this.#text.slice(start + 1, Math.max(end, start + 1));
    if (end > 0 && !special.test(plain)) {
      this.at = end + 1;
      return plain;
    }
    for (let i = start + 1; i < this.#text.length; i++) {
      const code = this.#text.charCodeAt(i);
      if (code === 92) i++;
      else if (code === 34) {
        this.at = i + 1;
        try {
          return JSON.parse(this.#text.slice(start, this.at)) as string;
        } catch {
          this.at = start;
          throw this.error();
        }
      }
    }
    this.at = this.#text.length;
    throw this.error();
  }

  #take(expected: string): boolean {
    this.skip();
    if (this.#text[this.at] !== expected) return false;
    this.at++;
    return true;
  }

  #object(start: number, depth: number): Node {
    this.at++;
    const entries: [string, Node][] = [];
    if (!this.#take('}')) {
      do {
        this.skip();
        if (this.#text[this.at] !== '"') throw this.error();
        const key = this.#string();
        if (!this.#take(':')) throw this.error();
        entries.push([key, this.value(depth + 1)]);
      } while (this.#take(','));
      if (!this.#take('}')) throw this.error();
    }
    return { kind: 'object', entries, raw: this.#text.slice(start, this.at) };
  }

  #array(start: number, depth: number): Node {
    this.at++;
    const items: Node[] = [];
    if (!this.#take(']')) {
      do items.push(this.value(depth + 1));
      while (this.#take(','));
      if (!this.#take(']')) throw this.error();
    }
    return { kind: 'array', items, raw: this.#text.slice(start, this.at) };
  }
}

/** The value as data. A key that is there twice has its last value. */
export function dataOfNode(node: Node): unknown {
  return JSON.parse(node.raw);
}

/** The value as text, as gjson: texts as they are, integers as written, other numbers in Go's shortest form, blocks raw, null empty. */
export function textOf(node: Node): string {
  if (node.kind === 'string') return node.value;
  if (node.kind === 'null') return '';
  if (node.kind === 'number') return /^-?\d+$/.test(node.raw) ? node.raw : plainNumber(Number(node.raw));
  return node.raw;
}

/** The value as a number, as gjson: true is 1, texts are read, everything else is 0. */
export function numberOf(node: Node): number {
  if (node.kind === 'true') return 1;
  if (node.kind === 'number') return Number(node.raw);
  return node.kind === 'string' ? floatOf(node.value) : 0;
}

/** The value as a boolean, as gjson: texts as `strconv.ParseBool` reads them in lower case, numbers but 0 are true. */
export function booleanOf(node: Node): boolean {
  if (node.kind === 'true') return true;
  if (node.kind === 'number') return Number(node.raw) !== 0;
  return node.kind === 'string' && ['1', 't', 'true'].includes(node.value.toLowerCase());
}

function floatOf(text: string): number {
  return parseFloat64(text).value;
}

/** Without an exponent, as Go's `FormatFloat(n, 'f', -1, 64)`. */
export function plainNumber(value: number): string {
  const text = String(value);
  const [mantissa = '', exponent] = text.split('e');
  if (exponent === undefined) return text;
  const [whole = '', fraction = ''] = mantissa.replace('-', '').split('.');
  const digits = whole + fraction;
  const point = whole.length + Number(exponent);
  const sign = value < 0 ? '-' : '';
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`;
  if (point >= digits.length) return sign + digits.padEnd(point, '0');
  return `${sign}${digits.slice(0, point)}.${digits.slice(point)}`;
}
