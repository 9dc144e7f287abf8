import { JsonnetError, type SourceText } from './jsonnet-error.ts';
import { type Token, tokenize } from './lexer.ts';
import { parseObject } from './object-parser.ts';
import type { ApplyNode, Bind, ForSpec, Node, Parameter } from './syntax.ts';

/** Binary operators from the tightest to the loosest; an application binds tighter than all, a unary one comes next. */
const precedence = new Map(
  [
    ['*', '/', '%'],
    ['+', '-'],
    ['<<', '>>'],
    ['<', '>', '<=', '>=', 'in'],
    ['==', '!='],
    ['&'],
    ['^'],
    ['|'],
    ['&&'],
    ['||'],
  ].flatMap((operators, index) => operators.map((operator) => [operator, index] as const)),
);
const loosest = 9;
const maxDepth = 1_000;

/** Reads one program. Throws a `JsonnetError` that says what was found where. */
export function parse(source: SourceText): Node {
  const parser = new Parser(source);
  const node = parser.expression();
  parser.end();
  return node;
}

/** Reads tokens from the left, one ahead. */
export class Parser {
  readonly source: SourceText;
  readonly #tokens: readonly Token[];
  #index = 0;
  #depth = 0;

  constructor(source: SourceText) {
    this.source = source;
    this.#tokens = tokenize(source);
  }

  get next(): Token {
    return this.#tokens[this.#index] as Token;
  }

  take(): Token {
    const token = this.next;
    this.#index += 1;
    return token;
  }

  /** Takes the token if it reads so. */
  accept(text: string): Token | undefined {
    return this.is(text) ? this.take() : undefined;
  }

  is(text: string, ahead = 0): boolean {
    const token = this.#tokens[this.#index + ahead];
    return token !== undefined && token.kind !== 'string' && token.kind !== 'identifier' && token.text === text;
  }

  expect(text: string, doing?: string): Token {
    if (this.is(text)) return this.take();
    throw this.unexpected(this.next, doing, `Expected token ${JSON.stringify(text)} but got ${shown(this.next)}`);
  }

  identifier(): Token {
    if (this.next.kind === 'identifier') return this.take();
    throw this.fail(`Expected token IDENTIFIER but got ${shown(this.next)}`, this.next.at);
  }

  unexpected(token: Token, doing?: string, message = `Unexpected: ${shown(token)}`): JsonnetError {
    return this.fail(doing ? `${message} while ${doing}` : message, token.at);
  }

  fail(message: string, at: number): JsonnetError {
    return new JsonnetError('static', message, { spot: { source: this.source, at } });
  }

  end(): void {
    if (this.next.kind !== 'end') throw this.fail(`Did not expect: ${shown(this.next)}`, this.next.at);
  }

  expression(limit = loosest): Node {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw this.fail('Exceeded maximum recursion depth limit of 1000', this.next.at);
    const node = this.#expression(limit);
    this.#depth -= 1;
    return node;
  }

  #expression(limit: number): Node {
    const { source, next: begin } = this;
    const { at } = begin;
    if (begin.kind === 'keyword') {
      const node = this.#statement(begin);
      if (node) return node;
    }
    let left = this.#unary();
    for (;;) {
      const { kind, text } = this.next;
      const level = kind === 'operator' || text === 'in' ? precedence.get(text) : undefined;
      if (level === undefined || kind === 'string' || kind === 'identifier') {
        if (
          kind === 'operator' &&
          text !== ':' &&
          text !== '::' &&
          text !== ':::' &&
          text !== '=' &&
          !text.startsWith('+:')
        )
          throw this.fail(`Not a binary operator: ${text}`, this.next.at);
        return left;
      }
      if (level > limit) return left;
      this.take();
      if (text === 'in' && this.is('super') && !this.is('.', 1) && !this.is('[', 1)) {
        this.take();
        left = { kind: 'in-super', index: left, source, at };
        continue;
      }
      const right = this.expression(level - 1);
      left = { kind: 'binary', operator: text, left, right, source, at };
    }
  }

  /** What begins with a keyword and reaches as far to the right as it can. */
  #statement({ text, at }: Token): Node | undefined {
    const { source } = this;
    if (text === 'assert') {
      this.take();
      const test = this.expression();
      const message = this.accept(':') ? this.expression() : undefined;
      this.expect(';');
      const assertion = { source, at, test, ...(message ? { message } : {}) };
      return { kind: 'assert', assertion, rest: this.expression(), source, at };
    }
    if (text === 'error') {
      this.take();
      return { kind: 'error', message: this.expression(), source, at };
    }
    if (text === 'if') {
      this.take();
      const test = this.expression();
      this.expect('then');
      const then = this.expression();
      const otherwise = this.accept('else') ? this.expression() : undefined;
      return { kind: 'conditional', test, then, ...(otherwise ? { otherwise } : {}), source, at };
    }
    if (text === 'function') {
      this.take();
      const open = this.next;
      if (!this.is('(')) throw this.fail(`Expected ( but got ${shown(open)}`, open.at);
      const parameters = this.parameters();
      return { kind: 'function', name: '', parameters, body: this.expression(), source, at };
    }
    if (text === 'local') {
      this.take();
      const binds: Bind[] = [];
      do {
        this.bind(binds);
      } while (this.accept(','));
      this.expect(';');
      return { kind: 'local', binds, body: this.expression(), source, at };
    }
    if (text === 'import' || text === 'importstr' || text === 'importbin') {
      this.take();
      const path = this.expression();
      const token = this.#tokens[this.#index - 1] as Token;
      if (path.kind !== 'literal' || typeof path.value !== 'string')
        throw this.fail('Computed imports are not allowed', at);
      if (token.block) throw this.fail('Block string literals not allowed in imports', at);
      const how = text === 'import' ? 'code' : text === 'importstr' ? 'text' : 'bytes';
      return { kind: 'import', how, path: path.value, source, at };
    }
    return undefined;
  }

  /** `name = body` or `name(parameters) = body` of a `local`. */
  bind(binds: Bind[]): void {
    const { text: name, at } = this.identifier();
    if (binds.some((bind) => bind.name === name)) throw this.fail(`Duplicate local var: ${name}`, at);
    const parameters = this.is('(') ? this.parameters() : undefined;
    this.expect('=');
    const body = this.expression();
    binds.push({
      name,
      body: parameters ? { kind: 'function', name, parameters, body, source: this.source, at } : body,
    });
  }

  /** In parentheses, both of which are read. */
  parameters(): Parameter[] {
    this.expect('(');
    const parameters: Parameter[] = [];
    while (!this.accept(')')) {
      const { text: name, at } = this.identifier();
      if (parameters.some((parameter) => parameter.name === name))
        throw this.fail(`Duplicate function parameter: ${name}`, at);
      parameters.push({ name, ...(this.accept('=') ? { fallback: this.expression() } : {}) });
      if (!this.is(')')) this.expect(',', undefined);
    }
    return parameters;
  }

  #unary(): Node {
    const { source, next } = this;
    if (next.kind === 'operator') {
      if (!['!', '~', '+', '-'].includes(next.text)) throw this.fail(`Not a unary operator: ${next.text}`, next.at);
      this.take();
      this.#depth += 1;
      if (this.#depth > maxDepth) throw this.fail('Exceeded maximum recursion depth limit of 1000', next.at);
      const operand = this.next.kind === 'keyword' ? (this.#statement(this.next) ?? this.#unary()) : this.#unary();
      this.#depth -= 1;
      return { kind: 'unary', operator: next.text, operand, source, at: next.at };
    }
    let node = this.#terminal();
    for (;;) {
      const { at } = node;
      if (this.accept('.')) {
        const { text: name, at: place } = this.identifier();
        node = { kind: 'index', target: node, index: { kind: 'literal', value: name, source, at: place }, source, at };
      } else if (this.is('[')) node = this.#brackets(node);
      else if (this.is('(')) node = this.#call(node);
      else if (this.is('{')) node = { kind: 'binary', operator: '+', left: node, right: this.#terminal(), source, at };
      else return node;
    }
  }

  #brackets(target: Node): Node {
    const { source } = this;
    const open = this.take();
    if (this.is(']')) throw this.fail('ast.Index requires an expression', this.next.at);
    const parts: (Node | undefined)[] = [];
    let colons = 0;
    while (!this.is(']')) {
      if (this.is(':') || this.is('::')) {
        if (parts.length === colons) parts.push(undefined);
        colons += this.take().text.length;
        if (colons > parts.length) parts.push(undefined);
        if (colons > 2) throw this.unexpected(this.next, 'parsing slice');
      } else if (parts.length > colons) throw this.unexpected(this.next, 'parsing slice');
      else parts.push(this.expression());
    }
    this.expect(']');
    const { at } = target;
    if (colons > 0) return { kind: 'slice', target, parts, source, at };
    const [index] = parts;
    if (!index) throw this.unexpected(open);
    return { kind: 'index', target, index, source, at };
  }

  #call(target: Node): ApplyNode {
    const { source } = this;
    this.take();
    const positional: Node[] = [];
    const named: { name: string; value: Node }[] = [];
    while (!this.accept(')')) {
      if (this.next.kind === 'identifier' && this.is('=', 1)) {
        const name = this.take().text;
        this.take();
        named.push({ name, value: this.expression() });
      } else {
        if (named.length > 0)
          throw this.fail('Positional argument after a named argument is not allowed', this.next.at);
        positional.push(this.expression());
      }
      if (!this.is(')') && !this.accept(','))
        throw this.fail(`Expected a comma before next function argument, got ${shown(this.next)}`, this.next.at);
    }
    const tailstrict = this.accept('tailstrict') !== undefined;
    return { kind: 'apply', target, positional, named, tailstrict, source, at: target.at };
  }

  #terminal(): Node {
    const { source } = this;
    const token = this.take();
    const { kind, text, at } = token;
    const literal = (value: null | boolean | number | string): Node => ({ kind: 'literal', value, source, at });
    if (kind === 'string') return literal(text);
    if (kind === 'number') return literal(Number(text.replaceAll('_', '')));
    if (kind === 'identifier') return { kind: 'variable', name: text, source, at };
    if (text === '{') return parseObject(this, at);
    if (text === '[') return this.#array(at);
    if (text === '(') {
      const inner = this.expression();
      this.expect(')');
      return inner;
    }
    if (text === '$' && kind === 'punctuation') return { kind: 'dollar', source, at };
    if (text === 'self') return { kind: 'self', source, at };
    if (text === 'null') return literal(null);
    if (text === 'true' || text === 'false') return literal(text === 'true');
    if (text === 'super') return this.#super(at);
    throw this.unexpected(token, 'parsing terminal');
  }

  #super(at: number): Node {
    const { source } = this;
    if (this.accept('.')) {
      const { text, at: place } = this.identifier();
      return { kind: 'super', index: { kind: 'literal', value: text, source, at: place }, source, at };
    }
    if (!this.accept('[')) throw this.fail('Expected . or [ after super', at);
    const index = this.expression();
    this.expect(']');
    return { kind: 'super', index, source, at };
  }

  #array(at: number): Node {
    const { source } = this;
    const items: Node[] = [];
    while (!this.accept(']')) {
      const item = this.expression();
      const comma = this.accept(',');
      if (items.length === 0 && this.is('for')) {
        const specs = this.forSpecs();
        this.expect(']');
        return { kind: 'array-comprehension', body: item, specs, source, at };
      }
      items.push(item);
      if (!comma && !this.is(']')) throw this.fail('Expected a comma before next array element', this.next.at);
    }
    return { kind: 'array', items, source, at };
  }

  forSpecs(): ForSpec[] {
    const specs: ForSpec[] = [];
    while (this.accept('for')) {
      const { text: name } = this.identifier();
      this.expect('in');
      const over = this.expression();
      const conditions: Node[] = [];
      while (this.accept('if')) conditions.push(this.expression());
      specs.push({ name, over, conditions });
    }
    return specs;
  }
}

function shown({ kind, text }: Token): string {
  if (kind === 'end') return 'end of file';
  return kind === 'identifier' || kind === 'number' || kind === 'string'
    ? `(${kind.toUpperCase()}, ${JSON.stringify(text)})`
    : JSON.stringify(text);
}
