import type { Mark } from './token.ts';

/** Raised while scanning and parsing; the reader turns it into a `YamlError` with file and excerpt. */
export class ScanFailure extends Error {
  readonly kind: 'scanner' | 'parser';
  readonly problem: Mark;
  readonly context: Mark | undefined;
  constructor(kind: 'scanner' | 'parser', message: string, problem: Mark, context?: Mark) {
    super(message);
    this.kind = kind;
    this.problem = problem;
    this.context = context;
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
