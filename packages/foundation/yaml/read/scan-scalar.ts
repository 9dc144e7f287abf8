import { END, isBlank, isBlankOrEnd, isBreak, isBreakOrEnd, isDigit, isHex } from '../text/characters.ts';
import type { Cursor } from './cursor.ts';
import type { Mark } from './token.ts';

export interface ScannedScalar {
  readonly value: string;
  readonly start: Mark;
  readonly end: Mark;
  /** A plain scalar that ended after a line break: a simple key may follow. */
  readonly endedOnNewLine: boolean;
}

/** A plain scalar, from its first character; continuation lines need at least `indent` columns in block context. */
export function scanPlain(cursor: Cursor, indent: number, inFlow: boolean): ScannedScalar {
  const start = cursor.mark();
  let end = start;
  let value = '';
  let pending = '';
  let newLine = false;
  for (;;) {
    if (cursor.atDocumentIndicator() || cursor.peek() === 0x23) break;
    const from = cursor.at;
    for (let code = cursor.peek(); !isBlankOrEnd(code) && !endsPlain(cursor, code, inFlow); code = cursor.peek())
      cursor.at++;
    if (cursor.at > from) {
      value += pending + cursor.text.slice(from, cursor.at);
      pending = '';
      newLine = false;
      end = cursor.mark();
    }
    const next = cursor.peek();
    if (!isBlank(next) && !isBreak(next)) break;
    const folded = scanFold(cursor, newLine ? pending : undefined, (tab) => {
      if (tab && cursor.column < indent) cursor.fail('found a tab character that violates indentation', start);
    });
    pending = folded.text;
    newLine = folded.newLine;
    if (!inFlow && cursor.column < indent) break;
  }
  return { value, start, end, endedOnNewLine: newLine };
}

function endsPlain(cursor: Cursor, code: number, inFlow: boolean): boolean {
  if (code === 0x3a) return isBlankOrEnd(cursor.peek(1));
  return inFlow && (code === 0x2c || code === 0x3f || code === 0x5b || code === 0x5d || code === 0x7b || code === 0x7d);
}

/** Consumes white space between words and says what it folds to. */
function scanFold(
  cursor: Cursor,
  before: string | undefined,
  onLineBlank: (tab: boolean) => void,
): { text: string; newLine: boolean } {
  let blanks = '';
  let first = '';
  let more = before ?? '';
  let newLine = before !== undefined;
  for (let code = cursor.peek(); ; code = cursor.peek()) {
    if (isBlank(code)) {
      if (newLine) onLineBlank(code === 0x09);
      else blanks += cursor.text[cursor.at];
      cursor.at++;
    } else if (isBreak(code)) {
      const text = cursor.readBreak();
      if (newLine) more += text;
      else {
        first = text;
        newLine = true;
      }
    } else break;
  }
  if (!newLine) return { text: blanks, newLine };
  if (before !== undefined) return { text: more, newLine };
  if (first === '\n') return { text: more === '' ? ' ' : more, newLine };
  return { text: first + more, newLine };
}

/** A quoted scalar, from its opening quote. */
export function scanQuoted(cursor: Cursor, single: boolean): ScannedScalar {
  const start = cursor.mark();
  const quote = single ? 0x27 : 0x22;
  cursor.at++;
  let value = '';
  for (;;) {
    if (cursor.atDocumentIndicator()) cursor.fail('found unexpected document indicator', start);
    if (cursor.peek() === END) cursor.fail('found unexpected end of stream', start);
    let escapedBreak = false;
    for (let code = cursor.peek(); !isBlankOrEnd(code); code = cursor.peek()) {
      if (code === quote) {
        if (!single || cursor.peek(1) !== quote) break;
        value += "'";
        cursor.at += 2;
      } else if (!single && code === 0x5c) {
        if (isBreak(cursor.peek(1))) {
          cursor.at++;
          cursor.readBreak();
          escapedBreak = true;
          break;
        }
        value += scanEscape(cursor, start);
      } else {
        value += cursor.text[cursor.at];
        cursor.at++;
      }
    }
    if (cursor.peek() === quote) break;
    value += scanFold(cursor, escapedBreak ? '' : undefined, () => undefined).text;
  }
  cursor.at++;
  return { value, start, end: cursor.mark(), endedOnNewLine: false };
}

const escapes: Readonly<Record<string, string>> = {
  '0': '\0',
  a: '\x07',
  b: '\b',
  t: '\t',
  '\t': '\t',
  n: '\n',
  v: '\v',
  f: '\f',
  r: '\r',
  e: '\x1b',
  ' ': ' ',
  '"': '"',
  "'": "'",
  '\\': '\\',
  N: '\x85',
  _: '\xa0',
  L: '\u2028',
  P: '\u2029',
};

function scanEscape(cursor: Cursor, start: Mark): string {
  const letter = cursor.text[cursor.at + 1] ?? '';
  const plain = escapes[letter];
  if (plain !== undefined) {
    cursor.at += 2;
    return plain;
  }
  const digits = letter === 'x' ? 2 : letter === 'u' ? 4 : letter === 'U' ? 8 : 0;
  if (digits === 0) cursor.fail('found unknown escape character', start);
  cursor.at += 2;
  for (let i = 0; i < digits; i++)
    if (!isHex(cursor.peek(i))) cursor.fail('did not find expected hexdecimal number', start);
  const code = Number.parseInt(cursor.text.slice(cursor.at, cursor.at + digits), 16);
  if ((code >= 0xd800 && code <= 0xdfff) || code > 0x10ffff)
    cursor.fail('found invalid Unicode character escape code', start);
  cursor.at += digits;
  return String.fromCodePoint(code);
}

/** A block scalar, from its `|` or `>`, inside a block of the given indentation (-1 at the top). */
export function scanBlock(cursor: Cursor, literal: boolean, parentIndent: number): ScannedScalar {
  const start = cursor.mark();
  cursor.at++;
  const { chomp, increment } = scanBlockHeader(cursor, start);
  let indent = increment > 0 ? Math.max(parentIndent, 0) + increment : 0;
  let end = cursor.mark();
  const scanBreaks = (): string => {
    const scanned = scanBlockBreaks(cursor, indent, parentIndent, start);
    indent = scanned.indent;
    end = scanned.end ?? end;
    return scanned.breaks;
  };
  let trailing = scanBreaks();
  let value = '';
  let leading = '';
  let leadingBlank = false;
  while (cursor.column === indent && cursor.peek() !== END) {
    const blank = isBlank(cursor.peek());
    if (!literal && leading.startsWith('\n') && !leadingBlank && !blank) value += trailing === '' ? ' ' : '';
    else value += leading;
    value += trailing;
    leadingBlank = blank;
    const from = cursor.at;
    cursor.skipToBreak();
    value += cursor.text.slice(from, cursor.at);
    end = cursor.mark();
    leading = cursor.readBreak();
    trailing = scanBreaks();
  }
  if (chomp !== -1) value += leading;
  if (chomp === 1) value += trailing;
  return { value, start, end, endedOnNewLine: false };
}

function scanBlockHeader(cursor: Cursor, start: Mark): { chomp: number; increment: number } {
  let chomp = 0;
  let increment = 0;
  const readChomp = (): void => {
    const code = cursor.peek();
    if (code !== 0x2b && code !== 0x2d) return;
    chomp = code === 0x2b ? 1 : -1;
    cursor.at++;
  };
  readChomp();
  const code = cursor.peek();
  if (isDigit(code)) {
    if (code === 0x30) cursor.fail('found an indentation indicator equal to 0', start);
    increment = code - 0x30;
    cursor.at++;
    if (chomp === 0) readChomp();
  }
  while (isBlank(cursor.peek())) cursor.at++;
  if (cursor.peek() === 0x23) cursor.skipToBreak();
  if (!isBreakOrEnd(cursor.peek())) cursor.fail('did not find expected comment or line break', start);
  cursor.readBreak();
  return { chomp, increment };
}

function scanBlockBreaks(cursor: Cursor, given: number, parentIndent: number, start: Mark) {
  let breaks = '';
  let deepest = 0;
  let end: Mark | undefined;
  for (;;) {
    while ((given === 0 || cursor.column < given) && cursor.peek() === 0x20) cursor.at++;
    deepest = Math.max(deepest, cursor.column);
    if ((given === 0 || cursor.column < given) && cursor.peek() === 0x09) {
      cursor.fail('found a tab character where an indentation space is expected', start);
    }
    if (!isBreak(cursor.peek())) break;
    breaks += cursor.readBreak();
    end = cursor.mark();
  }
  const indent = given === 0 ? Math.max(deepest, parentIndent + 1, 1) : given;
  return { breaks, indent, end };
}
