import { readDuration } from '@tiphys/go';
import { SpecError } from './spec-problem.ts';

/** What is wrong with a duration, by the words of Go; undefined if nothing. */
export function durationProblem(value: string | number): string | undefined {
  const nanoseconds = typeof value === 'number' ? 0n : readDuration(value);
  return typeof nanoseconds === 'string' ? nanoseconds : undefined;
}

/** Milliseconds of a Go duration (`1h30m`), or of a number of nanoseconds. Throws `SpecError` with the words of Go. */
export function parseDuration(value: string | number): number {
  if (typeof value === 'number') return value / 1e6;
  const nanoseconds = readDuration(value);
  if (typeof nanoseconds === 'string') throw new SpecError('InvalidDuration', nanoseconds);
  return Number(nanoseconds) / 1e6;
}
