import { RE2JS } from 're2js';
import { type Formula, JsonPathError, type Step } from './json-path-steps.ts';

interface Place {
  readonly root: unknown;
  readonly value: unknown;
  /** For messages. */
  readonly path: string;
}

/** What is at the end of the steps. Throws a `JsonPathError` where a name or an index is not there. */
export function applySteps([step, ...rest]: readonly Step[], place: Place): unknown {
  if (!step) return place.value;
  const { value } = place;
  switch (step.kind) {
    case 'key':
      return on(rest, place, member(value, step.key));
    case 'index':
      return on(rest, place, Array.isArray(value) ? value.at(step.index) : undefined);
    case 'script':
      return on(rest, place, memberBy(value, evaluate(step.formula, place)));
    case 'all':
      return each(rest, place, childrenOf(needed(value, place)));
    case 'union':
      return chosen(
        rest,
        place,
        step.keys.flatMap((key) => optional(memberBy(value, key))),
      );
    case 'slice':
      return chosen(rest, place, slice(step.bounds, place));
    case 'filter':
      return chosen(
        rest,
        place,
        childrenOf(needed(value, place)).filter((item) => isKept(step.formula, { ...place, value: item })),
      );
    case 'deep':
      return descendants(value).flatMap((item) => {
        const found = attempt(rest, { ...place, value: item });
        return found.flatMap((one) => (Array.isArray(one) ? one : [one]));
      });
  }
}

function on(rest: readonly Step[], place: Place, value: unknown): unknown {
  if (value === undefined) throw new JsonPathError(`jsonpath: nothing is at ${place.path}`);
  return applySteps(rest, { ...place, value });
}

/** Of each value what the other steps find there; those where they find nothing are left out. */
function each(rest: readonly Step[], place: Place, values: readonly unknown[]): unknown[] {
  if (rest.length === 0) return [...values];
  return values.flatMap((value) => attempt(rest, { ...place, value }).filter((found) => found !== null));
}

/** An index behind what was chosen is that of the list of it. */
function chosen(rest: readonly Step[], place: Place, values: readonly unknown[]): unknown {
  return rest[0]?.kind === 'index' ? applySteps(rest, { ...place, value: values }) : each(rest, place, values);
}

function attempt(steps: readonly Step[], place: Place): unknown[] {
  try {
    return [applySteps(steps, place)];
  } catch (error) {
    if (error instanceof JsonPathError) return [];
    throw error;
  }
}

function slice(bounds: readonly (Formula | undefined)[], place: Place): unknown[] {
  const { value, path } = place;
  if (!Array.isArray(value)) throw new JsonPathError(`jsonpath: a slice of ${path} is not one of a list`);
  const [from, to, step = 1] = bounds.map((bound) => (bound ? numberOf(evaluate(bound, place)) : undefined));
  if (step === 0 || !Number.isInteger(step))
    throw new JsonPathError(`jsonpath: a slice of ${path} has the step ${step}`);
  const within = value.slice(from ?? 0, to ?? value.length);
  const ordered = step < 0 ? within.reverse() : within;
  return ordered.filter((_, index) => index % Math.abs(step) === 0);
}

/** A formula that cannot be told of a value does not hold for it. */
function isKept(formula: Formula, place: Place): boolean {
  try {
    const result = evaluate(formula, place);
    if (result === null || result === undefined) return false;
    if (typeof result === 'object') return Object.keys(result).length > 0;
    return Boolean(result);
  } catch (error) {
    if (error instanceof JsonPathError) return false;
    throw error;
  }
}

function evaluate(formula: Formula, place: Place): unknown {
  switch (formula.kind) {
    case 'value':
      return formula.value;
    case 'list':
      return formula.items.map((item) => evaluate(item, place));
    case 'path':
      return applySteps(formula.steps, formula.fromRoot ? { ...place, value: place.root } : place);
    case 'not':
      return !isKept(formula.of, place);
    case 'binary':
      return compute(formula, place);
  }
}

function compute({ sign, left, right }: Extract<Formula, { kind: 'binary' }>, place: Place): unknown {
  if (sign === '||') return isKept(left, place) || isKept(right, place);
  if (sign === '&&') return isKept(left, place) && isKept(right, place);
  const [a, b] = [evaluate(left, place), evaluate(right, place)];
  switch (sign) {
    case '==':
      return isEqual(a, b);
    case '!=':
      return !isEqual(a, b);
    case '=~':
      return matches(a, b);
    case 'in':
      return childrenOf(b).some((item) => isEqual(item, a));
    case 'not in':
      return !childrenOf(b).some((item) => isEqual(item, a));
    default:
      return calculate(sign, numberOf(a), numberOf(b));
  }
}

function calculate(sign: string, a: number, b: number): unknown {
  switch (sign) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return a % b;
    default:
      return a ** b;
  }
}

function matches(text: unknown, pattern: unknown): boolean {
  if (typeof text !== 'string' || typeof pattern !== 'string') throw new JsonPathError('jsonpath: =~ is for texts');
  try {
    return RE2JS.compile(pattern).matcher(text).find();
  } catch (error) {
    throw new JsonPathError(`jsonpath: ${(error as Error).message}`);
  }
}

function isEqual(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

/** Texts that are numbers count as numbers. */
function numberOf(value: unknown): number {
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  if (typeof number !== 'number' || Number.isNaN(number)) throw new JsonPathError('jsonpath: a number is wanted');
  return number;
}

function needed(value: unknown, { path }: Place): object {
  if (value !== null && typeof value === 'object') return value;
  throw new JsonPathError(`jsonpath: nothing is at ${path}`);
}

function childrenOf(value: unknown): unknown[] {
  if (Array.isArray(value)) return value;
  if (value === null || typeof value !== 'object') return [];
  const map = value as Record<string, unknown>;
  return Object.keys(map)
    .sort()
    .map((key) => map[key]);
}

function descendants(value: unknown): unknown[] {
  return [value, ...childrenOf(value).flatMap(descendants)];
}

function memberBy(value: unknown, key: unknown): unknown {
  if (typeof key === 'number') return Array.isArray(value) && Number.isInteger(key) ? value.at(key) : undefined;
  return typeof key === 'string' ? member(value, key) : undefined;
}

function member(value: unknown, key: string): unknown {
  const isMap = value !== null && typeof value === 'object' && !Array.isArray(value);
  if (isMap && Object.hasOwn(value, key)) return (value as Record<string, unknown>)[key];
  if (key !== 'length') return undefined;
  if (isMap) return Object.keys(value).length;
  return Array.isArray(value) || typeof value === 'string' ? value.length : undefined;
}

function optional(value: unknown): unknown[] {
  return value === undefined ? [] : [value];
}
