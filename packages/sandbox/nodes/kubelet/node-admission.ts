import type { Node, Pod } from '@tiphys/kube-controllers';
import { quantityValue } from '@tiphys/kubernetes';
import { hostPorts, matchesSelector, tolerates } from '../scheduler/node-filters.ts';
import { podRequests } from '../scheduler/pod-requests.ts';
import type { UsageView } from '../scheduler/usage-view.ts';
import { amount } from './pod-resize.ts';

/** Why a node does not run a pod that was bound to it. */
export interface Rejection {
  readonly reason: string;
  readonly message: string;
}

const builtin: Readonly<Record<string, string>> = {
  cpu: 'OutOfcpu',
  memory: 'OutOfmemory',
  'ephemeral-storage': 'OutOfephemeral-storage',
  pods: 'OutOfpods',
};

/** What a kubelet checks before it runs a pod, no matter who has bound it: room, selectors, ports and NoExecute taints. */
export function rejection(pod: Pod, node: Node, usage: UsageView): Rejection | undefined {
  const failed = (predicate: string, why: string): Rejection => ({
    reason: predicate,
    message: `Predicate ${predicate} failed: ${why}`,
  });
  const lacking = lack(pod, node, usage);
  if (lacking) return lacking;
  if (!matchesSelector(pod, node)) return failed('NodeAffinity', "node(s) didn't match Pod's node affinity/selector");
  const ports = hostPorts(pod);
  if (
    ports.length > 0 &&
    [...usage.podsOn(node.metadata.name ?? '')].flatMap(hostPorts).some((port) => ports.includes(port))
  )
    return failed('NodePorts', "node(s) didn't have free ports for the requested pod ports");
  const taint = node.spec?.taints?.find((item) => item.effect === 'NoExecute' && !tolerates(pod, item));
  return taint && failed('TaintToleration', "node(s) had taints that the pod didn't tolerate");
}

/** The first resource that the other pods have left too little of; extended ones that the node does not know count for nothing. */
export function lack(pod: Pod, { metadata: { name = '' }, status }: Node, usage: UsageView): Rejection | undefined {
  const room = status?.allocatable ?? {};
  const wanted: [resource: string, requested: number, used: number][] = [
    ['pods', 1, usage.count(name)],
    ...[...podRequests(pod)].map(([resource, requested]): [string, number, number] => [
      resource,
      requested,
      usage.requested(name, resource),
    ]),
  ];
  for (const [resource, requested, used] of wanted) {
    if (requested === 0 || (!Object.hasOwn(builtin, resource) && !Object.hasOwn(room, resource))) continue;
    const capacity = quantityValue(room[resource] ?? '0');
    if (requested <= capacity - used) continue;
    const [asked, taken, all] = [requested, used, capacity].map((units) => amount(resource, units));
    const message = `Node didn't have enough resource: ${resource}, requested: ${asked}, used: ${taken}, capacity: ${all}`;
    return { reason: builtin[resource] ?? `OutOf${resource}`, message };
  }
  return undefined;
}
