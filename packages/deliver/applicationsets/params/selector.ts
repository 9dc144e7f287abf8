import { failure } from '@tiphys/diagnosis';
import { generatorInvalid } from '../diagnoses/diagnoses.ts';

export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly {
    readonly key: string;
    readonly operator: string;
    readonly values?: readonly string[];
  }[];
}

/** True for a selector that selects by something; an empty one selects everything. */
export function selectsSome(selector: LabelSelector | undefined): boolean {
  return Object.keys(selector?.matchLabels ?? {}).length > 0 || (selector?.matchExpressions?.length ?? 0) > 0;
}

/**
 * A selector as a test. Unlike labels' own, values may be any text, so that parameters such as URLs can be matched.
 * Throws for an operator that there is not.
 */
export function compileSelector(
  selector: LabelSelector | undefined,
  field: string,
): (labels: Readonly<Record<string, string>>) => boolean {
  const equal = Object.entries(selector?.matchLabels ?? {});
  const expressions = selector?.matchExpressions ?? [];
  for (const [index, { operator, values = [] }] of expressions.entries()) {
    const needsValues = operator === 'In' || operator === 'NotIn';
    if (!needsValues && operator !== 'Exists' && operator !== 'DoesNotExist')
      throw invalid(`"${operator}" is not a valid label selector operator`, `${field}.matchExpressions[${index}]`);
    if (needsValues !== values.length > 0)
      throw invalid(
        `for '${needsValues ? 'in' : 'exists'}', '${needsValues ? 'notin' : 'does not exist'}' operators, values set must ${needsValues ? 'not ' : ''}be empty`,
        `${field}.matchExpressions[${index}]`,
      );
  }
  return (labels) =>
    equal.every(([key, value]) => labels[key] === value) &&
    expressions.every(({ key, operator, values = [] }) => {
      const value = labels[key];
      if (operator === 'In') return value !== undefined && values.includes(value);
      if (operator === 'NotIn') return value === undefined || !values.includes(value);
      return (operator === 'Exists') === (value !== undefined);
    });
}

function invalid(message: string, field: string) {
  return failure(generatorInvalid, {
    message: `error parsing label selector: ${message}`,
    place: { field },
    remedies: ['Use In or NotIn with values, or Exists or DoesNotExist without'],
  });
}
