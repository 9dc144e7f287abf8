import type { Machine } from './machine.ts';
import { general } from './text-of.ts';
import { JsonnetArray, JsonnetObject, lengthOf, pointsOf, type Slot, typeOf, type Value } from './values.ts';

interface Code {
  readonly key: string | undefined;
  readonly flags: string;
  /** `*` takes it from the values. */
  readonly width: number | '*';
  readonly precision: number | '*' | undefined;
  readonly type: string;
}

const code = /%(?:\(([^)]*)\))?([#0\- +]*)(\*|\d+)?(?:\.(\*|\d+))?[hlL]?(.)/su;

/** `text % values`, as Python formats. */
export function formatText(machine: Machine, text: string, values: Value): string {
  const parts = partsOf(machine, text);
  if (values instanceof JsonnetObject)
    return parts.map((part) => (typeof part === 'string' ? part : keyed(machine, part, values))).join('');
  const list: readonly Slot[] = values instanceof JsonnetArray ? values.items : [values];
  let taken = 0;
  const take = (): Value => {
    if (taken >= list.length)
      throw machine.fail(`Not enough values to format: ${list.length}, expected more than ${taken}`);
    taken += 1;
    return machine.force(list[taken - 1] as Slot);
  };
  const takeNumber = (): number => {
    const value = take();
    if (typeof value !== 'number') throw machine.unexpected(value, 'number');
    return value;
  };
  const out = parts.map((part) => {
    if (typeof part === 'string') return part;
    const width = part.width === '*' ? takeNumber() : part.width;
    const precision = part.precision === '*' ? takeNumber() : part.precision;
    return part.type === '%' ? pad('%', width, part.flags) : one(machine, take(), part, { width, precision });
  });
  if (taken < list.length) throw machine.fail(`Too many values to format: ${list.length}, expected ${taken}`);
  return out.join('');
}

function partsOf(machine: Machine, text: string): (string | Code)[] {
  const parts: (string | Code)[] = [];
  let rest = text;
  for (;;) {
    const start = rest.indexOf('%');
    if (start < 0) return [...parts, rest];
    parts.push(rest.slice(0, start));
    rest = rest.slice(start);
    const match = code.exec(rest);
    if (match?.index !== 0) throw machine.fail('Truncated format code.');
    const [whole, key, flags = '', width, precision, type = ''] = match;
    if (!'diouxXeEfFgGcs%'.includes(type)) throw machine.fail(`Unrecognised conversion type: ${type}`);
    const sized = (size: string | undefined) => (size === undefined || size === '*' ? size : Number(size));
    parts.push({
      key,
      flags,
      width: (sized(width) ?? 0) as number | '*',
      precision: sized(precision) as Code['precision'],
      type,
    });
    rest = rest.slice(whole.length);
  }
}

function keyed(machine: Machine, part: Code, values: JsonnetObject): string {
  const { key, width, precision, type, flags } = part;
  if (type === '%') return '%';
  if (key === undefined) throw machine.fail('Mapping keys required.');
  if (width === '*') throw machine.fail('Cannot use * field width with object.');
  if (precision === '*') throw machine.fail('Cannot use * precision with object.');
  const value = values.get(key, machine);
  if (value === undefined) throw machine.fail(`No such field: ${key}`);
  return one(machine, value, { ...part, flags }, { width, precision });
}

function one(
  machine: Machine,
  value: Value,
  { flags, type }: Code,
  { width, precision }: { width: number; precision: number | undefined },
): string {
  if (width > machine.limits.size || (precision ?? 0) > 10_000)
    throw machine.fail('The width or the precision is too big', 'limit');
  if (type === 's') return pad(machine.toText(value), width, flags.replace('0', ''));
  if (type === 'c') return pad(character(machine, value), width, flags.replace('0', ''));
  if (typeof value !== 'number') throw machine.fail(`Format required number at 0, got ${typeOf(value)}`);
  const sign = value < 0 ? '-' : flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
  return number(sign, digitsOf(type, Math.abs(value), { flags, precision }), { width, flags });
}

function character(machine: Machine, value: Value): string {
  if (typeof value === 'number') return String.fromCodePoint(value);
  if (typeof value !== 'string') throw machine.fail(`%c expected number / string, got: ${typeOf(value)}`);
  if (lengthOf(value) === 1) return pointsOf(value)[0] as string;
  throw machine.fail(`%c expected 1-sized string got: ${lengthOf(value)}`);
}

function digitsOf(
  type: string,
  value: number,
  { flags, precision }: { flags: string; precision: number | undefined },
): string {
  const lower = type.toLowerCase();
  const alternate = flags.includes('#');
  const upper = (text: string): string => (type === lower ? text : text.toUpperCase());
  if (lower === 'd' || lower === 'i' || lower === 'u') return whole(value, 10).padStart(precision ?? 0, '0');
  if (lower === 'o') {
    const digits = whole(value, 8).padStart(precision ?? 0, '0');
    return alternate && value !== 0 ? `0${digits}` : digits;
  }
  if (lower === 'x') return upper(`${alternate ? '0x' : ''}${whole(value, 16).padStart(precision ?? 0, '0')}`);
  const digits = precision ?? 6;
  if (lower === 'f') return `${fixed(value, digits)}${alternate && digits === 0 ? '.' : ''}`;
  if (lower === 'e') {
    const [mantissa = '', power = ''] = value.toExponential(Math.min(100, digits)).split('e');
    const exponent = `${power.startsWith('-') ? '-' : '+'}${power.replace(/^[+-]/, '').padStart(2, '0')}`;
    return upper(`${mantissa}${alternate && digits === 0 ? '.' : ''}e${exponent}`);
  }
  return upper(general(value, digits, alternate));
}

function whole(value: number, base: number): string {
  return BigInt(Math.floor(value)).toString(base);
}

function fixed(value: number, digits: number): string {
  if (value >= 1e21) return `${BigInt(value)}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`;
  return value.toFixed(Math.min(100, digits)).padEnd(0);
}

function number(sign: string, digits: string, { width, flags }: { width: number; flags: string }): string {
  const zeros = flags.includes('0') && !flags.includes('-');
  const prefix = zeros ? (/^0[xX]/.exec(digits)?.[0] ?? '') : '';
  const body = zeros ? prefix + digits.slice(prefix.length).padStart(width - sign.length - prefix.length, '0') : digits;
  return pad(sign + body, width, flags);
}

function pad(text: string, width: number, flags: string): string {
  const gap = ' '.repeat(Math.max(0, width - lengthOf(text)));
  return flags.includes('-') ? text + gap : gap + text;
}
