import type { KubeObject } from '@tiphys/kubernetes';
import type { ObjectCompareOptions, ObjectComparison } from '../difference/compare-object.ts';
import type { LiveGenerated } from '../difference/live-generated.ts';
import type { IgnoreRules } from './object-options.ts';

/** What is remembered of a comparison: of equal sides only how to make them again, since they are the live object once more. */
export interface KnownResult {
  readonly differences: ObjectComparison['differences'];
  readonly normalized: ObjectComparison['normalized'] | ObjectCompareOptions;
}

export interface Remembered {
  stamp: string;
  rules: IgnoreRules;
  result: KnownResult;
  kept: LiveGenerated;
}

export function known({ differences, normalized }: ObjectComparison, options: ObjectCompareOptions): KnownResult {
  return { differences, normalized: differences.length === 0 ? options : normalized };
}

/** Results by the prepared desired object: neither side having changed, nothing is compared again. */
export const results = new WeakMap<KubeObject, Remembered>();
export const serverResults = new WeakMap<KubeObject, Remembered>();
