/** A `metav1.LabelSelector`. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly SelectorRequirement[];
}

export interface SelectorRequirement {
  readonly key: string;
  readonly operator: string;
  readonly values?: readonly string[];
}

type Labels = Readonly<Record<string, string>>;

/** Whether labels fit a selector: an empty one fits everything, none fits nothing (`metav1.LabelSelectorAsSelector`). */
export function selectorMatches(selector: LabelSelector | undefined, labels: Labels = {}): boolean {
  if (!selector) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (own(labels, key) !== value) return false;
  return (selector.matchExpressions ?? []).every((requirement) => requirementMatches(requirement, labels));
}

/** Whether labels fit one requirement; the operators of node selectors (`Gt`, `Lt`) too. An unknown operator fits nothing. */
export function requirementMatches({ key, operator, values = [] }: SelectorRequirement, labels: Labels): boolean {
  const value = own(labels, key);
  switch (operator) {
    case 'In':
      return value !== undefined && values.includes(value);
    case 'NotIn':
      return value === undefined || !values.includes(value);
    case 'Exists':
      return value !== undefined;
    case 'DoesNotExist':
      return value === undefined;
    case 'Gt':
      return value !== undefined && Number(value) > Number(values[0]);
    case 'Lt':
      return value !== undefined && Number(value) < Number(values[0]);
    default:
      return false;
  }
}

/** A selector as list requests take it in `labelSelector`. */
export function selectorQuery({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const equal = Object.entries(matchLabels).map(([key, value]) => `${key}=${value}`);
  const others = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator === 'In' ? 'in' : 'notin'} (${values.join(',')})`;
  });
  return [...equal, ...others].join(',');
}

/** A key such as `toString` is no label unless somebody set it. */
function own(labels: Labels, key: string): string | undefined {
  return Object.hasOwn(labels, key) ? labels[key] : undefined;
}
