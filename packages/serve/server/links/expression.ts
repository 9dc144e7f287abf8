import { ExpressionError, type Token, tokenize } from './expression-tokens.ts';
import { binary, call, member, truth } from './expression-values.ts';

/** What names mean: those of the data, and `#`, the element that a predicate is asked about. */
export interface Scope {
  readonly data: Readonly<Record<string, unknown>>;
  readonly element?: unknown;
}

export type Expression = (scope: Scope) => unknown;

/** Binary operators by how tightly they bind. */
const levels: readonly (readonly string[])[] = [
  ['??'],
  ['||', 'or'],
  ['&&', 'and'],
  ['==', '!=', '<', '>', '<=', '>=', 'in', 'contains', 'startsWith', 'endsWith', 'matches', 'not'],
  ['+', '-'],
  ['*', '/', '%'],
  ['**', '^'],
];

/**
 * Evaluates a condition of the language that Argo CD's links use (expr-lang): literals, members, indices, comparisons, `in`,
 * `contains`, `matches`, `and`/`or`/`not`, `?:`, `??`, and the functions that are about texts and lists.
 * Throws an `ExpressionError` for what it does not know.
 */
export function evaluate(source: string, data: Scope['data']): unknown {
  const parser = new Parser(tokenize(source));
  return parser.whole()({ data });
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const expression = this.#ternary();
    if (this.#token.type !== 'end') throw this.#unexpected();
    return expression;
  }

  get #token(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #unexpected(): ExpressionError {
    return new ExpressionError(`unexpected ${this.#token.text ? `"${this.#token.text}"` : 'end'}`);
  }

  /** Goes on if the next token is one of these; the token's text then. */
  #accept(...texts: string[]): string | undefined {
    const { type, text } = this.#token;
    if ((type !== 'operator' && type !== 'name') || !texts.includes(text)) return undefined;
    this.#at += 1;
    return text;
  }

  #expect(text: string): void {
    if (!this.#accept(text)) throw this.#unexpected();
  }

  #ternary(): Expression {
    const condition = this.#binary(0);
    if (!this.#accept('?')) return condition;
    const yes = this.#ternary();
    this.#expect(':');
    const no = this.#ternary();
    return (scope) => (truth(condition(scope)) ? yes(scope) : no(scope));
  }

  #binary(level: number): Expression {
    const operators = levels[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      let operator = this.#accept(...operators);
      if (operator === undefined) return left;
      const negated = operator === 'not';
      if (negated) operator = this.#accept('in', 'contains', 'startsWith', 'endsWith', 'matches');
      if (operator === undefined) throw this.#unexpected();
      const first = left;
      const right = this.#binary(level + 1);
      const named = operator;
      left = negated
        ? (scope) =>
            !truth(
              binary(
                named,
                () => first(scope),
                () => right(scope),
              ),
            )
        : (scope) =>
            binary(
              named,
              () => first(scope),
              () => right(scope),
            );
    }
  }

  #unary(): Expression {
    const operator = this.#accept('!', 'not', '-', '+');
    if (!operator) return this.#postfix(this.#primary());
    const operand = this.#unary();
    if (operator === '!' || operator === 'not') return (scope) => !truth(operand(scope));
    return (scope) =>
      binary(
        operator,
        () => 0,
        () => operand(scope),
      );
  }

  #postfix(start: Expression): Expression {
    let value = start;
    for (;;) {
      const object = value;
      const access = this.#accept('.', '?.', '[');
      if (!access) return value;
      if (access === '[') {
        const key = this.#ternary();
        this.#expect(']');
        value = (scope) => member(object(scope), key(scope), false);
        continue;
      }
      const { text, type } = this.#token;
      if (type !== 'name') throw this.#unexpected();
      this.#at += 1;
      value = (scope) => member(object(scope), text, access === '?.');
    }
  }

  #primary(): Expression {
    const { type, text, value } = this.#token;
    if (type === 'number' || type === 'text') {
      this.#at += 1;
      return () => value;
    }
    if (this.#accept('(')) {
      const inner = this.#ternary();
      this.#expect(')');
      return inner;
    }
    if (this.#accept('[')) return this.#list();
    if (this.#accept('#')) return ({ element }) => element;
    // inside of a predicate, `.name` is a member of the element
    if (text === '.') return ({ element }) => element;
    if (type !== 'name') throw this.#unexpected();
    this.#at += 1;
    if (text === 'true' || text === 'false') return () => text === 'true';
    if (text === 'nil') return () => undefined;
    if (this.#accept('(')) return this.#call(text);
    return ({ data }) => (Object.hasOwn(data, text) ? data[text] : undefined);
  }

  #list(): Expression {
    const items = this.#items(']', () => this.#ternary());
    return (scope) => items.map((item) => item(scope));
  }

  #call(name: string): Expression {
    const values = this.#items(')', () => this.#argument());
    return (scope) =>
      call(
        name,
        values.map((value) => value(scope)),
      );
  }

  /** A value, or a predicate in braces or with `#`: what the functions get is a function of an element then. */
  #argument(): Expression {
    const start = this.#at;
    const braced = this.#accept('{') !== undefined;
    const body = this.#ternary();
    if (braced) this.#expect('}');
    const used = this.#tokens.slice(start, this.#at);
    const isPredicate =
      braced ||
      used.some(({ text, type }, index) => {
        const before = used[index - 1];
        const starts = !before || (before.type === 'operator' && ![')', ']', '}'].includes(before.text));
        return type === 'operator' && (text === '#' || (text === '.' && starts));
      });
    return isPredicate
      ? ({ data }) =>
          (element: unknown) =>
            body({ data, element })
      : body;
  }

  #items(end: string, item: () => Expression): Expression[] {
    const items: Expression[] = [];
    while (!this.#accept(end)) {
      if (items.length > 0) this.#expect(',');
      items.push(item());
    }
    return items;
  }
}
