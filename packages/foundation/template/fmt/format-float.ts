import { binaryParts, type Decimal, exactDecimal, roundDecimal } from './exact-decimal.ts';

/** Verbs of strconv.FormatFloat. */
export type FloatVerb = 'b' | 'e' | 'E' | 'f' | 'g' | 'G' | 'x' | 'X';

/** `%v` of a float: the shortest digits, with an exponent below 1e-4 and from 1e6 on. */
export function formatGeneral(value: number, bits: 32 | 64 = 64): string {
  return formatFloat(value, 'g', -1, bits);
}

/** `strconv.FormatFloat`: a precision of -1 asks for the shortest digits that give the number back. */
export function formatFloat(value: number, verb: FloatVerb, precision: number, bits: 32 | 64 = 64): string {
  if (Number.isNaN(value)) return 'NaN';
  if (!Number.isFinite(value)) return value > 0 ? '+Inf' : '-Inf';
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const magnitude = Math.abs(value);
  switch (verb) {
    case 'b':
      return sign + binary(magnitude, bits);
    case 'x':
      return sign + hexadecimal(magnitude, precision);
    case 'X':
      return sign + hexadecimal(magnitude, precision).toUpperCase();
    case 'e':
      return sign + scientific(magnitude, precision, bits);
    case 'E':
      return sign + scientific(magnitude, precision, bits).toUpperCase();
    case 'f':
      return sign + fixed(magnitude, precision, bits);
    case 'g':
      return sign + general(magnitude, precision, bits);
    case 'G':
      return sign + general(magnitude, precision, bits).toUpperCase();
  }
}

function shortest(value: number, bits: 32 | 64): Decimal {
  if (value === 0) return { digits: '', point: 0 };
  let text = value.toExponential();
  if (bits === 32) {
    for (let places = 0; places < 9; places++) {
      text = value.toExponential(places);
      if (Math.fround(Number(text)) === Math.fround(value)) break;
    }
  }
  const [mantissa, exponent] = text.split('e') as [string, string];
  return { digits: mantissa.replace('.', '').replace(/(?<!0)0+$/, ''), point: Number(exponent) + 1 };
}

function scientific(value: number, precision: number, bits: 32 | 64): string {
  const decimal = precision < 0 ? shortest(value, bits) : roundDecimal(exactDecimal(value), precision + 1);
  return withExponent(decimal, precision < 0 ? Math.max(decimal.digits.length - 1, 0) : precision);
}

function withExponent({ digits, point }: Decimal, places: number): string {
  const exponent = digits === '' ? 0 : point - 1;
  const fraction = digits.slice(1).padEnd(places, '0');
  const power = `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  return `${digits[0] ?? '0'}${fraction ? `.${fraction}` : ''}e${power}`;
}

function fixed(value: number, precision: number, bits: 32 | 64): string {
  if (precision < 0) {
    const decimal = shortest(value, bits);
    return positional(decimal, Math.max(decimal.digits.length - decimal.point, 0));
  }
  const exact = exactDecimal(value);
  return positional(roundDecimal(exact, exact.point + precision), precision);
}

function positional({ digits, point }: Decimal, places: number): string {
  const whole = point > 0 ? digits.slice(0, point).padEnd(point, '0') : '0';
  if (places === 0) return whole;
  const fraction = point > 0 ? digits.slice(point) : digits === '' ? '' : '0'.repeat(-point) + digits;
  return `${whole}.${fraction.padEnd(places, '0').slice(0, places)}`;
}

function general(value: number, precision: number, bits: 32 | 64): string {
  const count = precision === 0 ? 1 : precision;
  const decimal = precision < 0 ? shortest(value, bits) : roundDecimal(exactDecimal(value), count);
  const { digits, point } = decimal;
  // The shortest form decides as if its precision were 6.
  let limit = precision < 0 ? 6 : count;
  if (precision >= 0 && limit > digits.length && digits.length >= point) limit = digits.length;
  const exponent = point - 1;
  if (exponent < -4 || exponent >= limit) return withExponent(decimal, Math.max(digits.length - 1, 0));
  return positional(decimal, Math.max(digits.length - point, 0));
}

function binary(value: number, bits: 32 | 64): string {
  const { mantissa, power } = binaryParts(value);
  if (bits === 64) return `${mantissa}p${power < 0 ? '' : '+'}${power}`;
  const narrow = mantissa >> 29n;
  return `${narrow}p${power + 29 < 0 ? '' : '+'}${value === 0 ? -149 : power + 29}`;
}

function hexadecimal(value: number, precision: number): string {
  let { mantissa, power } = binaryParts(value);
  if (mantissa === 0n) return `0x0${precision > 0 ? `.${'0'.repeat(precision)}` : ''}p+00`;
  while (mantissa >> 52n === 0n) {
    mantissa <<= 1n;
    power--;
  }
  let exponent = power + 52;
  if (precision >= 0 && precision < 13) {
    const drop = BigInt(52 - 4 * precision);
    const half = 1n << (drop - 1n);
    const rest = mantissa & ((1n << drop) - 1n);
    let kept = mantissa >> drop;
    if (rest > half || (rest === half && (kept & 1n) === 1n)) kept += 1n;
    mantissa = kept << drop;
    if (mantissa >> 53n !== 0n) {
      mantissa >>= 1n;
      exponent++;
    }
  }
  const all = (mantissa & ((1n << 52n) - 1n)).toString(16).padStart(13, '0');
  const fraction = precision < 0 ? all.replace(/(?<!0)0+$/, '') : all.padEnd(precision, '0').slice(0, precision);
  const shown = `${exponent < 0 ? '-' : '+'}${String(Math.abs(exponent)).padStart(2, '0')}`;
  return `0x1${fraction ? `.${fraction}` : ''}p${shown}`;
}
