import { readDuration } from '@tiphys/go';
import { SpecError } from './common.ts';

/** Milliseconds of a Go duration (`1h30m`), or of a number of nanoseconds. Throws `SpecError` with the words of Go. */
export function parseDuration(value: string | number): number {
  if (typeof value === 'number') return value / 1e6;
  const nanoseconds = readDuration(value);
  if (typeof nanoseconds === 'string') throw new SpecError('InvalidDuration', nanoseconds);
  return Number(nanoseconds) / 1e6;
}
