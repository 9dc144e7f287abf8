import { CLAUSES, formatClauses } from '../language/format-clauses.ts';
import { type Overload, overload } from '../language/functions.ts';
import {
  CelError,
  Duration,
  isList,
  isMap,
  Timestamp,
  TypeValue,
  typeNameOf,
  Uint,
  type Value,
} from '../language/values.ts';
import { formatDouble } from './conversions.ts';
import { formatDuration, formatTimestamp } from './time.ts';

/** Strings are counted in characters, not in UTF-16 units. */
const split = (text: string): string[] => [...text];

function indexIn(text: string, part: string, from: number): bigint {
  const [all, wanted] = [split(text), split(part)];
  if (from < 0) throw new CelError(`index out of range: ${from}`);
  if (from > all.length) return -1n;
  if (part === '') return BigInt(from);
  for (let index = from; index + wanted.length <= all.length; index++)
    if (wanted.every((character, offset) => all[index + offset] === character)) return BigInt(index);
  return -1n;
}

function lastIndexIn(text: string, part: string, from?: number): bigint {
  const [all, wanted] = [split(text), split(part)];
  const start = from ?? all.length;
  if (start < 0 || (from !== undefined && start > all.length)) throw new CelError(`index out of range: ${start}`);
  if (part === '') return BigInt(start);
  for (let index = Math.min(start, all.length - wanted.length); index >= 0; index--)
    if (wanted.every((character, offset) => all[index + offset] === character)) return BigInt(index);
  return -1n;
}

function substring(text: string, start: number, end?: number): string {
  const all = split(text);
  if (end !== undefined && start > end) throw new CelError(`invalid substring range. start: ${start}, end: ${end}`);
  if (start < 0 || start > all.length) throw new CelError(`index out of range: ${start}`);
  if (end !== undefined && (end < 0 || end > all.length)) throw new CelError(`index out of range: ${end}`);
  return all.slice(start, end).join('');
}

function splitText(text: string, separator: string, limit: number): string[] {
  if (limit === 0) return [];
  const parts = separator === '' ? split(text) : text.split(separator);
  if (limit < 0 || parts.length <= limit) return parts;
  return [...parts.slice(0, limit - 1), parts.slice(limit - 1).join(separator)];
}

function replace(text: string, old: string, next: string, limit: number): string {
  if (limit < 0)
    return old === ''
      ? `${next}${split(text)
          .map((character) => character + next)
          .join('')}`
      : text.replaceAll(old, () => next);
  const parts = splitText(text, old, limit + 1);
  return parts.join(next);
}

function at(text: string, index: bigint): string {
  const all = split(text);
  if (index < 0n || index > BigInt(all.length)) throw new CelError(`index out of range: ${index}`);
  return all[Number(index)] ?? '';
}

function join(list: readonly Value[], separator: string): string {
  for (const item of list) if (typeof item !== 'string') throw new CelError(`join: invalid input: ${String(item)}`);
  return list.join(separator);
}

const ascii = (from: RegExp, change: (text: string) => string) => (text: string) => text.replace(from, change);

/** Go's quoting of a string for CEL. */
function quote(text: string): string {
  const names: Record<string, string> = {
    '\x07': '\\a',
    '\b': '\\b',
    '\f': '\\f',
    '\n': '\\n',
    '\r': '\\r',
    '\t': '\\t',
    '\v': '\\v',
    '\\': '\\\\',
    '"': '\\"',
  };
  return `"${split(text)
    .map((character) => names[character] ?? character)
    .join('')}"`;
}

const SUPERSCRIPT = '⁰¹²³⁴⁵⁶⁷⁸⁹';

/** The `%s` form of a value. */
function show(value: Value): string {
  if (typeof value === 'string') return value;
  if (value === null) return 'null';
  if (typeof value === 'number') return formatDouble(value);
  if (typeof value === 'boolean' || typeof value === 'bigint') return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString();
  if (value instanceof Timestamp) return formatTimestamp(value);
  if (value instanceof Duration) return formatDuration(value);
  if (value instanceof TypeValue) return value.name;
  if (isList(value)) return `[${value.map(nested).join(', ')}]`;
  if (isMap(value)) {
    const entries = [...value].map(([key, item]) => [nested(key), nested(item)] as const);
    return `{${entries
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, item]) => `${key}:${item}`)
      .join(', ')}}`;
  }
  throw new CelError(`error during formatting: ${CLAUSES.s?.text}, was given ${typeNameOf(value)}`);
}

/** Texts inside of lists and maps are quoted, as are times. */
function nested(value: Value): string {
  const text = show(value);
  if (typeof value === 'string') return JSON.stringify(text);
  if (typeof value === 'number' && Number.isFinite(value)) return value.toFixed(6);
  if (value instanceof Uint8Array) return `b${JSON.stringify(text)}`;
  if (value instanceof Timestamp) return `timestamp(${JSON.stringify(text)})`;
  if (value instanceof Duration) return `duration(${JSON.stringify(text)})`;
  return text;
}

function clause(kind: string, precision = 6, value: Value): string {
  const whole = typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined;
  switch (kind) {
    case 's':
      return show(value);
    case 'd':
      if (whole !== undefined) return String(whole);
      break;
    case 'f':
    case 'e': {
      const number = typeof value === 'number' ? value : NUMBERS.get(value as string);
      if (number === undefined) break;
      if (!Number.isFinite(number)) return Number.isNaN(number) ? 'NaN' : number > 0 ? '∞' : '-∞';
      return kind === 'f' ? grouped(number.toFixed(precision)) : scientific(number, precision);
    }
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      if (whole !== undefined) return whole.toString(2);
      break;
    case 'o':
      if (whole !== undefined) return whole.toString(8);
      break;
    default: {
      const bytes = typeof value === 'string' || value instanceof Uint8Array;
      const hex = whole?.toString(16) ?? (bytes ? Buffer.from(value as string).toString('hex') : undefined);
      if (hex !== undefined) return kind === 'X' ? hex.toUpperCase() : hex;
    }
  }
  throw new CelError(`error during formatting: ${CLAUSES[kind]?.text}, was given ${typeNameOf(value)}`);
}

/** Texts that stand for numbers in formats. */
const NUMBERS = new Map([
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);

const grouped = (text: string): string => text.replace(/\B(?<!\.\d*)(?=(\d{3})+(?!\d))/g, ',');

function scientific(value: number, precision: number): string {
  const [mantissa, exponent = ''] = value.toExponential(precision).split('e');
  const raised = [...exponent.slice(1).padStart(2, '0')].map((digit) => SUPERSCRIPT[Number(digit)]).join('');
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`;
}

function format(text: string, args: readonly Value[]): string {
  let used = 0;
  let result = '';
  for (const piece of formatClauses(text)) {
    if ('text' in piece) {
      result += piece.text;
      continue;
    }
    const value = args[used];
    if (value === undefined) throw new CelError(`index ${used} out of range`);
    used += 1;
    if (piece.problem !== undefined) throw new CelError(piece.problem);
    result += clause(piece.kind, piece.precision, value);
  }
  return result;
}

const lower = ascii(/[A-Z]/g, (letter) => letter.toLowerCase());
const upper = ascii(/[a-z]/g, (letter) => letter.toUpperCase());

export const strings: readonly Overload[] = [
  overload('string.charAt(int): string', at),
  overload('string.indexOf(string): int', (text: string, part: string) => indexIn(text, part, 0)),
  overload('string.indexOf(string, int): int', (text: string, part: string, from: bigint) =>
    indexIn(text, part, Number(from)),
  ),
  overload('string.lastIndexOf(string): int', (text: string, part: string) => lastIndexIn(text, part)),
  overload('string.lastIndexOf(string, int): int', (text: string, part: string, from: bigint) =>
    lastIndexIn(text, part, Number(from)),
  ),
  overload('list<string>.join(): string', (list: readonly Value[]) => join(list, '')),
  overload('list<string>.join(string): string', join),
  overload('string.lowerAscii(): string', lower),
  overload('string.upperAscii(): string', upper),
  overload('string.replace(string, string): string', (text: string, old: string, next: string) =>
    replace(text, old, next, -1),
  ),
  overload('string.replace(string, string, int): string', (text: string, old: string, next: string, limit: bigint) =>
    replace(text, old, next, Number(limit)),
  ),
  overload('string.split(string): list<string>', (text: string, separator: string) => splitText(text, separator, -1)),
  overload('string.split(string, int): list<string>', (text: string, separator: string, limit: bigint) =>
    splitText(text, separator, Number(limit)),
  ),
  overload('string.substring(int): string', (text: string, start: bigint) => substring(text, Number(start))),
  overload('string.substring(int, int): string', (text: string, start: bigint, end: bigint) =>
    substring(text, Number(start), Number(end)),
  ),
  overload('string.trim(): string', (text: string) => text.trim()),
  overload('string.format(list<dyn>): string', format),
  overload('strings.quote(string): string', quote),
];
