import { SpecError } from './common.ts';

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1000,
  m: 60_000,
  h: 3_600_000,
};

/** Milliseconds of a Go duration (`1h30m`), or of a number of nanoseconds. Throws `SpecError`. */
export function parseDuration(value: string | number): number {
  if (typeof value === 'number') return value / 1e6;
  const [, sign = '', rest = ''] = /^([+-]?)(.*)$/s.exec(value) ?? [];
  if (rest === '0') return 0;
  let total = 0;
  let at = 0;
  const part = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/y;
  while (at < rest.length) {
    part.lastIndex = at;
    const found = part.exec(rest);
    if (!found) throw invalid(value);
    total += Number(found[1]) * (units[found[2] ?? ''] ?? 0);
    at = part.lastIndex;
  }
  if (rest === '') throw invalid(value);
  return sign === '-' ? -total : total;
}

function invalid(value: string): SpecError {
  return new SpecError('InvalidDuration', `time: invalid duration ${JSON.stringify(value)}`);
}
