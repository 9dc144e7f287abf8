import type { Pod } from '@tiphys/kube-controllers';
import { podRequests } from './pod-requests.ts';

/** What is taken of each node. */
export interface UsageView {
  requested(node: string, resource: string): number;
  podsOn(node: string): Iterable<Pod>;
  /** Pods that do not want certain others beside them. */
  readonly exclusivePods: Iterable<Pod>;
  count(node: string): number;
}

/** As it would be if these pods went. */
export function without(usage: UsageView, pods: readonly Pod[]): UsageView {
  const gone = new Set(pods.map(({ metadata }) => metadata.uid));
  const stays = ({ metadata }: Pod) => !gone.has(metadata.uid);
  const goneFrom = (node: string) => pods.filter(({ spec }) => spec.nodeName === node);
  return {
    podsOn: (node) => [...usage.podsOn(node)].filter(stays),
    exclusivePods: [...usage.exclusivePods].filter(stays),
    count: (node) => usage.count(node) - goneFrom(node).length,
    requested: (node, resource) => usage.requested(node, resource) - requestsOf(goneFrom(node), resource),
  };
}

/** As it would be if these pods ran on the nodes that their `spec.nodeName` tells. */
export function together(usage: UsageView, pods: readonly Pod[]): UsageView {
  const on = (node: string) => pods.filter(({ spec }) => spec.nodeName === node);
  return {
    podsOn: (node) => [...usage.podsOn(node), ...on(node)],
    exclusivePods: [...usage.exclusivePods, ...pods.filter(({ spec }) => spec.affinity?.podAntiAffinity)],
    count: (node) => usage.count(node) + on(node).length,
    requested: (node, resource) => usage.requested(node, resource) + requestsOf(on(node), resource),
  };
}

function requestsOf(pods: readonly Pod[], resource: string): number {
  return pods.reduce((sum, pod) => sum + (podRequests(pod).get(resource) ?? 0), 0);
}
