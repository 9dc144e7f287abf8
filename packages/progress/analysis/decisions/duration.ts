import { readDuration } from '@tiphys/go';
import { invalidAnalysis } from '../model/diagnoses.ts';

/** Milliseconds of a Go duration; throws with the words of `time.ParseDuration`. */
export function requireDuration(text: string): number {
  const nanoseconds = readDuration(text);
  if (typeof nanoseconds === 'string') throw invalidAnalysis(nanoseconds);
  return Number(nanoseconds) / 1e6;
}
