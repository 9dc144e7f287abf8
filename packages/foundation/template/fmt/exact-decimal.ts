/** Decimal digits of a number and where its point is: `0.digits × 10^point`. */
export interface Decimal {
  readonly digits: string;
  readonly point: number;
}

/** The mantissa and the power of two of a finite positive double: `mantissa × 2^power`. */
export function binaryParts(value: number): { readonly mantissa: bigint; readonly power: number } {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  const bits = view.getBigUint64(0);
  const exponent = Number((bits >> 52n) & 0x7ffn);
  const fraction = bits & 0xf_ffff_ffff_ffffn;
  return exponent === 0
    ? { mantissa: fraction, power: -1074 }
    : { mantissa: fraction | (1n << 52n), power: exponent - 1075 };
}

/** Every digit of a finite positive double. */
export function exactDecimal(value: number): Decimal {
  if (value === 0) return { digits: '', point: 0 };
  const { mantissa, power } = binaryParts(value);
  const whole = power >= 0 ? mantissa << BigInt(power) : mantissa * 5n ** BigInt(-power);
  const text = whole.toString();
  return { digits: text.replace(/(?<!0)0+$/, ''), point: power >= 0 ? text.length : text.length + power };
}

/** A decimal with at most that many digits, rounded to nearest, halves to even, as Go does. */
export function roundDecimal({ digits, point }: Decimal, count: number): Decimal {
  if (count >= digits.length) return { digits, point };
  if (count < 0) return { digits: '', point: 0 };
  const rest = digits.slice(count);
  const isHalf = /^50*$/.test(rest);
  const isOdd = count > 0 && Number(digits[count - 1]) % 2 === 1;
  const isUp = isHalf ? isOdd : rest >= '5';
  const kept = digits.slice(0, count);
  if (!isUp) return { digits: kept.replace(/(?<!0)0+$/, ''), point };
  const raised = (BigInt(kept || '0') + 1n).toString().padStart(count, '0');
  return { digits: raised.replace(/(?<!0)0+$/, ''), point: raised.length > count ? point + 1 : point };
}
