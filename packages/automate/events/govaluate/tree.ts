import { EvaluateError, type Token, tokensOf } from './tokens.ts';

export type Expression =
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'unary'; readonly operator: string; readonly operand: Expression }
  | { readonly kind: 'binary'; readonly operator: string; readonly left: Expression; readonly right: Expression }
  | { readonly kind: 'list'; readonly items: readonly Expression[] };

/** Binary operators, the loosest first; all of a level go from left to right. */
const levels: readonly (readonly string[])[] = [
  // `a ? b` is null where `a` is false, and `a : b` is `b` where `a` is null
  ['?', ':', '??'],
  ['||'],
  ['&&'],
  ['==', '!=', '>', '>=', '<', '<=', '=~', '!~', 'in'],
  ['&', '|', '^'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
  ['**'],
];

const modifiers = new Set(['&', '|', '^', '<<', '>>', '+', '-', '*', '/', '%', '**']);

const deepest = 200;

/** Reads an expression of govaluate. Throws `EvaluateError`. */
export function parseExpression(text: string): Expression {
  const parser = new Parser(tokensOf(text));
  const expression = parser.list(0);
  parser.end();
  return expression;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  end(): void {
    const token = this.#tokens[this.#at];
    if (token) throw new EvaluateError(`Unexpected ${JSON.stringify(token.value)}`);
  }

  #takes(candidates: readonly string[]): string | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'operator' || !candidates.includes(token.value)) return undefined;
    this.#at++;
    return token.value;
  }

  list(depth: number): Expression {
    const items = [this.#binary(0, depth)];
    while (this.#takes([','])) items.push(this.#binary(0, depth));
    return items.length === 1 ? (items[0] as Expression) : { kind: 'list', items };
  }

  #binary(level: number, depth: number): Expression {
    const operators = levels[level];
    if (!operators) return this.#unary(depth);
    let left = this.#binary(level + 1, depth);
    for (let operator = this.#takes(operators); operator; operator = this.#takes(operators)) {
      if (modifiers.has(operator)) this.#refuseDate(operator);
      left = { kind: 'binary', operator, left, right: this.#binary(level + 1, depth) };
    }
    return left;
  }

  /** Nothing is computed with a date. */
  #refuseDate(operator: string): void {
    const token = this.#tokens[this.#at];
    if (token?.kind === 'text' && typeof dateOrText(token.value) === 'number')
      throw new EvaluateError(`Cannot transition token types from MODIFIER [${operator}] to TIME [${token.value}]`);
  }

  #unary(depth: number): Expression {
    if (depth > deepest) throw new EvaluateError('it goes too deep');
    const operator = this.#takes(['!', '-', '~']);
    return operator ? { kind: 'unary', operator, operand: this.#unary(depth + 1) } : this.#primary(depth);
  }

  #primary(depth: number): Expression {
    if (this.#takes(['('])) {
      if (this.#takes([')'])) return { kind: 'literal', value: null };
      const inner = this.list(depth + 1);
      if (!this.#takes([')'])) throw new EvaluateError('Unbalanced parenthesis');
      return inner;
    }
    const token = this.#tokens[this.#at++];
    if (!token) throw new EvaluateError('Unexpected end of expression');
    if (token.kind === 'name') return { kind: 'name', name: token.value };
    if (token.kind === 'operator') throw new EvaluateError(`Unexpected ${JSON.stringify(token.value)}`);
    return { kind: 'literal', value: token.kind === 'text' ? dateOrText(token.value) : token.value };
  }
}

const date = /^\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:\d{2})?)?$/;

/** A text that is a date counts as its seconds, as in govaluate. */
function dateOrText(text: string): unknown {
  if (!date.test(text)) return text;
  const zoned = /(?:Z|[+-]\d{2}:\d{2})$/.test(text) || !text.includes(':') ? text : `${text}Z`;
  const ms = Date.parse(zoned.replace(' ', 'T'));
  return Number.isNaN(ms) ? text : ms / 1000;
}
