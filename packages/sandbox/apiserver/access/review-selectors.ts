import { type FieldErrors, type FieldTerm, fieldQuery, fieldTermsIn, StatusError } from '@tiphys/apimachinery';
import { validateSelectorTerm } from '@tiphys/kinds';
import { labelQuery } from '../request/label-query.ts';

interface Term {
  key?: string;
  operator?: string;
  values?: string[];
}

interface Selector {
  rawSelector?: string;
  requirements?: Term[];
}

export interface ReviewSelectors {
  fieldSelector?: Selector;
  labelSelector?: Selector;
}

const KINDS = ['fieldSelector', 'labelSelector'] as const;

/** Validates the selectors that a review asks about; RBAC itself knows none, the node authorizer does. */
export function validateReviewSelectors(attributes: ReviewSelectors, errors: FieldErrors): void {
  for (const kind of KINDS) {
    const selector = attributes[kind];
    if (!selector) continue;
    const at = `spec.resourceAttributes.${kind}`;
    const { rawSelector = '', requirements = [] } = selector;
    if (rawSelector && requirements.length)
      errors.invalid(`${at}.rawSelector`, rawSelector, 'may not specified at the same time as requirements');
    if (!rawSelector && !requirements.length)
      errors.required(`${at}.requirements`, `when ${at} is specified, requirements or rawSelector is required`);
    requirements.forEach((term, index) => {
      const here = `${at}.requirements[${index}]`;
      if (kind === 'labelSelector') validateSelectorTerm(term, here, errors, { unknownOperators: true });
      else validateFieldTerm(term, here, errors);
    });
  }
}

function validateFieldTerm({ key = '', operator = '', values = [] }: Term, at: string, errors: FieldErrors): void {
  if (!key) errors.required(`${at}.key`, 'must be specified');
  if (operator === 'In' || operator === 'NotIn') {
    if (!values.length) errors.required(`${at}.values`, "must be specified when `operator` is 'In' or 'NotIn'");
  } else if ((operator === 'Exists' || operator === 'DoesNotExist') && values.length)
    errors.forbidden(`${at}.values`, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'");
}

/** The terms of the field selector of a review, as far as they are understood. */
export function fieldsAskedFor({ rawSelector, requirements = [] }: Selector = {}): FieldTerm[] {
  if (rawSelector) return fieldTermsIn(rawSelector);
  return requirements
    .filter((term) => isUnderstood('fieldSelector', term))
    .map(({ key = '', operator, values = [] }) => ({
      field: key,
      negative: operator === 'NotIn',
      value: values[0] ?? '',
    }));
}

/** What of the selectors is not understood, and passed over. */
export function selectorProblems(attributes: ReviewSelectors): string {
  return KINDS.flatMap((kind) => {
    const { rawSelector = '', requirements = [] } = attributes[kind] ?? {};
    const good = requirements.filter((term) => isUnderstood(kind, term));
    const bad = rawSelector ? !canRead(kind, rawSelector) : good.length < requirements.length;
    const how = good.length ? 'partially ignored' : 'ignored';
    return bad ? [`spec.resourceAttributes.${kind} ${how} due to parse error`] : [];
  }).join('; ');
}

function isUnderstood(kind: (typeof KINDS)[number], { operator = '', values = [] }: Term): boolean {
  if (operator === 'In' || operator === 'NotIn') return kind === 'labelSelector' || values.length === 1;
  return kind === 'labelSelector' && (operator === 'Exists' || operator === 'DoesNotExist');
}

function canRead(kind: (typeof KINDS)[number], text: string): boolean {
  try {
    if (kind === 'labelSelector') labelQuery(text);
    else fieldQuery(text);
    return true;
  } catch (error) {
    if (error instanceof StatusError) return false;
    throw error;
  }
}
