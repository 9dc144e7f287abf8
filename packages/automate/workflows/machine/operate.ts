import { workflowNames } from '@tiphys/api';
import { copyJson } from '@tiphys/controller';
import { executeTemplate, podNameOf, rethrowForeign } from '../execute/execute-template.ts';
import { activePods, forgetHolds, tellHolds } from '../execute/parallelism.ts';
import { goJson } from '../model/go-text.ts';
import { templateOf } from '../model/node-names.ts';
import { isCompletedWorkflow, isFailedOrError, isFulfilled } from '../model/phases.ts';
import type { NodePhase, NodeStatus, Workflow, WorkflowPhase } from '../model/types.ts';
import { setExecutableSpec } from '../operation/executable-spec.ts';
import type { Action, Facts } from '../operation/facts.ts';
import { addChild } from '../operation/nodes.ts';
import { Operation } from '../operation/operation.ts';
import { updateProgress } from '../operation/progress.ts';
import { setRepository } from '../operation/repository.ts';
import { sumDurations } from '../operation/resources-duration.ts';
import { acquireLocks, releaseAllLocks, releaseEnded, resumeLocks } from '../operation/synchronize.ts';
import { localScope } from '../operation/templates.ts';
import { expressionHolds } from '../text/expression.ts';
import { substitute } from '../text/substitute.ts';
import { fillSpec, setGlobals, setOwnMetadata } from '../values/globals.ts';
import { measureWorkflow } from '../values/measure.ts';
import { holdForArtifacts } from './artifact-gc.ts';
import { createBudget, createClaims, deleteClaims } from './claims.ts';
import { endWaitingNodes, reconcilePods, settleContainers } from './reconcile-pods.ts';
import { readTaskResults } from './task-results.ts';
import { readTaskSet, taskActions } from './task-set.ts';
import { validateSpec } from './validate.ts';
import { markWorkflow } from './workflow-phase.ts';

export interface Decision {
  /** The workflow as it is to be written: metadata and status. */
  readonly workflow: Workflow;
  /** What is to be done first. */
  readonly actions: readonly Action[];
  /** When to look again at the latest, in milliseconds; undefined if only news can change anything. */
  readonly requeueAt: number | undefined;
}

/**
 * What is to become of a workflow now. A pure function: equal workflows and facts give equal decisions, and nothing is changed
 * but the copy that is returned. Throws a `MissingFact` for what must be read first.
 */
export function operate(workflow: Workflow, facts: Facts): Decision {
  const copy = copyJson(workflow);
  const ended = Object.values(copy.status?.nodes ?? {}).filter(isFulfilled);
  const op = new Operation(copy, facts, new Set(ended.map(({ id }) => id)));
  if (!isCompletedWorkflow(op.status.phase)) {
    resumeLocks(op);
    const problem = attempt(() => advance(op));
    if (problem) markWorkflow(op, 'Error', problem);
    tellHolds(op);
    sumDurations(op);
    updateProgress(op);
  }
  return { workflow: tidy(copy), actions: op.actions, requeueAt: op.requeueAt };
}

/** The message of an error about the workflow; others go on. */
function attempt(run: () => void): string | undefined {
  try {
    run();
    return undefined;
  } catch (error) {
    rethrowForeign(error);
    return (error as Error).message;
  }
}

/** Fields that say nothing are not there: the API server does not keep them, and they would be written again and again. */
function tidy(workflow: Workflow): Workflow {
  return tidied(workflow) as Workflow;
}

/** A copy, so that what is written shares nothing with what was read. */
function tidied(value: unknown): unknown {
  if (Array.isArray(value)) return value.map((item) => tidied(item) ?? null);
  if (typeof value !== 'object' || value === null) return value;
  // own members all, so that one called __proto__ stays a member
  const copy: Record<string, unknown> = { ...value };
  for (const [key, member] of Object.entries(copy)) {
    if (member === undefined || (member === null && key.endsWith('edAt'))) delete copy[key];
    else if (typeof member === 'object') copy[key] = tidied(member);
  }
  return copy;
}

function advance(op: Operation): void {
  const isNew = !op.status.phase;
  if (!prepare(op, isNew)) return;
  readTaskResults(op);
  if (!lockWorkflow(op)) return;
  measureWorkflow(op, undefined, false);
  if (isNew || op.status.phase === 'Pending') begin(op);
  op.deadline = op.workflowDeadline();
  if (op.deadline !== undefined && op.now <= op.deadline) op.requeueAfter(op.deadline - op.now + 1);
  if (!isNew) {
    reconcilePods(op);
    readTaskSet(op);
  }
  forgetHolds(op);
  endWaitingNodes(op);
  settleContainers(op);
  releaseEnded(op);
  if (op.spec.suspend) return;
  op.activePods = op.spec.parallelism === undefined ? 0 : activePods(op);
  op.volumes = substitute(structuredClone(op.spec.volumes ?? []), op.globals);
  if (!createClaims(op)) return;
  const before = new Map(op.nodes().map(({ id, phase }) => [id, phase]));
  runEntrypoint(op);
  if (!isCompletedWorkflow(op.status.phase) && isUnsettled(op, before)) op.requeueAfter(settleDelay);
}

/** Milliseconds; news of pods, which mostly come earlier, share the decision. */
const settleDelay = 200;

/**
 * Whether what was decided may have a consequence for a node that was looked at before: an exit handler, a hook, a step that was held back. A
 * decision is no news to the controller, so that it asks for the next one itself. Groups of steps are left in their order, and
 * a pod that was made now has its own news to come; one that was there already, since a controller died, may have none.
 */
function isUnsettled(op: Operation, before: ReadonlyMap<string, NodePhase | undefined>): boolean {
  const made = new Set(op.actions.map((action) => (action.kind === 'create-pod' ? action.nodeId : '')));
  return op
    .nodes()
    .some(
      ({ id, type, phase }) => type !== 'StepGroup' && !made.has(id) && (!before.has(id) || before.get(id) !== phase),
    );
}

/** Settles what runs and what all templates can see. False if the workflow ends here. */
function prepare(op: Operation, isNew: boolean): boolean {
  setExecutableSpec(op);
  if (isNew) {
    const problem = validateSpec(op);
    if (problem) {
      markWorkflow(op, 'Failed', `invalid spec: ${problem}`);
      return false;
    }
  }
  const problem = attempt(() => setGlobals(op));
  if (problem) {
    markWorkflow(op, 'Failed', problem);
    return false;
  }
  fillSpec(op);
  if (isNew) setOwnMetadata(op);
  setRepository(op);
  holdForArtifacts(op);
  return true;
}

function lockWorkflow(op: Operation): boolean {
  const wanted = op.spec.synchronization;
  if (!wanted) return true;
  let answer: ReturnType<typeof acquireLocks>;
  try {
    answer = acquireLocks(op, wanted);
  } catch (error) {
    if ((error as Error).name === 'MissingFact') throw error;
    markWorkflow(op, 'Failed', `Failed to acquire the synchronization lock. ${(error as Error).message}`);
    return false;
  }
  if (answer.isHeld) return true;
  if (op.shutdown === 'Terminate' && (op.status.phase ?? 'Pending') === 'Pending') {
    releaseAllLocks(op);
    markWorkflow(op, 'Failed', "Stopped with strategy 'Terminate'");
  } else markWorkflow(op, op.status.phase ?? 'Pending', answer.message);
  return false;
}

function begin(op: Operation): void {
  if (op.status.startedAt === null || !op.status.startedAt) createBudget(op);
  markWorkflow(op, 'Running');
  op.workflow.metadata.annotations = {
    ...op.workflow.metadata.annotations,
    [workflowNames.annotations.podNameFormat]:
      op.workflow.metadata.annotations?.[workflowNames.annotations.podNameFormat] ??
      op.facts.settings.podNameFormat ??
      'v2',
  };
}

const workflowPhases: Partial<Record<NodePhase, WorkflowPhase>> = {
  Pending: 'Pending',
  Running: 'Running',
  Succeeded: 'Succeeded',
  Skipped: 'Succeeded',
  Omitted: 'Succeeded',
  Failed: 'Failed',
  Error: 'Error',
};

function runEntrypoint(op: Operation): void {
  const { node, halt } = executeTemplate(op, {
    nodeName: op.name,
    call: { template: op.spec.entrypoint ?? '' },
    scope: localScope,
    args: op.spec.arguments ?? {},
    boundaryId: '',
  });
  if (halt && halt.kind !== 'parallelism') {
    taskActions(op);
    if (halt.kind === 'timeout') finish(op, node, halt.message);
    else abandon(op, `error in entry template execution: ${halt.message}`);
    return;
  }
  if (!node) return;
  const phase = workflowPhases[node.phase ?? 'Running'] ?? 'Running';
  op.globals.set('workflow.status', phase);
  op.globals.set('workflow.failures', JSON.stringify(goJson(failures(op))));
  const hooksDone = runWorkflowHooks(op);
  const exit = hooksDone && isFulfilled(node) ? runExitHandler(op) : undefined;
  taskActions(op);
  if (!hooksDone || !isFulfilled(node) || exit === 'running') return;
  finish(op, node, node.message, exit);
}

/** Failed nodes for `workflow.failures`. */
function failures(op: Operation) {
  return op
    .nodes()
    .filter(({ phase }) => isFailedOrError(phase))
    .map((node) => ({
      displayName: node.displayName ?? '',
      message: node.message ?? '',
      templateName: templateOf(node),
      phase: node.phase ?? '',
      podName: podNameOf(op, node.name, { name: templateOf(node) }),
      finishedAt: node.finishedAt,
    }));
}

/** Hooks of the workflow whose time has come. False while one runs. */
function runWorkflowHooks(op: Operation): boolean {
  let areDone = true;
  for (const [name, hook] of Object.entries(op.spec.hooks ?? {})) {
    if (name === 'exit') continue;
    const nodeName = `${op.name}.hooks.${name}`;
    const problem = attempt(() => {
      if (!hook.expression) throw new HookError(`Expression required for hook ${nodeName}`);
      if (!expressionHolds(hook.expression, op.globals) && !op.node(nodeName)) return;
      const { node } = executeTemplate(op, {
        nodeName,
        call: pick(hook),
        scope: localScope,
        args: hook.arguments ?? {},
        boundaryId: '',
        flag: { hooked: true },
      });
      const entry = op.node(op.name);
      if (entry && op.node(nodeName)) addChild(entry, op.idOf(nodeName));
      if (!node || !isFulfilled(node)) areDone = false;
    });
    const entry = op.node(op.name);
    if (problem && entry) {
      entry.phase = 'Error';
      entry.message = problem;
    }
  }
  return areDone;
}

class HookError extends Error {
  override name = 'OperationError';
}

function pick({ template, templateRef }: { template?: string; templateRef?: NodeStatus['templateRef'] }) {
  return { ...(template ? { template } : {}), ...(templateRef ? { templateRef } : {}) };
}

/** Runs `onExit` when all else has ended. Gives its node, `running`, or undefined if there is none. */
function runExitHandler(op: Operation): NodeStatus | 'running' | undefined {
  const hook = op.spec.onExit ? { template: op.spec.onExit } : op.spec.hooks?.exit;
  const nodeName = `${op.name}.onExit`;
  if (!hook || (!op.node(nodeName) && !op.mayRun(true))) return undefined;
  const hookArguments = 'arguments' in hook ? hook.arguments : undefined;
  const hasOwn = hookArguments?.parameters?.length || hookArguments?.artifacts?.length;
  const { node, halt } = executeTemplate(op, {
    nodeName,
    call: pick(hook),
    scope: localScope,
    args: (hasOwn ? hookArguments : op.spec.arguments) ?? {},
    boundaryId: '',
    isOnExit: true,
    flag: { hooked: true },
  });
  if (halt?.kind === 'error') {
    abandon(op, `error in exit template execution : ${halt.message}`);
    return 'running';
  }
  if (halt?.kind === 'parallelism' || !node || !isFulfilled(node)) return node && isFulfilled(node) ? node : 'running';
  return node;
}

/** Ends a workflow that cannot go on. */
function abandon(op: Operation, message: string): void {
  markWorkflow(op, 'Error', message);
  deleteClaims(op);
}

function finish(op: Operation, node: NodeStatus | undefined, message = '', exit?: NodeStatus | 'running'): void {
  if (!node) return;
  const phase = workflowPhases[node.phase ?? 'Running'] ?? 'Running';
  const text = isFailedOrError(node.phase) && op.shutdown ? `Stopped with strategy '${op.shutdown}'` : message;
  if (phase === 'Succeeded') {
    const failedExit = exit !== 'running' && exit && isFailedOrError(exit.phase) ? exit : undefined;
    if (failedExit) markWorkflow(op, failedExit.phase === 'Failed' ? 'Failed' : 'Error', failedExit.message);
    else markWorkflow(op, 'Succeeded');
  } else if (phase === 'Failed' || phase === 'Error') markWorkflow(op, phase, text);
  else return;
  if (!isCompletedWorkflow(op.status.phase)) return;
  op.globals.set('workflow.status', phase);
  measureWorkflow(op, node, true);
  deleteClaims(op);
}
