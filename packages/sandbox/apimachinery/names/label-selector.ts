import type { LabelSelector } from '@tiphys/kubernetes';

/** The selector as query strings and tables write it. */
export function formatSelector(selector: LabelSelector | undefined): string {
  if (!selector) return '<none>';
  const terms = Object.entries(selector.matchLabels ?? {}).map(([key, value]) => ({ key, text: `${key}=${value}` }));
  for (const { key, operator, values = [] } of selector.matchExpressions ?? []) {
    const list = [...values].sort().join(',');
    const text =
      operator === 'In'
        ? values.length === 1
          ? `${key} in (${list})`
          : `${key} in (${list})`
        : operator === 'NotIn'
          ? `${key} notin (${list})`
          : operator === 'Exists'
            ? key
            : `!${key}`;
    terms.push({ key, text });
  }
  terms.sort((a, b) => (a.key < b.key ? -1 : a.key > b.key ? 1 : 0));
  return terms.length ? terms.map(({ text }) => text).join(',') : '<none>';
}

/** The selector as Go prints its struct. */
export function goSelector({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.entries(matchLabels)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => `${key}: ${value},`)
    .join('');
  const expressions = matchExpressions
    .map(
      ({ key, operator, values = [] }) =>
        `LabelSelectorRequirement{Key:${key},Operator:${operator},Values:[${values.join(' ')}],},`,
    )
    .join('');
  return `&LabelSelector{MatchLabels:map[string]string{${labels}},MatchExpressions:[]LabelSelectorRequirement{${expressions}},}`;
}
