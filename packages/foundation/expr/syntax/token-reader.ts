import { Fault } from '../fault/expr-error.ts';
import { Lexer } from './lexer.ts';
import { childrenOf, type Node, type Shape } from './node.ts';
import { is, type Token, type TokenKind, tokenText } from './token.ts';

export interface SyntaxLimits {
  /** 0 for no limit. */
  readonly nodes: number;
  readonly depth: number;
}

/** The current token and the making of nodes, in bounds. */
export class TokenReader {
  readonly #lexer: Lexer;
  readonly #limits: SyntaxLimits;
  #nodes = 0;
  #level = 0;
  #stashed: Token | undefined;
  current: Token;

  constructor(text: string, limits: SyntaxLimits) {
    this.#lexer = new Lexer(text);
    this.#limits = limits;
    this.current = this.#lexer.next() as Token;
  }

  advance(): void {
    if (this.#stashed) {
      this.current = this.#stashed;
      this.#stashed = undefined;
      return;
    }
    const token = this.#lexer.next();
    if (!token) throw this.fault('unexpected end of expression');
    this.current = token;
  }

  /** Takes back one `advance`: the current token is `token` again. */
  stepBack(token: Token): void {
    this.#stashed = this.current;
    this.current = token;
  }

  at(kind: TokenKind, value?: string): boolean {
    return is(this.current, kind, value);
  }

  expect(kind: TokenKind, value?: string): void {
    if (!this.at(kind, value)) throw this.unexpected();
    this.advance();
  }

  unexpected(token: Token = this.current): Fault {
    return this.fault(`unexpected token ${tokenText(token)}`);
  }

  fault(message: string, token: Token = this.current): Fault {
    return new Fault(message, token.at);
  }

  /** Runs a part of the grammar that may contain itself. */
  nested<T>(part: () => T): T {
    if (++this.#level > this.#limits.depth) throw this.#tooDeep();
    const result = part();
    this.#level--;
    return result;
  }

  node(shape: Shape, at: Token['at']): Node {
    if (++this.#nodes > this.#limits.nodes && this.#limits.nodes > 0)
      throw new Fault('compilation failed: expression exceeds maximum allowed nodes', this.current.at, 'limit');
    let depth = 0;
    for (const child of childrenOf(shape)) if (child.depth > depth) depth = child.depth;
    if (depth >= this.#limits.depth) throw this.#tooDeep();
    return { ...shape, at, depth: depth + 1 };
  }

  #tooDeep(): Fault {
    return new Fault(
      `compilation failed: expression is nested deeper than ${this.#limits.depth} levels`,
      this.current.at,
      'limit',
    );
  }
}
