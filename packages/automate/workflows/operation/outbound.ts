import type { NodeStatus } from '../model/types.ts';
import { attemptsOf } from './nodes.ts';
import type { Operation } from './operation.ts';

/** Ids of the nodes that arrows to the successors of a node start from. */
export function outboundNodes(op: Operation, id: string): string[] {
  const node = op.nodeById(id);
  if (!node) return [];
  switch (node.type) {
    case 'Skipped':
    case 'Suspend':
    case 'HTTP':
    case 'Plugin':
      return [id];
    case 'Pod':
      return hasContainers(op, node) ? ofChildren(op, node) : [id];
    case 'Container':
    case 'TaskGroup':
      return ofChildren(op, node);
    case 'Retry': {
      const last = attemptsOf(op, node).at(-1);
      return last ? outboundOfAttempt(op, last) : [id];
    }
    case 'Steps':
    case 'DAG':
      if (node.memoizationStatus?.hit) return [id];
      break;
    default:
      break;
  }
  const outbound = (node.outboundNodes ?? []).flatMap((inner) => outboundNodes(op, inner));
  // what failed before it had an end is an end itself: its successors must hang on something
  return outbound.length > 0 ? outbound : [id];
}

/** Arrows start from an attempt as a whole: what it is made of inside is its own. */
function outboundOfAttempt(op: Operation, attempt: NodeStatus): string[] {
  return attempt.type === 'Pod' ? outboundNodes(op, attempt.id) : [attempt.id];
}

/** True for pods of container sets, whose containers are nodes too. */
function hasContainers(op: Operation, node: NodeStatus): boolean {
  return (node.children ?? []).some((child) => op.nodeById(child)?.type === 'Container');
}

function ofChildren(op: Operation, node: NodeStatus): string[] {
  const children = node.children ?? [];
  if (children.length === 0) return [node.id];
  return children.flatMap((child) =>
    node.type === 'Container' && op.nodeById(child)?.boundaryID !== node.boundaryID
      ? [node.id]
      : outboundNodes(op, child),
  );
}
