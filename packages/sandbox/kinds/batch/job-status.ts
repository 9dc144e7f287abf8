import { isDeepStrictEqual } from 'node:util';
import type { FieldErrors } from '@tiphys/apimachinery';
import type { KubeObject } from '@tiphys/kubernetes';
import type { JobSpec } from './job-validation.ts';

interface JobStatus {
  active?: number;
  succeeded?: number;
  failed?: number;
  ready?: number;
  terminating?: number;
  startTime?: string;
  completionTime?: string;
  completedIndexes?: string;
  failedIndexes?: string;
  uncountedTerminatedPods?: { succeeded?: string[]; failed?: string[] };
  conditions?: { type?: string; status?: string }[];
}

interface Change {
  readonly now: JobStatus;
  readonly before: JobStatus;
  readonly spec: JobSpec;
  readonly errors: FieldErrors;
}

const statusOf = ({ status }: KubeObject): JobStatus => (status ?? {}) as JobStatus;

const is = ({ conditions = [] }: JobStatus, type: string, value = 'True'): boolean =>
  conditions.some((condition) => condition.type === type && condition.status === value);

const isFinished = (status: JobStatus): boolean => is(status, 'Complete') || is(status, 'Failed');

const CONDITIONS = 'status.conditions';

/** What the status of a Job may become. A rule is only looked at when what it is about has changed. */
export function jobStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const change = { now: statusOf(object), before: statusOf(old), spec: object.spec as JobSpec, errors };
  validateCounts(change);
  validateEnd(change);
  validateTimes(change);
  validateFinished(change);
  validateIndexes(change);
  validateRest(change);
  validateTransition(change);
}

/** Whether one of the conditions came or went. */
const turned = ({ now, before }: Change, ...types: string[]): boolean =>
  types.some((type) => is(now, type) !== is(before, type));

const changed = ({ now, before }: Change, ...fields: (keyof JobStatus)[]): boolean =>
  fields.some((field) => !isDeepStrictEqual(now[field] ?? 0, before[field] ?? 0));

const finishes = ({ now, before }: Change): boolean => isFinished(now) !== isFinished(before);

function validateCounts({ now, errors }: Change): void {
  for (const field of ['active', 'succeeded', 'failed', 'ready', 'terminating'] as const)
    if ((now[field] ?? 0) < 0) errors.invalid(`status.${field}`, now[field], 'must be greater than or equal to 0');
  const seen = new Set<string>();
  for (const list of ['succeeded', 'failed'] as const)
    (now.uncountedTerminatedPods?.[list] ?? []).forEach((uid, index) => {
      const at = `status.uncountedTerminatedPods.${list}[${index}]`;
      if (!uid) errors.invalid(at, uid, 'must not be empty');
      else if (seen.has(uid)) errors.duplicate(at, uid);
      seen.add(uid);
    });
}

function validateEnd(change: Change): void {
  const { now, errors } = change;
  if (!is(now, 'Complete')) return;
  if (turned(change, 'Complete', 'Failed') && is(now, 'Failed'))
    errors.invalidWhole(CONDITIONS, 'cannot set Complete=True and Failed=true conditions');
  if (turned(change, 'Complete', 'FailureTarget') && is(now, 'FailureTarget'))
    errors.invalidWhole(CONDITIONS, 'cannot set Complete=True and FailureTarget=true conditions');
}

function validateTimes(change: Change): void {
  const { now, errors } = change;
  const at = 'status.completionTime';
  const { startTime, completionTime } = now;
  if (turned(change, 'Complete') || changed(change, 'completionTime')) {
    if (completionTime && !is(now, 'Complete'))
      errors.invalid(at, completionTime, 'cannot set completionTime when there is no Complete=True condition');
    if (!completionTime && is(now, 'Complete')) errors.required(at, 'completionTime is required for Complete jobs');
  }
  if (
    changed(change, 'startTime', 'completionTime') &&
    startTime &&
    completionTime &&
    Date.parse(completionTime) < Date.parse(startTime)
  )
    errors.invalid(at, completionTime, 'must be equal to or after `startTime`');
}

function validateFinished(change: Change): void {
  const { now, spec, errors } = change;
  const done = isFinished(now);
  if ((turned(change, 'Failed') || failedIndexesChanged(change)) && is(now, 'Failed') && !is(now, 'FailureTarget'))
    errors.invalidWhole(CONDITIONS, 'cannot set Failed=True condition without the FailureTarget=true condition');
  if (turned(change, 'Complete', 'SuccessCriteriaMet') && is(now, 'Complete') && !is(now, 'SuccessCriteriaMet'))
    errors.invalidWhole(CONDITIONS, 'cannot set Complete=True condition without the SuccessCriteriaMet=true condition');
  if (!done) return;
  if ((finishes(change) || changed(change, 'active')) && (now.active ?? 0) > 0)
    errors.invalid('status.active', now.active, 'active>0 is invalid for finished job');
  const isSuspendedWhole = spec.suspend === true && spec.completions === 0;
  if ((finishes(change) || changed(change, 'startTime')) && !isSuspendedWhole && !now.startTime)
    errors.required('status.startTime', 'startTime is required for finished job');
  const { uncountedTerminatedPods: uncounted } = now;
  if (
    (finishes(change) || changed(change, 'uncountedTerminatedPods')) &&
    (uncounted?.failed?.length || uncounted?.succeeded?.length)
  )
    errors.invalid(
      'status.uncountedTerminatedPods',
      { Succeeded: uncounted.succeeded ?? null, Failed: uncounted.failed ?? null },
      'must be empty for finished job',
    );
}

const failedIndexesChanged = ({ now, before }: Change): boolean => now.failedIndexes !== before.failedIndexes;

function validateIndexes(change: Change): void {
  const { now, spec, errors } = change;
  const { completions, backoffLimitPerIndex } = spec;
  const { completedIndexes = '', failedIndexes } = now;
  const [completed, failed] = [changed(change, 'completedIndexes'), failedIndexesChanged(change)];
  const parse = (field: string, text: string) => {
    const problem = indexesProblem(text, completions ?? 0);
    if (problem) errors.invalid(`status.${field}`, text, `error parsing ${field}: ${problem}`);
  };
  if (completed && completions !== undefined) parse('completedIndexes', completedIndexes);
  if (failed && completions !== undefined && backoffLimitPerIndex !== undefined && failedIndexes !== undefined)
    parse('failedIndexes', failedIndexes);
  if (completed && completedIndexes && spec.completionMode !== 'Indexed')
    errors.invalid(
      'status.completedIndexes',
      completedIndexes,
      'cannot set non-empty completedIndexes when non-indexed completion mode',
    );
  if (failed && backoffLimitPerIndex === undefined && failedIndexes !== undefined)
    errors.invalid(
      'status.failedIndexes',
      failedIndexes,
      'cannot set non-null failedIndexes when backoffLimitPerIndex is null',
    );
  if ((!failed && !completed) || completions === undefined || failedIndexes === undefined) return;
  const taken = intervalsOf(completedIndexes, completions);
  for (const [first, end] of intervalsOf(failedIndexes, completions)) {
    const other = taken.find((interval) => interval[0] <= end && first <= interval[1]);
    if (!other) continue;
    const both = Math.max(first, other[0]);
    errors.invalid(
      'status.failedIndexes',
      failedIndexes,
      `failedIndexes and completedIndexes overlap at index: ${both}`,
    );
    return;
  }
}

/** The first that is wrong with a list like `1,3-5`; undefined if nothing. */
function indexesProblem(text: string, completions: number): string | undefined {
  let last: number | undefined;
  for (const interval of text ? text.split(',') : []) {
    const parts = interval.split('-');
    if (parts.length > 2)
      return `the fragment ${JSON.stringify(interval)} violates the requirement that an index interval can have at most two parts separated by '-'`;
    for (const part of parts) {
      if (!/^[+-]?\d+$/.test(part)) return `cannot convert string to integer for index: ${JSON.stringify(part)}`;
      if (Number(part) >= completions) return `too large index: ${JSON.stringify(part)}`;
    }
    const [first = 0, end = first] = parts.map(Number);
    if (parts.length === 2 && first >= end) return `non-increasing order, previous: ${first}, current: ${end}`;
    if (last !== undefined && last >= first) return `non-increasing order, previous: ${last}, current: ${first}`;
    last = end;
  }
  return undefined;
}

/** First and last of each interval that can be read. */
function intervalsOf(text: string, completions: number): (readonly [number, number])[] {
  return text.split(',').flatMap((interval) => {
    if (!interval || indexesProblem(interval, completions)) return [];
    const [first = 0, end = first] = interval.split('-').map(Number);
    return [[first, end] as const];
  });
}

function validateRest(change: Change): void {
  const { now, before, errors } = change;
  if ((finishes(change) || changed(change, 'terminating')) && (now.terminating ?? 0) > 0 && isFinished(now))
    errors.invalid('status.terminating', now.terminating, 'terminating>0 is invalid for finished job');
  const { ready } = now;
  // Zero is not the same as not known.
  if ((ready !== before.ready || changed(change, 'active')) && ready !== undefined && ready > (now.active ?? 0))
    errors.invalid('status.ready', ready, 'cannot set more ready pods than active');
  if (!is(now, 'SuccessCriteriaMet')) return;
  for (const type of ['Failed', 'FailureTarget'])
    if (is(now, type))
      errors.invalidWhole(CONDITIONS, `cannot set SuccessCriteriaMet=True and ${type}=true conditions`);
}

function validateTransition(change: Change): void {
  const { now, before, spec, errors } = change;
  for (const type of ['Failed', 'Complete', 'FailureTarget'])
    if (is(before, type) && !is(now, type))
      errors.invalidWhole(CONDITIONS, `cannot disable the terminal ${type}=True condition`);
  if ((now.failed ?? 0) < (before.failed ?? 0))
    errors.invalid('status.failed', now.failed ?? 0, 'cannot decrease the failed counter');
  const scales = spec.completionMode === 'Indexed' && spec.completions === spec.parallelism;
  if (!scales && (now.succeeded ?? 0) < (before.succeeded ?? 0))
    errors.invalid('status.succeeded', now.succeeded ?? 0, 'cannot decrease the succeeded counter');
  if (now.completionTime && before.completionTime && now.completionTime !== before.completionTime)
    errors.invalid('status.completionTime', now.completionTime, 'field is immutable');
  const resumes = is(before, 'Suspended') && is(now, 'Suspended', 'False');
  if (before.startTime && before.startTime !== now.startTime && !resumes && spec.suspend !== true)
    errors.required('status.startTime', 'startTime cannot be removed for unsuspended job');
  if (is(before, 'SuccessCriteriaMet') && !is(now, 'SuccessCriteriaMet'))
    errors.invalidWhole(CONDITIONS, 'cannot disable the SuccessCriteriaMet=True condition');
  if (is(before, 'Complete') && !is(before, 'SuccessCriteriaMet') && is(now, 'SuccessCriteriaMet'))
    errors.invalidWhole(CONDITIONS, 'cannot set SuccessCriteriaMet=True for Job already has Complete=true conditions');
}
