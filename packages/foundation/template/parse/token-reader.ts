import { TemplateError } from '../failure/template-error.ts';
import { goUnquote } from '../text/unquote.ts';
import { formatToken, type Lexer, type Token, type TokenType } from './lexer.ts';

/** The tokens of a template with up to three of look-ahead, and the errors that speak of them, in Go's words. */
export class TokenReader {
  /** Where the action began that is being read; 0 between actions. */
  actionLine = 0;
  readonly #lexer: Lexer;
  readonly #template: string;
  readonly #tokens: Token[] = [];
  #peeked = 0;

  constructor(lexer: Lexer, template: string) {
    this.#lexer = lexer;
    this.#template = template;
  }

  next(): Token {
    if (this.#peeked > 0) this.#peeked--;
    else this.#tokens[0] = this.#lexer.next();
    return this.#tokens[this.#peeked] as Token;
  }

  /** Takes the last token back. */
  backup(): void {
    this.#peeked++;
  }

  /** Takes the last token back, and the one before it, which was `token`. */
  backup2(token: Token): void {
    this.#tokens[1] = token;
    this.#peeked = 2;
  }

  /** Takes the last token back, and the two before it. */
  backup3(second: Token, first: Token): void {
    this.#tokens[1] = first;
    this.#tokens[2] = second;
    this.#peeked = 3;
  }

  peek(): Token {
    if (this.#peeked > 0) return this.#tokens[this.#peeked - 1] as Token;
    this.#peeked = 1;
    const token = this.#lexer.next();
    this.#tokens[0] = token;
    return token;
  }

  nextNonSpace(): Token {
    let token = this.next();
    while (token.type === 'space') token = this.next();
    return token;
  }

  peekNonSpace(): Token {
    const token = this.nextNonSpace();
    this.backup();
    return token;
  }

  fail(message: string): never {
    const template = this.#template;
    const line = this.#tokens[0]?.line ?? 0;
    throw new TemplateError('parse', `template: ${template}:${line}: ${message}`, message, { template, line });
  }

  expect(type: TokenType, context: string): Token {
    const token = this.nextNonSpace();
    if (token.type !== type) this.unexpected(token, context);
    return token;
  }

  unexpected(token: Token, context: string): never {
    if (token.type !== 'error') this.fail(`unexpected ${formatToken(token)} in ${context}`);
    let extra = '';
    if (this.actionLine !== 0 && this.actionLine !== token.line) {
      extra = ` in action started at ${this.#template}:${this.actionLine}`;
      if (token.value.endsWith(' action')) extra = extra.slice(' in action'.length);
    }
    return this.fail(`${formatToken(token)}${extra}`);
  }

  unquote(token: Token): string {
    return goUnquote(token.value) ?? this.fail('invalid syntax');
  }
}
