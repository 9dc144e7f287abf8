import { invalidAnalysis } from '../diagnoses.ts';

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

/** Milliseconds of a Go duration, as `time.ParseDuration` reads it; throws its sentence. */
export function goDuration(text: string): number {
  const sign = text.startsWith('-') ? -1 : 1;
  let rest = text.replace(/^[+-]/, '');
  if (rest === '0') return 0;
  if (rest === '') throw invalidAnalysis(`time: invalid duration ${JSON.stringify(text)}`);
  let total = 0;
  while (rest !== '') {
    const number = /^(?:\d+\.?\d*|\.\d+)/.exec(rest)?.[0];
    if (number === undefined) throw invalidAnalysis(`time: invalid duration ${JSON.stringify(text)}`);
    rest = rest.slice(number.length);
    const unit = /^[^\d.]+/.exec(rest)?.[0];
    if (unit === undefined) throw invalidAnalysis(`time: missing unit in duration ${JSON.stringify(text)}`);
    const factor = Object.hasOwn(units, unit) ? units[unit] : undefined;
    if (factor === undefined)
      throw invalidAnalysis(`time: unknown unit ${JSON.stringify(unit)} in duration ${JSON.stringify(text)}`);
    total += Number(number) * factor;
    rest = rest.slice(unit.length);
  }
  return sign * total;
}
