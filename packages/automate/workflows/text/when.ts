import { RE2JS } from 're2js';
import { type Token, tokensOf, WhenError } from './when-tokens.ts';

type Scalar = string | number | boolean | null | Scalar[];

/** Operators by how tightly they bind, loosest first; those of one line bind alike, from left to right. */
const levels: readonly (readonly string[])[] = [
  ['??'],
  ['||'],
  ['&&'],
  ['==', '!=', '>', '<', '>=', '<=', '=~', '!~', 'in'],
  ['&', '|', '^', '<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
  ['**'],
];

/**
 * True if a `when` lets its step run; an empty one does. The language is govaluate's as Argo Workflows uses it: names without quotes
 * are texts, so `{{steps.flip.outputs.result}} == heads` works. Throws a `WhenError` with what is wrong.
 */
export function whenHolds(when: string): boolean {
  if (!when) return true;
  const parser = new WhenParser(when, tokensOf(when));
  const value = parser.parse();
  if (typeof value !== 'boolean') {
    throw new WhenError(`Expected boolean evaluation for '${when}'. Got ${shown(value)}`);
  }
  return value;
}

function shown(value: Scalar): string {
  return Array.isArray(value) ? `[${value.map(shown).join(' ')}]` : String(value);
}

class WhenParser {
  readonly #when: string;
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(when: string, tokens: readonly Token[]) {
    this.#when = when;
    this.#tokens = tokens;
  }

  parse(): Scalar {
    const value = this.#ternary();
    const rest = this.#tokens[this.#at];
    if (rest) throw this.#invalid(`Unexpected '${rest.text}'`);
    return value;
  }

  #ternary(): Scalar {
    const condition = this.#binary(0);
    if (!this.#take('?')) return condition;
    const yes = this.#binary(0);
    if (!this.#take(':')) return condition === true ? yes : null;
    const no = this.#ternary();
    return condition === true ? yes : no;
  }

  #binary(level: number): Scalar {
    const operators = levels[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const operator = this.#operatorOf(operators);
      if (!operator) return left;
      left = this.#apply(operator, left, this.#binary(level + 1));
    }
  }

  #operatorOf(operators: readonly string[]): string | undefined {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'operator' || !operators.includes(token.text)) return undefined;
    this.#at += 1;
    return token.text;
  }

  #unary(): Scalar {
    if (this.#take('!')) {
      const value = this.#unary();
      if (typeof value !== 'boolean') throw this.#misfit(value, 'logical operator', '!', 'bool');
      return !value;
    }
    if (this.#take('-')) return -this.#number(this.#unary(), '-');
    if (this.#take('~')) return ~this.#number(this.#unary(), '~');
    return this.#primary();
  }

  #primary(): Scalar {
    const token = this.#tokens[this.#at];
    if (!token) throw this.#invalid('Unexpected end of expression');
    this.#at += 1;
    if (token.kind === 'value') return token.value;
    if (token.text !== '(') throw this.#invalid(`Unexpected '${token.text}'`);
    const items: Scalar[] = [];
    if (this.#take(')')) return items;
    do items.push(this.#ternary());
    while (this.#take(','));
    if (!this.#take(')')) throw this.#invalid('Unbalanced parenthesis');
    return items.length === 1 ? (items[0] as Scalar) : items;
  }

  #take(text: string): boolean {
    const token = this.#tokens[this.#at];
    if (token?.kind !== 'operator' || token.text !== text) return false;
    this.#at += 1;
    return true;
  }

  #apply(operator: string, left: Scalar, right: Scalar): Scalar {
    switch (operator) {
      case '??':
        return left ?? right;
      case '||':
        return this.#boolean(left, operator) || this.#boolean(right, operator);
      case '&&':
        return this.#boolean(left, operator) && this.#boolean(right, operator);
      case '==':
        return equal(left, right);
      case '!=':
        return !equal(left, right);
      case 'in':
        return (Array.isArray(right) ? right : [right]).some((item) => equal(left, item));
      case '=~':
      case '!~':
        return matches(String(left), String(right)) === (operator === '=~');
      case '+':
        if (typeof left === 'string' || typeof right === 'string') return shown(left) + shown(right);
        return this.#number(left, operator) + this.#number(right, operator);
      default:
        return this.#arithmetic(operator, left, right);
    }
  }

  #arithmetic(operator: string, left: Scalar, right: Scalar): Scalar {
    const isComparison = ['<', '>', '<=', '>='].includes(operator);
    if (isComparison && typeof left === 'string' && typeof right === 'string') return compare(operator, left, right);
    const a = this.#number(left, operator);
    const b = this.#number(right, operator);
    if (isComparison) return compare(operator, a, b);
    switch (operator) {
      case '-':
        return a - b;
      case '*':
        return a * b;
      case '/':
        return a / b;
      case '%':
        return a % b;
      case '**':
        return a ** b;
      case '&':
        return a & b;
      case '|':
        return a | b;
      case '^':
        return a ^ b;
      case '<<':
        return a << b;
      default:
        return a >> b;
    }
  }

  #boolean(value: Scalar, operator: string): boolean {
    if (typeof value !== 'boolean') throw this.#misfit(value, 'logical operator', operator, 'bool');
    return value;
  }

  #number(value: Scalar, operator: string): number {
    const role = ['<', '>', '<=', '>='].includes(operator) ? 'comparator' : 'modifier';
    if (typeof value !== 'number') throw this.#misfit(value, role, operator, 'number');
    return value;
  }

  #misfit(value: Scalar, role: string, operator: string, wanted: string): WhenError {
    return new WhenError(
      `Failed to evaluate 'when' expresion '${this.#when}': Value '${shown(value)}' cannot be used with the ${role} '${operator}', it is not a ${wanted}`,
    );
  }

  #invalid(reason: string): WhenError {
    return new WhenError(`Invalid 'when' expression '${this.#when}': ${reason}`);
  }
}

function equal(left: Scalar, right: Scalar): boolean {
  if (!Array.isArray(left) || !Array.isArray(right)) return left === right;
  return left.length === right.length && left.every((item, index) => equal(item, right[index] as Scalar));
}

function compare<T extends string | number>(operator: string, left: T, right: T): boolean {
  if (operator === '<') return left < right;
  if (operator === '>') return left > right;
  return operator === '<=' ? left <= right : left >= right;
}

function matches(text: string, pattern: string): boolean {
  try {
    return RE2JS.compile(pattern).matcher(text).find();
  } catch (error) {
    throw new WhenError(`Failed to compile the pattern '${pattern}': ${(error as Error).message}`);
  }
}
