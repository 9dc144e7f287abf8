import { selectorMatches } from '@tiphys/kubernetes';
import type { LabelSelector } from './types.ts';

/** True if labels fit a selector; no selector fits all. */
export function matchesSelector(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>>,
): boolean {
  return selectorMatches(selector ?? {}, labels);
}
