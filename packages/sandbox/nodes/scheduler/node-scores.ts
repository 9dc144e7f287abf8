import type { Node, Pod, PodAffinityTerm } from '@tiphys/kube-controllers';
import { matchesTerm, tolerates } from './node-filters.ts';
import { domainOf, isAlike, type Placement, podsNear, selects, spreadsOf } from './pod-placement.ts';

/** How much each preference weighs, as in the default profile of the real scheduler. */
const WEIGHTS = { taints: 3, nodeAffinity: 2, spread: 2, podAffinity: 2 } as const;

/** Nodes that take a pod, the best first: by taints it would rather not have, affinities, spread, and then by load. */
export function byPreference(pod: Pod, candidates: readonly Node[], placement: Placement): Node[] {
  const parts = [
    [WEIGHTS.taints, normalised(candidates.map((node) => -unwantedTaints(pod, node)))],
    [WEIGHTS.nodeAffinity, normalised(candidates.map((node) => nodeAffinity(pod, node)))],
    [WEIGHTS.spread, normalised(candidates.map((node) => -crowd(pod, node, placement)))],
    [WEIGHTS.podAffinity, normalised(candidates.map((node) => podAffinity(pod, node, placement)))],
  ] as const;
  const load = ({ metadata }: Node) => placement.usage.count(metadata.name ?? '');
  return candidates
    .map((node, index) => ({
      node,
      score: parts.reduce((sum, [weight, scores]) => sum + weight * (scores[index] ?? 0), 0),
    }))
    .sort((a, b) => b.score - a.score || load(a.node) - load(b.node))
    .map(({ node }) => node);
}

/** From 0 for the worst to 100 for the best; all are 0 where there is no difference. */
function normalised(values: readonly number[]): number[] {
  const [least, most] = [Math.min(...values), Math.max(...values)];
  return values.map((value) => (most === least ? 0 : ((value - least) / (most - least)) * 100));
}

function unwantedTaints(pod: Pod, node: Node): number {
  return (node.spec?.taints ?? []).filter((taint) => taint.effect === 'PreferNoSchedule' && !tolerates(pod, taint))
    .length;
}

function nodeAffinity({ spec }: Pod, { metadata }: Node): number {
  const preferred = spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution ?? [];
  return preferred
    .filter(({ preference }) => matchesTerm(preference, metadata.labels ?? {}, metadata.name ?? ''))
    .reduce((sum, { weight }) => sum + weight, 0);
}

function podAffinity(pod: Pod, node: Node, placement: Placement): number {
  const near = (owner: Pod, term: PodAffinityTerm) =>
    podsNear(node, term, placement).filter((other) => selects(term, owner, other, placement)).length;
  const { podAffinity: wanted, podAntiAffinity: unwanted } = pod.spec.affinity ?? {};
  const sum = (terms: { weight: number; podAffinityTerm: PodAffinityTerm }[] = []) =>
    terms.reduce((all, { weight, podAffinityTerm }) => all + weight * near(pod, podAffinityTerm), 0);
  return (
    sum(wanted?.preferredDuringSchedulingIgnoredDuringExecution) -
    sum(unwanted?.preferredDuringSchedulingIgnoredDuringExecution)
  );
}

/** Pods of the same kind in the node's domains, for constraints that are but wishes. */
function crowd(pod: Pod, node: Node, placement: Placement): number {
  return spreadsOf(pod, 'ScheduleAnyway').reduce((all, constraint) => {
    const { topologyKey, labelSelector } = constraint;
    if (domainOf(node, topologyKey) === undefined || !labelSelector) return all;
    const near = podsNear(node, { topologyKey, labelSelector }, placement);
    return all + near.filter((other) => isAlike(pod, other, constraint)).length;
  }, 0);
}
