import { goQuoteRune } from '@tiphys/go';

/** What TOML does not allow, and the line to which Go's decoder puts it. */
export class TomlFault extends Error {
  readonly line: number;
  constructor(line: number, message: string) {
    super(message);
    this.line = line;
  }
}

/** A piece of the text, and the line on which it ends. */
export interface Token {
  readonly text: string;
  readonly line: number;
}

export const end = '';

/** Walks over the characters of a TOML document; refuses what must not be in one. */
export class TomlReader {
  readonly #text: string;
  #at = 0;
  #line = 1;

  constructor(text: string) {
    this.#text = text;
  }

  get line(): number {
    return this.#line;
  }

  get offset(): number {
    return this.#at;
  }

  since(offset: number): string {
    return this.#text.slice(offset, this.#at);
  }

  /** The next character, or `end`. */
  peek(): string {
    const code = this.#text.codePointAt(this.#at);
    if (code === undefined) return end;
    if (code >= 0xdc80 && code <= 0xdcff) throw this.fault(`invalid UTF-8 byte: 0x${(code - 0xdc00).toString(16)}`);
    const isControl = (code < 0x20 && code !== 9 && code !== 10 && code !== 13) || code === 0x7f;
    if (isControl || (code === 13 && this.#text[this.#at + 1] !== '\n')) {
      const line = code === 10 ? this.#line + 1 : this.#line;
      throw new TomlFault(
        line,
        `TOML files cannot contain control characters: '0x${code.toString(16).padStart(2, '0')}'`,
      );
    }
    return String.fromCodePoint(code);
  }

  next(): string {
    const char = this.peek();
    this.#at += char.length;
    if (char === '\n') this.#line++;
    return char;
  }

  accept(char: string): boolean {
    if (this.peek() !== char) return false;
    this.next();
    return true;
  }

  while(isWanted: (char: string) => boolean): string {
    const start = this.#at;
    while (this.peek() !== end && isWanted(this.peek())) this.next();
    return this.#text.slice(start, this.#at);
  }

  blanks(): void {
    this.while((char) => char === ' ' || char === '\t');
  }

  /** Blanks, line breaks and comments. */
  gaps(): void {
    for (;;) {
      this.while((char) => /[ \t\r\n]/.test(char));
      if (this.peek() !== '#') return;
      this.comment();
    }
  }

  comment(): void {
    this.while((char) => char !== '\n' && char !== '\r');
  }

  /** An error at the place that was reached. At the end of a text that ends with a line break, it is the line before. */
  fault(message: string): TomlFault {
    const isAfterLast = this.#at >= this.#text.length && this.#text[this.#at - 1] === '\n';
    return new TomlFault(isAfterLast ? this.#line - 1 : this.#line, message);
  }
}

/** A character as Go's `%q` shows it; the end of the text is the character zero. */
export function quoteChar(char: string): string {
  return goQuoteRune(char === end ? 0 : (char.codePointAt(0) as number));
}

export function charOrEnd(char: string): string {
  return char === end ? 'end of file' : `'${char}'`;
}
