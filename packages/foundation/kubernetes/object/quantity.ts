const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL: Record<string, number> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const SUFFIX_OF = new Map(Object.entries(DECIMAL).map(([suffix, exponent]) => [exponent, suffix]));

/** A quantity as it was read. */
export interface Quantity {
  /** In units of 10^-9. */
  nano: bigint;
  format: 'binary' | 'decimal' | 'exponent';
}

const pow10 = (exponent: number): bigint => 10n ** BigInt(exponent);
const MILLI = pow10(6);
const MAX = (2n ** 63n - 1n) * 10n ** 9n;

/** Reads a quantity exactly; undefined if it is none. */
export function parseQuantity(text: string): Quantity | undefined {
  const match = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+)?$/.exec(text);
  if (!match) return undefined;
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  if (!whole && !fraction) return undefined;
  const digits = BigInt(`${whole}${fraction}` || '0');
  let numerator = digits;
  let exponent = 9 - fraction.length;
  let format: Quantity['format'] = 'decimal';
  if (suffix.endsWith('i')) {
    numerator *= 1024n ** BigInt(BINARY.indexOf(suffix));
    format = 'binary';
  } else if (Object.hasOwn(DECIMAL, suffix)) exponent += DECIMAL[suffix] as number;
  else {
    exponent += Number(suffix.slice(1));
    format = 'exponent';
  }
  // Below one nano is rounded up, away from zero.
  const exact = exponent >= 0 ? numerator * pow10(exponent) : (numerator + pow10(-exponent) - 1n) / pow10(-exponent);
  // Only binary ones end at the largest 64-bit number.
  const nano = format !== 'binary' || exact < MAX ? exact : MAX;
  return { nano: sign === '-' ? -nano : nano, format };
}

/** The form in which the API server writes a quantity: `1000m` → `1`, `1024Mi` → `1Gi`; undefined if it is none. */
export function canonicalQuantity(text: string): string | undefined {
  const quantity = parseQuantity(text);
  return quantity && formatQuantity(quantity);
}

/** A quantity in the API server's form without a part of a thousandth: such a part is rounded up, away from zero. */
export function wholeThousandths(text: string): string {
  // others have no such part
  const quantity = /[nu]$|e-/.test(text) ? parseQuantity(text) : undefined;
  if (!quantity || quantity.nano % MILLI === 0n) return text;
  const up = quantity.nano < 0n ? -MILLI : MILLI;
  return formatQuantity({ ...quantity, nano: (quantity.nano / MILLI) * MILLI + up });
}

/** A quantity in the API server's form. */
export function formatQuantity(quantity: Quantity): string {
  let { nano, format } = quantity;
  if (nano === 0n) return '0';
  const sign = nano < 0n ? '-' : '';
  if (nano < 0n) nano = -nano;
  const one = pow10(9);
  // Binary suffixes need whole numbers of at least 1024.
  if (format === 'binary' && (nano % one !== 0n || nano < 1024n * one)) format = 'decimal';
  if (format === 'binary') {
    let value = nano / one;
    let index = 0;
    while (value % 1024n === 0n && index < BINARY.length - 1) {
      value /= 1024n;
      index += 1;
    }
    return `${sign}${value}${BINARY[index]}`;
  }
  let exponent = -9;
  // Above 10^18 there is no suffix, and none is written.
  while (nano % 1000n === 0n) {
    nano /= 1000n;
    exponent += 3;
  }
  if (format === 'exponent') return `${sign}${nano}${exponent === 0 ? '' : `e${exponent}`}`;
  return `${sign}${nano}${SUFFIX_OF.get(exponent) ?? ''}`;
}

/** A quantity as a number (with the usual loss of doubles); NaN if it is none. */
export function quantityValue(text: string | number): number {
  const quantity = parseQuantity(String(text));
  return quantity ? Number(quantity.nano) / 1e9 : Number.NaN;
}

/** Compares two quantities exactly: negative, zero or positive; undefined when one is none. */
export function compareQuantities(a: string, b: string): number | undefined {
  const left = parseQuantity(a);
  const right = parseQuantity(b);
  if (!left || !right) return undefined;
  return left.nano < right.nano ? -1 : left.nano > right.nano ? 1 : 0;
}

/** Whether an amount is whole, as the API server tells it by the low 64 bits of its thousandths. */
export function isWhole(text: string): boolean {
  const quantity = parseQuantity(text);
  if (!quantity) return false;
  const few = quantity.format !== 'binary' && text.replace(/[^\d].*$|^[+-]?0*/g, '').length <= 18;
  const thousandths = quantity.nano / MILLI + (quantity.nano % MILLI > 0n ? 1n : 0n);
  const fits = BigInt.asIntN(64, thousandths);
  if (fits !== thousandths && few) return true;
  return fits % 1000n === 0n;
}
