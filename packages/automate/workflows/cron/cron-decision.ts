import { workflowNames } from '@tiphys/api';
import type { CronSchedule } from '@tiphys/go';
import { type Value as GoAny, int, TimeValue } from '@tiphys/template';
import { isCompletedWorkflow } from '../model/phases.ts';
import { timeOf, timestamp } from '../model/time.ts';
import type { CronWorkflow, CronWorkflowStatus, Workflow, WorkflowCondition } from '../model/types.ts';
import { compileExpression, Environment, ExprError } from '../text/expression.ts';
import { substituteText } from '../text/substitute.ts';
import { clockVariable, type Value } from '../text/variables.ts';
import { whenHolds } from '../text/when.ts';
import { parseSchedule } from './schedule.ts';
import { workflowOfCron } from './workflow-of-cron.ts';

export interface CronFacts {
  readonly now: number;
  /** When this controller first saw the CronWorkflow, in milliseconds: what was due before that and was never scheduled is not made up for. */
  readonly since: number;
  /** The latest scheduled time that was decided on already, in milliseconds: one that was let go is not made up for. */
  readonly handled?: number | undefined;
  /** Workflows that carry the CronWorkflow's label. */
  readonly workflows: readonly Workflow[];
  /** Which template that its workflows need is not there, as a sentence; absent if all are. */
  readonly missing?: string | undefined;
}

export interface CronDecision {
  readonly status: CronWorkflowStatus;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  /** Workflow to create. */
  readonly create?: Workflow;
  /** Names of workflows to terminate, and of those to delete. */
  readonly terminate: readonly string[];
  readonly remove: readonly string[];
  /** The scheduled time that this is about, in milliseconds. */
  readonly due?: number | undefined;
  /** Set if `concurrencyPolicy` kept a workflow from running, the new one or those that ran. */
  readonly policy?: 'Forbid' | 'Replace';
  /** A time that is found skipped just now, and why; the status says it too. */
  readonly skipped?: string | undefined;
  /** When to look again, in milliseconds. */
  readonly requeueAt: number | undefined;
}

const { labels: names } = workflowNames;
/** A condition beside those of upstream, which tells of a skipped time in its log alone. */
const skippedCondition = 'Skipped';
const schedulesAnnotation = 'cronworkflows.argoproj.io/last-used-schedule';

/** What a CronWorkflow has to do now: a pure function of it, of its workflows and of the time. */
export function decideCron(cron: CronWorkflow, facts: CronFacts): CronDecision {
  const status = reconcileActive(cron, facts);
  const labels: Record<string, string> = { ...cron.metadata.labels };
  const annotations: Record<string, string> = { ...cron.metadata.annotations };
  const quiet = { status, labels, annotations, terminate: [], remove: expired(cron, facts) };
  let schedules: CronSchedule[];
  try {
    schedules = (cron.spec.schedules ?? []).map((schedule) => parseSchedule(schedule, cron.spec.timezone));
    if (schedules.length === 0) throw new Error('cron workflow must have at least one schedule');
    const problem = specProblem(cron);
    if (problem) throw new Error(problem);
    removeCondition(status, 'SpecError');
    const never = (cron.spec.schedules ?? []).filter((_, index) => schedules[index]?.after(facts.now) === undefined);
    if (never.length > 0)
      setCondition(
        status,
        'SpecError',
        `cron schedule ${never.join(', ')} never comes: no day has its month, day and weekday; correct the schedule`,
      );
  } catch (error) {
    setCondition(status, 'SpecError', (error as Error).message);
    return { ...quiet, requeueAt: undefined };
  }
  if (facts.missing) {
    setCondition(status, 'SpecError', facts.missing);
    return { ...quiet, requeueAt: undefined };
  }
  const used = scheduleText(cron);
  const isChanged = annotations[schedulesAnnotation] !== undefined && annotations[schedulesAnnotation] !== used;
  annotations[schedulesAnnotation] = used;
  const stop = shouldStop(cron, status, facts);
  if (status.phase !== 'Stopped' && stop === true) {
    status.phase = 'Stopped';
    labels[names.cronCompleted] = 'true';
  }
  if (typeof stop === 'string') {
    setCondition(status, 'SpecError', stop);
    return { ...quiet, requeueAt: nextTime(schedules, facts.now) };
  }
  if (status.phase === 'Stopped') return { ...quiet, requeueAt: undefined };
  const last = isChanged ? undefined : timeOf(status.lastScheduledTime);
  const due = dueTime(schedules, { last: Math.max(last ?? facts.since, facts.handled ?? 0), now: facts.now });
  const requeueAt = nextTime(schedules, facts.now);
  if (cron.spec.suspend) {
    const told = due === undefined ? undefined : skipped(cron, status, due, 'spec.suspend is true');
    return { ...quiet, skipped: told, due, requeueAt };
  }
  if (due === undefined) return { ...quiet, requeueAt };
  if (!isInTime(cron, { due, facts })) {
    return { ...quiet, skipped: skipped(cron, status, due, lateness(cron, due, facts)), requeueAt };
  }
  return { ...quiet, ...schedule(cron, { status, due, facts }), due, requeueAt };
}

const policies = ['Allow', 'Forbid', 'Replace'];
/** What a workflow's name has room for, beside its time. */
const longestName = 52;

/** What is wrong with a CronWorkflow besides its schedules, in upstream's words. */
function specProblem({ metadata: { name = '' }, spec }: CronWorkflow): string | undefined {
  const { concurrencyPolicy = '', startingDeadlineSeconds = 0 } = spec;
  if (name.length > longestName)
    return `cron workflow name "${name}" must not be more than ${longestName} characters long (currently ${name.length})`;
  if (concurrencyPolicy && !policies.includes(concurrencyPolicy))
    return `'${concurrencyPolicy}' is not a valid concurrencyPolicy, write ${policies.join(', ')}`;
  return startingDeadlineSeconds < 0 ? 'startingDeadlineSeconds must be positive' : undefined;
}

function scheduleText({ spec }: CronWorkflow): string {
  return (spec.schedules ?? []).map((text) => (spec.timezone ? `CRON_TZ=${spec.timezone} ${text}` : text)).join(',');
}

/** The latest time that was due and not scheduled. */
function dueTime(schedules: readonly CronSchedule[], { last, now }: { last: number; now: number }): number | undefined {
  let due: number | undefined;
  for (const schedule of schedules) {
    let at = schedule.after(last);
    for (let count = 0; at !== undefined && at <= now; count += 1) {
      due = Math.max(due ?? 0, at);
      // after a long pause only the last one counts
      at = schedule.after(count > 200 ? Math.max(at, now - 48 * 3_600_000) : at);
    }
  }
  return due;
}

function nextTime(schedules: readonly CronSchedule[], now: number): number | undefined {
  const times = schedules.map((schedule) => schedule.after(now)).filter((time) => time !== undefined);
  return times.length > 0 ? Math.min(...times) : undefined;
}

/** A time that was missed while no controller ran is made up for within `startingDeadlineSeconds`; half a minute is no miss. */
function isInTime({ spec }: CronWorkflow, { due, facts }: { due: number; facts: CronFacts }): boolean {
  const deadline = Math.max((spec.startingDeadlineSeconds ?? 0) * 1000, 30_000);
  return facts.now < due + deadline;
}

/** Why a time that is over cannot have been acted on. */
function lateness({ spec }: CronWorkflow, due: number, { since }: CronFacts): string {
  const seconds = spec.startingDeadlineSeconds ?? 0;
  const allowed =
    seconds > 0
      ? `startingDeadlineSeconds lets it begin ${seconds} s later at most`
      : 'without startingDeadlineSeconds it is not made up for';
  return due < since
    ? `no controller acted on it, and the one that runs has seen the CronWorkflow since ${timestamp(since)}; ${allowed}`
    : `the controller came to it too late; ${allowed}`;
}

/**
 * Says in the status which time was let go, and why; it stays until the next one that is not. What was said of a time first holds: undefined if it was
 * said before.
 */
function skipped(cron: CronWorkflow, status: CronWorkflowStatus, due: number, why: string): string | undefined {
  const begin = `The run of ${timestamp(due)} was skipped: `;
  if (status.conditions?.some(({ type, message }) => type === skippedCondition && message?.startsWith(begin)))
    return undefined;
  const { name, namespace } = cron.metadata;
  const message = `${begin}${why}. To run it now: argo submit -n ${namespace} --from cronwf/${name}`;
  setCondition(status, skippedCondition, message);
  return message;
}

interface Scheduling {
  readonly status: CronWorkflowStatus;
  readonly due: number;
  readonly facts: CronFacts;
}

function schedule(cron: CronWorkflow, { status, due, facts }: Scheduling): Partial<CronDecision> {
  try {
    const own = variables(cron, status, facts);
    const text = substituteText(cron.spec.when ?? '', own, 'refuse', environmentOf(cron, status, own));
    if (!whenHolds(text)) return {};
  } catch (error) {
    setCondition(status, 'SubmissionError', `run policy error: ${(error as Error).message}`);
    status.failed += 1;
    return {};
  }
  const active = status.active ?? [];
  const policy = cron.spec.concurrencyPolicy || 'Allow';
  if (policy === 'Forbid' && active.length > 0) {
    const running = active.map(({ name }) => name).join(', ');
    return { policy, skipped: skipped(cron, status, due, `concurrencyPolicy is Forbid, and ${running} has not ended`) };
  }
  const terminate = policy === 'Replace' ? active.map(({ name }) => name) : [];
  status.lastScheduledTime = timestamp(due);
  status.phase = 'Active';
  removeCondition(status, 'SubmissionError');
  removeCondition(status, skippedCondition);
  const create = workflowAt(cron, due);
  return { terminate, create, ...(terminate.length > 0 ? { policy: 'Replace' as const } : {}) };
}

/** The workflow of a scheduled time; its name says which, so that none is made twice. */
export function workflowAt(cron: CronWorkflow, due: number): Workflow {
  return workflowOfCron(cron, { at: due, name: `${cron.metadata.name ?? ''}-${Math.floor(due / 1000)}` });
}

/** Takes workflows that have ended from the list of active ones, and counts them. */
function reconcileActive(cron: CronWorkflow, { workflows }: CronFacts): CronWorkflowStatus {
  const before = cron.status;
  const status: CronWorkflowStatus = {
    active: [],
    lastScheduledTime: before?.lastScheduledTime ?? null,
    conditions: [...(before?.conditions ?? [])],
    succeeded: before?.succeeded ?? 0,
    failed: before?.failed ?? 0,
    phase: before?.phase || 'Active',
  };
  const byUid = new Map(workflows.map((workflow) => [workflow.metadata.uid, workflow]));
  const known = new Set<string>();
  for (const reference of before?.active ?? []) {
    known.add(reference.uid);
    const workflow = byUid.get(reference.uid);
    if (!workflow) continue;
    if (!isCompletedWorkflow(workflow.status?.phase)) status.active?.push(reference);
    else if (workflow.status?.phase === 'Succeeded') status.succeeded += 1;
    else status.failed += 1;
  }
  for (const { metadata, status: own, apiVersion, kind } of workflows) {
    const { name = '', namespace = '', uid = '' } = metadata;
    if (known.has(uid) || isCompletedWorkflow(own?.phase)) continue;
    status.active?.push({ apiVersion, kind, name, namespace, uid });
  }
  return status;
}

/** Finished workflows beyond the limits of the history, oldest first. */
function expired({ spec }: CronWorkflow, { workflows }: CronFacts): string[] {
  const over = (list: Workflow[], limit: number) =>
    list
      .sort((a, b) => (timeOf(b.status?.finishedAt) ?? 0) - (timeOf(a.status?.finishedAt) ?? 0))
      .slice(Math.max(limit, 0))
      .map(({ metadata }) => metadata.name ?? '');
  const isGone = ({ metadata }: Workflow) => metadata.deletionTimestamp !== undefined;
  const finished = workflows.filter((item) => isCompletedWorkflow(item.status?.phase) && !isGone(item));
  return [
    ...over(
      finished.filter(({ status }) => status?.phase === 'Succeeded'),
      limitOf(spec.successfulJobsHistoryLimit, 3),
    ),
    ...over(
      finished.filter(({ status }) => status?.phase !== 'Succeeded'),
      limitOf(spec.failedJobsHistoryLimit, 1),
    ),
  ];
}

function limitOf(limit: number | undefined, fallback: number): number {
  return limit === undefined || limit < 0 ? fallback : limit;
}

/** Whether the stop strategy says so; a text tells why that cannot be said. */
function shouldStop(cron: CronWorkflow, status: CronWorkflowStatus, facts: CronFacts): boolean | string {
  const expression = cron.spec.stopStrategy?.expression;
  if (!expression) return false;
  let reason: string;
  try {
    const stop = compileExpression(expression).evaluate(environmentOf(cron, status, variables(cron, status, facts)));
    if (typeof stop === 'boolean') return stop;
    reason = `unable to cast expression result '${String(stop)}' to bool`;
  } catch (error) {
    if (!(error instanceof ExprError)) throw error;
    reason = error.message;
  }
  const { name } = cron.metadata;
  return `failed to check CronWorkflow '${name}' stopping condition: failed to evaluate stop expression: ${reason}`;
}

/** What expressions see: numbers as numbers, the last time as a time, and nil before the first one. */
function environmentOf({ metadata }: CronWorkflow, status: CronWorkflowStatus, own: Map<string, Value>): Environment {
  const environment = new Environment(own);
  const last = timeOf(status.lastScheduledTime);
  const texts = (map: Readonly<Record<string, string>> = {}) =>
    new Map<string, GoAny>([...Object.entries(map), ['json', JSON.stringify(map)]]);
  environment.values.set(
    'cronworkflow',
    new Map<string, GoAny>([
      ['name', metadata.name ?? ''],
      ['namespace', metadata.namespace ?? ''],
      ['labels', texts(metadata.labels)],
      ['annotations', texts(metadata.annotations)],
      ['succeeded', int(status.succeeded)],
      ['failed', int(status.failed)],
      ['lastScheduledTime', last === undefined ? null : new TimeValue(BigInt(last) * 1_000_000n, 'UTC')],
    ]),
  );
  return environment;
}

function variables(cron: CronWorkflow, status: CronWorkflowStatus, { now }: CronFacts): Map<string, Value> {
  const { name = '', namespace = '', labels = {}, annotations = {} } = cron.metadata;
  return new Map<string, Value>([
    [clockVariable, String(now)],
    ['cronworkflow.name', name],
    ['cronworkflow.namespace', namespace],
    ['cronworkflow.labels.json', JSON.stringify(labels)],
    ['cronworkflow.annotations.json', JSON.stringify(annotations)],
    ['cronworkflow.succeeded', String(status.succeeded)],
    ['cronworkflow.failed', String(status.failed)],
    ['cronworkflow.lastScheduledTime', status.lastScheduledTime],
  ]);
}

function setCondition(status: CronWorkflowStatus, type: WorkflowCondition['type'], message: string): void {
  removeCondition(status, type);
  status.conditions = [...(status.conditions ?? []), { type, status: 'True', message }];
}

function removeCondition(status: CronWorkflowStatus, type: WorkflowCondition['type']): void {
  status.conditions = (status.conditions ?? []).filter((condition) => condition.type !== type);
}
