import type { coreV1, LabelSelector } from '@tiphys/kubernetes';
import type { PodObject } from './shapes.ts';

interface KeyedSelector {
  labelSelector?: LabelSelector;
  matchLabelKeys?: string[];
  mismatchLabelKeys?: string[];
}

/** Puts the values of a new pod's own labels into the selectors that name their keys. */
export function applyLabelKeys({ metadata, spec }: PodObject): void {
  const { affinity } = spec as coreV1.PodSpec;
  const { labels = {} } = metadata;
  for (const terms of [affinity?.podAffinity, affinity?.podAntiAffinity]) {
    for (const { podAffinityTerm = {} } of terms?.preferredDuringSchedulingIgnoredDuringExecution ?? [])
      applyTo(podAffinityTerm, labels);
    for (const term of terms?.requiredDuringSchedulingIgnoredDuringExecution ?? []) applyTo(term, labels);
  }
  for (const spread of (spec.topologySpreadConstraints ?? []) as KeyedSelector[]) applyTo(spread, labels);
}

function applyTo(term: KeyedSelector, labels: Readonly<Record<string, string>>): void {
  const { labelSelector: selector, matchLabelKeys = [], mismatchLabelKeys = [] } = term;
  if (!selector) return;
  const made = [
    ...matchLabelKeys.map((key) => ({ key, operator: 'In' })),
    ...mismatchLabelKeys.map((key) => ({ key, operator: 'NotIn' })),
  ].flatMap(({ key, operator }) => (labels[key] === undefined ? [] : [{ key, operator, values: [labels[key]] }]));
  if (made.length)
    term.labelSelector = { ...selector, matchExpressions: [...(selector.matchExpressions ?? []), ...made] };
}
