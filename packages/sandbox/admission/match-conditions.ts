import { CelError, type Value } from '../cel/values.ts';
import { compileAdmission, type Scope } from './expressions.ts';

export interface MatchCondition {
  name: string;
  expression: string;
}

/** Whether all conditions hold: one that does not decides; else errors do, by the failure policy. */
export function conditionsMatch(
  conditions: readonly MatchCondition[],
  variables: (name: string) => Value | undefined,
  scope: Scope,
  failurePolicy: string | undefined,
): { matches: boolean } | { error: string } {
  const errors: string[] = [];
  for (const { expression } of conditions) {
    try {
      if (compileAdmission(expression.trim(), scope).evaluate(variables) === false) return { matches: false };
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      errors.push(expressionError(expression.trim(), error));
    }
  }
  if (!errors.length) return { matches: true };
  if (failurePolicy === 'Ignore') return { matches: false };
  return { error: errors.length === 1 ? (errors[0] as string) : `[${errors.join(', ')}]` };
}

export function expressionError(expression: string, error: CelError): string {
  return `expression '${expression}' resulted in error: ${error.message}`;
}
