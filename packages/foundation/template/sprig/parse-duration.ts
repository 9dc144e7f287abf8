import { goQuote } from '../text/quote.ts';

const units: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1000n,
  µs: 1000n,
  μs: 1000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};

/** Go's `time.ParseDuration`, in nanoseconds; undefined if the text is none. */
export function parseDuration(text: string): bigint | undefined {
  const parsed = readDuration(text);
  return typeof parsed === 'string' ? undefined : parsed;
}

/** The same, with the words of Go's error. */
export function readDuration(text: string): bigint | string {
  const invalid = `time: invalid duration ${goQuote(text)}`;
  const sign = text[0] === '-' || text[0] === '+' ? text[0] : '';
  let rest = text.slice(sign.length);
  if (rest === '0') return 0n;
  if (rest === '') return invalid;
  const largest = 2n ** 63n;
  let total = 0n;
  while (rest !== '') {
    const [number, whole = '', , fraction = ''] = /^([0-9]*)(\.([0-9]*))?/.exec(rest) ?? [''];
    if (whole === '' && fraction === '') return invalid;
    rest = rest.slice((number as string).length);
    const unit = /^[^.0-9]*/.exec(rest)?.[0] ?? '';
    if (unit === '') return `time: missing unit in duration ${goQuote(text)}`;
    const scale = units[unit];
    if (scale === undefined) return `time: unknown unit ${goQuote(unit)} in duration ${goQuote(text)}`;
    rest = rest.slice(unit.length);
    total += BigInt(whole || '0') * scale;
    if (fraction !== '')
      total += (BigInt(fraction.slice(0, 18)) * scale) / 10n ** BigInt(Math.min(fraction.length, 18));
    if (total > largest) return invalid;
  }
  if (sign === '-') return -total;
  return total === largest ? invalid : total;
}
