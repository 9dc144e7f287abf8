import { goQuote } from './quote.ts';

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

/** Milliseconds of a duration as Go writes it (`1m30s`, `1.5h`, `-3ms`, `0`); undefined if the text is none. */
export function goDuration(text: string): number | undefined {
  const nanoseconds = readDuration(text);
  return typeof nanoseconds === 'string' ? undefined : Number(nanoseconds) / 1e6;
}

/** The same, where a bare number means seconds, as in the peers' settings and in workflows. */
export function goDurationOrSeconds(text: string): number | undefined {
  return /^[+-]?\d+$/.test(text) ? Number(text) * 1000 : goDuration(text);
}

/** Go's `time.ParseDuration`: nanoseconds, or the words of its error. */
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
    total += ofUnit(fraction, scale);
    if (total > largest) return invalid;
  }
  if (sign === '-') return -total;
  return total === largest ? invalid : total;
}

/** A fraction of a unit, by Go's arithmetic: in doubles, from the digits that fit 63 bits. */
function ofUnit(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (next > 2n ** 63n) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}
