import { podName } from '../model/node-names.ts';
import { isEnded, isFailedOrError, isFulfilled } from '../model/phases.ts';
import { isPodTemplate } from '../model/template-type.ts';
import type { NodeStatus, Template } from '../model/types.ts';
import { type Halt, halted, type Outcome } from '../operation/halt.ts';
import { initNode, initTemplateNode, markError, markPhase, wantedDisplayName } from '../operation/nodes.ts';
import type { Operation } from '../operation/operation.ts';
import { acquireLocks, releaseLocks, showWaiting } from '../operation/synchronize.ts';
import { resolveTemplate, scopeText, withDefaults } from '../operation/templates.ts';
import { nodeTypeOf, timeLimits } from '../operation/time-limits.ts';
import { processArguments } from '../values/arguments.ts';
import { measureEnd } from '../values/measure.ts';
import type { Call, Work } from './call.ts';
import { recallMemo } from './memoize.ts';
import { parallelismHalt } from './parallelism.ts';
import { retryStrategyOf, runWithRetries } from './retries.ts';
import { runWork } from './run-work.ts';

/** Brings one use of a template as far as it can go now. */
export function executeTemplate(op: Operation, call: Call): Outcome {
  op.depth += 1;
  try {
    if (op.depth >= (op.facts.settings.maxDepth ?? 100)) {
      const message =
        'Maximum recursion depth exceeded. See https://argo-workflows.readthedocs.io/en/latest/scaling/#maximum-recursion-depth';
      return { node: failNode(op, call, message), halt: { kind: 'depth', message } };
    }
    return executeResolved(op, call);
  } finally {
    op.depth -= 1;
  }
}

/** Shows an error on the node, which is made if it is not there. */
export function failNode(op: Operation, call: Call, message: string): NodeStatus {
  const node = op.node(call.nodeName);
  if (node) return markError(op, node, message);
  return initNode(op, {
    name: call.nodeName,
    type: 'Skipped',
    scope: scopeText(call.scope),
    call: call.call,
    boundaryId: call.boundaryId,
    phase: 'Error',
    flag: call.flag,
    message,
  });
}

function executeResolved(op: Operation, call: Call): Outcome {
  let work: Work;
  try {
    const { template, scope: inner } = resolveTemplate(op, call.scope, call.call);
    const full = withDefaults(op, template);
    const ended = op.node(call.nodeName);
    if (ended && isEnded(ended) && !isFailedOrError(ended.phase) && isSilent(full)) return { node: ended };
    work = { ...call, inner, template: processArguments(op, full, call.args, localsOf(op, call, full)) };
  } catch (error) {
    const { message } = error as Error;
    rethrowForeign(error);
    return { node: failNode(op, call, message), halt: halted(message) };
  }
  const node = op.node(call.nodeName);
  const badName = node && rename(node, work.template);
  if (badName) return { node: failNode(op, call, badName), halt: halted(badName) };
  if (node && isEnded(node)) return finished(op, node, work);
  const late = node && timeLimits(op, work.template, node);
  if (late) return { node: lateNode(op, node, late), halt: late };
  const parallel = parallelismHalt(op, work, node);
  if (parallel) return { node: op.node(call.nodeName), halt: parallel };
  return executeLocked(op, work);
}

/** Errors that are not about the workflow go on: missing facts and our own mistakes. */
export function rethrowForeign(error: unknown): void {
  const known = ['OperationError', 'SubstitutionError', 'WhenError', 'DependsError', 'ExprError'];
  if (!(error instanceof Error) || !known.includes(error.name)) throw error;
}

/** True for a template of which nothing is left to be done once its node has ended well: the rest of it needs not be filled in again. */
function isSilent(template: Template): boolean {
  return !template.metrics && !template.synchronization && wantedDisplayName(template) === undefined;
}

function localsOf(op: Operation, { nodeName, call, word }: Call, template: Template): Map<string, string> {
  const locals = new Map([['node.name', nodeName]]);
  if (isPodTemplate(template) && !retryStrategyOf(op, template)) {
    locals.set('pod.name', podNameOf(op, nodeName, template));
  }
  // the entrypoint and hooks are steps without a name
  locals.set(`${word ?? 'steps'}.name`, word ? (call.name ?? '') : '');
  return locals;
}

/** The name of the pod that a node of a template has. */
export function podNameOf(op: Operation, nodeName: string, template: Template): string {
  const format = op.workflow.metadata.annotations?.['workflows.argoproj.io/pod-name-format'];
  return podName({
    workflow: op.name,
    node: nodeName,
    template: template.name ?? '',
    ...(format === 'v1' ? { format } : {}),
  });
}

function rename(node: NodeStatus, template: Template): string | undefined {
  const name = wantedDisplayName(template);
  if (!name) return undefined;
  if (!/^[a-zA-Z0-9][a-zA-Z0-9-.]{0,61}[a-zA-Z0-9]$/.test(name))
    return 'displayName must match the regex ^[a-zA-Z0-9][a-zA-Z0-9-.]{0,61}[a-zA-Z0-9]$';
  node.displayName = name;
  return undefined;
}

function finished(op: Operation, node: NodeStatus, { template }: Work): Outcome {
  measureEnd(op, node, template);
  releaseLocks(op, template.synchronization, node.id);
  return { node };
}

function lateNode(op: Operation, node: NodeStatus, late: Halt): NodeStatus {
  const pod = op.podsByNode.get(node.id);
  const name = pod?.metadata.name;
  if (name) op.actions.push({ kind: 'delete-pod', pod: name, ...(pod.metadata.uid ? { uid: pod.metadata.uid } : {}) });
  return markPhase(op, node, 'Failed', late.message);
}

function executeLocked(op: Operation, work: Work): Outcome {
  const { template, nodeName } = work;
  let node = op.node(nodeName);
  let wasUnlocked = false;
  if (template.synchronization) {
    let answer: ReturnType<typeof acquireLocks>;
    try {
      answer = acquireLocks(op, template.synchronization, op.idOf(nodeName));
    } catch (error) {
      if ((error as Error).name === 'MissingFact') throw error;
      const { message } = error as Error;
      return { node: failNode(op, work, message), halt: halted(message) };
    }
    if (!answer.isHeld) {
      node ??= initTemplateNode(op, template, waitingNode(op, work));
      return { node: showWaiting(node, answer.lock, answer.message) };
    }
    if (node?.synchronizationStatus) showWaiting(node, undefined);
    wasUnlocked = true;
  }
  if (template.memoize && (!node || wasUnlocked)) {
    const recalled = recallMemo(op, work, node);
    if (recalled.halt) return recalled;
    node = recalled.node;
  }
  if (node && isEnded(node)) return finished(op, node, work);
  const outcome = retryStrategyOf(op, template) ? runWithRetries(op, work) : runOnce(op, work);
  const result = outcome.node && op.nodeById(outcome.node.id);
  if (result && template.metrics) measureEnd(op, result, template);
  return outcome;
}

/** What a node begins as that waits for something before its template runs. */
export function waitingNode(op: Operation, work: Work) {
  const fresh = freshNode(work, 'Pending');
  return retryStrategyOf(op, work.template) ? ({ ...fresh, type: 'Retry', awaitsResult: false } as const) : fresh;
}

/** What a node of this work begins as. */
export function freshNode(work: Work, phase: 'Pending' | 'Running') {
  const type = nodeTypeOf(work.template);
  return {
    name: work.nodeName,
    type,
    scope: scopeText(work.scope),
    call: work.call,
    boundaryId: work.boundaryId,
    phase,
    flag: work.flag,
    awaitsResult: type === 'Pod' && !work.template.daemon,
  } as const;
}

function runOnce(op: Operation, work: Work): Outcome {
  const outcome = runWork(op, work);
  const { node } = outcome;
  if (outcome.halt?.kind === 'error' && node) markError(op, node, outcome.halt.message);
  if (node && (isFulfilled(node) || outcome.halt?.kind === 'error'))
    releaseLocks(op, work.template.synchronization, node.id);
  return outcome;
}
