import type { NodeStatus } from '../model/types.ts';
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
      const last = node.children?.at(-1);
      return last === undefined ? [id] : [last];
    }
    case 'Steps':
    case 'DAG':
      if (node.memoizationStatus?.hit) return [id];
      break;
    default:
      break;
  }
  return (node.outboundNodes ?? []).flatMap((outbound) => outboundNodes(op, outbound));
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
