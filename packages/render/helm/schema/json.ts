import { GoString, JsonError, namedType, parseJson, stringType, type Value, type ValueMap } from '@tiphys/template';

const numberType = namedType('json.Number', stringType);

/** A number of a JSON text, which keeps how it was written. */
function jsonNumber(text: string): Value {
  return new GoString(numberType, text);
}

export type JsonKind = 'null' | 'boolean' | 'number' | 'string' | 'array' | 'object';

/** A document as Go's JSON decoder reads it, numbers as they are written. Throws `JsonError` in the decoder's words. */
export function readJson(text: string): Value {
  if (text.trim() === '') throw new JsonError('EOF');
  try {
    const { value, length } = parseJson(text, { prefix: true, number: jsonNumber });
    if (/[^\t\n\r ]/.test(text.slice(length))) throw new JsonError('invalid character after top-level value');
    return value;
  } catch (error) {
    if (error instanceof JsonError && error.message === 'unexpected end of JSON input')
      throw new JsonError('unexpected EOF');
    throw error;
  }
}

export function kindOf(value: Value): JsonKind {
  if (value === null || value === undefined) return 'null';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'string') return 'string';
  if (typeof value === 'number' || typeof value === 'bigint' || value instanceof GoString) return 'number';
  return Array.isArray(value) ? 'array' : 'object';
}

export function objectOf(value: Value): ValueMap | undefined {
  return value instanceof Map ? (value as ValueMap) : undefined;
}

/** A number without rounding: `digits` × 10^`exponent`. */
export interface Decimal {
  readonly digits: bigint;
  readonly exponent: number;
}

/** Numbers with a larger exponent are no numbers to a schema: they would take memory without bounds. */
const maxExponent = 5000;

export function numberText(value: Value): string {
  return value instanceof GoString ? value.value : String(value);
}

export function decimalOf(value: Value): Decimal | undefined {
  const match = /^(-?)([0-9]+)(?:\.([0-9]+))?(?:[eE]([-+]?[0-9]+))?$/.exec(numberText(value));
  if (!match || kindOf(value) !== 'number') return undefined;
  const [, sign = '', whole = '', fraction = '', power = '0'] = match;
  const exponent = Number(power) - fraction.length;
  if (Math.abs(exponent) > maxExponent) return undefined;
  return { digits: BigInt(`${sign}${whole}${fraction}`), exponent };
}

function aligned(a: Decimal, b: Decimal): [bigint, bigint] {
  const exponent = Math.min(a.exponent, b.exponent);
  return [a.digits * 10n ** BigInt(a.exponent - exponent), b.digits * 10n ** BigInt(b.exponent - exponent)];
}

/** Negative, zero or positive. */
export function compareDecimals(a: Decimal, b: Decimal): number {
  const [x, y] = aligned(a, b);
  return x < y ? -1 : x > y ? 1 : 0;
}

export function isMultiple(value: Decimal, of: Decimal): boolean {
  const [x, y] = aligned(value, of);
  return y !== 0n && x % y === 0n;
}

export function isInteger(value: Decimal): boolean {
  return isMultiple(value, { digits: 1n, exponent: 0 });
}

/** The same JSON value, whatever its spelling: equal texts for equal values. */
export function canonical(value: Value): string {
  switch (kindOf(value)) {
    case 'number': {
      const decimal = decimalOf(value);
      if (!decimal) return `#${numberText(value)}`;
      let { digits, exponent } = decimal;
      while (digits !== 0n && digits % 10n === 0n) {
        digits /= 10n;
        exponent++;
      }
      return digits === 0n ? '0' : `${digits}e${exponent}`;
    }
    case 'array':
      return `[${(value as Value[]).map(canonical).join()}]`;
    case 'object':
      return `{${[...(value as ValueMap)]
        .map(([key, item]) => `${JSON.stringify(key)}:${canonical(item)}`)
        .sort()
        .join()}}`;
    default:
      return JSON.stringify(value ?? null);
  }
}
