import type { KubeObject } from '@tiphys/kubernetes';
import { isObject, objectsAt, textAt, valueAt } from '../../model/fields.ts';
import type { Health, HealthCode } from '../../model/model.ts';
import { health } from '../conditions.ts';

/** Health of an object of one kind; undefined where the rule says nothing. */
export type Check = (object: KubeObject) => Health | undefined;

/** Checks by `group/Kind`. */
export type Checks = Readonly<Record<string, Check>>;

type Fields = Readonly<Record<string, unknown>>;

/** What a condition of the status has to be like, and what it means then. */
export interface Case {
  readonly type?: string | readonly string[];
  readonly status?: string;
  /** A status that it must not have. */
  readonly unless?: string;
  readonly reason?: string | readonly string[];
  readonly code: HealthCode;
  /** The condition's own message if absent. */
  readonly message?: string | ((condition: Fields) => string);
}

/** A case by the type and the status of the condition. */
export function when(
  type: string | readonly string[],
  status: string,
  code: HealthCode,
  message?: Case['message'],
): Case {
  return { type, status, code, ...(message === undefined ? {} : { message }) };
}

/** The first of the rules that says something, or the health for what nothing is known of. */
export function firstOf(otherwise: readonly [code: HealthCode, message?: string], ...checks: readonly Check[]): Check {
  return (object) => {
    for (const check of checks) {
      const found = check(object);
      if (found) return found;
    }
    return health(...otherwise);
  };
}

/** The first condition, in the order of the object, that is a case. */
export function conditions(...cases: readonly Case[]): Check {
  return (object) => judge(objectsAt(object, 'status', 'conditions'), cases);
}

/** The first case, in the order of the rule, that a condition is. */
export function ranked(...cases: readonly Case[]): Check {
  return (object) => {
    const list = objectsAt(object, 'status', 'conditions');
    for (const one of cases) {
      const found = judge(list, [one]);
      if (found) return found;
    }
    return undefined;
  };
}

/** The health that the first of the conditions has which is a case. */
export function judge(list: readonly Fields[], cases: readonly Case[]): Health | undefined {
  for (const condition of list) {
    const found = cases.find((candidate) => fits(candidate, condition));
    if (found) return health(found.code, messageOf(found, condition));
  }
  return undefined;
}

function fits({ type, status, unless, reason }: Case, condition: Fields): boolean {
  const is = (wanted: string | readonly string[] | undefined, value: unknown) =>
    wanted === undefined || (typeof wanted === 'string' ? wanted === value : wanted.includes(String(value)));
  return (
    is(type, condition.type) &&
    is(status, condition.status) &&
    is(reason, condition.reason) &&
    (unless === undefined || condition.status !== unless)
  );
}

function messageOf({ message }: Case, condition: Fields): string {
  if (typeof message === 'function') return message(condition);
  return message ?? textAt(condition, 'message');
}

/** The condition's message, or another text where it has none. */
export const own =
  (missing: string) =>
  (condition: Fields): string =>
    typeof condition.message === 'string' ? condition.message : missing;

/** The condition's reason. */
export const byReason = (condition: Fields): string => textAt(condition, 'reason');

/** What the text of a field means; the message may use that text. */
export function field(
  path: readonly string[],
  table: Readonly<Record<string, readonly [code: HealthCode, message?: string | ((text: string) => string)]>>,
): Check {
  return (object) => {
    const value = valueAt(object, ...path);
    if (typeof value !== 'string' && typeof value !== 'number') return undefined;
    const entry = Object.hasOwn(table, String(value)) ? table[String(value)] : table.$other;
    if (!entry) return undefined;
    const [code, message = ''] = entry;
    return health(code, typeof message === 'function' ? message(String(value)) : message);
  };
}

/** Says the health if the test holds. */
export function given(
  test: (object: KubeObject) => unknown,
  code: HealthCode,
  message: string | ((object: KubeObject) => string) = '',
): Check {
  return (object) =>
    test(object) ? health(code, typeof message === 'function' ? message(object) : message) : undefined;
}

/** Whether the controller has seen the last change of the object. */
export function isSeen(
  object: KubeObject,
  observed: unknown = valueAt(object, 'status', 'observedGeneration'),
): boolean {
  return observed === object.metadata.generation;
}

export function hasStatus(object: KubeObject): boolean {
  return isObject(object.status);
}

export function listAt(object: unknown, ...path: string[]): unknown[] {
  const value = valueAt(object, ...path);
  return Array.isArray(value) ? value : [];
}

/** The number at the path, or another one. */
export function numberOr(missing: number, object: unknown, ...path: string[]): number {
  const value = valueAt(object, ...path);
  return typeof value === 'number' ? value : missing;
}

/** `Ready` decides; the messages are its own unless one is given. */
export function ready(waiting: string, healthy?: string): Check {
  return firstOf(
    ['Progressing', waiting],
    conditions(when('Ready', 'False', 'Degraded'), when('Ready', 'True', 'Healthy', healthy)),
  );
}

/** The same rule for several kinds of a group. */
export function forKinds(group: string, kinds: readonly string[], rule: (kind: string) => Check): Checks {
  return Object.fromEntries(kinds.map((kind) => [`${group}/${kind}`, rule(kind)]));
}
