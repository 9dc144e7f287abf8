import { toBytes } from '@tiphys/template';
import { builtinNames } from './builtin-names.ts';
import { parseCall, predicateArguments } from './calls.ts';
import { numberNode, wordNode } from './literals.ts';
import type { Node } from './node.ts';
import { binaryPower, isComparison, isFromRight, isNegatable, unaryPower } from './operators.ts';
import { parsePostfix } from './postfix.ts';
import type { Token } from './token.ts';
import { type SyntaxLimits, TokenReader } from './token-reader.ts';

export interface ParseOptions {
  readonly limits: SyntaxLimits;
  /** True for a name that the environment or the host gives, so that it hides the built-in function. */
  isOverridden(name: string): boolean;
  readonly disabled: ReadonlySet<string>;
}

/** The tree of an expression. Throws `Fault`. */
export function parse(text: string, options: ParseOptions): Node {
  return new Parser(text, options).parse();
}

/** The grammar, by binding power of operators. */
export class Parser {
  readonly reader: TokenReader;
  readonly #options: ParseOptions;
  /** How many predicates the current place is inside of. */
  #predicates = 0;

  constructor(text: string, options: ParseOptions) {
    this.reader = new TokenReader(text, options.limits);
    this.#options = options;
  }

  parse(): Node {
    const node = this.sequence();
    if (!this.reader.at('EOF')) throw this.reader.unexpected();
    return node;
  }

  /** How a call by that name is read. */
  callKind(name: string, mayBeOverridden: boolean): 'predicate' | 'builtin' | 'host' {
    if (mayBeOverridden && this.#options.isOverridden(name)) return 'host';
    if (Object.hasOwn(predicateArguments, name)) return 'predicate';
    return builtinNames.has(name) && !this.#options.disabled.has(name) ? 'builtin' : 'host';
  }

  /** `a; b; c`. */
  sequence(): Node {
    const nodes = [this.expression()];
    while (this.reader.at('Operator', ';')) {
      this.reader.advance();
      if (this.reader.at('EOF')) break;
      nodes.push(this.expression());
    }
    const [first] = nodes as [Node];
    return nodes.length === 1 ? first : this.reader.node({ kind: 'sequence', nodes }, first.at);
  }

  expression(power = 0): Node {
    return this.reader.nested(() => {
      if (power === 0 && this.reader.at('Operator', 'let')) return this.#let();
      if (power === 0 && this.reader.at('Operator', 'if')) return this.#if();
      const node = this.#binaries(this.#primary(), power);
      return power === 0 ? this.#ternary(node) : node;
    });
  }

  #binaries(first: Node, power: number): Node {
    let left = first;
    let previous = '';
    while (this.reader.at('Operator')) {
      const operator = this.#operator(power);
      if (!operator) break;
      const { token, isNegated } = operator;
      this.reader.advance();
      if (previous === '??' && token.value !== '??' && token.value !== '|')
        throw this.reader.fault(
          `Operator (${token.value}) and coalesce expressions (??) cannot be mixed. Wrap either by parentheses.`,
          token,
        );
      left = this.#joined(left, token);
      if (isNegated) left = this.reader.node({ kind: 'unary', operator: 'not', operand: left }, token.at);
      previous = token.value;
    }
    return left;
  }

  /** The operator at the current place if it binds at least that much; the current token is then the operator itself. */
  #operator(power: number): { token: Token; isNegated: boolean } | undefined {
    const before = this.reader.current;
    const isNegated = before.value === 'not';
    if (isNegated) {
      this.reader.advance();
      if (!isNegatable(this.reader.current.value)) throw this.reader.unexpected();
    }
    const token = this.reader.current;
    if ((binaryPower.get(token.value) ?? -1) >= power) return { token, isNegated };
    if (isNegated) this.reader.stepBack(before);
    return undefined;
  }

  #joined(left: Node, token: Token): Node {
    const power = binaryPower.get(token.value) as number;
    if (token.value === '|') {
      const name = this.reader.current;
      this.reader.expect('Identifier');
      return parseCall(this, name, { args: [left], mayBeOverridden: true });
    }
    if (isComparison(token.value)) return this.#comparison(left, token, power);
    const right = this.expression(isFromRight(token.value) ? power : power + 1);
    return this.reader.node({ kind: 'binary', operator: token.value, left, right }, token.at);
  }

  #comparison(first: Node, operator: Token, power: number): Node {
    let root: Node | undefined;
    let left = first;
    let token = operator;
    for (;;) {
      const right = this.expression(power + 1);
      const node = this.reader.node({ kind: 'binary', operator: token.value, left, right }, token.at);
      root = root ? this.reader.node({ kind: 'binary', operator: '&&', left: root, right: node }, token.at) : node;
      left = right;
      token = this.reader.current;
      if (token.kind !== 'Operator' || !isComparison(token.value)) return root;
      this.reader.advance();
    }
  }

  #let(): Node {
    this.reader.advance();
    const name = this.reader.current;
    this.reader.expect('Identifier');
    this.reader.expect('Operator', '=');
    const value = this.expression();
    this.reader.expect('Operator', ';');
    return this.reader.node({ kind: 'let', name: name.value, value, body: this.sequence() }, name.at);
  }

  #if(): Node {
    this.reader.advance();
    const condition = this.expression();
    const yes = this.#block();
    this.reader.expect('Operator', 'else');
    const no = this.reader.at('Operator', 'if') ? this.reader.nested(() => this.#if()) : this.#block();
    // Go gives this node no place of its own.
    return this.reader.node({ kind: 'conditional', condition, yes, no }, { from: 0, to: 0 });
  }

  #block(): Node {
    this.reader.expect('Bracket', '{');
    const node = this.sequence();
    this.reader.expect('Bracket', '}');
    return node;
  }

  #ternary(first: Node): Node {
    let node = first;
    while (this.reader.at('Operator', '?')) {
      this.reader.advance();
      let yes = node;
      if (this.reader.at('Operator', ':')) this.reader.advance();
      else {
        yes = this.expression();
        this.reader.expect('Operator', ':');
      }
      const no = this.expression();
      node = this.reader.node({ kind: 'conditional', condition: node, yes, no }, this.reader.current.at);
    }
    return node;
  }

  #primary(): Node {
    const token = this.reader.current;
    if (token.kind === 'Operator') {
      const power = unaryPower[token.value];
      if (power !== undefined) {
        this.reader.advance();
        const operand = this.expression(power);
        return parsePostfix(this, this.reader.node({ kind: 'unary', operator: token.value, operand }, token.at));
      }
      if (this.#predicates > 0 && (token.value === '#' || token.value === '.')) return this.#pointer(token);
      if (token.value === '::') {
        this.reader.advance();
        const name = this.reader.current;
        this.reader.expect('Identifier');
        return parsePostfix(this, parseCall(this, name, { args: [], mayBeOverridden: false }));
      }
    }
    if (this.reader.at('Bracket', '(')) {
      this.reader.advance();
      const node = this.sequence();
      this.reader.expect('Bracket', ')');
      return parsePostfix(this, node);
    }
    return this.#secondary(token);
  }

  #pointer(token: Token): Node {
    let name = '';
    if (token.value === '#') {
      this.reader.advance();
      if (this.reader.at('Identifier')) {
        name = this.reader.current.value;
        this.reader.advance();
      }
    }
    return parsePostfix(this, this.reader.node({ kind: 'pointer', name }, token.at));
  }

  #secondary(token: Token): Node {
    const { reader } = this;
    if (token.kind === 'Identifier') {
      reader.advance();
      const word = wordNode(reader, token);
      if (word) return word;
      const node = reader.at('Bracket', '(')
        ? parseCall(this, token, { args: [], mayBeOverridden: true })
        : reader.node({ kind: 'name', name: token.value }, token.at);
      return parsePostfix(this, node);
    }
    if (token.kind === 'Number') {
      reader.advance();
      return numberNode(reader, token);
    }
    if (token.kind === 'String' || token.kind === 'Bytes') {
      reader.advance();
      const { value, at } = token;
      return parsePostfix(
        this,
        token.kind === 'String'
          ? reader.node({ kind: 'text', value }, at)
          : reader.node({ kind: 'bytes', value: toBytes(value) }, at),
      );
    }
    if (reader.at('Bracket', '[')) return parsePostfix(this, this.#array(token));
    if (reader.at('Bracket', '{')) return parsePostfix(this, this.#map(token));
    throw reader.unexpected();
  }

  #array(token: Token): Node {
    this.reader.advance();
    const nodes = this.list(']', () => this.expression());
    return this.reader.node({ kind: 'array', nodes }, token.at);
  }

  #map(token: Token): Node {
    this.reader.advance();
    const pairs = this.list('}', () => {
      const key = this.#key();
      this.reader.expect('Operator', ':');
      return { key, value: this.expression() };
    });
    return this.reader.node({ kind: 'map', pairs }, token.at);
  }

  #key(): Node {
    const token = this.reader.current;
    if (['Number', 'String', 'Identifier'].includes(token.kind)) {
      const node = this.reader.node({ kind: 'text', value: token.value }, token.at);
      this.reader.advance();
      return node;
    }
    if (this.reader.at('Bracket', '(')) return this.expression();
    const { message } = this.reader.unexpected();
    throw this.reader.fault(
      `a map key must be a quoted string, a number, a identifier, or an expression enclosed in parentheses (${message})`,
    );
  }

  /** Items up to the closing bracket, which is taken; a comma may follow the last. */
  list<T>(close: string, item: () => T, first: readonly T[] = []): T[] {
    const items = [...first];
    while (!this.reader.at('Bracket', close)) {
      if (items.length > first.length) {
        this.reader.expect('Operator', ',');
        if (this.reader.at('Bracket', close)) break;
      }
      items.push(item());
    }
    this.reader.expect('Bracket', close);
    return items;
  }

  /** `{…}` or an expression, in which `#` and `.` are the element. */
  predicate(): Node {
    const { reader } = this;
    const start = reader.current;
    this.#predicates++;
    let node: Node;
    if (reader.at('Bracket', '{')) {
      node = this.#block();
    } else {
      node = this.expression();
      if (reader.at('Operator', ';')) throw reader.fault('wrap predicate with brackets { and }');
    }
    this.#predicates--;
    return reader.node({ kind: 'predicate', node }, start.at);
  }
}
