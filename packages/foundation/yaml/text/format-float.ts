/** Go's `strconv.FormatFloat(value, 'g', -1, bits)`: an exponent of two digits at least, used below 1e-4 and from 1e6. */
export function formatFloat(value: number, bits: 32 | 64 = 64): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const { sign, digits, exponent } = shortest(value, bits);
  if (exponent < -4 || exponent >= 6) return sign + scientific(digits, exponent);
  return sign + positional(digits, exponent);
}

/** How Go's encoding/json prints a float64: an exponent below 1e-6 and from 1e21, without padding. */
export function formatJsonFloat(value: number): string {
  if (value === 0) return Object.is(value, -0) ? '-0' : '0';
  const { sign, digits, exponent } = shortest(value, 64);
  if (exponent >= -6 && exponent < 21) return sign + positional(digits, exponent);
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${sign}${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${exponentDigits(Math.abs(exponent), exponent < 0)}`;
}

function exponentDigits(exponent: number, negative: boolean): string {
  return negative && exponent < 10 ? String(exponent) : String(exponent).padStart(2, '0');
}

function shortest(value: number, bits: 32 | 64): { sign: string; digits: string; exponent: number } {
  let text = Math.abs(value).toExponential();
  if (bits === 32) {
    const single = Math.fround(Math.abs(value));
    for (let precision = 0; precision < 9; precision++) {
      text = single.toExponential(precision);
      if (Math.fround(Number(text)) === single) break;
    }
  }
  const [mantissa, exponent] = text.split('e') as [string, string];
  return { sign: value < 0 ? '-' : '', digits: mantissa.replace('.', ''), exponent: Number(exponent) };
}

function scientific(digits: string, exponent: number): string {
  const fraction = digits.length > 1 ? `.${digits.slice(1)}` : '';
  return `${digits[0]}${fraction}e${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
}

function positional(digits: string, exponent: number): string {
  if (exponent < 0) return `0.${'0'.repeat(-exponent - 1)}${digits}`;
  if (digits.length <= exponent + 1) return digits + '0'.repeat(exponent + 1 - digits.length);
  return `${digits.slice(0, exponent + 1)}.${digits.slice(exponent + 1)}`;
}
