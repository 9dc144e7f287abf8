import { isObject } from '../fields.ts';

/** One step of a jq path expression. */
type Part =
  | { readonly kind: 'field'; readonly name: string }
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'all' }
  | { readonly kind: 'select'; readonly test: Test };

type Test =
  | {
      readonly kind: 'compare';
      readonly path: readonly Part[];
      readonly operator: '==' | '!=';
      readonly value: unknown;
    }
  | {
      readonly kind: 'matches';
      readonly path: readonly Part[];
      readonly how: 'startswith' | 'endswith' | 'contains' | 'test';
      readonly text: string;
    }
  | { readonly kind: 'not' | 'has'; readonly path: readonly Part[]; readonly name?: string }
  | { readonly kind: 'and'; readonly tests: readonly Test[] }
  | { readonly kind: 'or'; readonly tests: readonly Test[] }
  | { readonly kind: 'truthy'; readonly path: readonly Part[] };

export type JqPath = readonly (readonly Part[])[];

/**
 * Parses the part of jq that names fields: `.a.b`, `."a/b"`, `.["a"]`, `[0]`, `[-1]`, `[]`, `?`, `|`, `,` and
 * `select()` with ==, !=, and, or, not, has, startswith, endswith, contains and test. These run in linear time, so
 * nothing has to be cut off. All else is refused with what was not understood.
 */
export function parseJqPath(text: string): { path?: JqPath; reason: string } {
  if (text.length > 4096) return { reason: 'it is longer than 4096 characters' };
  const parser = new Parser(text);
  try {
    return { path: parser.alternatives(), reason: '' };
  } catch (error) {
    if (error instanceof NotUnderstood) return { reason: error.message };
    throw error;
  }
}

class NotUnderstood extends Error {}

class Parser {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  alternatives(): JqPath {
    const found = [this.#pipeline()];
    while (this.#take(',')) found.push(this.#pipeline());
    this.#space();
    if (this.#at < this.#text.length) this.#refuse();
    return found;
  }

  #pipeline(): Part[] {
    const parts = [...this.#path()];
    while (this.#take('|')) parts.push(...this.#path());
    return parts;
  }

  #path(): Part[] {
    this.#space();
    if (this.#take('(')) {
      const inner = this.#pipeline();
      this.#expect(')');
      return [...inner, ...this.#suffixes()];
    }
    if (this.#word('select')) {
      this.#expect('(');
      const test = this.#tests();
      this.#expect(')');
      return [{ kind: 'select', test }];
    }
    if (!this.#take('.')) this.#refuse();
    const first = this.#name();
    return [...(first === undefined ? [] : [{ kind: 'field' as const, name: first }]), ...this.#suffixes()];
  }

  #suffixes(): Part[] {
    const parts: Part[] = [];
    for (;;) {
      if (this.#peek() === '?') this.#at += 1;
      else if (this.#peek() === '[') parts.push(this.#brackets());
      else if (this.#peek() === '.') {
        this.#at += 1;
        if (this.#peek() === '[') continue;
        const name = this.#name();
        if (name === undefined) this.#refuse();
        else parts.push({ kind: 'field', name });
      } else return parts;
    }
  }

  #brackets(): Part {
    this.#expect('[');
    this.#space();
    if (this.#take(']')) return { kind: 'all' };
    let part: Part | undefined;
    if (this.#peek() === '"') part = { kind: 'field', name: this.#string() };
    else {
      const number = this.#match(/-?\d+/y);
      if (number) part = { kind: 'index', index: Number(number) };
    }
    if (!part) return this.#refuse();
    this.#expect(']');
    return part;
  }

  #tests(): Test {
    const found = [this.#conjunction()];
    while (this.#word('or')) found.push(this.#conjunction());
    return found.length === 1 ? (found[0] as Test) : { kind: 'or', tests: found };
  }

  #conjunction(): Test {
    const found = [this.#test()];
    while (this.#word('and')) found.push(this.#test());
    return found.length === 1 ? (found[0] as Test) : { kind: 'and', tests: found };
  }

  #test(): Test {
    this.#space();
    const path = this.#path();
    while (this.#take('|')) {
      if (this.#word('not')) return { kind: 'not', path };
      if (this.#word('has')) {
        this.#expect('(');
        const name = this.#string();
        this.#expect(')');
        return { kind: 'has', path, name };
      }
      for (const how of ['startswith', 'endswith', 'contains', 'test'] as const) {
        if (!this.#word(how)) continue;
        this.#expect('(');
        const text = this.#string();
        this.#expect(')');
        if (how === 'test' && !/^[\w\s^$.:/-]*$/.test(text))
          throw new NotUnderstood(`the pattern ${JSON.stringify(text)} of test() is not a simple one`);
        return { kind: 'matches', path, how, text };
      }
      path.push(...this.#path());
    }
    this.#space();
    const operator = this.#match(/==|!=/y);
    if (operator !== '==' && operator !== '!=') return { kind: 'truthy', path };
    this.#space();
    const value = this.#peek() === '"' ? this.#string() : this.#literal();
    return { kind: 'compare', path, operator, value };
  }

  #literal(): unknown {
    const text = this.#match(/-?\d+(?:\.\d+)?|true|false|null/y);
    if (!text) return this.#refuse();
    return JSON.parse(text);
  }

  #name(): string | undefined {
    if (this.#peek() === '"') return this.#string();
    return this.#match(/[A-Za-z_]\w*/y);
  }

  #string(): string {
    this.#space();
    const text = this.#match(/"(?:[^"\\]|\\.)*"/y);
    if (text === undefined) return this.#refuse();
    try {
      return JSON.parse(text) as string;
    } catch {
      throw new NotUnderstood(`${text} is not a string`);
    }
  }

  #word(word: string): boolean {
    this.#space();
    const end = this.#at + word.length;
    if (!this.#text.startsWith(word, this.#at) || /\w/.test(this.#text[end] ?? '')) return false;
    this.#at = end;
    return true;
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #take(text: string): boolean {
    this.#space();
    if (!this.#text.startsWith(text, this.#at)) return false;
    this.#at += text.length;
    return true;
  }

  #expect(text: string): void {
    if (!this.#take(text)) this.#refuse();
  }

  #peek(): string {
    return this.#text[this.#at] ?? '';
  }

  #space(): void {
    while (/\s/.test(this.#peek())) this.#at += 1;
  }

  #refuse(): never {
    const rest = this.#text.slice(this.#at, this.#at + 30);
    throw new NotUnderstood(
      rest
        ? `${JSON.stringify(rest)} at column ${this.#at + 1} is not a path that Tiphys understands`
        : 'it ends too early',
    );
  }
}

/** Deletes what the paths name from a value, which is changed; as jq's `del`, all paths are found before anything goes. */
export function deletePaths(value: unknown, path: JqPath): void {
  const found = path.flatMap((parts) => resolve([{ value, at: [] }], parts)).map(({ at }) => at);
  // later items first, so that removing one does not move the others
  found.sort((a, b) => comparePaths(b, a));
  for (const at of found) remove(value, at);
}

interface Found {
  readonly value: unknown;
  readonly at: readonly (string | number)[];
}

function resolve(from: readonly Found[], parts: readonly Part[]): readonly Found[] {
  let current = from;
  for (const part of parts) current = current.flatMap((found) => step(found, part));
  return current;
}

function step({ value, at }: Found, part: Part): Found[] {
  switch (part.kind) {
    case 'field':
      return isObject(value) && part.name in value ? [{ value: value[part.name], at: [...at, part.name] }] : [];
    case 'index': {
      if (!Array.isArray(value)) return [];
      const index = part.index < 0 ? value.length + part.index : part.index;
      return index >= 0 && index < value.length ? [{ value: value[index], at: [...at, index] }] : [];
    }
    case 'all':
      if (Array.isArray(value)) return value.map((item, index) => ({ value: item as unknown, at: [...at, index] }));
      return isObject(value) ? Object.entries(value).map(([name, item]) => ({ value: item, at: [...at, name] })) : [];
    case 'select':
      return holds(value, part.test) ? [{ value, at }] : [];
  }
}

function holds(value: unknown, test: Test): boolean {
  if (test.kind === 'and') return test.tests.every((inner) => holds(value, inner));
  if (test.kind === 'or') return test.tests.some((inner) => holds(value, inner));
  const found = resolve([{ value, at: [] }], test.path).map((item) => item.value);
  const subject: unknown = found[0] ?? null;
  switch (test.kind) {
    case 'compare':
      return (subject === test.value) === (test.operator === '==');
    case 'matches':
      if (typeof subject !== 'string') return false;
      if (test.how === 'startswith') return subject.startsWith(test.text);
      if (test.how === 'endswith') return subject.endsWith(test.text);
      return test.how === 'contains' ? subject.includes(test.text) : new RegExp(test.text).test(subject);
    case 'has':
      return isObject(subject) && (test.name ?? '') in subject;
    case 'not':
      return subject === null || subject === false;
    case 'truthy':
      return subject !== null && subject !== false;
  }
}

function comparePaths(a: readonly (string | number)[], b: readonly (string | number)[]): number {
  for (let index = 0; index < Math.min(a.length, b.length); index++) {
    const left = a[index] as string | number;
    const right = b[index] as string | number;
    if (left === right) continue;
    return typeof left === 'number' && typeof right === 'number' ? left - right : String(left) < String(right) ? -1 : 1;
  }
  return a.length - b.length;
}

function remove(value: unknown, at: readonly (string | number)[]): void {
  let current = value;
  for (const name of at.slice(0, -1)) current = (current as Record<string | number, unknown>)[name];
  const last = at.at(-1);
  if (Array.isArray(current) && typeof last === 'number') current.splice(last, 1);
  else if (isObject(current) && typeof last === 'string') delete current[last];
}
