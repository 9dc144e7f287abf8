import { canBackquote, goQuote, goQuoteRune, isPrint } from '@tiphys/go';
import { runesOf, toBytes } from '../text/bytes.ts';
import { type FloatVerb, formatFloat } from './format-float.ts';

/** The flags of one directive and the text so far: the part of Go's fmt that knows nothing of values. */
export class TextFormatter {
  out = '';
  plus = false;
  minus = false;
  sharp = false;
  space = false;
  zero = false;
  /** `%+v` and `%#v`. */
  plusV = false;
  sharpV = false;
  width: number | undefined;
  precision: number | undefined;

  clear(): void {
    this.plus = this.minus = this.sharp = this.space = this.zero = this.plusV = this.sharpV = false;
    this.width = this.precision = undefined;
  }

  padding(count: number): void {
    if (count > 0) this.out += (this.zero && !this.minus ? '0' : ' ').repeat(count);
  }

  pad(text: string): void {
    if (!this.width) {
      this.out += text;
      return;
    }
    const fill = this.width - runesOf(text).length;
    if (!this.minus) this.padding(fill);
    this.out += text;
    if (this.minus) this.padding(fill);
  }

  #padSpaces(text: string): void {
    const { zero } = this;
    this.zero = false;
    this.pad(text);
    this.zero = zero;
  }

  #cut(text: string): string {
    return this.precision === undefined ? text : Array.from(text).slice(0, this.precision).join('');
  }

  string(text: string): void {
    this.pad(this.#cut(text));
  }

  quoted(text: string): void {
    const cut = this.#cut(text);
    this.pad(this.sharp && canBackquote(cut) ? `\`${cut}\`` : goQuote(cut, this.plus));
  }

  hex(text: string | Uint8Array, upper: boolean): void {
    const all = typeof text === 'string' ? toBytes(text) : text;
    const bytes = [...all.subarray(0, Math.min(this.precision ?? all.length, all.length))];
    if (bytes.length === 0) {
      this.padding(this.width ?? 0);
      return;
    }
    const prefix = this.sharp ? '0x' : '';
    const pairs = bytes.map((byte) => byte.toString(16).padStart(2, '0'));
    const shown = prefix + pairs.join(this.space ? ` ${prefix}` : '');
    this.pad(upper ? shown.toUpperCase() : shown);
  }

  integer(value: bigint, base: 2 | 8 | 10 | 16, verb: string, upper = false): void {
    const isNegative = value < 0n;
    const magnitude = isNegative ? -value : value;
    if (this.precision === 0 && magnitude === 0n) {
      const { zero } = this;
      this.zero = false;
      this.padding(this.width ?? 0);
      this.zero = zero;
      return;
    }
    let digitCount = this.precision ?? 0;
    if (this.precision === undefined && this.zero && !this.minus && this.width !== undefined) {
      digitCount = this.width - (isNegative || this.plus || this.space ? 1 : 0);
    }
    let digits = magnitude.toString(base).padStart(digitCount, '0');
    if (this.sharp) {
      if (base === 2) digits = `0b${digits}`;
      else if (base === 8 && digits[0] !== '0') digits = `0${digits}`;
      else if (base === 16) digits = `0x${digits}`;
    }
    if (verb === 'O') digits = `0o${digits}`;
    const sign = isNegative ? '-' : this.plus ? '+' : this.space ? ' ' : '';
    this.#padSpaces(sign + (upper ? digits.toUpperCase() : digits));
  }

  character(code: bigint): void {
    this.pad(runeOf(code));
  }

  quotedCharacter(code: bigint): void {
    this.pad(goQuoteRune(code < 0n || code > 0x10ffffn ? 0xfffd : Number(code), this.plus));
  }

  unicode(value: bigint): void {
    const code = BigInt.asUintN(64, value);
    let text = `U+${code
      .toString(16)
      .toUpperCase()
      .padStart(Math.max(this.precision ?? 4, 4), '0')}`;
    if (this.sharp && code <= 0x10ffffn) {
      const rune = runeOf(code);
      if (rune.isWellFormed() && (code === 0xfffdn || rune !== '\ufffd') && isPrint(rune)) text += ` '${rune}'`;
    }
    this.#padSpaces(text);
  }

  float(value: number, bits: 32 | 64, verb: FloatVerb, usual: number): void {
    const precision = this.precision ?? usual;
    let number = formatFloat(value, verb, precision, bits);
    if (!/^[+-]/.test(number)) number = `+${number}`;
    if (this.space && number[0] === '+' && !this.plus) number = ` ${number.slice(1)}`;
    if (number[1] === 'I' || number[1] === 'N') {
      const signless = number[1] === 'N' && !this.space && !this.plus;
      this.#padSpaces(signless ? number.slice(1) : number);
      return;
    }
    if (this.sharp && verb !== 'b') number = withPoint(number, verb, precision);
    if (!this.plus && number[0] === '+') {
      this.pad(number.slice(1));
      return;
    }
    if (this.zero && !this.minus && this.width !== undefined && this.width > number.length) {
      this.out += number[0];
      this.padding(this.width - number.length);
      this.out += number.slice(1);
      return;
    }
    this.pad(number);
  }
}

/** What the sharp flag adds to a float: a decimal point, and the zeros that `g` and `x` drop. */
function withPoint(number: string, verb: FloatVerb, precision: number): string {
  const isHex = verb === 'x' || verb === 'X';
  const tailAt = number.search(isHex ? /[pP]/ : /[eEpP]/);
  const tail = tailAt < 0 ? '' : number.slice(tailAt);
  let head = tailAt < 0 ? number : number.slice(0, tailAt);
  let digits = 0;
  if (verb === 'g' || verb === 'G' || verb === 'x') digits = precision === -1 ? 6 : precision;
  const significant = head.slice(1).replace('.', '').replace(/^0*/, '');
  digits -= significant.length;
  if (!head.includes('.')) {
    if (head.length === 2 && head[1] === '0') digits--;
    head += '.';
  }
  return head + '0'.repeat(Math.max(digits, 0)) + tail;
}

/** The text of a rune; U+FFFD for what is none. */
function runeOf(code: bigint): string {
  if (code < 0n || code > 0x10ffffn || (code >= 0xd800n && code <= 0xdfffn)) return '\ufffd';
  return String.fromCodePoint(Number(code));
}
