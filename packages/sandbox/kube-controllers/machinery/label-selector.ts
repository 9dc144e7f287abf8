import type { LabelSelector } from './workload-model.ts';

/**
 * Whether labels fit a selector of an object's spec. No selector fits nothing; an empty one fits everything
 * (`metav1.LabelSelectorAsSelector`).
 */
export function selectorMatches(selector: LabelSelector | undefined, labels: Record<string, string> = {}): boolean {
  if (!selector) return false;
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) if (labels[key] !== value) return false;
  return (selector.matchExpressions ?? []).every((expression) => requirementMatches(expression, labels));
}

/** One requirement; the operators of node selectors (`Gt`, `Lt`) too. */
export function requirementMatches(
  { key, operator, values = [] }: { key: string; operator: string; values?: string[] },
  labels: Record<string, string>,
): boolean {
  const value = labels[key];
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

export function labelsMatch(wanted: Record<string, string> | undefined, labels: Record<string, string> = {}): boolean {
  return Object.entries(wanted ?? {}).every(([key, value]) => labels[key] === value);
}
