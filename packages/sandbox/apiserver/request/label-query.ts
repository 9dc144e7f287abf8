import { badRequest, labelValueProblems, parseInt64, qualifiedNameProblems } from '@tiphys/apimachinery';

/** Tells whether labels match. */
export type MatchesLabels = (labels: Readonly<Record<string, string>>) => boolean;

interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

interface Token {
  readonly kind: 'word' | 'symbol' | 'end' | 'error';
  readonly text: string;
}

const OPERATORS = ['in', 'notin', '=', '==', '!=', 'gt', 'lt'];

/** Compiles a `labelSelector` of a query: `a=b,c!=d,e in (f,g),h notin (),i,!j,k>1`. Throws BadRequest with the API server's words. */
export function labelQuery(text: string): MatchesLabels {
  const requirements = new Parser(text).parse();
  return (labels) => requirements.every((requirement) => fits(requirement, labels));
}

function fits({ key, operator, values }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case '>':
    case '<': {
      if (value === undefined || !/^[+-]?\d+$/.test(value)) return false;
      const [actual, limit] = [BigInt(value), BigInt(values[0] ?? '0')];
      return operator === '>' ? actual > limit : actual < limit;
    }
    default:
      return value !== undefined && values.includes(value);
  }
}

function tokensOf(text: string): Token[] {
  const tokens: Token[] = [];
  for (const [part] of text.matchAll(/[^\s=!(),<>]+|[=!(),<>]+/g)) {
    if (!/^[=!(),<>]/.test(part)) {
      tokens.push({ kind: 'word', text: part });
      continue;
    }
    for (const [symbol] of part.matchAll(/==|!=|[=!(),<>]/g)) tokens.push({ kind: 'symbol', text: symbol });
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(text: string) {
    this.#tokens = tokensOf(text);
  }

  parse(): Requirement[] {
    const requirements: Requirement[] = [];
    for (;;) {
      const first = this.#peek();
      if (first.kind === 'end') return requirements;
      if (!startsRequirement(first)) throw expected(first, "!, identifier, or 'end of string'");
      requirements.push(this.#requirement());
      const next = this.#next();
      if (next.kind === 'end') return requirements;
      if (next.text !== ',') throw expected(next, "',' or 'end of string'");
      if (!startsRequirement(this.#peek())) throw expected(this.#peek(), "identifier after ','");
    }
  }

  #requirement(): Requirement {
    const negated = this.#peek().text === '!';
    if (negated) this.#next();
    const key = this.#next();
    if (key.kind !== 'word') throw unparsed(`found '${key.text}', expected: identifier`);
    const problems = qualifiedNameProblems(key.text);
    if (problems.length) throw unparsed(`<nil>: Invalid value: ${JSON.stringify(key.text)}: ${problems.join('; ')}`);
    if (negated) return { key: key.text, operator: '!', values: [] };
    if (this.#peek().kind === 'end' || this.#peek().text === ',')
      return { key: key.text, operator: 'exists', values: [] };
    const operator = this.#next();
    if (!['in', 'notin', '=', '==', '!=', '>', '<'].includes(operator.text))
      throw unparsed(`found '${operator.text}', expected: ${OPERATORS.join(', ')}`);
    const values = /^(not)?in$/.test(operator.text) ? this.#values() : [this.#value()];
    checkValues(key.text, operator.text, values);
    return { key: key.text, operator: operator.text, values };
  }

  #value(): string {
    const next = this.#peek();
    if (next.kind === 'end' || next.text === ',') return '';
    this.#next();
    if (next.kind !== 'word') throw unparsed(`found '${next.text}', expected: identifier`);
    return next.text;
  }

  /** `(a, b)`; nothing between commas is the empty value. */
  #values(): string[] {
    const open = this.#next();
    if (open.text !== '(') throw unparsed(`found '${open.text}' expected: '('`);
    const start = this.#peek();
    if (start.text !== ')' && start.text !== ',' && start.kind !== 'word')
      throw unparsed(`found '${start.text}', expected: ',', ')' or identifier`);
    const values = new Set<string>();
    let last: Token = { kind: 'symbol', text: ',' };
    for (;;) {
      const next = this.#next();
      if (next.text === ')') {
        if (last.text === ',') values.add('');
        return [...values].sort();
      }
      if (next.text === ',') {
        if (last.text === ',') values.add('');
      } else if (next.kind !== 'word')
        throw unparsed(`found '${next.text}', expected: ${last.kind === 'word' ? "',' or ')'" : "',', or identifier"}`);
      else if (last.kind === 'word') throw unparsed(`found '${next.text}', expected: ',' or ')'`);
      else values.add(next.text);
      last = next;
    }
  }

  #peek(): Token {
    return this.#tokens[this.#at] as Token;
  }

  #next(): Token {
    const token = this.#peek();
    if (token.kind !== 'end') this.#at += 1;
    return token;
  }
}

function startsRequirement({ kind, text }: Token): boolean {
  return kind === 'word' || text === '!';
}

function checkValues(key: string, operator: string, values: readonly string[]): void {
  const problems: string[] = [];
  const quoted = (value: string) => JSON.stringify(value);
  values.forEach((value, index) => {
    if ((operator === '>' || operator === '<') && parseInt64(value) === undefined)
      problems.push(
        `values[${index}]: Invalid value: ${quoted(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
  });
  values.forEach((value, index) => {
    const wrong = labelValueProblems(value);
    if (wrong.length) problems.push(`values[${index}][${key}]: Invalid value: ${quoted(value)}: ${wrong.join('; ')}`);
  });
  if (problems.length) throw unparsed(problems.length === 1 ? (problems[0] as string) : `[${problems.join(', ')}]`);
}

function expected({ text }: Token, what: string): Error {
  return badRequest(`found '${text}', expected: ${what}`);
}

function unparsed(why: string): Error {
  return badRequest(`unable to parse requirement: ${why}`);
}
