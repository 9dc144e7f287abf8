/** A `metav1.LabelSelector`. */
export interface LabelSelector {
  matchLabels?: Record<string, string>;
  matchExpressions?: { key: string; operator: string; values?: string[] }[];
}

/** Tells whether labels fit; an empty selector fits all, an absent one none. */
export function selectorMatches(
  selector: LabelSelector | undefined,
  labels: Readonly<Record<string, string>>,
): boolean {
  if (!selector) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (labels[key] !== value) return false;
  return (selector.matchExpressions ?? []).every(({ key, operator, values = [] }) => {
    const value = labels[key];
    switch (operator) {
      case 'In':
        return value !== undefined && values.includes(value);
      case 'NotIn':
        return value === undefined || !values.includes(value);
      case 'Exists':
        return value !== undefined;
      default:
        return value === undefined;
    }
  });
}

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
