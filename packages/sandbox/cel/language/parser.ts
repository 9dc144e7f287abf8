import { CelCompileError, type CelIssue, type MacroName, type Node } from './ast.ts';
import { type Token, tokenize } from './lexer.ts';

const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);
const RELATIONS = new Set(['<', '<=', '>', '>=', '==', '!=', 'in']);
const ADDITIONS = new Set(['+', '-']);
const PRODUCTS = new Set(['*', '/', '%']);
const MAX_DEPTH = 250;

/** Macros with one variable, by how many arguments (the variable included) they take. */
const MACROS: Record<string, { name: MacroName; counts: readonly number[] }> = {
  all: { name: 'all', counts: [2, 3] },
  exists: { name: 'exists', counts: [2, 3] },
  exists_one: { name: 'exists_one', counts: [2] },
  existsOne: { name: 'exists_one', counts: [3] },
  map: { name: 'map', counts: [2, 3] },
  filter: { name: 'filter', counts: [2] },
  transformList: { name: 'transformList', counts: [3, 4] },
  transformMap: { name: 'transformMap', counts: [3, 4] },
  transformMapEntry: { name: 'transformMapEntry', counts: [3, 4] },
  optMap: { name: 'optMap', counts: [2] },
  optFlatMap: { name: 'optFlatMap', counts: [2] },
};

/** Parses an expression; throws CelCompileError. */
export function parse(text: string): Node {
  return new Parser(text).parse();
}

class Parser {
  readonly #text: string;
  readonly #tokens: readonly Token[];
  readonly #issues: readonly CelIssue[];
  #index = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
    const { tokens, issues } = tokenize(text);
    this.#tokens = tokens;
    this.#issues = issues;
  }

  parse(): Node {
    const node = this.#expression();
    const { kind, text } = this.#peek;
    if (kind !== 'end') {
      const last = this.#tokens[this.#index + 1]?.kind === 'end';
      throw this.#unexpected(`${last ? 'extraneous' : 'mismatched'} input '${text}' expecting <EOF>`);
    }
    if (this.#issues.length) throw new CelCompileError(this.#text, this.#issues);
    return node;
  }

  get #peek(): Token {
    return this.#tokens[this.#index] as Token;
  }

  #is(text: string): boolean {
    return this.#peek.kind !== 'literal' && this.#peek.text === text;
  }

  #take(): Token {
    const token = this.#peek;
    this.#index += 1;
    return token;
  }

  #accept(text: string): Token | undefined {
    return this.#is(text) ? this.#take() : undefined;
  }

  #expect(text: string): Token {
    const token = this.#accept(text);
    if (token) return token;
    const { kind, text: found } = this.#peek;
    if (kind === 'end' && (text === ']' || text === '}'))
      throw this.#unexpected(`mismatched input '<EOF>' expecting {'${text}', ','}`);
    const inserted = kind === 'end' || (text === ':' && kind !== 'operator');
    throw this.#unexpected(
      inserted ? `missing '${text}' at '${found}'` : `mismatched input '${found}' expecting '${text}'`,
    );
  }

  #unexpected(message: string): CelCompileError {
    return new CelCompileError(this.#text, [
      ...this.#issues,
      { at: this.#peek.at, message: `Syntax error: ${message}` },
    ]);
  }

  #expression(): Node {
    this.#depth += 1;
    if (this.#depth > MAX_DEPTH)
      throw new CelCompileError(this.#text, [{ at: -1, message: `expression recursion limit exceeded: ${MAX_DEPTH}` }]);
    const condition = this.#or();
    const question = this.#accept('?');
    let node = condition;
    if (question) {
      const yes = this.#or();
      this.#expect(':');
      const no = this.#expression();
      node = { kind: 'call', at: question.at, name: '_?_:_', target: undefined, args: [condition, yes, no] };
    }
    this.#depth -= 1;
    return node;
  }

  #or(): Node {
    return this.#chain(new Set(['||']), () => this.#chain(new Set(['&&']), () => this.#relation()));
  }

  #relation(): Node {
    return this.#chain(RELATIONS, () => this.#chain(ADDITIONS, () => this.#chain(PRODUCTS, () => this.#unary())));
  }

  /** Left-associative binary operators of one precedence. */
  #chain(operators: ReadonlySet<string>, operand: () => Node): Node {
    let node = operand();
    while (this.#peek.kind !== 'literal' && operators.has(this.#peek.text)) {
      const { text, at } = this.#take();
      const name = text === 'in' ? '@in' : `_${text}_`;
      node = { kind: 'call', at, name, target: undefined, args: [node, operand()] };
    }
    return node;
  }

  #unary(): Node {
    const { text, at } = this.#peek;
    if (this.#is('!') || this.#is('-')) {
      let count = 0;
      while (this.#accept(text)) count += 1;
      const operand = this.#unaryOperand(text, count, at);
      if (operand.folded || count % 2 === 0) return operand.node;
      return { kind: 'call', at, name: `${text}_`, target: undefined, args: [operand.node] };
    }
    return this.#member();
  }

  /** A minus directly before a number belongs to it. */
  #unaryOperand(operator: string, count: number, at: number): { node: Node; folded: boolean } {
    const { kind, value } = this.#peek;
    if (
      operator === '-' &&
      count % 2 === 1 &&
      kind === 'literal' &&
      (typeof value === 'bigint' || typeof value === 'number')
    ) {
      this.#take();
      return { node: this.#suffixes({ kind: 'literal', at, value: -value }), folded: true };
    }
    return { node: this.#member(), folded: false };
  }

  #member(): Node {
    return this.#suffixes(this.#primary());
  }

  #suffixes(start: Node): Node {
    let node = start;
    for (;;) {
      const dot = this.#accept('.');
      if (dot) {
        const optional = this.#accept('?') !== undefined;
        const field = this.#take();
        if (field.kind !== 'ident' || field.text === 'in') {
          this.#index -= 1;
          throw this.#unexpected(`no viable alternative at input '.${field.kind === 'end' ? '' : field.text}'`);
        }
        const name = field.text.startsWith('`') ? field.text.slice(1, -1) : field.text;
        const open = optional ? undefined : this.#accept('(');
        node = open
          ? this.#methodCall(node, name, open.at)
          : { kind: 'select', at: dot.at, operand: node, field: name, optional, test: false };
        continue;
      }
      const open = this.#accept('[');
      if (!open) return node;
      const optional = this.#accept('?') !== undefined;
      const index = this.#expression();
      this.#expect(']');
      node = { kind: 'call', at: open.at, name: optional ? '_[?_]' : '_[_]', target: undefined, args: [node, index] };
    }
  }

  #methodCall(target: Node, name: string, at: number): Node {
    const args = this.#arguments(')');
    const macro = MACROS[name];
    if (!macro?.counts.includes(args.length)) return { kind: 'call', at, name, target, args };
    const two = (args.length === 3 && macro.name !== 'map') || macro.name.startsWith('transform');
    const names = args.slice(0, two ? 2 : 1);
    const variables = names.map((variable) => {
      if (variable.kind !== 'ident') throw this.#bad(variable.at, 'argument must be a simple name');
      return variable.name;
    });
    if (two && variables[0] === variables[1])
      throw this.#bad((names[1] as Node).at, `duplicate variable name: ${variables[1]}`);
    return { kind: 'macro', at, name: macro.name, range: target, variables, args: args.slice(names.length) };
  }

  #bad(at: number, message: string): CelCompileError {
    return new CelCompileError(this.#text, [{ at, message }]);
  }

  #arguments(close: string): Node[] {
    const args: Node[] = [];
    if (this.#accept(close)) return args;
    do args.push(this.#expression());
    while (this.#accept(','));
    this.#expect(close);
    return args;
  }

  #primary(): Node {
    const token = this.#take();
    const { at } = token;
    if (token.kind === 'literal') {
      if (token.value === 2n ** 63n) throw this.#bad(at, 'invalid int literal');
      return { kind: 'literal', at, value: token.value ?? null };
    }
    if (token.text === '(') {
      const node = this.#expression();
      this.#expect(')');
      return node;
    }
    if (token.text === '[') return this.#list(at);
    if (token.text === '{') return this.#map(at);
    if (token.text === '.') {
      const name = this.#take();
      if (name.kind === 'ident') return this.#named({ ...name, text: `.${name.text}` }, at);
    }
    if (token.kind === 'ident' && token.text !== 'in') return this.#named(token, at);
    this.#index -= token.kind === 'operator' && token.text === '.' ? 2 : 1;
    const expecting =
      "expecting {'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";
    throw this.#unexpected(
      this.#peek.kind === 'end' || this.#index === 0
        ? `mismatched input '${this.#peek.text}' ${expecting}`
        : `extraneous input '${this.#peek.text}' ${expecting}`,
    );
  }

  #named(token: Token, at: number): Node {
    const { text } = token;
    const open = this.#accept('(');
    if (open) return this.#call(text, open.at);
    const struct = this.#structName(text);
    if (struct) return this.#struct(struct, (this.#tokens[this.#index - 1] as Token).at);
    if (RESERVED.has(text)) throw this.#bad(at, `reserved identifier: ${text}`);
    return { kind: 'ident', at, name: text };
  }

  #call(name: string, at: number): Node {
    const args = this.#arguments(')');
    if (name === 'has' && args.length === 1) {
      const [field] = args;
      if (field?.kind !== 'select' || field.test)
        throw this.#bad((field as Node).at, 'invalid argument to has() macro');
      return { ...field, at, test: true };
    }
    return { kind: 'call', at, name, target: undefined, args };
  }

  /** `Name{`, `a.Name{`: a message; looks ahead without taking anything when it is none. */
  #structName(first: string): string | undefined {
    let index = this.#index;
    let name = first;
    while (this.#tokens[index]?.text === '.' && this.#tokens[index + 1]?.kind === 'ident') {
      name += `.${(this.#tokens[index + 1] as Token).text}`;
      index += 2;
    }
    if (this.#tokens[index]?.text !== '{' || this.#tokens[index]?.kind !== 'operator') return undefined;
    this.#index = index + 1;
    return name;
  }

  #struct(name: string, at: number): Node {
    const fields: { name: string; value: Node; at: number; optional: boolean }[] = [];
    while (!this.#accept('}')) {
      const optional = this.#accept('?') !== undefined;
      const field = this.#take();
      const colon = this.#expect(':');
      fields.push({ name: field.text, at: colon.at, value: this.#expression(), optional });
      if (!this.#accept(',')) {
        this.#expect('}');
        break;
      }
    }
    return { kind: 'struct', at, name, fields };
  }

  #list(at: number): Node {
    const items: { node: Node; optional: boolean }[] = [];
    while (!this.#accept(']')) {
      const optional = this.#accept('?') !== undefined;
      items.push({ node: this.#expression(), optional });
      if (!this.#accept(',')) {
        this.#expect(']');
        break;
      }
    }
    return { kind: 'list', at, items };
  }

  #map(at: number): Node {
    const entries: { key: Node; value: Node; optional: boolean }[] = [];
    while (!this.#accept('}')) {
      const optional = this.#accept('?') !== undefined;
      const key = this.#expression();
      this.#expect(':');
      entries.push({ key, value: this.#expression(), optional });
      if (!this.#accept(',')) {
        this.#expect('}');
        break;
      }
    }
    return { kind: 'map', at, entries };
  }
}
