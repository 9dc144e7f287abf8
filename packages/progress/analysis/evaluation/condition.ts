import { compile, ExpressionError } from '@tiphys/expr';
import {
  define,
  FunctionError,
  type FunctionSpec,
  parseFloat64,
  parseInt64,
  typeOf,
  type Value,
} from '@tiphys/template';
import { badAnswer } from '../model/failures.ts';
import type { AnalysisPhase, Metric } from '../model/types.ts';
import { toValue } from './to-value.ts';

/**
 * The phase of a result by a metric's conditions; one alone decides both ways, neither says success, and a result that fits neither
 * of two is inconclusive. Throws if a condition cannot be evaluated.
 */
export function judge(metric: Metric, result: unknown): AnalysisPhase {
  const { successCondition, failureCondition } = metric;
  const succeeded = successCondition ? holds('successCondition', successCondition, result) : undefined;
  const failed = failureCondition ? holds('failureCondition', failureCondition, result) : undefined;
  if (failed ?? (succeeded === undefined ? false : !succeeded)) return 'Failed';
  return (succeeded ?? true) ? 'Successful' : 'Inconclusive';
}

function holds(field: string, condition: string, result: unknown): boolean {
  try {
    return evaluateCondition(condition, result);
  } catch (error) {
    if (!(error instanceof ExpressionError || error instanceof FunctionError)) throw error;
    const isEmpty = result === null || result === undefined || (Array.isArray(result) && result.length === 0);
    const reason = isEmpty
      ? 'metric result is nil or empty: no data returned from the metric provider'
      : error instanceof ExpressionError
        ? error.detail
        : error.message;
    throw badAnswer(`could not evaluate ${field} "${condition}": ${reason}`);
  }
}

/** Evaluates a condition in which `result` is a metric's result. Throws `ExpressionError`, or `FunctionError` for no boolean. */
export function evaluateCondition(condition: string, result: unknown): boolean {
  return conditionHolds(condition, { name: 'result', value: result });
}

/** Evaluates a condition over one variable. Throws as `evaluateCondition` does. */
export function conditionHolds(
  condition: string,
  variable: { readonly name: string; readonly value: unknown },
): boolean {
  const value = toValue(variable.value);
  const env = new Map<string, Value>([[variable.name, value]]);
  const answer = compile(condition, { env, functions: functionsFor(value) }).run(env);
  if (typeof answer !== 'boolean') throw new FunctionError(`expected bool, but got ${typeOf(answer)?.name ?? '<nil>'}`);
  return answer;
}

/** Why a condition over `result` can be evaluated for no result; undefined if it depends on the result. */
export function conditionFault(condition: string): string | undefined {
  try {
    compile(condition, { allowUndefinedVariables: true, functions: functionsFor(null) });
    return undefined;
  } catch (error) {
    if (!(error instanceof ExpressionError)) throw error;
    return error.kind === 'invalid' ? error.detail : undefined;
  }
}

const fixed: readonly (readonly [string, FunctionSpec])[] = [
  ['asInt', define('any', ([value]) => integer(value ?? null))],
  ['asFloat', define('any', ([value]) => number(value ?? null))],
  ['isNaN', define('float64', ([value]) => Number.isNaN(value))],
  ['isInf', define('float64', ([value]) => value === Number.POSITIVE_INFINITY || value === Number.NEGATIVE_INFINITY)],
];

/** `isNil` and `default` look at the result whatever they are given, as upstream has them. */
function functionsFor(result: Value): ReadonlyMap<string, FunctionSpec> {
  const isNil = result === null || result === undefined;
  return new Map([
    ...fixed,
    ['isNil', define('any', () => isNil)],
    ['default', define('any, any', ([, fallback]) => (isNil ? (fallback ?? null) : result))],
  ]);
}

function integer(value: Value): Value {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'number') return BigInt(Math.trunc(value));
  if (typeof value === 'string') {
    const parsed = parseInt64(value);
    if (!parsed.fault) return parsed.value;
    throw new FunctionError(`strconv.ParseInt: parsing ${JSON.stringify(value)}: invalid syntax`);
  }
  if (isInteger(value)) return value.value;
  throw new FunctionError(`asInt() not supported on ${typeOf(value)?.name ?? '<nil>'} ${String(value)}`);
}

function number(value: Value): Value {
  if (typeof value === 'number') return value;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string') {
    const parsed = parseFloat64(value);
    if (!parsed.fault) return parsed.value;
    throw new FunctionError(`strconv.ParseFloat: parsing ${JSON.stringify(value)}: invalid syntax`);
  }
  if (isInteger(value)) return Number(value.value);
  throw new FunctionError(`asFloat() not supported on ${typeOf(value)?.name ?? '<nil>'} ${String(value)}`);
}

/** An integer of a Go type of its own, such as a literal's `int`. */
function isInteger(value: Value): value is Value & { value: bigint } {
  return typeof value === 'object' && value !== null && typeof (value as { value?: unknown }).value === 'bigint';
}
