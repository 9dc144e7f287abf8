import { compile, ExpressionError } from '@tiphys/expr';
import { TimeValue } from '@tiphys/template';
import { misconfiguredProvider } from '../model/failures.ts';

/** Milliseconds since the epoch of an expression such as `now() - duration("1h")`. Throws `what` and why. */
export function evaluateTime(expression: string, now: number, what: string): number {
  try {
    const value = compile(expression).run(null, { now: () => now });
    if (value instanceof TimeValue) return Number(value.nanos / 1_000_000n);
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    throw misconfiguredProvider(`${what}: ${error.detail}`);
  }
  throw misconfiguredProvider(`${what}: ${JSON.stringify(expression)} is no time`, [
    'Use an expression such as now() - duration("1h")',
  ]);
}
