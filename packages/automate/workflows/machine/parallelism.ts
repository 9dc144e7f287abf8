import type { NodeStatus, Template } from '../model/types.ts';
import type { Work } from './call.ts';
import { setCondition } from './conditions.ts';
import { type Halt, parallelismReached } from './halt.ts';
import { markPhase } from './nodes.ts';
import type { Operation } from './operation.ts';
import { resolveTemplate, scopeOf } from './templates.ts';

const failFastMessage = 'template has failed or errored children and failFast enabled';

/** Tells if a node must wait because enough runs already, or never starts because a sibling failed. */
export function parallelismHalt(
  op: Operation,
  { template, boundaryId }: Work,
  node: NodeStatus | undefined,
): Halt | undefined {
  const limit = op.spec.parallelism;
  if (limit !== undefined && op.activePods >= limit)
    return held(op, `spec.parallelism permits ${countOf(limit)} at once`);
  const isTree = template.dag !== undefined || template.steps !== undefined;
  if (node && isTree) {
    if (template.failFast && hasUnsuccessful(op, node.id)) return failFast(op, node, template);
    if (template.parallelism !== undefined && activePods(op, node.id) >= template.parallelism)
      return held(op, limitOf(template, template.parallelism));
  }
  if (!boundaryId || node?.phase === 'Pending' || node?.phase === 'Running') return undefined;
  return boundaryHalt(op, boundaryId);
}

function held(op: Operation, limit: string): Halt {
  op.heldBy ??= limit;
  return parallelismReached;
}

const countOf = (limit: number) => `${limit} ${limit === 1 ? 'pod' : 'pods'}`;
const limitOf = ({ name }: Template, limit: number) =>
  `parallelism of template ${name ?? ''} permits ${countOf(limit)} of it at once`;

/** Says in the status whose limit keeps steps from beginning, for as long as it does. */
export function tellParallelism(op: Operation): void {
  const message = op.status.phase === 'Running' ? op.heldBy : undefined;
  if (message) setCondition(op, { type: 'ParallelismReached', status: 'True', message });
  else if (op.status.conditions)
    op.status.conditions = op.status.conditions.filter(({ type }) => type !== 'ParallelismReached');
}

function boundaryHalt(op: Operation, boundaryId: string): Halt | undefined {
  const boundary = op.nodeById(boundaryId);
  const template = boundary && boundaryTemplate(op, boundary);
  if (!boundary || !template) return undefined;
  if (template.failFast && hasUnsuccessful(op, boundaryId)) return failFast(op, boundary, template);
  if (template.parallelism !== undefined && activeChildren(op, boundaryId) >= template.parallelism)
    return held(op, limitOf(template, template.parallelism));
  return undefined;
}

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
  if (below.some((nested) => isUnderway(nested) && nested.type === 'Pod' && op.podsByNode.has(nested.id)))
    return parallelismReached;
  for (const nested of below) if (isUnderway(nested)) markPhase(op, nested, 'Failed', failFastMessage);
  if (template.steps) {
    const group = op.nodesWithin(node.id).findLast(({ type }) => type === 'StepGroup');
    if (group) markPhase(op, group, 'Failed', failFastMessage);
  }
  markPhase(op, node, 'Failed', failFastMessage);
  return parallelismReached;
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
