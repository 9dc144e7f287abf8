import { type FieldErrors, labelValueProblems, qualifiedNameProblems, validateLabels } from '@tiphys/apimachinery';
import type { LabelSelector } from '@tiphys/kubernetes';

/** Validates a label selector; true when nothing is wrong with it. */
export function validateSelector(selector: LabelSelector | undefined, path: string, errors: FieldErrors): boolean {
  if (!selector) return true;
  const before = errors.causes.length;
  validateLabels(selector.matchLabels, `${path}.matchLabels`, errors);
  (selector.matchExpressions ?? []).forEach((term, index) => {
    validateSelectorTerm(term, `${path}.matchExpressions[${index}]`, errors);
  });
  return errors.causes.length === before;
}

/** Validates one requirement of a label selector. */
export function validateSelectorTerm(
  { key = '', operator = '', values }: { key?: string; operator?: string; values?: readonly string[] },
  at: string,
  errors: FieldErrors,
  { unknownOperators = false } = {},
): void {
  if (operator === 'In' || operator === 'NotIn') {
    if (!values?.length) errors.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if (operator === 'Exists' || operator === 'DoesNotExist') {
    if (values?.length)
      errors.forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
  } else if (!unknownOperators) errors.invalid(`${at}.operator`, operator, 'not a valid selector operator');
  for (const text of qualifiedNameProblems(key)) errors.invalid(`${at}.key`, key, text);
  (values ?? []).forEach((value, position) => {
    for (const text of labelValueProblems(value)) errors.invalid(`${at}.values[${position}]`, value, text);
  });
}

export function isEmptySelector(selector: LabelSelector | undefined): boolean {
  return !Object.keys(selector?.matchLabels ?? {}).length && !selector?.matchExpressions?.length;
}
