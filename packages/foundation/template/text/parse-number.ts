/** Why strconv refuses a number. */
export type NumberFault = 'syntax' | 'range';

export type ParsedInteger =
  | { readonly value: bigint; readonly fault?: undefined }
  | { readonly fault: NumberFault; readonly value: bigint };

const maxUint = { 8: 0xffn, 16: 0xffffn, 32: 0xffff_ffffn, 64: 0xffff_ffff_ffff_ffffn } as const;

/** Widths that strconv parses into. */
export type Bits = keyof typeof maxUint;

/** strconv.ParseUint. Base 0 means by prefix, with underscores. A value out of range is clamped. */
export function parseUint(text: string, base = 10, bits: Bits = 64): ParsedInteger {
  const syntax = { fault: 'syntax', value: 0n } as const;
  if (text === '') return syntax;
  let digits = text;
  let radix = base;
  let underscores = false;
  if (base === 0) {
    radix = 10;
    if (text[0] === '0') {
      const prefix = text.length >= 3 ? (text[1] as string).toLowerCase() : '';
      radix = prefix === 'b' ? 2 : prefix === 'o' ? 8 : prefix === 'x' ? 16 : 8;
      digits = prefix === 'b' || prefix === 'o' || prefix === 'x' ? text.slice(2) : text.slice(1);
    }
    underscores = digits.includes('_');
    if (underscores) digits = digits.replaceAll('_', '');
  }
  if (digits === '') {
    if (text === '0') return { value: 0n };
    // "0_" and the like: digits were only underscores
    return syntax;
  }
  let value = 0n;
  if (digits.length <= 15 && radix === 10) {
    if (!/^[0-9]+$/.test(digits)) return syntax;
    value = BigInt(Number(digits));
  } else {
    const big = BigInt(radix);
    for (const char of digits) {
      const digit = digitValue(char);
      if (digit < 0 || digit >= radix) return syntax;
      if (value <= maxUint[64]) value = value * big + BigInt(digit);
    }
  }
  if (underscores && !underscoreOk(text)) return syntax;
  return value > maxUint[bits] ? { fault: 'range', value: maxUint[bits] } : { value };
}

function digitValue(char: string): number {
  const code = char.charCodeAt(0);
  if (char.length !== 1) return -1;
  if (code >= 48 && code <= 57) return code - 48;
  const lower = code | 32;
  return lower >= 97 && lower <= 122 ? lower - 87 : -1;
}

/** strconv.ParseInt. A value out of range is clamped. */
export function parseInt64(text: string, base = 10, bits: Bits = 64): ParsedInteger {
  const negative = text[0] === '-';
  const magnitude = negative || text[0] === '+' ? text.slice(1) : text;
  const parsed = parseUint(magnitude, base, 64);
  if (parsed.fault === 'syntax') return parsed;
  const limit = 1n << BigInt(bits - 1);
  if (!negative && parsed.value >= limit) return { fault: 'range', value: limit - 1n };
  if (negative && parsed.value > limit) return { fault: 'range', value: -limit };
  return { value: negative ? -parsed.value : parsed.value };
}

function underscoreOk(text: string): boolean {
  let at = text[0] === '-' || text[0] === '+' ? 1 : 0;
  let saw = '^';
  let hex = false;
  if (text[at] === '0' && /[bBoOxX]/.test(text[at + 1] ?? '')) {
    saw = '0';
    hex = (text[at + 1] as string).toLowerCase() === 'x';
    at += 2;
  }
  for (; at < text.length; at++) {
    const char = text[at] as string;
    if (hex ? /[0-9a-fA-F]/.test(char) : /[0-9]/.test(char)) saw = '0';
    else if (char === '_') {
      if (saw !== '0') return false;
      saw = '_';
    } else {
      if (saw === '_') return false;
      saw = '!';
    }
  }
  return saw !== '_';
}

export type ParsedFloat = { readonly value: number; readonly fault?: NumberFault };

const decimal = /^[+-]?(?:[0-9_]+\.?[0-9_]*|\.[0-9_]+)(?:[eE][+-]?[0-9_]+)?$/;
const hexadecimal = /^([+-]?)0[xX]([0-9a-fA-F_]*)(?:\.([0-9a-fA-F_]*))?[pP]([+-]?[0-9_]+)$/;

/** strconv.ParseFloat for 64 bits. Out of range gives infinity and the fault. */
export function parseFloat64(text: string): ParsedFloat {
  const special = /^([+-]?)(inf|infinity|nan)$/i.exec(text);
  if (special) {
    if (special[2]?.toLowerCase() === 'nan') return special[1] ? { value: 0, fault: 'syntax' } : { value: Number.NaN };
    return { value: special[1] === '-' ? -Infinity : Infinity };
  }
  const hex = hexadecimal.exec(text);
  const plain = text.replaceAll('_', '');
  if (plain !== text && !underscoreOk(text)) return { value: 0, fault: 'syntax' };
  if (hex) return hexFloat(hexadecimal.exec(plain) as RegExpExecArray);
  if (!decimal.test(plain) || !/[0-9]/.test(plain.split(/[eE]/)[0] as string)) return { value: 0, fault: 'syntax' };
  const value = Number(plain);
  return Number.isFinite(value) ? { value } : { value, fault: 'range' };
}

function hexFloat(match: RegExpExecArray): ParsedFloat {
  const [, sign, whole = '', fraction = '', exponent = '0'] = match;
  if (whole === '' && fraction === '') return { value: 0, fault: 'syntax' };
  let mantissa = BigInt(`0x${whole}${fraction}`);
  if (mantissa === 0n) return { value: sign === '-' ? -0 : 0 };
  let power = Number(exponent) - 4 * fraction.length;
  // Keep 64 significant bits and a sticky bit, so that one rounding to double is exact.
  const excess = mantissa.toString(2).length - 64;
  if (excess > 0) {
    const rest = mantissa & ((1n << BigInt(excess)) - 1n);
    mantissa = (mantissa >> BigInt(excess)) | (rest === 0n ? 0n : 1n);
    power += excess;
  }
  const bits = mantissa.toString(2).length + power;
  let value: number;
  if (bits > 1025) value = Infinity;
  else if (bits < -1080) value = 0;
  else value = scale(mantissa, power);
  return value === Infinity
    ? { value: sign === '-' ? -value : value, fault: 'range' }
    : { value: sign === '-' ? -value : value };
}

function scale(mantissa: bigint, power: number): number {
  if (power >= 0) return Number(mantissa << BigInt(power));
  // Round once at the precision that the result has.
  const bits = mantissa.toString(2).length;
  const lowest = Math.max(-1074, bits + power - 53);
  const drop = lowest - power;
  if (drop <= 0) return Number(mantissa) * 2 ** Math.max(power, -1022) * 2 ** Math.min(0, power + 1022);
  const half = 1n << BigInt(drop - 1);
  const rest = mantissa & ((1n << BigInt(drop)) - 1n);
  let kept = mantissa >> BigInt(drop);
  if (rest > half || (rest === half && (kept & 1n) === 1n)) kept += 1n;
  return Number(kept) * 2 ** Math.max(lowest, -1022) * 2 ** Math.min(0, lowest + 1022);
}
