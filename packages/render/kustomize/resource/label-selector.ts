import { GoError } from '../failure/go-error.ts';

type Values = ReadonlyMap<string, string>;
type Requirement = (values: Values) => boolean;

/**
 * Reads a selector such as `a=b,c!=d,e in (f,g),h,!i,j>1` as a test of labels or annotations; an empty one holds for all.
 * Throws GoError in the words of Kubernetes' own parser.
 */
export function parseSelector(text: string): Requirement {
  if (text === '') return () => true;
  const requirements = new Parser(scan(text)).requirements();
  return (values) => requirements.every((holds) => holds(values));
}

type TokenKind = 'word' | 'end' | 'error' | ')' | '(' | ',' | '!' | '==' | '=' | '!=' | '>' | '<' | 'in' | 'notin';

interface Token {
  readonly kind: TokenKind;
  readonly text: string;
}

const symbols = new Set<string>([')', '(', ',', '!', '==', '=', '!=', '>', '<']);

function scan(text: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < text.length) {
    const rest = text.slice(at);
    const space = /^[ \t\r\n]+/.exec(rest)?.[0];
    if (space !== undefined) {
      at += space.length;
      continue;
    }
    const symbol = /^[=!(),<>]+/.exec(rest)?.[0];
    if (symbol === undefined) {
      const word = /^[^=!(),<> \t\r\n]+/.exec(rest)?.[0] as string;
      tokens.push({ kind: word === 'in' || word === 'notin' ? word : 'word', text: word });
      at += word.length;
      continue;
    }
    // The longest beginning that is a symbol; one alone always is.
    let length = 1;
    while (length < symbol.length && symbols.has(symbol.slice(0, length + 1))) length++;
    const found = symbol.slice(0, length);
    tokens.push({ kind: found as TokenKind, text: found });
    at += length;
  }
  tokens.push({ kind: 'end', text: '' });
  return tokens;
}

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  requirements(): Requirement[] {
    const found: Requirement[] = [];
    for (;;) {
      const { kind, text } = this.#peek();
      if (kind === 'end') return found;
      if (kind !== 'word' && kind !== '!')
        throw refused(`found '${text}', expected: !, identifier, or 'end of string'`);
      try {
        found.push(this.#requirement());
      } catch (error) {
        throw refused(`unable to parse requirement: ${(error as Error).message}`);
      }
      const next = this.#take();
      if (next.kind === 'end') return found;
      if (next.kind !== ',') throw refused(`found '${next.text}', expected: ',' or 'end of string'`);
      const after = this.#peek();
      if (after.kind !== 'word' && after.kind !== '!')
        throw refused(`found '${after.text}', expected: identifier after ','`);
    }
  }

  /** Where a value or a key may stand, `in` and `notin` are words. */
  #peek(): Token {
    const token = this.#tokens[Math.min(this.#at, this.#tokens.length - 1)] as Token;
    return token.kind === 'in' || token.kind === 'notin' ? { kind: 'word', text: token.text } : token;
  }

  #take(): Token {
    const token = this.#peek();
    this.#at++;
    return token;
  }

  #requirement(): Requirement {
    let token = this.#take();
    const negated = token.kind === '!';
    if (negated) token = this.#take();
    if (token.kind !== 'word') throw refused(`found '${token.text}', expected: identifier`);
    const key = token.text;
    checkKey(key);
    const { kind } = this.#peek();
    if (negated) return (values) => !values.has(key);
    if (kind === 'end' || kind === ',') return (values) => values.has(key);
    return this.#comparison(key);
  }

  #comparison(key: string): Requirement {
    const operator = this.#tokens[this.#at++] as Token;
    switch (operator.kind) {
      case 'in':
      case 'notin': {
        const wanted = this.#set();
        for (const value of wanted) checkValue(key, value);
        return operator.kind === 'in'
          ? (values) => values.has(key) && wanted.has(values.get(key) as string)
          : (values) => !values.has(key) || !wanted.has(values.get(key) as string);
      }
      case '=':
      case '==':
      case '!=': {
        const wanted = this.#value();
        checkValue(key, wanted);
        return operator.kind === '!=' ? (values) => values.get(key) !== wanted : (values) => values.get(key) === wanted;
      }
      case '>':
      case '<': {
        const wanted = this.#value();
        if (!isInteger(wanted)) throw refused("for 'Gt', 'Lt' operators, the value must be an integer");
        checkValue(key, wanted);
        const limit = BigInt(wanted);
        const above = operator.kind === '>';
        return (values) => {
          const value = values.get(key);
          if (value === undefined || !isInteger(value)) return false;
          return above ? BigInt(value) > limit : BigInt(value) < limit;
        };
      }
      default:
        throw refused(`found '${operator.text}', expected: '=', '!=', '==', 'in', notin'`);
    }
  }

  #value(): string {
    const { kind } = this.#peek();
    if (kind === 'end' || kind === ',') return '';
    const token = this.#take();
    if (token.kind === 'word') return token.text;
    throw refused(`found '${token.text}', expected: identifier`);
  }

  #set(): Set<string> {
    const open = this.#take();
    if (open.kind !== '(') throw refused(`found '${open.text}' expected: '('`);
    const first = this.#peek();
    if (first.kind === ')') {
      this.#take();
      return new Set(['']);
    }
    if (first.kind !== 'word' && first.kind !== ',')
      throw refused(`found '${first.text}', expected: ',', ')' or identifier`);
    const values = this.#values();
    if (this.#take().kind !== ')') throw refused(`found '${first.text}', expected: ')'`);
    return values;
  }

  #values(): Set<string> {
    const values = new Set<string>();
    for (;;) {
      const token = this.#take();
      if (token.kind === 'word') {
        values.add(token.text);
        const next = this.#peek();
        if (next.kind === ')') return values;
        if (next.kind !== ',') throw refused(`found '${next.text}', expected: ',' or ')'`);
      } else if (token.kind === ',') {
        if (values.size === 0) values.add('');
        const next = this.#peek();
        if (next.kind === ')') {
          values.add('');
          return values;
        }
        if (next.kind === ',') {
          this.#take();
          values.add('');
        }
      } else throw refused(`found '${token.text}', expected: ',', or identifier`);
    }
  }
}

function refused(message: string): GoError {
  return new GoError(message);
}

function isInteger(text: string): boolean {
  return /^[-+]?\d{1,19}$/.test(text);
}

const nameForm = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';
const nameRule = `must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '${nameForm}')`;
const domainForm = '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*';
const domainRule = `a DNS-1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '${domainForm}')`;
const valueRule = `a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(${nameForm})?')`;
const namePattern = new RegExp(`^${nameForm}$`);
const domainPattern = new RegExp(`^${domainForm}$`);

function checkKey(key: string): void {
  const problems = keyProblems(key.split('/'));
  if (problems.length > 0) throw refused(`invalid label key ${JSON.stringify(key)}: ${problems.join('; ')}`);
}

function keyProblems(parts: readonly string[]): string[] {
  if (parts.length > 2)
    return [`a qualified name ${nameRule} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`];
  const problems: string[] = [];
  const [prefix, name] = parts.length === 2 ? (parts as [string, string]) : [undefined, parts[0] as string];
  if (prefix === '') problems.push('prefix part must be non-empty');
  else if (prefix !== undefined) {
    if (prefix.length > 253) problems.push('prefix part must be no more than 253 characters');
    if (!domainPattern.test(prefix)) problems.push(`prefix part ${domainRule}`);
  }
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > 63) problems.push('name part must be no more than 63 characters');
  if (!namePattern.test(name)) problems.push(`name part ${nameRule}`);
  return problems;
}

function checkValue(key: string, value: string): void {
  const problems: string[] = [];
  if (value.length > 63) problems.push('must be no more than 63 characters');
  if (value !== '' && !namePattern.test(value)) problems.push(valueRule);
  if (problems.length > 0)
    throw refused(
      `invalid label value: ${JSON.stringify(value)}: at key: ${JSON.stringify(key)}: ${problems.join('; ')}`,
    );
}
