import type { NodeStatus } from '../model/types.ts';
import { descendantsOf } from './nodes.ts';
import type { Operation } from './operation.ts';

/** Names of the Kubernetes nodes on which earlier attempts of the same retry failed. */
export function failedHosts(op: Operation, node: NodeStatus): string[] {
  const retry = op.nodes().find(({ type, children }) => type === 'Retry' && children?.includes(node.id));
  if (!retry) return [];
  const hosts = descendantsOf(op, retry)
    .filter(({ type, phase }) => type === 'Pod' && (phase === 'Failed' || phase === 'Error'))
    .map(({ hostNodeName }) => hostNodeName)
    .filter((host) => host !== undefined && host !== '');
  return [...new Set(hosts as string[])];
}
