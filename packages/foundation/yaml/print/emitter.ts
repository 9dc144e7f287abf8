import { isBreak } from '../text/characters.ts';
import { isPrintable, type ScalarStyle } from './scalar-style.ts';

/** Writes the pieces of a block-style document and knows its column, as libyaml's emitter does. */
export class Emitter {
  readonly #width: number;
  readonly #parts: string[] = [];
  #column = 0;
  /** The last character was white space. */
  #whitespace = true;
  /** Units that have been written. */
  length = 0;
  /** Only indentation and `- ` have been written on this line. */
  indention = true;

  /** `width` is the column from which spaces become line breaks. */
  constructor(width: number) {
    this.#width = width;
  }

  text(): string {
    return this.#parts.join('');
  }

  #put(text: string, columns: number): void {
    this.#parts.push(text);
    this.length += text.length;
    this.#column += columns;
  }

  #break(): void {
    this.#parts.push('\n');
    this.length++;
    this.#column = 0;
    this.indention = true;
  }

  /** Goes to the column on a new line, unless it is there already. */
  indent(column: number): void {
    if (!this.indention || this.#column > column || (this.#column === column && !this.#whitespace)) this.#break();
    if (this.#column < column) this.#put(' '.repeat(column - this.#column), column - this.#column);
    this.#whitespace = true;
    this.indention = true;
  }

  indicator(text: string, options: { space: boolean; isSpace: boolean; isIndention: boolean }): void {
    if (options.space && !this.#whitespace) this.#put(' ', 1);
    this.#put(text, text.length);
    this.#whitespace = options.isSpace;
    this.indention &&= options.isIndention;
  }

  /** A string; `column` is where its continuation lines begin, `fold` whether it may have some. */
  scalar(text: string, style: ScalarStyle, column: number, fold: boolean): void {
    if (style === 'plain') this.#plain(text, column, fold);
    else if (style === 'literal') this.#literal(text, column);
    else if (style === 'single') this.#single(text, column, fold);
    else this.#double(text, column, fold);
  }

  #plain(text: string, column: number, fold: boolean): void {
    if (!this.#whitespace) this.#put(' ', 1);
    if (!fold || this.#column + text.length <= this.#width) this.#put(text, text.length);
    else this.#folded(text, column, (at) => text.charCodeAt(at + 1) !== 0x20);
    this.#whitespace = false;
    this.indention = false;
  }

  /** Words with a line break for a single space that stands beyond the width. */
  #folded(text: string, column: number, mayBreak: (at: number) => boolean, write = (part: string) => part): void {
    let spaces = false;
    for (const { part, at } of words(text)) {
      if (part !== ' ') {
        this.#put(write(part), lengthOf(part) + (write(part).length - part.length));
        spaces = false;
        continue;
      }
      if (!spaces && this.#column > this.#width && mayBreak(at)) this.indent(column);
      else this.#put(' ', 1);
      spaces = true;
    }
  }

  #single(text: string, column: number, fold: boolean): void {
    this.indicator("'", { space: true, isSpace: false, isIndention: false });
    const quote = (part: string): string => part.replaceAll("'", "''");
    const lines = splitBreaks(text);
    for (let i = 0; i < lines.length; i++) {
      const line = lines[i] as string;
      if (i % 2 === 1) {
        this.#parts.push(line);
        this.length += line.length;
        this.#column = 0;
        this.indention = true;
        continue;
      }
      if (i > 0 && line !== '') this.indent(column);
      if (line === '') continue;
      this.indention = false;
      if (!fold || this.#column + line.length <= this.#width) this.#put(quote(line), lengthOf(quote(line)));
      else
        this.#folded(line, column, (at) => at > 0 && at < line.length - 1 && line.charCodeAt(at + 1) !== 0x20, quote);
    }
    this.indicator("'", { space: false, isSpace: false, isIndention: false });
    this.#whitespace = false;
    this.indention = false;
  }

  #double(text: string, column: number, fold: boolean): void {
    this.indicator('"', { space: true, isSpace: false, isIndention: false });
    let spaces = false;
    let at = 0;
    for (const char of text) {
      if (char === ' ') {
        if (fold && !spaces && this.#column > this.#width && at > 0 && at < text.length - 1) {
          this.indent(column);
          if (text.charCodeAt(at + 1) === 0x20) this.#put('\\', 1);
        } else this.#put(' ', 1);
        spaces = true;
      } else {
        const written = escapeChar(char);
        this.#put(written, written === char ? 1 : written.length);
        spaces = false;
      }
      at += char.length;
    }
    this.indicator('"', { space: false, isSpace: false, isIndention: false });
    this.#whitespace = false;
    this.indention = false;
  }

  #literal(text: string, column: number): void {
    this.indicator('|', { space: true, isSpace: false, isIndention: false });
    const first = text.charCodeAt(0);
    let hints = first === 0x20 || isBreak(first) ? '2' : '';
    const last = text.charCodeAt(text.length - 1);
    if (!isBreak(last)) hints += '-';
    else if (text.length === 1 || isBreak(text.charCodeAt(text.length - 2))) hints += '+';
    this.#put(hints, hints.length);
    this.#break();
    this.#whitespace = true;
    const lines = splitBreaks(text);
    for (let i = 0; i < lines.length; i++) {
      const line = lines[i] as string;
      if (i % 2 === 1) {
        this.#parts.push(line);
        this.length += line.length;
        this.#column = 0;
        this.indention = true;
      } else if (line !== '') {
        this.indent(column);
        this.#put(line, lengthOf(line));
        this.indention = false;
      }
    }
  }
}

const names: Readonly<Record<string, string>> = {
  '\0': '0',
  '\x07': 'a',
  '\b': 'b',
  '\t': 't',
  '\n': 'n',
  '\v': 'v',
  '\f': 'f',
  '\r': 'r',
  '\x1b': 'e',
  '"': '"',
  '\\': '\\',
  '\x85': 'N',
  '\xa0': '_',
  '\u2028': 'L',
  '\u2029': 'P',
};

function escapeChar(char: string): string {
  const code = char.codePointAt(0) as number;
  if (char !== '"' && char !== '\\' && isPrintable(code) && !isBreak(code)) return char;
  const name = names[char];
  if (name !== undefined) return `\\${name}`;
  const hex = code.toString(16).toUpperCase();
  if (code <= 0xff) return `\\x${hex.padStart(2, '0')}`;
  return code <= 0xffff ? `\\u${hex.padStart(4, '0')}` : `\\U${hex.padStart(8, '0')}`;
}

/** Number of characters. */
function lengthOf(text: string): number {
  let length = text.length;
  for (let i = 0; i < text.length; i++) if ((text.charCodeAt(i) & 0xfc00) === 0xd800) length--;
  return length;
}

/** Runs of non-spaces, and each space by itself. */
function* words(text: string): Generator<{ part: string; at: number }> {
  let at = 0;
  while (at < text.length) {
    if (text.charCodeAt(at) === 0x20) {
      yield { part: ' ', at };
      at++;
      continue;
    }
    let end = text.indexOf(' ', at);
    if (end < 0) end = text.length;
    yield { part: text.slice(at, end), at };
    at = end;
  }
}

/** Lines and the breaks between them, in turn. */
function splitBreaks(text: string): string[] {
  return text.split(/([\n\r\x85\u2028\u2029])/);
}
