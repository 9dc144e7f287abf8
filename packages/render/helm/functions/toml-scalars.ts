import { goQuote } from '@tiphys/go';
import { parseTime, type Value } from '@tiphys/template';
import { quoteChar, TomlFault, type TomlReader } from './toml-reader.ts';

const layouts = [
  ['2006-01-02T15:04:05.999999999Z07:00', undefined],
  ['2006-01-02T15:04:05.999999999', 'datetime-local'],
  ['2006-01-02', 'date-local'],
  ['15:04:05.999999999', 'time-local'],
  ['2006-01-02T15:04Z07:00', undefined],
  ['2006-01-02T15:04', 'datetime-local'],
  ['15:04', 'time-local'],
] as const;

const bases: Readonly<Record<string, readonly [RegExp, string]>> = {
  b: [/[01]/, 'a binary'],
  o: [/[0-7]/, 'an octal'],
  x: [/[0-9A-Fa-f]/, 'a hexadecimal'],
};

/** A number, or undefined if what comes is a date or a time: then nothing is read. */
export function readTomlNumber(reader: TomlReader): Value | undefined {
  const start = reader.offset;
  const first = reader.peek();
  if (first === '+' || first === '-') {
    reader.next();
    return signed(reader, start);
  }
  reader.next();
  const second = reader.peek();
  const base = first === '0' ? bases[second] : undefined;
  if (base) return based(reader, start, base);
  const digits = first + reader.while((char) => /[0-9]/.test(char));
  const after = reader.peek();
  // A date has two digits before its first mark.
  const isTime = (after === '-' || after === ':') && !(first === '0' && digits.length === 1);
  if (isTime) {
    pending.set(reader, start);
    return undefined;
  }
  return decimal(reader, start);
}

/** Where a date began whose first digits have been read. */
const pending = new WeakMap<TomlReader, number>();

function signed(reader: TomlReader, start: number): Value {
  const char = reader.next();
  const rest = char === 'i' ? 'nf' : char === 'n' ? 'an' : undefined;
  if (rest !== undefined) {
    if (!reader.accept(rest[0] as string) || !reader.accept(rest[1] as string))
      throw reader.fault(`invalid float: '${reader.since(start)}'`);
    if (char === 'n') return Number.NaN;
    return reader.since(start).startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  }
  if (char === '0' && bases[reader.peek()])
    throw reader.fault(`cannot use sign with non-decimal numbers: '${reader.since(start)}${reader.peek()}'`);
  if (char === '.') throw reader.fault("floats must start with a digit, not '.'");
  if (!/^[0-9]$/.test(char)) throw reader.fault(`expected a digit but got ${quoteChar(char)}`);
  return decimal(reader, start);
}

function based(reader: TomlReader, start: number, [digit, name]: readonly [RegExp, string]): Value {
  reader.next();
  const after = reader.peek();
  if (!digit.test(after)) throw reader.fault(`not ${name} number: '${reader.since(start)}${after || '\0'}'`);
  reader.while((char) => char === '_' || digit.test(char));
  return integer(reader.since(start), reader.line);
}

function decimal(reader: TomlReader, start: number): Value {
  reader.while((char) => /[0-9_]/.test(char));
  if (!/[.eE]/.test(reader.peek() || ' ')) return integer(reader.since(start), reader.line);
  reader.while((char) => /[0-9_.eE+-]/.test(char));
  return float(reader.since(start), reader.line);
}

function hasGoodUnderscores(text: string): boolean {
  let isDigit = false;
  for (const char of text) {
    if (char === '_' && !isDigit) return false;
    isDigit = /[0-9A-Fa-f]/.test(char);
  }
  return isDigit;
}

function hasLeadingZero(text: string): boolean {
  return (text.length > 1 && /^0[^box]/.test(text)) || (text.length > 2 && /^[+-]0/.test(text));
}

function integer(text: string, line: number): Value {
  const quoted = goQuote(text);
  if (!hasGoodUnderscores(text))
    throw new TomlFault(line, `Invalid integer ${quoted}: underscores must be surrounded by digits`);
  if (hasLeadingZero(text)) throw new TomlFault(line, `Invalid integer ${quoted}: cannot have leading zeroes`);
  const plain = text.replaceAll('_', '').replace(/^\+/, '');
  const value = plain.startsWith('-') ? -BigInt(plain.slice(1)) : BigInt(plain);
  if (BigInt.asIntN(64, value) !== value) throw new TomlFault(line, `${text} is out of range for int64`);
  return value;
}

function float(text: string, line: number): Value {
  const quoted = goQuote(text);
  const parts = text.split(/[.eE]/).filter((part) => part !== '');
  if (!parts.every(hasGoodUnderscores))
    throw new TomlFault(line, `Invalid float ${quoted}: underscores must be surrounded by digits`);
  if (hasLeadingZero(parts[0] ?? '')) throw new TomlFault(line, `Invalid float ${quoted}: cannot have leading zeroes`);
  if (/\.(?![0-9])/.test(text))
    throw new TomlFault(line, `Invalid float ${quoted}: '.' must be followed by one or more digits`);
  const plain = text.replaceAll('_', '');
  if (!/^[+-]?[0-9]+(\.[0-9]+)?([eE][+-]?[0-9]+)?$/.test(plain))
    throw new TomlFault(line, `Invalid float value: ${quoted}`);
  const value = Number(plain);
  if (!Number.isFinite(value)) throw new TomlFault(line, `${text} is out of range for float64`);
  return value;
}

/** A date, a time, or both. */
export function readTomlTime(reader: TomlReader): Value {
  const start = pending.get(reader) ?? reader.offset;
  reader.while((char) => /[0-9\-:Tt .Zz+]/.test(char));
  const text = reader.since(start).trim().replaceAll('z', 'Z').replaceAll('t', 'T').replaceAll(' ', 'T');
  for (const [layout, zone] of layouts) {
    const time = parseTime(layout, text);
    if (typeof time === 'string') continue;
    if (lacksZero(text, layout)) break;
    return zone === undefined ? time : time.in({ name: zone, offset: 0 });
  }
  throw new TomlFault(reader.line, `invalid datetime: ${goQuote(text)}`);
}

/** Go reads numbers of one digit as well; marks that are not where the layout has them betray those. */
function lacksZero(text: string, layout: string): boolean {
  for (const [i, char] of [...layout].entries()) {
    if (char === '.' || char === 'Z') return false;
    if (!/[0-9]/.test(char) && text[i] !== char) return true;
  }
  return false;
}
