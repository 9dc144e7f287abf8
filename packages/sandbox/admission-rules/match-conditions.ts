import { CelError, CostMeter, type Value } from '@tiphys/cel';
import { compileAdmission, type Scope } from './expressions.ts';

export interface MatchCondition {
  name: string;
  expression: string;
}

/** What all conditions of a webhook or a policy may cost for one object. */
const BUDGET = 2_500_000;
/** The end of a check that costs too much. */
export const BUDGET_SPENT =
  'validation failed due to running out of cost budget, no further validation rules will be run';

/**
 * Whether all conditions hold: one that does not decides; else errors do, by the failure policy. All are evaluated, and
 * too many of them are an error by themselves.
 */
export function conditionsMatch(
  conditions: readonly MatchCondition[],
  variables: (name: string) => Value | undefined,
  scope: Scope,
  failurePolicy: string | undefined,
): { matches: boolean } | { error: string } {
  const failed = (error: string) => (failurePolicy === 'Ignore' ? { matches: false } : { error });
  const meter = new CostMeter();
  const errors: string[] = [];
  let matches = true;
  for (const condition of conditions) {
    const expression = condition.expression.trim();
    try {
      if (compileAdmission(expression, scope).evaluate(variables, meter) === false) matches = false;
    } catch (error) {
      if (!(error instanceof CelError)) throw error;
      errors.push(expressionError(expression, error));
    }
    if (meter.spent > BUDGET) return failed(BUDGET_SPENT);
  }
  if (!matches || !errors.length) return { matches };
  return failed(errors.length === 1 ? (errors[0] as string) : `[${errors.join(', ')}]`);
}

export function expressionError(expression: string, error: CelError): string {
  return `expression '${expression}' resulted in error: ${error.message}`;
}
