import { EvaluateError } from '../govaluate/tokens.ts';

/** A condition over dependencies: `a && (b || c)`. */
export type Condition =
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'and' | 'or'; readonly parts: readonly Condition[] };

const token = /\s*(&&|\|\||\(|\)|[^\s&|()]+)/y;

/** The condition of a trigger; empty asks for all dependencies. Throws `EvaluateError` with what is wrong in it. */
export function parseCondition(text: string, dependencies: readonly string[]): Condition {
  if (text.trim() === '') {
    const parts = dependencies.map((name) => ({ kind: 'name', name }) as const);
    return parts.length === 1 ? (parts[0] as Condition) : { kind: 'and', parts };
  }
  const tokens = tokensOf(text);
  // upstream does not tell - and _ apart; a name as it is written wins
  const alike = dependencies.map((name) => [name.replaceAll('-', '_'), name] as const);
  const names = new Map([...alike, ...dependencies.map((name) => [name, name] as const)]);
  const parser = new Parser(tokens, names);
  const condition = parser.or(0);
  parser.end();
  return condition;
}

function tokensOf(text: string): string[] {
  const tokens: string[] = [];
  let at = 0;
  const { length } = text.trimEnd();
  while (at < length) {
    token.lastIndex = at;
    const found = token.exec(text);
    if (!found)
      throw new EvaluateError(`condition ${JSON.stringify(text)}: unexpected ${JSON.stringify(text[at])} at ${at}`);
    tokens.push(found[1] as string);
    at += found[0].length;
  }
  return tokens;
}

class Parser {
  readonly #tokens: readonly string[];
  readonly #names: ReadonlyMap<string, string>;
  #at = 0;

  constructor(tokens: readonly string[], names: ReadonlyMap<string, string>) {
    this.#tokens = tokens;
    this.#names = names;
  }

  end(): void {
    const left = this.#tokens[this.#at];
    if (left !== undefined) throw new EvaluateError(`condition: unexpected ${JSON.stringify(left)}`);
  }

  or(depth: number): Condition {
    return this.#joined('or', '||', () => this.#joined('and', '&&', () => this.#primary(depth)));
  }

  #joined(kind: 'and' | 'or', operator: string, read: () => Condition): Condition {
    const parts = [read()];
    while (this.#tokens[this.#at] === operator) {
      this.#at++;
      parts.push(read());
    }
    return parts.length === 1 ? (parts[0] as Condition) : { kind, parts };
  }

  #primary(depth: number): Condition {
    if (depth > 200) throw new EvaluateError('condition: it goes too deep');
    const name = this.#tokens[this.#at++];
    if (name === '(') {
      const inner = this.or(depth + 1);
      if (this.#tokens[this.#at++] !== ')') throw new EvaluateError('condition: a ( is not closed');
      return inner;
    }
    const known =
      name === undefined ? undefined : (this.#names.get(name) ?? this.#names.get(name.replaceAll('-', '_')));
    if (known) return { kind: 'name', name: known };
    if (name === undefined) throw new EvaluateError('condition: it ends too early');
    if (/^[)&|]/.test(name)) throw new EvaluateError(`condition: unexpected ${JSON.stringify(name)}`);
    throw new EvaluateError(
      `condition: no dependency is called ${JSON.stringify(name)}; there are ${[...new Set(this.#names.values())].join(', ')}`,
    );
  }
}

/** True if the dependencies at hand meet the condition. */
export function isMet(condition: Condition, present: ReadonlySet<string>): boolean {
  if (condition.kind === 'name') return present.has(condition.name);
  const { kind, parts } = condition;
  return kind === 'and' ? parts.every((part) => isMet(part, present)) : parts.some((part) => isMet(part, present));
}

/** All dependencies that a condition names, each once. */
export function dependenciesOf(condition: Condition): string[] {
  if (condition.kind === 'name') return [condition.name];
  return [...new Set(condition.parts.flatMap(dependenciesOf))];
}

/** True if one event alone can meet it, so that nothing has to be kept: it asks for no two at once. */
export function isSimple(condition: Condition): boolean {
  return condition.kind === 'name' || (condition.kind === 'or' && condition.parts.every(isSimple));
}

/** What a condition still waits for. */
export function missingOf(condition: Condition, present: ReadonlySet<string>): string {
  if (isMet(condition, present)) return '';
  if (condition.kind === 'name') return condition.name;
  const missing = condition.parts.map((part) => missingOf(part, present)).filter(Boolean);
  return missing.join(condition.kind === 'and' ? ' and ' : ' or ');
}
