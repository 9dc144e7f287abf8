import { goQuote } from '@tiphys/go';
import { limitList, limitText } from '../bounds/active-budget.ts';
import { textOf, textsOf } from '../fmt/convert.ts';
import { formatValue } from '../fmt/format-value.ts';
import { byteLength, fromBytes, isAscii, sliceBytes, toBytes } from '../text/bytes.ts';
import { define, FunctionError, type FunctionSpec } from '../value/function-spec.ts';
import { mapOfString, sliceOfString } from '../value/type.ts';
import { elementsOf, GoMap, GoSlice, integerOf, type Value } from '../value/value.ts';
import { camelCase, lowerWords, swapCase } from './letters/letter-case.ts';
import { lowerRune, titleRune, upperRune } from './letters/rune-case.ts';

const space = '\\t\\n\\v\\f\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';
const leading = new RegExp(`^[${space}]+`);
const trailing = new RegExp(`(?<![${space}])[${space}]+$`);
const spaceBytes = new Set([0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x20, 0x85, 0xa0]);

/** strings.TrimSpace. */
export function trimSpace(text: string): string {
  return text.replace(leading, '').replace(trailing, '');
}

/** goutils.DeleteWhiteSpace: where it deletes anything, it takes each byte for a character. */
function withoutSpace(text: string): string {
  const bytes = [...toBytes(text)];
  const kept = bytes.filter((byte) => !spaceBytes.has(byte));
  return kept.length === bytes.length ? text : String.fromCharCode(...kept);
}

function trimSet(cut: string, text: string): string {
  const set = new Set(cut);
  const runes = Array.from(text);
  let start = 0;
  let end = runes.length;
  while (start < end && set.has(runes[start] as string)) start++;
  while (end > start && set.has(runes[end - 1] as string)) end--;
  return runes.slice(start, end).join('');
}

function number(value: Value): number {
  return Number(integerOf(value) ?? 0n);
}

function bounds(message: string): never {
  throw new FunctionError(`runtime error: slice bounds out of range ${message}`);
}

function substring(start: number, end: number, text: string): string {
  const length = byteLength(text);
  if (start < 0) {
    if (end < 0) bounds(`[:${end}]`);
    return end > length ? bounds(`[:${end}] with length ${length}`) : sliceBytes(text, 0, end);
  }
  if (end < 0 || end > length) return start > length ? bounds(`[${start}:${length}]`) : sliceBytes(text, start);
  return start > end ? bounds(`[${start}:${end}]`) : sliceBytes(text, start, end);
}

function trunc(count: number, text: string): string {
  const length = byteLength(text);
  if (count < 0 && length + count > 0) return sliceBytes(text, length + count);
  return count >= 0 && length > count ? sliceBytes(text, 0, count) : text;
}

function abbreviate(text: string, from: number, width: number): string {
  const length = byteLength(text);
  if (text === '' || width < 4) return '';
  if (length <= width) return text;
  let offset = Math.min(from, length);
  if (length - offset < width - 3) offset = length - (width - 3);
  if (offset <= 4) return `${sliceBytes(text, 0, width - 3)}...`;
  if (width < 7) return '';
  if (offset + width - 3 < length) return `...${abbreviate(sliceBytes(text, offset), 0, width - 3)}`;
  return `...${sliceBytes(text, length - (width - 3))}`;
}

function wrap(text: string, wanted: number, separator: string, breakWords: boolean): string {
  if (text === '') return '';
  const newLine = separator === '' ? '\n' : separator;
  const width = Math.max(1, wanted);
  limitList(Math.ceil(text.length / width));
  const bytes = Buffer.from(toBytes(text));
  let out = '';
  let offset = 0;
  const part = (from: number, to?: number): string => fromBytes(bytes.subarray(from, to));
  while (bytes.length - offset > width) {
    limitText(out.length);
    if (bytes[offset] === 0x20) {
      offset++;
      continue;
    }
    const at = bytes.subarray(offset, offset + width + 1).lastIndexOf(0x20);
    if (at >= 0) {
      out += part(offset, offset + at) + newLine;
      offset += at + 1;
    } else if (breakWords) {
      out += part(offset, offset + width) + newLine;
      offset += width;
    } else {
      const end = bytes.indexOf(0x20, offset + width);
      if (end < 0) break;
      out += part(offset, end) + newLine;
      offset = end + 1;
    }
  }
  return out + part(offset);
}

function initials(text: string): string {
  limitList(text.length);
  let out = '';
  let gap = true;
  for (const byte of toBytes(text)) {
    const char = String.fromCharCode(byte);
    if (spaceBytes.has(byte)) gap = true;
    else if (gap) {
      out += char;
      gap = false;
    }
  }
  return out;
}

function indent(count: Value, text: string): string {
  const spaces = number(count);
  if (spaces < 0) throw new FunctionError('strings: negative Repeat count');
  const pad = ' '.repeat(spaces);
  return pad + text.replaceAll('\n', `\n${pad}`);
}

/** How often a text contains another; an empty one before each rune and at the end. */
function countOf(part: string, text: string): number {
  if (part === '') return text.length + 1;
  let count = 0;
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) count++;
  return count;
}

function indentedLength(count: number, text: string): number {
  return text.length + Math.max(0, count) * (countOf('\n', text) + 1);
}

function join(separator: string, texts: readonly string[]): string {
  let length = 0;
  for (const text of texts) length += text.length + separator.length;
  limitText(length);
  return texts.join(separator);
}

function parts(list: readonly string[]): Value {
  return new GoMap(mapOfString, new Map(list.map((part, i) => [`_${i}`, part])));
}

/** strings.Split: by runes for an empty separator. */
export function splitText(separator: string, text: string): string[] {
  limitList(countOf(separator, text));
  return separator === '' ? Array.from(text) : text.split(separator);
}

function splitN(separator: string, count: number, text: string): string[] {
  if (count === 0) return [];
  const all = splitText(separator, text);
  if (count < 0 || all.length <= count) return all;
  return [...all.slice(0, count - 1), all.slice(count - 1).join(separator)];
}

/** Go's `strings.Title`: of ASCII everything but letters, digits and `_` ends a word; of the rest only white space. */
function title(text: string): string {
  limitList(text.length);
  return text.replace(/(?<![\p{L}\p{Nd}_]|[^\x00-\x7f\s\x85])\p{L}/gu, titleRune);
}

function cat(args: readonly Value[]): string {
  const given = args.filter((arg) => arg !== null && arg !== undefined);
  return given.map((arg) => formatValue(arg)).join(' ');
}

function repeat(count: number, text: string): string {
  if (count < 0) throw new FunctionError('strings: negative Repeat count');
  return text.repeat(count);
}

const text2 = (body: (a: string, b: string) => Value): FunctionSpec =>
  define('string, string', ([a, b]) => body(a as string, b as string));
const text1 = (body: (text: string) => Value): FunctionSpec => define('string', ([text]) => body(text as string));

/** Sprig's functions on texts. */
export const stringFunctions: ReadonlyMap<string, FunctionSpec> = new Map<string, FunctionSpec>([
  ['hello', define('', () => 'Hello!')],
  [
    'abbrev',
    define('int, string', ([width, text]) =>
      number(width) < 4 ? (text as string) : abbreviate(text as string, 0, number(width)),
    ),
  ],
  [
    'abbrevboth',
    define('int, int, string', ([left, right, text]) => {
      const [from, width] = [number(left), number(right)];
      if (width < 4 || (from > 0 && width < 7)) return text as string;
      return abbreviate(text as string, from, width);
    }),
  ],
  ['trunc', define('int, string', ([count, text]) => trunc(number(count), text as string))],
  ['trim', text1(trimSpace)],
  ['upper', text1((text) => mapCase(text, upperRune))],
  ['lower', text1((text) => mapCase(text, lowerRune))],
  ['title', text1(title)],
  [
    'untitle',
    text1((text) =>
      text.replace(/(^|[\s])([^\s])/gu, (_, before: string, letter: string) => before + lowerRune(letter)),
    ),
  ],
  ['substr', define('int, int, string', ([start, end, text]) => substring(number(start), number(end), text as string))],
  [
    'repeat',
    define('int, string', ([count, text], context) => {
      context.budget.string(Math.max(0, number(count)) * (text as string).length);
      return repeat(number(count), text as string);
    }),
  ],
  ['trimall', text2((cut, text) => trimSet(cut, text))],
  ['trimAll', text2((cut, text) => trimSet(cut, text))],
  [
    'trimSuffix',
    text2((suffix, text) => (suffix !== '' && text.endsWith(suffix) ? text.slice(0, -suffix.length) : text)),
  ],
  ['trimPrefix', text2((prefix, text) => (text.startsWith(prefix) ? text.slice(prefix.length) : text))],
  ['nospace', text1(withoutSpace)],
  ['initials', text1(initials)],
  ['swapcase', text1(swapCase)],
  ['snakecase', text1((text) => lowerWords(text, '_'))],
  ['camelcase', text1(camelCase)],
  ['kebabcase', text1((text) => lowerWords(text, '-'))],
  ['wrap', define('int, string', ([width, text]) => wrap(text as string, number(width), '', false))],
  [
    'wrapWith',
    define('int, string, string', ([width, separator, text]) =>
      wrap(text as string, number(width), separator as string, true),
    ),
  ],
  ['contains', text2((part, text) => text.includes(part))],
  ['hasPrefix', text2((part, text) => text.startsWith(part))],
  ['hasSuffix', text2((part, text) => text.endsWith(part))],
  [
    'quote',
    define('...any', (args) =>
      args
        .filter((arg) => arg !== null && arg !== undefined)
        .map((arg) => goQuote(textOf(arg)))
        .join(' '),
    ),
  ],
  [
    'squote',
    define('...any', (args) =>
      args
        .filter((arg) => arg !== null && arg !== undefined)
        .map((arg) => `'${formatValue(arg)}'`)
        .join(' '),
    ),
  ],
  ['cat', define('...any', cat)],
  [
    'indent',
    define('int, string', ([count, text], context) => {
      context.budget.string(indentedLength(number(count), text as string));
      return indent(count, text as string);
    }),
  ],
  [
    'nindent',
    define('int, string', ([count, text], context) => {
      context.budget.string(indentedLength(number(count), text as string));
      return `\n${indent(count, text as string)}`;
    }),
  ],
  [
    'replace',
    define('string, string, string', ([old, by, text], context) => {
      const matches = countOf(old as string, text as string);
      context.budget.string(
        (text as string).length + matches * Math.max(0, (by as string).length - (old as string).length),
      );
      return replace(old as string, by as string, text as string);
    }),
  ],
  [
    'plural',
    define('string, string, int', ([one, many, count]) => (number(count) === 1 ? (one as string) : (many as string))),
  ],
  ['toString', define('any', ([value]) => textOf(value))],
  ['split', define('string, string', ([separator, text]) => parts(splitText(separator as string, text as string)))],
  [
    'splitList',
    define(
      'string, string',
      ([separator, text]) => new GoSlice(sliceOfString, splitText(separator as string, text as string)),
    ),
  ],
  [
    'splitn',
    define('string, int, string', ([separator, count, text]) =>
      parts(splitN(separator as string, number(count), text as string)),
    ),
  ],
  ['toStrings', define('any', ([value]) => new GoSlice(sliceOfString, textsOf(value)))],
  ['join', define('string, any', ([separator, value]) => join(separator as string, textsOf(value)))],
  [
    'sortAlpha',
    define(
      'any',
      ([value]) => new GoSlice(sliceOfString, elementsOf(value) ? textsOf(value).sort(byBytes) : [textOf(value)]),
    ),
  ],
]);

function byBytes(a: string, b: string): number {
  if (isAscii(a) && isAscii(b)) return a < b ? -1 : a > b ? 1 : 0;
  return Buffer.compare(toBytes(a), toBytes(b));
}

function replace(old: string, by: string, text: string): string {
  if (old !== '') return text.split(old).join(by);
  return (
    by +
    Array.from(text)
      .map((rune) => rune + by)
      .join('')
  );
}

/** Go maps each rune to one rune. */
function mapCase(text: string, map: (rune: string) => string): string {
  if (isAscii(text)) return map === upperRune ? text.toUpperCase() : text.toLowerCase();
  return Array.from(text, map).join('');
}
