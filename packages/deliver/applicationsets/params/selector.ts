import { failure } from '@tiphys/diagnosis';
import { type LabelSelector, selectorMatches } from '@tiphys/kubernetes';
import { generatorInvalid } from '../diagnoses/diagnoses.ts';

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
  for (const [index, { operator, values = [] }] of (selector?.matchExpressions ?? []).entries()) {
    const needsValues = operator === 'In' || operator === 'NotIn';
    if (!needsValues && operator !== 'Exists' && operator !== 'DoesNotExist')
      throw invalid(`"${operator}" is not a valid label selector operator`, `${field}.matchExpressions[${index}]`);
    if (needsValues !== values.length > 0)
      throw invalid(
        `for '${needsValues ? 'in' : 'exists'}', '${needsValues ? 'notin' : 'does not exist'}' operators, values set must ${needsValues ? 'not ' : ''}be empty`,
        `${field}.matchExpressions[${index}]`,
      );
  }
  return (labels) => selectorMatches(selector ?? {}, labels);
}

function invalid(message: string, field: string) {
  return failure(generatorInvalid, {
    message: `error parsing label selector: ${message}`,
    place: { field },
    remedies: ['Use In or NotIn with values, or Exists or DoesNotExist without'],
  });
}
