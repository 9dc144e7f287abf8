import type { Machine } from './machine.ts';
import { JsonnetArray, JsonnetFunction, type JsonnetObject, type Value } from './values.ts';

/** How values read as text: texts as they are, all else as JSON on one line. */
export function toText(machine: Machine, value: Value): string {
  if (typeof value === 'string') return value;
  return manifestJson(machine, value, { indent: '', newline: '', separator: ': ', gap: ' ' });
}

export interface JsonStyle {
  /** Of one level. */
  readonly indent: string;
  readonly newline: string;
  /** Between key and value. */
  readonly separator: string;
  /** After a comma where there is no new line. */
  readonly gap?: string;
  /** Numbers with as many digits as tell them apart, not with 17. */
  readonly short?: boolean;
}

/** JSON as Jsonnet writes it. Throws for functions. */
export function manifestJson(machine: Machine, value: Value, style: JsonStyle, at = ''): string {
  machine.enter();
  const text = jsonOf(machine, value, style, at);
  machine.leave();
  return machine.sized(text);
}

function jsonOf(machine: Machine, value: Value, style: JsonStyle, at: string): string {
  if (value === null || typeof value === 'boolean') return String(value);
  if (typeof value === 'number') return style.short ? shortNumber(value) : numberText(value);
  if (typeof value === 'string') return quoted(value);
  if (value instanceof JsonnetFunction) throw machine.fail("couldn't manifest function as JSON");
  const { indent, newline, separator, gap = '' } = style;
  const inner = at + indent;
  const join = (open: string, parts: readonly string[], close: string): string =>
    `${open}${newline}${parts.map((part) => (newline === '' ? part : inner + part)).join(`,${newline === '' ? gap : newline}`)}${newline}${newline === '' ? '' : at}${close}`;
  if (value instanceof JsonnetArray) {
    if (value.items.length === 0) return newline === '' ? (gap === '' ? '[]' : '[ ]') : `[${newline}${newline}${at}]`;
    return join(
      '[',
      value.items.map((item) => manifestJson(machine, machine.force(item), style, inner)),
      ']',
    );
  }
  value.check(machine);
  const names = value.visibleNames();
  if (names.length === 0) return newline === '' ? (gap === '' ? '{}' : '{ }') : `{${newline}${newline}${at}}`;
  return join(
    '{',
    names.map((name) => {
      const field = (value as JsonnetObject).get(name, machine) as Value;
      return `${quoted(name)}${separator}${manifestJson(machine, field, style, inner)}`;
    }),
    '}',
  );
}

/** JSON's escapes, and those that keep control characters out of terminals. */
export function quoted(text: string): string {
  const escaped = text.replace(/["\\\u0000-\u001f\u007f-\u009f]/g, (character) => {
    const short = { '"': '\\"', '\\': '\\\\', '\b': '\\b', '\f': '\\f', '\n': '\\n', '\r': '\\r', '\t': '\\t' }[
      character
    ];
    return short ?? `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;
  });
  return `"${escaped}"`;
}

/** Whole numbers with all their digits, others with 17 significant ones, as C's `%.17g` does. */
export function numberText(value: number): string {
  if (Number.isInteger(value)) {
    if (Object.is(value, -0)) return '-0';
    return Number.isSafeInteger(value) ? String(value) : BigInt(value).toString();
  }
  return general(value, 17, false);
}

/** As few digits as tell the number from all others, without an exponent. */
export function shortNumber(value: number): string {
  if (Number.isInteger(value)) return numberText(value);
  const text = String(value);
  return text.includes('e') ? value.toFixed(100).replace(/(?<!0)0+$/, '') : text;
}

/** C's `%g`: `digits` significant ones, trailing zeros only if `keep`. */
export function general(value: number, digits: number, keep: boolean): string {
  const precision = Math.max(1, digits);
  const exponent = value === 0 ? 0 : Number(value.toExponential(Math.min(100, precision - 1)).split('e')[1]);
  const strip = (text: string): string => (keep || !text.includes('.') ? text : text.replace(/\.?0+$/, ''));
  if (exponent < -4 || exponent >= precision) {
    const [mantissa = '', power = ''] = value.toExponential(Math.min(100, precision - 1)).split('e');
    const sign = power.startsWith('-') ? '-' : '+';
    return `${strip(mantissa)}e${sign}${power.replace(/^[+-]/, '').padStart(2, '0')}`;
  }
  return strip(value.toFixed(Math.min(100, precision - 1 - exponent)));
}
