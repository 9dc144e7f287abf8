import { saveMemo } from '../execute/memoize.ts';
import { addContainers } from '../execute/pod-node.ts';
import { templateOf } from '../model/node-names.ts';
import { isActiveSuspend, isCompletedPhase, isEnded, isFulfilled, isTaskSetNode } from '../model/phases.ts';
import { timeOf } from '../model/time.ts';
import type { NodeStatus, Pod, Template } from '../model/types.ts';
import { setCondition } from '../operation/conditions.ts';
import { descendantsFulfilled, descendantsOf, isPartOfExitHandler, markError, markPhase } from '../operation/nodes.ts';
import type { Operation } from '../operation/operation.ts';
import { resolveTemplate, scopeOf } from '../operation/templates.ts';
import { publishOutputs } from '../values/outputs.ts';
import { isAgent } from './agent-waits.ts';
import { assessPod } from './assess-pod.ts';

const onExitLabel = 'workflows.argoproj.io/on-exit';

/** Brings nodes up to what their pods show, ends what may not go on, and tells of pods that are gone. */
export function reconcilePods(op: Operation): void {
  let runs = false;
  for (const pod of op.facts.pods) {
    if (isAgent(pod)) readAgent(op, pod);
    const node = op.nodeById(pod.metadata.annotations?.['workflows.argoproj.io/node-id']);
    if (!node) continue;
    const hadEnded = isEnded(node);
    const template = templateOfNode(op, node);
    // the process may have died after it made the pod and before it could write so
    if (template?.containerSet) addContainers(op, template, node);
    assessPod(op, node, pod, template);
    if (!hadEnded && isEnded(node)) afterEnd(op, node);
    if (node.phase === 'Running') runs = true;
    applyLimits(op, node, pod);
  }
  setCondition(op, { type: 'PodRunning', status: runs ? 'True' : 'False' });
  for (const node of op.nodes()) if (node.type === 'Pod' && !isEnded(node) && node.startedAt) findPod(op, node);
}

/** The template of a node as it was written; undefined if it is not there any more. */
export function templateOfNode(op: Operation, node: NodeStatus): Template | undefined {
  const { templateRef, templateName, templateScope } = node;
  if (!templateRef && !templateName) return inlineTemplate(op, node);
  try {
    const call = { ...(templateRef ? { templateRef } : {}), ...(templateName ? { template: templateName } : {}) };
    return resolveTemplate(op, scopeOf(templateScope), call).template;
  } catch {
    return op.spec.templates?.find(({ name }) => name === templateOf(node));
  }
}

/** An inline template is found by the step or task that holds it. */
function inlineTemplate(op: Operation, node: NodeStatus): Template | undefined {
  const boundary = op.nodeById(node.boundaryID);
  const around = boundary && templateOfNode(op, boundary);
  const name = (node.displayName ?? '').replace(/\(.*$/s, '');
  return [...(around?.steps ?? []).flat(), ...(around?.dag?.tasks ?? [])].find((call) => call.name === name)?.inline;
}

function afterEnd(op: Operation, node: NodeStatus): void {
  publishOutputs(op, node.outputs);
  if (node.phase === 'Succeeded') saveMemo(op, node);
}

/** Ends pods of a workflow that is stopped or whose time is over. Daemons go with the template that they serve. */
function applyLimits(op: Operation, node: NodeStatus, pod: Pod): void {
  if (isFulfilled(node)) return;
  const phase = pod.status?.phase ?? 'Pending';
  if (phase !== 'Pending' && phase !== 'Running') return;
  const isOnExit = pod.metadata.labels?.[onExitLabel] === 'true';
  if (op.shutdown && !op.mayRun(isOnExit)) {
    endNode(op, { node, pod, message: `workflow shutdown with strategy:  ${op.shutdown}` });
  } else if (op.deadline !== undefined && op.now > op.deadline && !isOnExit) {
    endNode(op, { node, pod, message: 'Step exceeded its deadline' });
  }
}

function endNode(op: Operation, { node, pod, message }: { node: NodeStatus; pod: Pod; message: string }): void {
  op.actions.push({ kind: 'terminate-pod', pod: pod.metadata.name ?? '', isForced: false });
  delete node.daemoned;
  markPhase(op, node, 'Failed', message);
  for (const child of descendantsOf(op, node)) {
    if (child.type === 'Container' && child.boundaryID === node.id && !isFulfilled(child))
      markPhase(op, child, 'Failed', message);
  }
}

/**
 * A pod that should be there and is not. One that is only young may not have been seen yet; one that was being created is created
 * again; any other is lost, which is an Error, so that a retry strategy can try again.
 */
function findPod(op: Operation, node: NodeStatus): void {
  if (op.podsByNode.has(node.id) || node.phase === 'Pending') return;
  const grace = op.facts.settings.podAbsenceGrace ?? 10_000;
  const left = (timeOf(node.startedAt) ?? 0) + grace - op.now;
  if (left > 0) {
    op.requeueAfter(left + 1);
    return;
  }
  delete node.daemoned;
  if (node.taskResultSynced !== undefined) node.taskResultSynced = true;
  if (isCompletedPhase(node.phase)) return;
  markError(op, node, 'pod deleted');
  for (const child of descendantsOf(op, node))
    if (child.type === 'Container' && child.boundaryID === node.id && !isFulfilled(child))
      markError(op, child, 'container deleted');
}

function readAgent(op: Operation, pod: Pod): void {
  if (pod.status?.phase !== 'Failed') return;
  for (const node of op.nodes())
    if (isTaskSetNode(node) && !isFulfilled(node))
      markError(op, node, `agent pod failed with reason:"${pod.status.message ?? pod.status.reason ?? ''}"`);
}

/** Containers of a set end with their pod, also when it never told of them. */
export function settleContainers(op: Operation): void {
  for (const node of op.nodes()) {
    if (node.type !== 'Container' || isFulfilled(node)) continue;
    const pod = op.nodeById(node.boundaryID);
    if (pod?.phase && isEnded(pod)) markPhase(op, node, pod.phase, pod.message ?? '');
  }
}

/** Ends nodes without pods once the workflow is stopped or its time is over. */
export function endWaitingNodes(op: Operation): void {
  const isLate = op.deadline !== undefined && op.now > op.deadline;
  if (!op.shutdown && !isLate) return;
  for (const node of op.nodes()) {
    if (isFulfilled(node)) continue;
    const isExit = isPartOfExitHandler(op, node);
    if (op.shutdown && !op.mayRun(isExit) && isStoppable(op, node)) {
      markPhase(op, node, 'Failed', `Stopped with strategy '${op.shutdown}'`);
    } else if (isLate && !isExit && (node.phase === 'Pending' || isActiveSuspend(node))) {
      markPhase(op, node, 'Failed', 'Step exceeded its deadline');
    }
  }
}

function isStoppable(op: Operation, node: NodeStatus): boolean {
  if (isActiveSuspend(node) || isTaskSetNode(node)) return true;
  if (node.phase === 'Pending' && node.synchronizationStatus?.waiting) return true;
  if (node.phase === 'Pending' && node.type === 'Pod' && !op.podsByNode.has(node.id)) return true;
  return node.type === 'Retry' && descendantsFulfilled(op, node);
}
