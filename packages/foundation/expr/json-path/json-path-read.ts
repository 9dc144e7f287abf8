import { type Formula, JsonPathError, type Step } from './json-path-steps.ts';

/** Nothing that people write is deeper. */
const deepest = 50;
/** Signs between two formulas, those that bind least first; those of one row bind alike, from the left. */
const signs: readonly (readonly string[])[] = [
  ['||'],
  ['&&'],
  ['==', '!=', '<=', '>=', '<', '>', '=~', 'not in', 'in'],
  ['+', '-'],
  ['**', '*', '/', '%'],
];

/** Reads a path that begins with `$`. Throws a `JsonPathError`. */
export function readPath(path: string): readonly Step[] {
  if (!path.startsWith('$')) throw new JsonPathError(`jsonpath: ${path} must begin with $`);
  const reader = new PathReader(path);
  reader.at = 1;
  const steps = reader.steps(false);
  if (reader.at < path.length) throw reader.cannotRead();
  return steps;
}

class PathReader {
  at = 0;
  readonly #text: string;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  cannotRead(): JsonPathError {
    return new JsonPathError(`jsonpath: cannot read ${this.#text.slice(this.at) || 'the end'} of ${this.#text}`);
  }

  /** Steps up to what is none. In a formula names have no `-`, which takes away there. */
  steps(inFormula: boolean): Step[] {
    const steps: Step[] = [];
    for (;;) {
      if (this.#take('..')) {
        steps.push({ kind: 'deep' });
        if (this.#text[this.at] !== '[') steps.push(this.#named(inFormula));
      } else if (this.#take('.')) steps.push(this.#text[this.at] === '[' ? this.#bracket() : this.#named(inFormula));
      else if (this.#text[this.at] === '[') steps.push(this.#bracket());
      else return steps;
    }
  }

  #named(inFormula: boolean): Step {
    if (this.#take('*')) return { kind: 'all' };
    const name = this.#match(inFormula ? /[\p{L}\p{N}_]+/uy : /[\p{L}\p{N}_-]+/uy);
    if (!name) throw this.cannotRead();
    return { kind: 'key', key: name };
  }

  #bracket(): Step {
    return this.#deeper(() => {
      this.#expect('[');
      const step = this.#inBracket();
      this.#blank();
      this.#expect(']');
      return step;
    });
  }

  #inBracket(): Step {
    this.#blank();
    if (this.#take('*')) return { kind: 'all' };
    if (this.#take('?')) return { kind: 'filter', formula: this.#formula() };
    const first = this.#bound();
    this.#blank();
    if (this.#text[this.at] === ':') return this.#slice(first);
    if (!first) throw this.cannotRead();
    const keys = [first];
    while (this.#takeBlank(',')) keys.push(this.#bound() ?? this.#never());
    if (keys.length === 1 && first.kind !== 'value') return { kind: 'script', formula: first };
    const plain = keys.map((key) => (key.kind === 'value' ? (key.value as string | number) : this.#never()));
    const [only] = plain;
    if (plain.length > 1) return { kind: 'union', keys: plain };
    return typeof only === 'number' ? { kind: 'index', index: only } : { kind: 'key', key: only as string };
  }

  #slice(first: Formula | undefined): Step {
    const bounds = [first];
    while (bounds.length < 3 && this.#takeBlank(':')) bounds.push(this.#bound());
    return { kind: 'slice', bounds };
  }

  /** A number, a text or `(a formula)`; undefined if there is none. */
  #bound(): Formula | undefined {
    this.#blank();
    const number = this.#match(/-?\d{1,15}/y);
    if (number) return { kind: 'value', value: Number(number) };
    const letter = this.#text[this.at];
    if (letter === '"' || letter === "'") return { kind: 'value', value: this.#quoted() };
    return letter === '(' ? this.#operand() : undefined;
  }

  #formula(row = 0): Formula {
    const row_ = signs[row];
    if (!row_) return this.#operand();
    let left = this.#formula(row + 1);
    for (let sign = this.#sign(row_); sign; sign = this.#sign(row_))
      left = { kind: 'binary', sign, left, right: this.#formula(row + 1) };
    return left;
  }

  #sign(row: readonly string[]): string | undefined {
    this.#blank();
    const sign = row.find((each) => this.#text.startsWith(each, this.at));
    // a word ends where no letter goes on
    if (!sign || (/[a-z]/.test(sign) && /[\w.]/.test(this.#text[this.at + sign.length] ?? ''))) return undefined;
    this.at += sign.length;
    return sign;
  }

  #operand(): Formula {
    return this.#deeper(() => {
      this.#blank();
      if (this.#take('!')) return { kind: 'not', of: this.#operand() };
      if (this.#take('(')) {
        const formula = this.#formula();
        this.#blank();
        this.#expect(')');
        return formula;
      }
      if (this.#take('[')) return { kind: 'list', items: this.#list() };
      const root = this.#match(/[@$]/y);
      if (root) return { kind: 'path', fromRoot: root === '$', steps: this.steps(true) };
      const letter = this.#text[this.at];
      if (letter === '"' || letter === "'") return { kind: 'value', value: this.#quoted() };
      const number = this.#match(/-?\d{1,15}(?:\.\d{1,15})?(?:[eE][+-]?\d{1,3})?/y);
      if (number) return { kind: 'value', value: Number(number) };
      const word = this.#match(/true|false|null|nil/y);
      if (!word) throw this.cannotRead();
      return { kind: 'value', value: word === 'true' ? true : word === 'false' ? false : null };
    });
  }

  #list(): Formula[] {
    const items: Formula[] = [];
    while (!this.#takeBlank(']')) {
      if (items.length > 0) this.#expect(',');
      items.push(this.#formula());
    }
    return items;
  }

  /** A text in quotes, in which a backslash keeps the next letter as it is. */
  #quoted(): string {
    const quote = this.#text[this.at];
    let value = '';
    for (this.at += 1; this.at < this.#text.length; this.at += 1) {
      const letter = this.#text[this.at] as string;
      if (letter === quote) {
        this.at += 1;
        return value;
      }
      if (letter === '\\') this.at += 1;
      value += this.#text[this.at] ?? '';
    }
    throw new JsonPathError(`jsonpath: a text of ${this.#text} does not end`);
  }

  #deeper<T>(read: () => T): T {
    if (this.#depth >= deepest) throw new JsonPathError(`jsonpath: ${this.#text.slice(0, 200)} is nested too deeply`);
    this.#depth += 1;
    const value = read();
    this.#depth -= 1;
    return value;
  }

  #never(): never {
    throw this.cannotRead();
  }

  #take(text: string): boolean {
    if (!this.#text.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  #takeBlank(text: string): boolean {
    this.#blank();
    return this.#take(text);
  }

  #expect(text: string): void {
    if (!this.#takeBlank(text)) throw this.cannotRead();
  }

  #blank(): void {
    while (this.#text[this.at] === ' ') this.at += 1;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.at;
    const found = pattern.exec(this.#text)?.[0];
    if (found) this.at += found.length;
    return found;
  }
}
