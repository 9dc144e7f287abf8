import { workflowNames } from '@tiphys/api';
import type { Pass, StepOutcome } from '@tiphys/controller';
import { type Action, collectArtifacts, type Decision, isCollecting, MissingFact, operate } from '../machine/index.ts';
import { isCompletedWorkflow } from '../model/phases.ts';
import type { Pod, Workflow } from '../model/types.ts';
import { baselineOf, noteEnd } from './baseline.ts';
import { followUp, prepare } from './do-actions.ts';
import { expiresAt } from './expiry.ts';
import { PassFacts } from './facts-reader.ts';
import { nodeEvents } from './node-events.ts';
import { WorkflowTooLarge } from './persistence/nodes-codec.ts';
import { dehydrated, hydrated, isArchiving, markArchived } from './persistence/persistence.ts';
import type { Surroundings } from './surroundings.ts';
import { isUntidy, tidyTasks } from './tidy-tasks.ts';
import { withCause } from './told-cause.ts';

export type WorkflowObject = Workflow;
export type WorkflowPass = Pass<WorkflowObject, Surroundings, WorkflowMemory>;

/** What is remembered of a workflow between passes; may be lost. */
export interface WorkflowMemory {
  actions: readonly Action[];
  /** The workflow with its nodes, before this pass and after it. */
  given?: Workflow;
  decided?: Workflow;
  /** When the pass began, in milliseconds. */
  began?: number;
}

/** How often a decision is made anew in one pass, as facts come or pods cannot be made. */
const rounds = 60;

/** Deletes a workflow whose time to live is over. */
export async function expire(pass: WorkflowPass): Promise<StepOutcome> {
  const { next, context, clock } = pass;
  pass.memory.began = clock.now();
  if (next.metadata.deletionTimestamp) return 'continue';
  const at = expiresAt(next);
  if (at === undefined || at > clock.now()) return 'continue';
  const { name = '', namespace = '', uid } = next.metadata;
  await context.client.delete(
    { apiVersion: workflowNames.apiVersion, kind: 'Workflow', namespace, name },
    { propagationPolicy: context.settings().deletePropagation, ...(uid ? { preconditions: { uid } } : {}) },
  );
  return 'stop';
}

/** Waits for its turn if the installation limits how many workflows run. */
export function admit({ key, next, context }: WorkflowPass): StepOutcome {
  const { throttle } = context;
  throttle.note(key, next);
  const phase = next.status?.phase;
  if (isCompletedWorkflow(phase) || phase === 'Running') return 'continue';
  if (next.spec.shutdown === 'Terminate' || throttle.admits(key)) return 'continue';
  const reason = throttle.reason(next.metadata.namespace ?? '');
  if (!phase || (phase === 'Pending' && heldBackBy(next) !== reason)) {
    next.status = {
      ...(next.status as NonNullable<Workflow['status']>),
      phase: 'Pending',
      message: 'Workflow processing has been postponed because too many workflows are already running',
      conditions: [{ type: 'ParallelismReached', status: 'True', message: reason }],
    };
    next.metadata.labels = {
      ...next.metadata.labels,
      [workflowNames.labels.phase]: 'Pending',
      [workflowNames.labels.completed]: 'false',
    };
  }
  return 'stop';
}

const heldBackBy = ({ status }: WorkflowObject) =>
  status?.conditions?.find(({ type }) => type === 'ParallelismReached')?.message;

/** Decides, and does what must be there before the decision is written. */
export async function decide(pass: WorkflowPass): Promise<StepOutcome> {
  const { key, next, context, signal } = pass;
  if (isCompletedWorkflow(next.status?.phase)) return 'continue';
  const given = await hydrated(next, context.persistence);
  // `next` changes below
  pass.memory.given = given === next ? pass.before : given;
  const facts = new PassFacts(context);
  const baseline = await baselineOf(context, given, signal);
  for (let round = 0; round < rounds; round += 1) {
    const decision = await attempt(() => operate(given, facts.facts(key, baseline)), facts, signal);
    if (!decision) continue;
    const made = await prepare({ surroundings: context, workflow: given, facts, signal }, decision.actions);
    if (!made && round < rounds - 1 && isNewFailure(decision, facts)) continue;
    await take(pass, given, decision);
    if (!made) pass.requeueIn(1000);
    return 'continue';
  }
  throw new Error(`Workflow ${key} needs more facts than ${rounds} rounds could read`);
}

async function attempt<T>(run: () => T, facts: PassFacts, signal: AbortSignal): Promise<T | undefined> {
  try {
    return run();
  } catch (error) {
    if (!(error instanceof MissingFact)) throw error;
    await facts.read(error.wanted, signal);
    return undefined;
  }
}

/** True if the failures of pods and claims are not in the decision yet. */
function isNewFailure({ workflow }: Decision, { podFailures, claimFailures }: PassFacts): boolean {
  const told = workflow.status?.message ?? '';
  if ([...claimFailures.values()].some(({ message }) => !told.includes(message))) return true;
  return [...podFailures].some(([id, { message }]) => workflow.status?.nodes?.[id]?.message !== message);
}

async function take(
  pass: WorkflowPass,
  given: WorkflowObject,
  { workflow, actions, requeueAt }: Decision,
): Promise<void> {
  const { next, context, clock } = pass;
  for (const action of actions) if (action.kind === 'event') pass.event(action.type, action.reason, action.message);
  const { sendNodeEvents, sendNodeEventsAsPod } = context.settings();
  if (sendNodeEvents !== false)
    pass.announcements.push(...nodeEvents(given, workflow, sendNodeEventsAsPod ? context.pods.of(pass.key) : []));
  pass.memory.actions = actions;
  next.metadata = { ...next.metadata, ...workflow.metadata } as WorkflowObject['metadata'];
  next.spec = workflow.spec;
  pass.memory.decided = workflow;
  next.status = withCause(
    (await packed(workflow, context, clock.now())).status as NonNullable<Workflow['status']>,
    workflow,
  );
  if (requeueAt !== undefined) pass.requeueIn(requeueAt - clock.now());
}

async function packed(workflow: Workflow, { persistence, settings }: Surroundings, now: number): Promise<Workflow> {
  try {
    return await dehydrated(workflow, persistence, { now, packing: settings().packing });
  } catch (error) {
    if (!(error instanceof WorkflowTooLarge)) throw error;
    const { nodes, storedTemplates, ...status } = workflow.status as NonNullable<Workflow['status']>;
    return { ...workflow, status: { ...status, phase: 'Error', message: error.message } };
  }
}

/** Writes the decision, then does what follows from it. */
export async function conclude(pass: WorkflowPass): Promise<void> {
  const { key, context, memory } = pass;
  const { actions, given, decided, began = 0 } = memory;
  // before it is written, so that nothing stays held that no status tells of
  if (given && decided) await context.sharedLocks?.settle(given, decided);
  if (decided && isCompletedWorkflow(decided.status?.phase) && isUntidy(context, decided))
    await settleTasks(pass, decided);
  await pass.checkpoint();
  if (given && decided) context.measures?.passed(given, decided, pass.clock.now() - began);
  if (decided && isCompletedWorkflow(decided.status?.phase))
    noteEnd(context, { ...decided, metadata: pass.next.metadata });
  delete memory.given;
  delete memory.decided;
  memory.actions = [];
  followUp({ surroundings: context, workflow: pass.next }, actions);
  context.throttle.note(key, pass.next);
  const pods = context.pods.of(key) as unknown as Pod[];
  if (pods.length > 0) {
    const whole = decided ?? (await hydrated(pass.next, context.persistence));
    context.cleanup.sweep({ ...whole, metadata: pass.next.metadata }, pods);
  }
  const { name = '', namespace = '' } = pass.next.metadata;
  if (context.taskSets.get(namespace, name))
    await tidyTasks(context, decided ?? (await hydrated(pass.next, context.persistence)));
  if (isCompletedWorkflow(pass.next.status?.phase)) await forgetResults(pass);
}

/**
 * Whoever sees that a workflow has ended finds its task set tidy, as upstream; and a task set forgets nothing that is not written yet: the
 * nodes are written first, then the end.
 */
async function settleTasks(pass: WorkflowPass, decided: Workflow): Promise<void> {
  const { next, context } = pass;
  const { metadata } = next;
  const status = next.status as NonNullable<typeof next.status>;
  const { labels } = workflowNames;
  const told = pass.announcements.splice(0);
  const conditions = (status.conditions ?? []).filter(({ type }) => type !== 'Completed');
  next.status = { ...status, phase: 'Running', finishedAt: null, conditions };
  next.metadata = {
    ...metadata,
    labels: { ...metadata.labels, [labels.phase]: 'Running', [labels.completed]: 'false' },
  };
  await pass.checkpoint();
  await tidyTasks(context, decided);
  next.status = status;
  next.metadata = { ...metadata, resourceVersion: next.metadata.resourceVersion ?? '' };
  pass.announcements.push(...told);
}

/** Has the artifacts of a workflow that has ended deleted, if they are to be. */
export async function collect(pass: WorkflowPass): Promise<void> {
  const { key, next, context, signal } = pass;
  if (!isCollecting(next) || context.settings().keepsArtifacts) return;
  const given = await hydrated(next, context.persistence);
  const facts = new PassFacts(context);
  for (let round = 0; round < rounds; round += 1) {
    const decision = await attempt(() => collectArtifacts(given, facts.facts(key, undefined)), facts, signal);
    if (!decision) continue;
    await prepare({ surroundings: context, workflow: given, facts, signal }, decision.actions);
    const { workflow, actions } = decision;
    for (const action of actions) if (action.kind === 'event') pass.event(action.type, action.reason, action.message);
    next.metadata = { ...next.metadata, ...workflow.metadata } as WorkflowObject['metadata'];
    next.status = (await packed(workflow, context, pass.clock.now())).status as NonNullable<Workflow['status']>;
    return;
  }
}

/** Keeps a workflow that has ended in the archive; the label says when it is there. */
export async function archive(pass: WorkflowPass): Promise<void> {
  const { next, context } = pass;
  if (!isArchiving(next) || !isCompletedWorkflow(next.status?.phase)) return;
  const { archive: store } = context.persistence;
  const isKept = store?.wants(next) ?? false;
  if (isKept) await store?.keep(await hydrated(next, context.persistence));
  markArchived(next, isKept);
}

/** Comes back when the time to live is over: what this pass writes wakes nobody, and a workflow that has ended may have no other news. */
export function awaitExpiry({ next, clock, requeueIn }: WorkflowPass): void {
  const at = expiresAt(next);
  if (at !== undefined && !next.metadata.deletionTimestamp) requeueIn(at - clock.now());
}

/** Reports of executors are of no use once the workflow has ended. */
async function forgetResults({ key, context, next }: WorkflowPass): Promise<void> {
  if (context.taskResults.of(key).length === 0) return;
  const { name = '', namespace = '' } = next.metadata;
  await context.client.deleteCollection(
    { apiVersion: workflowNames.apiVersion, kind: 'WorkflowTaskResult', namespace },
    { labelSelector: `${workflowNames.labels.workflow}=${name}`, propagationPolicy: 'Background' },
  );
  context.taskResults.drop(key);
}
