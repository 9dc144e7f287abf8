import { createHash } from 'node:crypto';
import { formatText } from '../machine/format.ts';
import type { Machine } from '../machine/machine.ts';
import { quoted } from '../machine/text-of.ts';
import { JsonnetArray, lengthOf, pointsOf, type Slot, typeOf, type Value } from '../machine/values.ts';
import { arrayOf, integerOf, type Library, type Native, numberOf, textOf } from './native.ts';

const hash =
  (algorithm: string): Native =>
  (machine, text) =>
    createHash(algorithm).update(textOf(machine, text)).digest('hex');

/** `chars` off the ends of a text. */
function strip(machine: Machine, text: Slot, chars: Slot, ends: 'left' | 'right' | 'both'): string {
  const points = pointsOf(textOf(machine, text));
  const off = new Set(pointsOf(textOf(machine, chars)));
  let [from, to] = [0, points.length];
  if (ends !== 'right') while (from < to && off.has(points[from] as string)) from += 1;
  if (ends !== 'left') while (to > from && off.has(points[to - 1] as string)) to -= 1;
  return points.slice(from, to).join('');
}

function separator(machine: Machine, slot: Slot, name: string): string {
  const text = textOf(machine, slot);
  if (text !== '') return text;
  throw machine.fail(`${name} second parameter should have length 1 or greater, got 0`);
}

function limitOf(machine: Machine, slot: Slot, name: string): number {
  const limit = integerOf(machine, slot);
  if (limit < -1) throw machine.fail(`${name} third parameter should be -1 or non-negative, got ${limit}`);
  return limit < 0 ? Number.POSITIVE_INFINITY : limit;
}

function split(machine: Machine, text: string, by: string, limit: number): JsonnetArray {
  const parts = text.split(by);
  const kept = parts.slice(0, limit);
  return machine.array(parts.length > limit ? [...kept, parts.slice(limit).join(by)] : parts);
}

function inBase(machine: Machine, text: string, base: number, digits: RegExp, what: string): number {
  const negative = base === 10 && text.startsWith('-');
  const body = negative || (base === 10 && text.startsWith('+')) ? text.slice(1) : text;
  if (!digits.test(body)) throw machine.fail(`${text} is not a base ${what} integer`);
  const value = [...body].reduce((sum, digit) => sum * base + Number.parseInt(digit, base), 0);
  return negative ? -value : value;
}

function bytesOf(machine: Machine, slot: Slot): Buffer {
  return Buffer.from(
    arrayOf(machine, slot).map((item) => {
      const value = numberOf(machine, item);
      if (Number.isInteger(value) && value >= 0 && value <= 255) return value;
      throw machine.fail(
        `base64 encountered invalid codepoint value in the array (must be 0 <= X <= 255), got ${value}`,
      );
    }),
  );
}

function decoded(machine: Machine, slot: Slot): Buffer {
  const text = textOf(machine, slot);
  if (text.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(text)) return Buffer.from(text, 'base64');
  throw machine.fail(`failed to decode: illegal base64 data in ${JSON.stringify(text.slice(0, 40))}`);
}

function joined(machine: Machine, glue: Value, items: readonly Slot[]): Value {
  if (typeof glue === 'string') {
    const texts: string[] = [];
    for (const [index, item] of items.entries()) {
      const value = machine.force(item);
      if (value === null) continue;
      if (typeof value !== 'string')
        throw machine.fail(`Unexpected type ${typeOf(value)}, expected string: element ${index} of std.join`);
      texts.push(value);
    }
    return machine.sized(texts.join(glue));
  }
  if (!(glue instanceof JsonnetArray))
    throw machine.fail(`join first parameter should be string or array, got ${typeOf(glue)}`);
  const found: Slot[] = [];
  let first = true;
  for (const item of items) {
    const value = machine.force(item);
    if (value === null) continue;
    if (!(value instanceof JsonnetArray)) throw machine.unexpected(value, 'array');
    if (!first) for (const part of glue.items) found.push(part);
    for (const part of value.items) found.push(part);
    first = false;
  }
  return machine.array(found);
}

/** Characters that make XML, as `&…;`. */
export function escapeXml(text: string): string {
  const names: Readonly<Record<string, string>> = { '<': 'lt', '>': 'gt', '&': 'amp', '"': 'quot', "'": 'apos' };
  return text.replace(/[<>&"']/g, (character) => `&${names[character]};`);
}

const ascii = (text: string, from: RegExp, by: number): string =>
  text.replace(from, (character) => String.fromCharCode(character.charCodeAt(0) + by));

/** What the standard library does with texts. */
export const strings: Library = {
  'toString(a)': (machine, value) => machine.toText(machine.force(value)),
  'codepoint(str)': (machine, text) => {
    const [point, more] = pointsOf(textOf(machine, text));
    if (point === undefined || more !== undefined)
      throw machine.fail(`codepoint takes a string of length 1, got length ${lengthOf(textOf(machine, text))}`);
    return point.codePointAt(0) ?? 0;
  },
  'char(n)': (machine, slot) => {
    const point = Math.trunc(numberOf(machine, slot));
    if (point > 0x10ffff) throw machine.fail(`Invalid unicode codepoint, got ${point}`);
    if (point < 0) throw machine.fail(`Codepoints must be >= 0, got ${point}`);
    return String.fromCodePoint(point);
  },
  'substr(str, from, len)': (machine, text, from, length) => {
    const value = machine.force(text);
    if (typeof value !== 'string')
      throw machine.fail(`substr first parameter should be a string, got ${typeOf(value)}`);
    const bounds = [from, length].map((slot, index) => {
      const bound = machine.force(slot);
      const which = index === 0 ? 'second' : 'third';
      if (typeof bound !== 'number')
        throw machine.fail(`substr ${which} parameter should be a number, got ${typeOf(bound)}`);
      if (!Number.isInteger(bound)) throw machine.fail(`substr ${which} parameter should be an integer, got ${bound}`);
      if (bound < 0) throw machine.fail(`substr ${which} parameter should be greater than zero, got ${bound}`);
      return bound;
    });
    const [start = 0, count = 0] = bounds;
    return pointsOf(value)
      .slice(start, start + count)
      .join('');
  },
  'startsWith(a, b)': (machine, a, b) => textOf(machine, a).startsWith(textOf(machine, b)),
  'endsWith(a, b)': (machine, a, b) => textOf(machine, a).endsWith(textOf(machine, b)),
  'stripChars(str, chars)': (machine, text, chars) => strip(machine, text, chars, 'both'),
  'lstripChars(str, chars)': (machine, text, chars) => strip(machine, text, chars, 'left'),
  'rstripChars(str, chars)': (machine, text, chars) => strip(machine, text, chars, 'right'),
  'trim(str)': (machine, text) => strip(machine, text, ' \t\n\f\r\u0085\u00a0', 'both'),
  'split(str, c)': (machine, text, by) =>
    split(machine, textOf(machine, text), separator(machine, by, 'std.splitLimit'), Number.POSITIVE_INFINITY),
  'splitLimit(str, c, maxsplits)': (machine, text, by, limit) =>
    split(
      machine,
      textOf(machine, text),
      separator(machine, by, 'std.splitLimit'),
      limitOf(machine, limit, 'std.splitLimit'),
    ),
  'splitLimitR(str, c, maxsplits)': (machine, text, by, limit) => {
    const glue = separator(machine, by, 'std.splitLimitR');
    const parts = textOf(machine, text).split(glue);
    const first = Math.max(0, parts.length - 1 - limitOf(machine, limit, 'std.splitLimitR'));
    return machine.array(first === 0 ? parts : [parts.slice(0, first + 1).join(glue), ...parts.slice(first + 1)]);
  },
  'strReplace(str, from, to)': (machine, text, from, to) => {
    const found = textOf(machine, from);
    if (found === '') throw machine.fail("'from' string must not be zero length.");
    const [whole, by] = [textOf(machine, text), textOf(machine, to)];
    const times = whole.split(found);
    if (whole.length + (times.length - 1) * by.length > machine.limits.size)
      throw machine.fail('The text gets too long', 'limit');
    return times.join(by);
  },
  'asciiUpper(str)': (machine, text) => ascii(textOf(machine, text), /[a-z]/g, -32),
  'asciiLower(str)': (machine, text) => ascii(textOf(machine, text), /[A-Z]/g, 32),
  'equalsIgnoreCase(str1, str2)': (machine, a, b) =>
    textOf(machine, a).toLowerCase() === textOf(machine, b).toLowerCase(),
  'stringChars(str)': (machine, text) => machine.array(pointsOf(textOf(machine, text))),
  'isEmpty(str)': (machine, text) => textOf(machine, text) === '',
  'format(str, vals)': (machine, text, values) =>
    machine.sized(formatText(machine, textOf(machine, text), machine.force(values))),
  'join(sep, arr)': (machine, glue, items) => joined(machine, machine.force(glue), arrayOf(machine, items)),
  'lines(arr)': (machine, items) => joined(machine, '\n', [...arrayOf(machine, items), '']),
  'findSubstr(pat, str)': (machine, pattern, text) => {
    const [wanted, points] = [pointsOf(textOf(machine, pattern)), pointsOf(textOf(machine, text))];
    const found: number[] = [];
    if (wanted.length > 0)
      for (let at = 0; at + wanted.length <= points.length; at += 1)
        if (wanted.every((point, index) => points[at + index] === point)) found.push(at);
    return machine.array(found);
  },
  'parseInt(str)': (machine, text) => inBase(machine, textOf(machine, text), 10, /^[0-9]+$/, '10'),
  'parseOctal(str)': (machine, text) => {
    const digits = textOf(machine, text);
    if (digits === '') throw machine.fail('Not an octal number: ""');
    return inBase(machine, digits, 8, /^[0-7]+$/, '8');
  },
  'parseHex(str)': (machine, text) => {
    const digits = textOf(machine, text);
    if (digits === '') throw machine.fail('Not hexadecimal: ""');
    return inBase(machine, digits, 16, /^[0-9A-Fa-f]+$/, '16');
  },
  'escapeStringJson(str_)': (machine, value) => quoted(machine.toText(machine.force(value))),
  'escapeStringPython(str)': (machine, value) => quoted(machine.toText(machine.force(value))),
  'escapeStringBash(str_)': (machine, value) => `'${machine.toText(machine.force(value)).replaceAll("'", `'"'"'`)}'`,
  'escapeStringDollars(str_)': (machine, value) => machine.toText(machine.force(value)).replaceAll('$', '$$$$'),
  'escapeStringXML(str_)': (machine, value) => escapeXml(machine.toText(machine.force(value))),
  'resolvePath(f, r)': (machine, file, relative) => {
    const parts = textOf(machine, file).split('/');
    return [...parts.slice(0, -1), textOf(machine, relative)].join('/');
  },
  'base64(input)': (machine, input) => {
    const value = machine.force(input);
    if (typeof value === 'string') {
      const wide = pointsOf(value).find((point) => (point.codePointAt(0) ?? 0) > 255);
      if (wide === undefined) return Buffer.from(value).toString('base64');
      throw machine.fail(
        `base64 encountered invalid codepoint value in the array (must be 0 <= X <= 255), got ${wide.codePointAt(0)}`,
      );
    }
    if (value instanceof JsonnetArray) return bytesOf(machine, value).toString('base64');
    throw machine.fail(`base64 can only base64 encode strings / arrays of single bytes, got ${typeOf(value)}`);
  },
  'base64Decode(str)': (machine, text) => decoded(machine, text).toString('utf8'),
  'base64DecodeBytes(str)': (machine, text) => machine.array([...decoded(machine, text)]),
  'encodeUTF8(str)': (machine, text) => machine.array([...Buffer.from(textOf(machine, text))]),
  'decodeUTF8(arr)': (machine, items) => bytesOf(machine, items).toString('utf8'),
  'md5(s)': hash('md5'),
  'sha1(s)': hash('sha1'),
  'sha256(s)': hash('sha256'),
  'sha512(s)': hash('sha512'),
  'sha3(s)': hash('sha3-512'),
};
