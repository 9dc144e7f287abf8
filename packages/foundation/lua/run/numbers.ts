/** A number as upstream's interpreter writes it: integers without a point, others as Go's %v. */
export function formatNumber(value: number): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (Number.isInteger(value) && Math.abs(value) < 2 ** 63) return BigInt(value).toString();
  return `${value < 0 ? '-' : ''}${generalNumber(Math.abs(value), undefined)}`;
}

/** Go's %g of a number that is not negative: an exponent where it is below -4, or at least the precision (shortest: 6). */
export function generalNumber(value: number, precision: number | undefined): string {
  if (value === 0) return '0';
  const text = precision === undefined ? value.toExponential() : value.toExponential(precision - 1);
  const [mantissa = '', power = ''] = text.split('e');
  const exponent = Number(power);
  const significant = mantissa.replace('.', '').replace(/(?<!0)0+$/, '') || '0';
  let limit = precision ?? 6;
  if (precision !== undefined && limit > significant.length && significant.length >= exponent + 1)
    limit = significant.length;
  if (exponent < -4 || exponent >= limit) {
    const rest = significant.slice(1);
    return withTwoDigits(`${significant[0]}${rest ? `.${rest}` : ''}e${exponent < 0 ? '-' : '+'}${Math.abs(exponent)}`);
  }
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${significant}`;
  const whole = significant.slice(0, exponent + 1).padEnd(exponent + 1, '0');
  const rest = significant.slice(exponent + 1);
  return rest ? `${whole}.${rest}` : whole;
}

/** A number that is not negative with so many decimals; what lies exactly between two goes to the even one, as in Go. */
export function fixedNumber(value: number, decimals: number): string {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number(bits >> 52n) || 1;
  const fraction = bits & ((1n << 52n) - 1n);
  let numerator = (Number(bits >> 52n) === 0 ? fraction : fraction | (1n << 52n)) * 10n ** BigInt(decimals);
  let denominator = 1n;
  const shift = exponent - 1075;
  if (shift >= 0) numerator <<= BigInt(shift);
  else denominator <<= BigInt(-shift);
  let quotient = numerator / denominator;
  const rest = (numerator % denominator) * 2n;
  if (rest > denominator || (rest === denominator && quotient % 2n === 1n)) quotient++;
  const digits = quotient.toString().padStart(decimals + 1, '0');
  return decimals === 0 ? digits : `${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`;
}

/** `1e-5` as `1e-05`. */
export function withTwoDigits(text: string): string {
  return text.replace(/e([+-])(\d)$/, 'e$10$2');
}

/** The number that a text means in arithmetic; undefined for none. Leading `0` means octal there, as upstream. */
export function coerceNumber(text: string): number | undefined {
  const trimmed = text.replace(/^[ \t\n]+|(?<![ \t\n])[ \t\n]+$/g, '');
  const [, sign = '', digits = ''] = /^([+-]?)(.*)$/s.exec(trimmed) ?? [];
  const signed = (value: number) => (sign === '-' ? -value : value);
  if (/^0[0-7]+$/.test(digits)) return signed(Number.parseInt(digits, 8));
  if (/^0[xX][0-9a-fA-F]+$/.test(digits)) return signed(Number(digits));
  return decimalNumber(trimmed);
}

/** A decimal with optional fraction and exponent, as Go's ParseFloat reads the usual ones. */
export function decimalNumber(text: string): number | undefined {
  if (/^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/.test(text)) return Number(text);
  const word = /^([+-]?)(inf(?:inity)?|nan)$/i.exec(text);
  if (!word) return undefined;
  if (/nan/i.test(text)) return Number.NaN;
  return word[1] === '-' ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
}

/** An integer in a base from 2 to 36; undefined if a character is no digit of it. */
export function integerNumber(text: string, base: number): number | undefined {
  const [, sign, digits = ''] = /^([+-]?)([0-9a-z]+)$/i.exec(text) ?? [];
  let value = 0;
  for (const digit of digits.toLowerCase()) {
    const worth = Number.parseInt(digit, 36);
    if (!(worth < base)) return undefined;
    value = value * base + worth;
  }
  if (digits === '') return undefined;
  return sign === '-' ? -value : value;
}
