import { Lexer, type Token } from './lexer.ts';
import { LuaSyntaxError } from './syntax-error.ts';

/** The token that comes next, what it may be, and the refusals where it is something else. */
export class TokenCursor {
  readonly #lexer: Lexer;
  token: Token;
  #ahead: Token | undefined;

  constructor(source: string) {
    this.#lexer = new Lexer(source);
    this.token = this.#lexer.next();
  }

  is(kind: string): boolean {
    return this.token.kind === kind;
  }

  accept(kind: string): boolean {
    if (this.token.kind !== kind) return false;
    this.advance();
    return true;
  }

  expect(kind: string): void {
    if (!this.accept(kind)) throw this.unexpected(kind);
  }

  close(kind: string, opened: string, line: number): void {
    if (!this.accept(kind)) throw this.unexpected(`${kind} to close ${opened} of line ${line}`);
  }

  name(): string {
    const { text } = this.token;
    if (!this.accept('name')) throw this.unexpected('a name');
    return text;
  }

  peek(): Token {
    this.#ahead ??= this.#lexer.next();
    return this.#ahead;
  }

  advance(): void {
    this.token = this.#ahead ?? this.#lexer.next();
    this.#ahead = undefined;
  }

  unexpected(wanted: string): LuaSyntaxError {
    const found = this.is('end of text') ? 'the end of the text' : this.token.text || this.token.kind;
    return this.fail(`found ${found.slice(0, 40)} where ${wanted} was expected`);
  }

  fail(message: string): LuaSyntaxError {
    return new LuaSyntaxError(message, this.token.line, this.token.text.slice(0, 40));
  }
}
