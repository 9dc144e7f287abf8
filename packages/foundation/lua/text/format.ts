import type { Bounds } from '../run/bounds.ts';
import { coerceNumber, fixedNumber, formatNumber, generalNumber, withTwoDigits } from '../run/numbers.ts';
import { show, typeName } from '../run/show.ts';
import type { LuaValue } from '../run/value.ts';
import { fromBytes, toBytes } from './bytes.ts';

interface Directive {
  readonly flags: string;
  readonly width: number;
  /** Undefined if none is given. */
  readonly precision: number | undefined;
  readonly verb: string;
}

/** `string.format`, by the rules of Go's fmt, to which upstream hands it. */
export function format(template: string, values: readonly LuaValue[], bounds: Bounds): string {
  let used = 0;
  let left = directives(template);
  let length = 0;
  return template.replace(/%([-+# 0]*)(\d*)(?:(\.)(\d*))?(.|\n|$)/g, (_all, flags, width, point, digits, verb) => {
    if (verb === '%') return '%';
    if (verb === '') return '%!(NOVERB)';
    const directive: Directive = {
      flags,
      width: Math.min(Number(width || 0), 1_000_000),
      precision: point ? Math.min(Number(digits || 0), 1000) : undefined,
      verb,
    };
    if (used >= values.length || left-- <= 0) return `%!${verb}(MISSING)`;
    bounds.text(length + directive.width, directive.width);
    const text = one(directive, values[used++]);
    length += text.length;
    bounds.text(length, text.length);
    return text;
  });
}

function directives(template: string): number {
  const count = (part: string) => template.split(part).length - 1;
  return count('%') - count('%%');
}

function one(directive: Directive, value: LuaValue): string {
  if (typeof value === 'number') return ofNumber(directive, value);
  if (typeof value === 'string') {
    if (directive.verb !== 'd' && directive.verb !== 'i') return ofText(directive, value);
    return coerceNumber(value) === undefined
      ? ofNumber({ ...directive, verb: 'd' }, 0)
      : ofText({ ...directive, verb: 's' }, value);
  }
  return 'sqvxX'.includes(directive.verb)
    ? ofText(directive, show(value))
    : wrong(directive.verb, typeName(value), show(value));
}

function wrong(verb: string, type: string, text: string): string {
  return `%!${verb}(${type}=${text})`;
}

function ofNumber(directive: Directive, value: number): string {
  const { verb } = directive;
  if (verb === 's' || verb === 'q') return ofText(directive, formatNumber(value));
  if ('eEfFgG'.includes(verb)) return ofFloat(directive, value);
  const whole = verb === 'v' && (!Number.isInteger(value) || Math.abs(value) >= 2 ** 63) ? undefined : toInteger(value);
  if (whole === undefined) return ofFloat(directive, value);
  if (verb === 'c') return pad(directive, toBytes(String.fromCodePoint(isCodePoint(whole) ? Number(whole) : 0xfffd)));
  const base = { b: 2, o: 8, x: 16, X: 16 }[verb] ?? 10;
  if (!'bcdiovxXU'.includes(verb)) return wrong(verb, 'int64', String(whole));
  if (verb === 'U') return pad(directive, `U+${whole.toString(16).toUpperCase().padStart(4, '0')}`);
  const negative = whole < 0n;
  let digits = (negative ? -whole : whole).toString(base).padStart(directive.precision ?? 0, '0');
  if (verb === 'X') digits = digits.toUpperCase();
  const prefix = directive.flags.includes('#') ? ({ x: '0x', X: '0X', o: '0', b: '0b' }[verb] ?? '') : '';
  return padNumber(directive, sign(directive, negative) + prefix, digits, directive.precision === undefined);
}

function toInteger(value: number): bigint {
  if (!Number.isFinite(value) || Math.abs(value) >= 2 ** 63) return -(2n ** 63n);
  return BigInt(Math.trunc(value));
}

function isCodePoint(value: bigint): boolean {
  return value >= 0n && value <= 0x10ffffn && !(value >= 0xd800n && value <= 0xdfffn);
}

function ofFloat(directive: Directive, value: number): string {
  const { verb, precision } = directive;
  if (!Number.isFinite(value)) {
    const text = Number.isNaN(value) ? 'NaN' : 'Inf';
    const lead = value < 0 ? '-' : value > 0 && verb !== 'v' ? '+' : directive.flags.includes('+') ? '+' : '';
    return pad({ ...directive, flags: directive.flags.replaceAll('0', '') }, (Number.isNaN(value) ? '' : lead) + text);
  }
  const negative = value < 0 || Object.is(value, -0);
  const magnitude = Math.abs(value);
  let digits: string;
  if (verb === 'f' || verb === 'F') digits = fixedNumber(magnitude, precision ?? 6);
  else if (verb === 'e' || verb === 'E') digits = withTwoDigits(magnitude.toExponential(Math.min(precision ?? 6, 100)));
  else digits = generalNumber(magnitude, precision === undefined ? undefined : Math.min(Math.max(precision, 1), 100));
  if (verb === 'E' || verb === 'G') digits = digits.toUpperCase();
  return padNumber(directive, sign(directive, negative), digits, true);
}

function sign({ flags }: Directive, negative: boolean): string {
  if (negative) return '-';
  return flags.includes('+') ? '+' : flags.includes(' ') ? ' ' : '';
}

function padNumber(directive: Directive, prefix: string, digits: string, zeros: boolean): string {
  const { flags, width } = directive;
  if (flags.includes('0') && !flags.includes('-') && zeros) return prefix + digits.padStart(width - prefix.length, '0');
  return pad({ ...directive, flags: flags.replaceAll('0', '') }, prefix + digits);
}

function ofText(directive: Directive, value: string): string {
  const { verb, precision } = directive;
  let text = value;
  if (precision !== undefined && verb !== 'x' && verb !== 'X')
    text = toBytes([...fromBytes(value)].slice(0, precision).join(''));
  if (verb === 's' || verb === 'v') return pad(directive, text);
  if (verb === 'q') return pad(directive, quote(text));
  if (verb === 'x' || verb === 'X') {
    const hex = Buffer.from(text.slice(0, precision), 'latin1').toString('hex');
    return pad(directive, verb === 'X' ? hex.toUpperCase() : hex);
  }
  return wrong(verb, 'string', text);
}

const escapes: Readonly<Record<string, string>> = {
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

function quote(bytes: string): string {
  const text = [...fromBytes(bytes)].map((c) => {
    const code = c.codePointAt(0) as number;
    if (escapes[c]) return escapes[c];
    return code < 32 || code === 127 ? `\\x${code.toString(16).padStart(2, '0')}` : c;
  });
  return `"${toBytes(text.join(''))}"`;
}

/** Widths count characters, not bytes. */
function pad({ flags, width }: Directive, text: string): string {
  const missing = width - (text.length < width ? [...fromBytes(text)].length : width);
  if (missing <= 0) return text;
  if (flags.includes('-')) return text + ' '.repeat(missing);
  return (flags.includes('0') ? '0' : ' ').repeat(missing) + text;
}
