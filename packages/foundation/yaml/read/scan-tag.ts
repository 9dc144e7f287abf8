import { isBlank, isBlankOrEnd, isBreakOrEnd, isDigit, isHex, isWord } from '../text/characters.ts';
import type { Cursor } from './cursor.ts';
import type { Mark, Token } from './token.ts';

/** A tag, from its `!`. */
export function scanTag(cursor: Cursor): Token {
  const start = cursor.mark();
  let handle = '';
  let suffix: string;
  if (cursor.peek(1) === 0x3c) {
    cursor.at += 2;
    suffix = scanUri(cursor, '', start);
    if (cursor.peek() !== 0x3e) cursor.fail("did not find the expected '>'", start);
    cursor.at++;
  } else {
    handle = scanHandle(cursor, start, false);
    if (handle.length > 1 && handle.endsWith('!')) suffix = scanUri(cursor, '', start);
    else {
      suffix = scanUri(cursor, handle, start);
      handle = '!';
      if (suffix === '') [handle, suffix] = ['', '!'];
    }
  }
  if (!isBlankOrEnd(cursor.peek())) cursor.fail('did not find expected whitespace or line break', start);
  return { type: 'tag', start, end: cursor.mark(), value: handle, suffix, plain: false };
}

function scanHandle(cursor: Cursor, start: Mark, directive: boolean): string {
  const from = cursor.at;
  if (cursor.peek() !== 0x21) cursor.fail("did not find expected '!'", start);
  cursor.at++;
  while (isWord(cursor.peek())) cursor.at++;
  if (cursor.peek() === 0x21) cursor.at++;
  const handle = cursor.text.slice(from, cursor.at);
  if (directive && handle !== '!' && !handle.endsWith('!')) cursor.fail("did not find expected '!'", start);
  return handle;
}

const uriMarks = new Set([...";/?:@&=+$,.!~*'()[]%"].map((char) => char.charCodeAt(0)));

function scanUri(cursor: Cursor, head: string, start: Mark): string {
  let uri = head.slice(1);
  const hasTag = head !== '';
  let read = false;
  for (let code = cursor.peek(); isWord(code) || uriMarks.has(code); code = cursor.peek()) {
    read = true;
    if (code === 0x25) uri += scanUriEscapes(cursor, start);
    else {
      uri += cursor.text[cursor.at];
      cursor.at++;
    }
  }
  if (!hasTag && !read) cursor.fail('did not find expected tag URI', start);
  return uri;
}

function scanUriEscapes(cursor: Cursor, start: Mark): string {
  const bytes: number[] = [];
  let width = 1;
  while (bytes.length < width) {
    if (cursor.peek() !== 0x25 || !isHex(cursor.peek(1)) || !isHex(cursor.peek(2)))
      cursor.fail('did not find URI escaped octet', start);
    const octet = Number.parseInt(cursor.text.slice(cursor.at + 1, cursor.at + 3), 16);
    if (bytes.length === 0) {
      width =
        octet < 0x80 ? 1 : (octet & 0xe0) === 0xc0 ? 2 : (octet & 0xf0) === 0xe0 ? 3 : (octet & 0xf8) === 0xf0 ? 4 : 0;
      if (width === 0) cursor.fail('found an incorrect leading UTF-8 octet', start);
    } else if ((octet & 0xc0) !== 0x80) cursor.fail('found an incorrect trailing UTF-8 octet', start);
    bytes.push(octet);
    cursor.at += 3;
  }
  return Buffer.from(bytes).toString('utf8');
}

/** A directive, from its `%`, to the end of its line. */
export function scanDirective(cursor: Cursor): Token {
  const start = cursor.mark();
  cursor.at++;
  const from = cursor.at;
  while (isWord(cursor.peek())) cursor.at++;
  const name = cursor.text.slice(from, cursor.at);
  if (name === '') cursor.fail('could not find expected directive name', start);
  if (!isBlankOrEnd(cursor.peek())) cursor.fail('found unexpected non-alphabetical character', start);
  let token: Token;
  if (name === 'YAML') {
    const value = scanVersion(cursor, start);
    token = { type: 'version-directive', start, end: cursor.mark(), value, suffix: '', plain: false };
  } else if (name === 'TAG') {
    skipBlanks(cursor);
    const value = scanHandle(cursor, start, true);
    if (!isBlank(cursor.peek())) cursor.fail('did not find expected whitespace', start);
    skipBlanks(cursor);
    const suffix = scanUri(cursor, '', start);
    if (!isBlankOrEnd(cursor.peek())) cursor.fail('did not find expected whitespace or line break', start);
    token = { type: 'tag-directive', start, end: cursor.mark(), value, suffix, plain: false };
  } else cursor.fail('found unknown directive name', start);
  skipBlanks(cursor);
  if (cursor.peek() === 0x23) cursor.skipToBreak();
  if (!isBreakOrEnd(cursor.peek())) cursor.fail('did not find expected comment or line break', start);
  cursor.readBreak();
  return token;
}

function skipBlanks(cursor: Cursor): void {
  while (isBlank(cursor.peek())) cursor.at++;
}

function scanVersion(cursor: Cursor, start: Mark): string {
  skipBlanks(cursor);
  const number = (): string => {
    const from = cursor.at;
    while (isDigit(cursor.peek())) {
      cursor.at++;
      if (cursor.at - from > 2) cursor.fail('found extremely long version number', start);
    }
    if (cursor.at === from) cursor.fail('did not find expected version number', start);
    return cursor.text.slice(from, cursor.at);
  };
  const major = number();
  if (cursor.peek() !== 0x2e) cursor.fail("did not find expected digit or '.' character", start);
  cursor.at++;
  return `${Number(major)}.${Number(number())}`;
}
