import { END, isBreak } from '../text/characters.ts';
import { ScanFailure } from './scan-failure.ts';
import type { Mark } from './token.ts';

/** A place in the text that knows its line and column. */
export class Cursor {
  readonly text: string;
  at = 0;
  line = 0;
  /** Index at which the line begins. */
  lineStart = 0;

  constructor(text: string) {
    this.text = text;
  }

  get column(): number {
    return this.at - this.lineStart;
  }

  mark(): Mark {
    return { index: this.at, line: this.line, column: this.at - this.lineStart };
  }

  /** The character at the offset; `END` after the last. */
  peek(offset = 0): number {
    const at = this.at + offset;
    return at < this.text.length ? this.text.charCodeAt(at) : END;
  }

  /** Consumes a line break and returns what it counts as. */
  readBreak(): string {
    const code = this.peek();
    if (!isBreak(code)) return '';
    this.at += code === 0x0d && this.peek(1) === 0x0a ? 2 : 1;
    this.line++;
    this.lineStart = this.at;
    return code === 0x2028 || code === 0x2029 ? String.fromCharCode(code) : '\n';
  }

  /** Moves to the next line break or the end. */
  skipToBreak(): void {
    for (let code = this.peek(); code !== END && !isBreak(code); code = this.peek()) this.at++;
  }

  /** True at `---` or `...` at the beginning of a line, followed by white space. */
  atDocumentIndicator(indicator?: number): boolean {
    if (this.at !== this.lineStart) return false;
    const code = this.peek();
    if (indicator === undefined ? code !== 0x2d && code !== 0x2e : code !== indicator) return false;
    if (this.peek(1) !== code || this.peek(2) !== code) return false;
    const after = this.peek(3);
    return after === END || after === 0x20 || after === 0x09 || isBreak(after);
  }

  fail(message: string, context?: Mark): never {
    throw new ScanFailure('scanner', message, this.mark(), context);
  }
}
