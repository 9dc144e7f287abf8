import { join, literal, powers } from './operators.ts';
import type { Definition, Pattern, Query } from './tree.ts';

/** A text that is no jq. */
export class JqSyntaxError extends Error {}

const deepest = 100;
const keywords = new Set([
  'def',
  'if',
  'then',
  'elif',
  'else',
  'end',
  'as',
  'reduce',
  'foreach',
  'try',
  'catch',
  'label',
  'import',
  'include',
  'and',
  'or',
  '__loc__',
]);
const constants: Readonly<Record<string, unknown>> = { null: null, true: true, false: false };
const token =
  /\s+|#[^\n]*|(?<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?<field>\.[A-Za-z_]\w*)|(?<format>@\w+)|(?<variable>\$(?:__loc__|[A-Za-z_]\w*))|(?<name>[A-Za-z_]\w*(?:::[A-Za-z_]\w*)*)|(?<symbol>\/\/=|\?\/\/|\|=|\+=|-=|\*=|\/=|%=|==|!=|<=|>=|\/\/|\.\.|[.[\]{}()|,:;=<>+\-*/%?"])/y;

interface Token {
  readonly kind: 'number' | 'field' | 'format' | 'variable' | 'name' | 'symbol' | 'end';
  readonly text: string;
  readonly at: number;
}

/** Reads a whole jq program. Throws `JqSyntaxError`. */
export function parseQuery(text: string): Query {
  const parser = new Parser(text);
  const query = parser.query();
  parser.finish();
  return query;
}

/** Reads definitions without a body. */
export function parseDefinitions(text: string): Definition[] {
  const parser = new Parser(text);
  const found = parser.definitions();
  parser.finish();
  return found;
}

class Parser {
  readonly #text: string;
  #at = 0;
  #token: Token;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    this.#token = this.#next();
  }

  finish(): void {
    if (this.#token.kind !== 'end') throw this.#unexpected();
  }

  definitions(): Definition[] {
    const found: Definition[] = [];
    while (this.#is('def')) found.push(this.#definition());
    return found;
  }

  query(): Query {
    if (this.#is('def')) {
      const definition = this.#definition();
      return { kind: 'define', definition, body: this.query() };
    }
    return this.#binary(0);
  }

  #binary(limit: number): Query {
    if (++this.#depth > deepest) throw new JqSyntaxError('it is nested too deeply');
    let left = this.#bindable();
    for (;;) {
      const operator = this.#token.text;
      const power =
        this.#token.kind === 'symbol' || operator === 'and' || operator === 'or' ? powers[operator] : undefined;
      if (!power || power[0] < limit) break;
      this.#advance();
      const right = operator === '|' ? this.query() : this.#binary(power[1]);
      left = join(operator, left, right);
    }
    this.#depth--;
    return left;
  }

  /** A term, or a term that `as` gives a name to for the rest of the pipe. */
  #bindable(): Query {
    const source = this.#postfix();
    if (!this.#accept('as')) return source;
    const pattern = this.#pattern();
    this.#expect('|');
    return { kind: 'bind', source, pattern, body: this.query() };
  }

  #postfix(): Query {
    let query = this.#term();
    for (;;) {
      if (this.#token.kind === 'field')
        query = { kind: 'index', target: query, index: literal(this.#advance().text.slice(1)) };
      else if (this.#is('.') && this.#text[this.#at] === '"') {
        this.#advance();
        query = { kind: 'index', target: query, index: this.#string('@text') };
      } else if (this.#is('.') && this.#text[this.#at] === '[') {
        this.#advance();
        query = this.#brackets(query);
      } else if (this.#is('[')) query = this.#brackets(query);
      else if (this.#accept('?')) query = optional(query);
      else return query;
    }
  }

  #brackets(target: Query): Query {
    this.#expect('[');
    if (this.#accept(']')) return { kind: 'iterate', target };
    if (this.#accept(':')) {
      const to = this.query();
      this.#expect(']');
      return { kind: 'slice', target, from: undefined, to };
    }
    const index = this.query();
    if (!this.#accept(':')) {
      this.#expect(']');
      return { kind: 'index', target, index };
    }
    const to = this.#is(']') ? undefined : this.query();
    this.#expect(']');
    return { kind: 'slice', target, from: index, to };
  }

  #term(): Query {
    const { kind, text } = this.#token;
    if (kind === 'number') return literal(Number(this.#advance().text));
    if (kind === 'field')
      return { kind: 'index', target: { kind: 'identity' }, index: literal(this.#advance().text.slice(1)) };
    if (kind === 'variable') return { kind: 'variable', name: this.#advance().text };
    if (kind === 'format') {
      this.#advance();
      return this.#is('"') ? this.#string(text) : { kind: 'format', name: text };
    }
    if (kind === 'name') return this.#named();
    switch (text) {
      case '.':
        this.#advance();
        if (this.#is('"')) return { kind: 'index', target: { kind: 'identity' }, index: this.#string('@text') };
        return { kind: 'identity' };
      case '..':
        this.#advance();
        return { kind: 'recurse' };
      case '"':
        return this.#string('@text');
      case '(': {
        this.#advance();
        const query = this.query();
        this.#expect(')');
        return query;
      }
      case '[': {
        this.#advance();
        const items = this.#is(']') ? undefined : this.query();
        this.#expect(']');
        return { kind: 'array', items };
      }
      case '{':
        return this.#object();
      case '-':
        this.#advance();
        return { kind: 'negate', operand: this.#postfix() };
      default:
        throw this.#unexpected();
    }
  }

  #named(): Query {
    const name = this.#token.text;
    switch (name) {
      case 'if':
        return this.#if();
      case 'try': {
        this.#advance();
        const body = this.#postfix();
        return { kind: 'try', body, handler: this.#accept('catch') ? this.#postfix() : undefined };
      }
      case 'reduce': {
        this.#advance();
        const [source, pattern] = this.#source();
        const start = this.query();
        this.#expect(';');
        const update = this.query();
        this.#expect(')');
        return { kind: 'reduce', source, pattern, start, update };
      }
      case 'foreach': {
        this.#advance();
        const [source, pattern] = this.#source();
        const start = this.query();
        this.#expect(';');
        const update = this.query();
        const extract = this.#accept(';') ? this.query() : undefined;
        this.#expect(')');
        return { kind: 'foreach', source, pattern, start, update, extract };
      }
      case 'label': {
        this.#advance();
        const label = this.#variable();
        this.#expect('|');
        return { kind: 'label', name: label, body: this.query() };
      }
      case 'def':
        return this.query();
    }
    if (keywords.has(name)) throw this.#unexpected();
    this.#advance();
    if (Object.hasOwn(constants, name)) return literal(constants[name]);
    if (name === 'break') return { kind: 'break', name: this.#variable() };
    const parameters: Query[] = [];
    if (this.#accept('(')) {
      do parameters.push(this.query());
      while (this.#accept(';'));
      this.#expect(')');
    }
    return { kind: 'call', name, parameters };
  }

  #source(): [Query, Pattern] {
    const source = this.#postfix();
    this.#expect('as');
    const pattern = this.#pattern();
    this.#expect('(');
    return [source, pattern];
  }

  #if(): Query {
    this.#advance();
    const test = this.query();
    this.#expect('then');
    const then = this.query();
    if (this.#is('elif')) return { kind: 'if', test, then, otherwise: this.#if() };
    const otherwise: Query = this.#accept('else') ? this.query() : { kind: 'identity' };
    this.#expect('end');
    return { kind: 'if', test, then, otherwise };
  }

  #object(): Query {
    this.#advance();
    const entries: { key: Query; value: Query }[] = [];
    while (!this.#is('}')) {
      const { kind, text } = this.#token;
      let key: Query;
      let missing: Query;
      if (kind === 'variable') {
        key = literal(this.#advance().text.slice(1));
        missing = { kind: 'variable', name: text };
      } else if (this.#accept('(')) {
        key = this.query();
        this.#expect(')');
        missing = { kind: 'index', target: { kind: 'identity' }, index: key };
      } else {
        key = this.#is('"') ? this.#string('@text') : kind === 'format' ? this.#term() : literal(this.#key());
        missing = { kind: 'index', target: { kind: 'identity' }, index: key };
      }
      entries.push({ key, value: this.#accept(':') ? this.#objectValue() : missing });
      if (!this.#accept(',')) break;
    }
    this.#expect('}');
    return { kind: 'object', entries };
  }

  /** Alternatives and sums are allowed, a comma is not. */
  #objectValue(): Query {
    let value = this.#binary(4);
    while (this.#accept('|')) value = { kind: 'pipe', left: value, right: this.#binary(4) };
    return value;
  }

  #key(): string {
    if (this.#token.kind !== 'name' && this.#token.kind !== 'number') throw this.#unexpected();
    return this.#advance().text;
  }

  #pattern(): Pattern {
    if (this.#isVariable()) return { kind: 'name', name: this.#advance().text };
    if (this.#accept('[')) {
      const items = [this.#pattern()];
      while (this.#accept(',')) items.push(this.#pattern());
      this.#expect(']');
      return { kind: 'list', items };
    }
    this.#expect('{');
    const fields: { key: Query; pattern: Pattern | undefined; name: string | undefined }[] = [];
    do {
      const name = this.#isVariable() ? this.#advance().text : undefined;
      const key = name ? literal(name.slice(1)) : this.#patternKey();
      fields.push({ key, name, pattern: this.#accept(':') ? this.#pattern() : undefined });
    } while (this.#accept(','));
    this.#expect('}');
    return { kind: 'fields', fields };
  }

  #patternKey(): Query {
    if (this.#is('"')) return this.#string('@text');
    if (!this.#accept('(')) return literal(this.#key());
    const key = this.query();
    this.#expect(')');
    return key;
  }

  #definition(): Definition {
    this.#expect('def');
    const name = this.#key();
    const parameters: string[] = [];
    if (this.#accept('(')) {
      do parameters.push(this.#token.kind === 'variable' ? this.#advance().text : this.#key());
      while (this.#accept(';'));
      this.#expect(')');
    }
    this.#expect(':');
    const body = this.query();
    this.#expect(';');
    return { name, parameters, body };
  }

  #variable(): string {
    if (this.#token.kind !== 'variable') throw this.#unexpected();
    return this.#advance().text;
  }

  /** From the opening quote on; parts in `\\( )` are programs. */
  #string(format: string): Query {
    const parts: (string | Query)[] = [];
    let text = '';
    for (;;) {
      const c = this.#text[this.#at++];
      if (c === undefined) throw new JqSyntaxError('a string is not closed');
      if (c === '"') break;
      if (c !== '\\') text += c;
      else if (this.#text[this.#at] === '(') {
        this.#at++;
        parts.push(text);
        text = '';
        this.#token = this.#next();
        parts.push(this.query());
        if (!this.#is(')')) throw this.#unexpected();
      } else text += this.#escape();
    }
    parts.push(text);
    this.#token = this.#next();
    return parts.length === 1 && format === '@text' ? literal(parts[0]) : { kind: 'text', format, parts };
  }

  #escape(): string {
    const pattern = /u[0-9a-fA-F]{4}|["\\/bfnrt]/y;
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (!found) throw new JqSyntaxError(`\\${this.#text[this.#at] ?? ''} is no escape`);
    this.#at += found.length;
    return JSON.parse(`"\\${found}"`) as string;
  }

  #isVariable(): boolean {
    return this.#token.kind === 'variable';
  }

  #is(text: string): boolean {
    return this.#token.text === text && (this.#token.kind === 'symbol' || this.#token.kind === 'name');
  }

  #accept(text: string): boolean {
    if (!this.#is(text)) return false;
    this.#advance();
    return true;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw this.#unexpected(text);
  }

  #advance(): Token {
    const current = this.#token;
    this.#token = this.#next();
    return current;
  }

  #next(): Token {
    for (;;) {
      const at = this.#at;
      if (at >= this.#text.length) return { kind: 'end', text: '', at };
      token.lastIndex = at;
      const match = token.exec(this.#text);
      if (!match)
        throw new JqSyntaxError(`${JSON.stringify(this.#text.slice(at, at + 30))} at column ${at + 1} is no jq`);
      this.#at += match[0].length;
      const [kind, text] = Object.entries(match.groups ?? {}).find(([, value]) => value !== undefined) ?? [];
      if (kind && text !== undefined) return { kind: kind as Token['kind'], text, at };
    }
  }

  #unexpected(wanted?: string): JqSyntaxError {
    const { kind, text, at } = this.#token;
    const found = kind === 'end' ? 'it ends too early' : `${JSON.stringify(text)} at column ${at + 1} is not expected`;
    return new JqSyntaxError(wanted ? `${found}; wanted ${wanted}` : found);
  }
}

/** Only the last suffix before `?` may fail: `.a` of `.a[]?` may not, as gojq reads it. */
function optional(query: Query): Query {
  const has = query.kind === 'index' || query.kind === 'slice' || query.kind === 'iterate';
  if (!has || query.target.kind === 'identity') return { kind: 'try', body: query, handler: undefined };
  const last: Query = { ...query, target: { kind: 'identity' } };
  return { kind: 'pipe', left: query.target, right: { kind: 'try', body: last, handler: undefined } };
}
