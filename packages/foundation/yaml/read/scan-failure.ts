import type { Mark } from './token.ts';

/** A quote, a list or a table that is opened and not closed. */
const endless = /unexpected end of stream|unexpected document indicator|expected ',' or/;

/** Raised while scanning and parsing; the reader turns it into a `YamlError` with file and excerpt. */
export class ScanFailure extends Error {
  readonly kind: 'scanner' | 'parser';
  readonly problem: Mark;
  readonly context: Mark | undefined;
  readonly #opened: Mark | undefined;

  /** `opened`: the list or table that the text ends in, where `context` is another place. */
  constructor(kind: 'scanner' | 'parser', message: string, problem: Mark, context?: Mark, opened?: Mark) {
    super(message);
    this.kind = kind;
    this.problem = problem;
    this.context = context;
    this.#opened = opened;
  }

  /** Where to look: what never ends is found at the end of the text, and is to be mended where it opens. */
  get place(): Mark {
    if (this.#opened) return this.#opened;
    return this.context && endless.test(this.message) ? this.context : this.problem;
  }

  /** The message with the line as go-yaml counts it: parser errors name the line before. */
  get goMessage(): string {
    let line = 0;
    if (this.problem.line !== 0) line = this.problem.line + (this.kind === 'scanner' ? 1 : 0);
    else if (this.context) line = this.context.line;
    return `yaml: ${line === 0 ? '' : `line ${line}: `}${this.message}`;
  }

  /** The message of go-yaml v3, which names the line of what surrounds the problem if there is one. */
  get goMessageV3(): string {
    const mark = this.context && this.context.line !== 0 ? this.context : this.problem;
    const line = mark.line === 0 ? 0 : mark.line + (this.kind === 'scanner' ? 1 : 0);
    return `yaml: ${line === 0 ? '' : `line ${line}: `}${this.message}`;
  }
}
