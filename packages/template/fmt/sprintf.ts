import { runesOf, sliceBytes, toBytes } from '../value/bytes.ts';
import { sortedEntries } from '../value/sorted-entries.ts';
import {
  elementsOf,
  GoComplex,
  GoError,
  GoFloat32,
  GoInt,
  GoMap,
  GoSlice,
  GoString,
  GoStruct,
  integerOf,
  typeOf,
  type Value,
} from '../value/value.ts';
import { formatDuration } from './format-duration.ts';
import { formatFloat, formatGeneral } from './format-float.ts';
import { formatValue, typeName } from './format-value.ts';
import { canBackquote, goQuote, goQuoteRune } from './quote.ts';

interface Flags {
  plus: boolean;
  minus: boolean;
  sharp: boolean;
  space: boolean;
  zero: boolean;
  width: number | undefined;
  precision: number | undefined;
}

/** Go's `fmt.Sprintf`. */
export function sprintf(format: string, args: readonly Value[]): string {
  return new Formatter(format, args).run();
}

const maxWidth = 1_000_000;

class Formatter {
  readonly #format: string;
  readonly #args: readonly Value[];
  #at = 0;
  #next = 0;
  #reordered = false;
  #badIndex = false;

  constructor(format: string, args: readonly Value[]) {
    this.#format = format;
    this.#args = args;
  }

  run(): string {
    let out = '';
    const format = this.#format;
    while (this.#at < format.length) {
      const percent = format.indexOf('%', this.#at);
      if (percent < 0) {
        out += format.slice(this.#at);
        break;
      }
      out += format.slice(this.#at, percent);
      this.#at = percent + 1;
      out += this.#directive();
    }
    if (!this.#reordered && this.#next < this.#args.length) {
      const extra = this.#args
        .slice(this.#next)
        .map((arg) => (arg === null || arg === undefined ? '<nil>' : `${typeName(arg)}=${formatValue(arg)}`));
      out += `%!(EXTRA ${extra.join(', ')})`;
    }
    return out;
  }

  #directive(): string {
    const flags: Flags = {
      plus: false,
      minus: false,
      sharp: false,
      space: false,
      zero: false,
      width: undefined,
      precision: undefined,
    };
    this.#badIndex = false;
    this.#readFlags(flags);
    this.#index();
    const star = this.#number();
    if (star === 'star') {
      const width = this.#starArg();
      if (width === undefined) return `%!(BADWIDTH)${this.#finish(flags)}`;
      flags.width = Math.abs(width);
      if (width < 0) {
        flags.minus = true;
        flags.zero = false;
      }
    } else flags.width = star;
    let prefix = '';
    if (this.#format[this.#at] === '.') {
      this.#at++;
      this.#index();
      const precision = this.#number();
      if (precision === 'star') {
        const value = this.#starArg();
        if (value === undefined) prefix = '%!(BADPREC)';
        else flags.precision = value < 0 ? undefined : value;
      } else flags.precision = precision ?? 0;
    }
    this.#index();
    return prefix + this.#finish(flags);
  }

  #readFlags(flags: Flags): void {
    for (; ; this.#at++) {
      const char = this.#format[this.#at];
      if (char === '+') flags.plus = true;
      else if (char === '-') {
        flags.minus = true;
        flags.zero = false;
      } else if (char === '#') flags.sharp = true;
      else if (char === ' ') flags.space = true;
      else if (char === '0') flags.zero = true;
      else return;
    }
  }

  #number(): number | 'star' | undefined {
    if (this.#format[this.#at] === '*') {
      this.#at++;
      return 'star';
    }
    const match = /^\d+/.exec(this.#format.slice(this.#at, this.#at + 10));
    if (!match) return undefined;
    this.#at += match[0].length;
    return Math.min(Number(match[0]), maxWidth);
  }

  #starArg(): number | undefined {
    const value = integerOf(this.#args[this.#next]);
    if (this.#next < this.#args.length) this.#next++;
    if (value === undefined || value > 1_000_000n || value < -1_000_000n) return undefined;
    return Number(value);
  }

  /** `[n]`: the next argument is the n-th. */
  #index(): void {
    if (this.#format[this.#at] !== '[') return;
    this.#reordered = true;
    const close = this.#format.indexOf(']', this.#at);
    const text = close < 0 ? '' : this.#format.slice(this.#at + 1, close);
    this.#at = close < 0 ? this.#at + 1 : close + 1;
    if (/^\d+$/.test(text) && Number(text) >= 1 && Number(text) <= this.#args.length) this.#next = Number(text) - 1;
    else this.#badIndex = true;
  }

  #finish(flags: Flags): string {
    if (this.#at >= this.#format.length) return '%!(NOVERB)';
    const verb = String.fromCodePoint(this.#format.codePointAt(this.#at) as number);
    this.#at += verb.length;
    if (verb === '%') return '%';
    if (this.#badIndex) return `%!${verb}(BADINDEX)`;
    if (this.#next >= this.#args.length) return `%!${verb}(MISSING)`;
    return formatArg(this.#args[this.#next++], verb, flags);
  }
}

function formatArg(arg: Value, verb: string, flags: Flags): string {
  if (arg === null || arg === undefined) {
    if (verb === 'T' || verb === 'v') return pad('<nil>', flags);
    return `%!${verb}(<nil>)`;
  }
  if (verb === 'T') return formatText(typeName(arg), 's', flags);
  if (verb === 'p') return badVerb(arg, verb);
  return formatAny(arg, verb, flags, 0);
}

function badVerb(arg: Value, verb: string): string {
  return `%!${verb}(${arg === null || arg === undefined ? '<nil>' : `${typeName(arg)}=${formatValue(arg)}`})`;
}

function formatAny(arg: Value, verb: string, flags: Flags, depth: number): string {
  if (arg === null || arg === undefined)
    return verb === 'v' && flags.sharp ? 'interface {}(nil)' : '<nil>';
  const sharpV = verb === 'v' && flags.sharp;
  if (typeof arg === 'string') return formatText(arg, sharpV ? 'q' : verb, sharpV ? { ...flags, sharp: false } : flags);
  if (arg instanceof GoString)
    return formatText(arg.value, sharpV ? 'q' : verb, sharpV ? { ...flags, sharp: false } : flags);
  if (typeof arg === 'boolean') return verb === 't' || verb === 'v' ? pad(String(arg), flags) : badVerb(arg, verb);
  if (typeof arg === 'number') return formatNumber(arg, verb, flags, 64);
  if (arg instanceof GoFloat32) return formatNumber(arg.value, verb, flags, 32);
  if (arg instanceof GoInt && arg.type.name === 'time.Duration' && 'vsqxX'.includes(verb))
    return formatText(formatDuration(arg.value), verb, flags);
  const integer = integerOf(arg);
  if (integer !== undefined) return formatInteger(arg, integer, verb, flags);
  if (arg instanceof GoError) return formatText(arg.message, verb, flags);
  if (arg instanceof GoStruct) {
    const text = depth === 0 ? arg.toGoString() : undefined;
    if (text !== undefined && !sharpV) return formatText(text, verb, flags);
  }
  if (arg instanceof GoComplex) return pad(formatValue(arg), flags);
  if (arg instanceof Uint8Array && 'sqxX'.includes(verb))
    return formatText(Buffer.from(arg).toString('latin1'), verb, flags, arg);
  return formatComposite(arg, verb, flags, depth);
}

function formatComposite(arg: Value, verb: string, flags: Flags, depth: number): string {
  if (depth > 1000) return '...';
  const sharpV = verb === 'v' && flags.sharp;
  const each = (item: Value): string => formatAny(item, verb, flags, depth + 1);
  if (arg instanceof Map || arg instanceof GoMap) {
    if (sharpV) {
      if (arg instanceof GoMap && arg.nil) return `${typeName(arg)}(nil)`;
      return `${typeName(arg)}{${sortedEntries(arg)
        .map(([key, item]) => `${each(key)}:${each(item)}`)
        .join(', ')}}`;
    }
    return `map[${sortedEntries(arg)
      .map(([key, item]) => `${each(key)}:${each(item)}`)
      .join(' ')}]`;
  }
  const items = elementsOf(arg);
  if (items) {
    if (sharpV) {
      if (arg instanceof GoSlice && arg.nil) return `${typeName(arg)}(nil)`;
      const type = arg instanceof Uint8Array && depth === 0 ? '[]byte' : typeName(arg);
      const hex = arg instanceof Uint8Array ? (item: Value): string => `0x${integerOf(item)?.toString(16)}` : each;
      return `${type}{${items.map(hex).join(', ')}}`;
    }
    return `[${items.map(each).join(' ')}]`;
  }
  if (arg instanceof GoStruct) {
    const pointer = arg.type.kind === 'ptr' ? '&' : '';
    if (sharpV)
      return `${pointer}${typeName(arg).replace(/^\*/, '')}{${[...arg.fields].map(([name, item]) => `${name}:${each(item)}`).join(', ')}}`;
    return `${pointer}{${[...arg.fields].map(([name, item]) => (flags.plus && verb === 'v' ? `${name}:` : '') + each(item)).join(' ')}}`;
  }
  return verb === 'v' ? pad(formatValue(arg), flags) : badVerb(arg, verb);
}

function pad(text: string, flags: Flags, zeros = false): string {
  const { width } = flags;
  if (width === undefined) return text;
  const length = runesOf(text).length;
  if (length >= width) return text;
  const fill = width - length;
  if (flags.minus) return text + ' '.repeat(fill);
  if (!zeros && !flags.zero) return ' '.repeat(fill) + text;
  if (zeros && /^[+\- ]/.test(text)) return text[0] + '0'.repeat(fill) + text.slice(1);
  return '0'.repeat(fill) + text;
}

function formatText(text: string, verb: string, flags: Flags, bytes?: Uint8Array): string {
  switch (verb) {
    case 'v':
    case 's': {
      const cut = flags.precision === undefined ? text : runesOf(text).slice(0, flags.precision).join('');
      return pad(cut, flags);
    }
    case 'q': {
      const cut = flags.precision === undefined ? text : runesOf(text).slice(0, flags.precision).join('');
      if (flags.sharp && canBackquote(cut)) return pad(`\`${cut}\``, flags);
      return pad(goQuote(cut, flags.plus), flags);
    }
    case 'x':
    case 'X': {
      const all =
        bytes ??
        toBytes(
          flags.precision === undefined ? text : sliceBytes(text, 0, Math.min(flags.precision, toBytes(text).length)),
        );
      const digits = [...all].map((byte) => byte.toString(16).padStart(2, '0'));
      const prefix = flags.sharp && digits.length > 0 ? '0x' : '';
      const joined = flags.space
        ? digits.map((pair, i) => (i > 0 || prefix ? prefix : '') + pair).join(' ')
        : prefix + digits.join('');
      return pad(verb === 'X' ? joined.toUpperCase() : joined, flags);
    }
    default:
      return `%!${verb}(${bytes ? '[]uint8' : 'string'}=${text})`;
  }
}

function formatNumber(value: number, verb: string, flags: Flags, bits: 32 | 64): string {
  const { precision } = flags;
  let text: string;
  switch (verb) {
    case 'v':
      text = precision === undefined ? formatGeneral(value, bits) : formatFloat(value, 'g', precision, bits);
      break;
    case 'e':
    case 'E':
    case 'f':
    case 'F':
      text = formatFloat(value, verb === 'F' ? 'f' : verb, precision ?? 6, bits);
      break;
    case 'g':
    case 'G':
      text = precision === undefined ? formatGeneral(value, bits) : formatFloat(value, verb, precision, bits);
      if (verb === 'G') text = text.toUpperCase();
      break;
    default:
      return `%!${verb}(${bits === 64 ? 'float64' : 'float32'}=${formatGeneral(value, bits)})`;
  }
  const infinite = !Number.isFinite(value);
  if (text.startsWith('+') && !flags.plus) text = text.slice(1);
  if (text[0] !== '-' && text[0] !== '+') {
    if (flags.plus && verb !== 'v') text = `+${text}`;
    else if (flags.space) text = ` ${text}`;
  }
  if (infinite && !flags.plus && text === 'Inf') text = '+Inf';
  return pad(text, infinite ? { ...flags, zero: false } : flags, flags.zero && !infinite);
}

function formatInteger(arg: Value, value: bigint, verb: string, flags: Flags): string {
  const unsigned = typeOf(arg)?.kind.startsWith('u') ?? false;
  const magnitude = value < 0n ? -value : value;
  let digits: string;
  let prefix = '';
  switch (verb) {
    case 'v':
      if (flags.sharp && unsigned) {
        digits = magnitude.toString(16);
        prefix = '0x';
        break;
      }
      digits = String(magnitude);
      break;
    case 'd':
      digits = String(magnitude);
      break;
    case 'b':
      digits = magnitude.toString(2);
      prefix = flags.sharp ? '0b' : '';
      break;
    case 'o':
    case 'O':
      digits = magnitude.toString(8);
      prefix = verb === 'O' ? '0o' : flags.sharp && digits[0] !== '0' ? '0' : '';
      break;
    case 'x':
    case 'X':
      digits = magnitude.toString(16);
      prefix = flags.sharp ? `0${verb}` : '';
      if (verb === 'X') digits = digits.toUpperCase();
      break;
    case 'c':
      return pad(runeText(value), { ...flags, zero: false });
    case 'q':
      return pad(goQuoteRune(value > 0x10ffffn || value < 0n ? 0xfffd : Number(value), flags.plus), flags);
    case 'U':
      return pad(
        `U+${magnitude
          .toString(16)
          .toUpperCase()
          .padStart(flags.precision ?? 4, '0')}${flags.sharp ? ` '${runeText(value)}'` : ''}`,
        { ...flags, zero: false },
      );
    default:
      return badVerb(arg, verb);
  }
  const sign = value < 0n ? '-' : flags.plus && verb !== 'v' ? '+' : flags.space ? ' ' : '';
  if (flags.precision !== undefined) {
    if (flags.precision === 0 && value === 0n) return pad('', { ...flags, zero: false });
    digits = digits.padStart(flags.precision, '0');
  } else if (flags.zero && !flags.minus && flags.width !== undefined) {
    digits = digits.padStart(flags.width - sign.length - prefix.length, '0');
  }
  return pad(sign + prefix + digits, { ...flags, zero: false });
}

function runeText(value: bigint): string {
  const code = value < 0n || value > 0x10ffffn ? 0xfffd : Number(value);
  return code >= 0xd800 && code <= 0xdfff ? '\ufffd' : String.fromCodePoint(code);
}
