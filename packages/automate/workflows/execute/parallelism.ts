import { isEnded } from '../model/phases.ts';
import type { NodeStatus, Template } from '../model/types.ts';
import { setCondition } from '../operation/conditions.ts';
import type { Halt } from '../operation/halt.ts';
import { attemptsOf, markPhase } from '../operation/nodes.ts';
import type { Operation } from '../operation/operation.ts';
import { resolveTemplate, scopeOf } from '../operation/templates.ts';
import type { Work } from './call.ts';

const failFastMessage = 'template has failed or errored children and failFast enabled';

/** Tells if a node must wait because enough runs already, or never starts because a sibling failed. */
export function parallelismHalt(
  op: Operation,
  { template, boundaryId }: Work,
  node: NodeStatus | undefined,
): Halt | undefined {
  const limit = op.spec.parallelism;
  if (limit !== undefined && op.activePods >= limit)
    return hold(op, [op.node(op.name), node], `parallelism ${limit} of the workflow, ${count(op.activePods, 'pod')}`);
  const isTree = template.dag !== undefined || template.steps !== undefined;
  if (node && isTree) {
    if (template.failFast && hasUnsuccessful(op, node.id)) return failFast(op, node, template);
    const pods = template.parallelism === undefined ? 0 : activePods(op, node.id);
    if (template.parallelism !== undefined && pods >= template.parallelism)
      return hold(op, [node], limitOf(node, template.parallelism, count(pods, 'pod')));
  }
  if (!boundaryId || node?.phase === 'Pending' || node?.phase === 'Running') return undefined;
  return boundaryHalt(op, boundaryId, node);
}

function boundaryHalt(op: Operation, boundaryId: string, node: NodeStatus | undefined): Halt | undefined {
  const boundary = op.nodeById(boundaryId);
  const template = boundary && boundaryTemplate(op, boundary);
  if (!boundary || !template) return undefined;
  if (template.failFast && hasUnsuccessful(op, boundaryId)) return failFast(op, boundary, template);
  const active = template.parallelism === undefined ? 0 : activeChildren(op, boundaryId);
  if (template.parallelism !== undefined && active >= template.parallelism)
    return hold(op, [boundary, node], limitOf(boundary, template.parallelism, count(active, 'node')));
  return undefined;
}

const heldBack = 'Held back: ';

/** Takes away what earlier decisions said of limits: what still holds is said anew. */
export function forgetHolds(op: Operation): void {
  for (const node of op.nodes()) if (!isEnded(node) && node.message?.startsWith(heldBack)) delete node.message;
}

/** Says in the workflow's conditions which limit keeps something waiting, for as long as it does. */
export function tellHolds(op: Operation): void {
  const message = op.status.phase === 'Running' ? op.heldBy : undefined;
  if (message) setCondition(op, { type: 'ParallelismReached', status: 'True', message });
  else if (op.status.conditions)
    op.status.conditions = op.status.conditions.filter(({ type }) => type !== 'ParallelismReached');
}

/** Says why nothing more starts: on what has the limit, and on the node that waits if there is one and nothing of it runs. */
function hold(op: Operation, [limited, waiting]: readonly (NodeStatus | undefined)[], reason: string): Halt {
  const message = `${heldBack}${reason}`;
  op.heldBy ??= reason;
  for (const node of [limited, waiting])
    if (node && !isEnded(node) && (!node.message || node.message === message) && isIdle(op, node))
      node.message = message;
  return { kind: 'parallelism', message };
}

/** True for a node that nothing runs for itself, as pods do for pod nodes and attempts for retried ones. */
function isIdle(op: Operation, node: NodeStatus): boolean {
  if (node.type === 'Steps' || node.type === 'DAG') return true;
  if (node.type === 'Pod') return !op.podsByNode.has(node.id);
  const last = node.type === 'Retry' ? attemptsOf(op, node).at(-1) : undefined;
  return last !== undefined && isEnded(last);
}

function limitOf(node: NodeStatus, limit: number, running: string): string {
  return `parallelism ${limit} of template ${templateNameOf(node)}, ${running}`;
}

function templateNameOf({ templateName, templateRef, displayName, name }: NodeStatus): string {
  return templateName || templateRef?.template || displayName || name;
}

const count = (number: number, what: string): string => `${number} ${what}${number === 1 ? ' runs' : 's run'}`;

/** The template that a boundary runs, as it was written. */
export function boundaryTemplate(
  op: Operation,
  { templateName, templateRef, templateScope }: NodeStatus,
): Template | undefined {
  if (!templateName && !templateRef) return undefined;
  const call = { ...(templateName ? { template: templateName } : {}), ...(templateRef ? { templateRef } : {}) };
  return resolveTemplate(op, scopeOf(templateScope), call).template;
}

/** Once nothing runs any more, a failFast template fails. */
function failFast(op: Operation, node: NodeStatus, template: Template): Halt {
  const below = nestedNodes(op, node.id);
  const running = below.filter((nested) => isUnderway(nested) && nested.type === 'Pod' && op.podsByNode.has(nested.id));
  if (running.length > 0)
    return hold(op, [node], `template ${templateNameOf(node)} fails fast, ${count(running.length, 'pod')}`);
  for (const nested of below) if (isUnderway(nested)) markPhase(op, nested, 'Failed', failFastMessage);
  if (template.steps) {
    const group = op.nodesWithin(node.id).findLast(({ type }) => type === 'StepGroup');
    if (group) markPhase(op, group, 'Failed', failFastMessage);
  }
  markPhase(op, node, 'Failed', failFastMessage);
  return { kind: 'parallelism', message: failFastMessage };
}

/** All nodes that a template has made, also by templates in it. */
function nestedNodes(op: Operation, boundaryId: string): NodeStatus[] {
  const found: NodeStatus[] = [];
  const stack = [boundaryId];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    for (const node of op.nodesWithin(id)) {
      found.push(node);
      stack.push(node.id);
    }
  }
  return found;
}

const isUnderway = ({ phase }: NodeStatus) => phase === 'Pending' || phase === 'Running';
const isCounted = ({ type }: NodeStatus) => type === 'Pod' || type === 'Steps' || type === 'DAG';

function hasUnsuccessful(op: Operation, boundaryId: string): boolean {
  return op
    .nodesWithin(boundaryId)
    .some((node) => isCounted(node) && (node.phase === 'Failed' || node.phase === 'Error'));
}

function activeChildren(op: Operation, boundaryId: string): number {
  return op.nodesWithin(boundaryId).filter((node) => isCounted(node) && isUnderway(node)).length;
}

/** Nodes whose pod is there or about to be, of one boundary or of all. */
export function activePods(op: Operation, boundaryId?: string): number {
  const nodes = boundaryId === undefined ? op.nodes() : op.nodesWithin(boundaryId);
  return nodes.filter(
    (node) =>
      node.type === 'Pod' && isUnderway(node) && !node.synchronizationStatus?.waiting && op.podsByNode.has(node.id),
  ).length;
}
