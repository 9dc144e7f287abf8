/** `%v` of a float: the shortest digits, with an exponent below 1e-4 and from 1e6, the precision that Go assumes for it. */
export function formatGeneral(value: number, bits: 32 | 64 = 64): string {
  return special(value) ?? general(value, bits, 6);
}

function special(value: number): string | undefined {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  return value === 0 ? (Object.is(value, -0) ? '-0' : '0') : undefined;
}

/** The shortest decimal digits of a number and its exponent: `d.ddd × 10^exponent`. */
export function shortestDigits(value: number, bits: 32 | 64 = 64): { digits: string; exponent: number } {
  let text = Math.abs(value).toExponential();
  if (bits === 32) {
    for (let precision = 0; precision < 9; precision++) {
      text = Math.abs(value).toExponential(precision);
      if (Math.fround(Number(text)) === Math.fround(Math.abs(value))) break;
    }
  }
  const [mantissa, exponent] = text.split('e') as [string, string];
  return { digits: mantissa.replace('.', ''), exponent: Number(exponent) };
}

function general(value: number, bits: 32 | 64, limit: number): string {
  const { digits, exponent } = shortestDigits(value, bits);
  const sign = value < 0 ? '-' : '';
  return sign + (exponent < -4 || exponent >= limit ? scientific(digits, exponent) : positional(digits, exponent));
}

/** `d.ddde+XX`. */
export function scientific(digits: string, exponent: number): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

/** Digits without an exponent. */
export function positional(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return digits + '0'.repeat(exponent + 1 - digits.length);
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}

/** `strconv.FormatFloat(value, verb, precision, 64)` for a precision of -1 (shortest) or more. */
export function formatFloat(
  value: number,
  verb: 'e' | 'E' | 'f' | 'F' | 'g' | 'G',
  precision: number,
  bits: 32 | 64 = 64,
): string {
  const odd = Number.isFinite(value) ? undefined : special(value);
  if (odd !== undefined) return odd;
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const magnitude = Math.abs(value);
  const lower = verb.toLowerCase();
  let text: string;
  if (lower === 'f') text = precision < 0 ? shortestFixed(magnitude, bits) : fixed(magnitude, precision);
  else if (lower === 'e') {
    const { digits, exponent } = precision < 0 ? zeroSafe(magnitude, bits) : exponential(magnitude, precision);
    text = scientific(digits, exponent);
  } else text = generalWith(magnitude, precision, bits);
  return sign + (verb === 'E' || verb === 'G' ? text.toUpperCase() : text);
}

function zeroSafe(value: number, bits: 32 | 64): { digits: string; exponent: number } {
  return value === 0 ? { digits: '0', exponent: 0 } : shortestDigits(value, bits);
}

function shortestFixed(value: number, bits: 32 | 64): string {
  const { digits, exponent } = zeroSafe(value, bits);
  return positional(digits, exponent);
}

function exponential(value: number, precision: number): { digits: string; exponent: number } {
  const [mantissa, exponent] = value.toExponential(Math.min(precision, 100)).split('e') as [string, string];
  return { digits: mantissa.replace('.', ''), exponent: Number(exponent) };
}

/** Exact: JavaScript's toFixed gives up on large numbers. */
function fixed(value: number, precision: number): string {
  if (value < 1e21 && precision <= 100) return value.toFixed(precision);
  const whole = BigInt(value).toString();
  return precision === 0 ? whole : `${whole}.${'0'.repeat(precision)}`;
}

function generalWith(value: number, precision: number, bits: 32 | 64): string {
  if (value === 0) return '0';
  if (precision < 0) {
    const { digits, exponent } = shortestDigits(value, bits);
    return exponent < -4 || exponent >= 6 ? scientific(digits, exponent) : positional(digits, exponent);
  }
  const { digits, exponent } = exponential(value, Math.max(precision, 1) - 1);
  const trimmed = digits.replace(/0+$/, '') || '0';
  return exponent < -4 || exponent >= (precision || 1) ? scientific(trimmed, exponent) : positional(trimmed, exponent);
}
