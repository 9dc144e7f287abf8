import type { Node, Pod, PodAffinityTerm } from '@tiphys/kube-controllers';
import { type LabelSelector, selectorMatches } from '@tiphys/kubernetes';
import { matchesSelector, type Refusal, toleratesAll } from './node-filters.ts';
import type { UsageView } from './usage-view.ts';

export interface Spread {
  maxSkew: number;
  topologyKey: string;
  whenUnsatisfiable: string;
  labelSelector?: LabelSelector;
  minDomains?: number;
  /** `Honor` if absent: only nodes that the pod selects are domains. */
  nodeAffinityPolicy?: string;
  /** `Ignore` if absent: nodes with taints that the pod does not tolerate are domains too. */
  nodeTaintsPolicy?: string;
  /** Labels whose values have to be those of the pod. */
  matchLabelKeys?: string[];
}

/** All that the placement of one pod beside others is decided on. */
export interface Placement {
  readonly nodes: readonly Node[];
  readonly usage: UsageView;
  /** Labels of a namespace. */
  readonly namespaceLabels: (name: string) => Record<string, string>;
}

/** Why other pods keep this one from the node: required pod affinity, anti-affinity (both ways), topology spread. */
export function placementRefusal(pod: Pod, node: Node, placement: Placement): Refusal | undefined {
  const spread = spreadRefusal(pod, node, placement);
  if (spread) return spread;
  if (requiredTerms(pod, 'podAffinity').some((term) => !hasCompanion(pod, node, term, placement)))
    return { reason: "node(s) didn't match pod affinity rules", resolvable: false };
  if (
    requiredTerms(pod, 'podAntiAffinity').some((term) =>
      podsNear(node, term, placement).some((other) => selects(term, pod, other, placement)),
    )
  )
    return { reason: "node(s) didn't match pod anti-affinity rules", resolvable: true };
  if (isUnwelcome(pod, node, placement))
    return { reason: "node(s) didn't satisfy existing pods anti-affinity rules", resolvable: true };
  return undefined;
}

function requiredTerms({ spec }: Pod, kind: 'podAffinity' | 'podAntiAffinity'): PodAffinityTerm[] {
  return spec.affinity?.[kind]?.requiredDuringSchedulingIgnoredDuringExecution ?? [];
}

/** The first pod of a group that wants to be together needs no other one. */
function hasCompanion(pod: Pod, node: Node, term: PodAffinityTerm, placement: Placement): boolean {
  if (domainOf(node, term.topologyKey) === undefined) return false;
  if (podsNear(node, term, placement).some((other) => selects(term, pod, other, placement))) return true;
  const anywhere = placement.nodes.some((each) =>
    [...placement.usage.podsOn(each.metadata.name ?? '')].some((other) => selects(term, pod, other, placement)),
  );
  return !anywhere && selects(term, pod, pod, placement);
}

function isUnwelcome(pod: Pod, node: Node, placement: Placement): boolean {
  const nodeOf = (other: Pod) => placement.nodes.find(({ metadata }) => metadata.name === other.spec.nodeName);
  return [...placement.usage.exclusivePods].some((other) =>
    requiredTerms(other, 'podAntiAffinity').some((term) => {
      const place = nodeOf(other);
      return place && sameDomain(place, node, term.topologyKey) && selects(term, other, pod, placement);
    }),
  );
}

export function podsNear(node: Node, { topologyKey }: PodAffinityTerm, { nodes, usage }: Placement): Pod[] {
  return nodes
    .filter((each) => sameDomain(each, node, topologyKey))
    .flatMap((each) => [...usage.podsOn(each.metadata.name ?? '')]);
}

export function selects(term: PodAffinityTerm, owner: Pod, other: Pod, { namespaceLabels }: Placement): boolean {
  const namespace = other.metadata.namespace ?? '';
  const listed = term.namespaces?.includes(namespace) ?? false;
  const selected = term.namespaceSelector && selectorMatches(term.namespaceSelector, namespaceLabels(namespace));
  const own = !term.namespaces?.length && !term.namespaceSelector && namespace === owner.metadata.namespace;
  if (!listed && !selected && !own) return false;
  return term.labelSelector !== undefined && selectorMatches(term.labelSelector, other.metadata.labels ?? {});
}

function spreadRefusal(pod: Pod, node: Node, { nodes, usage }: Placement): Refusal | undefined {
  const constraints = spreadsOf(pod, 'DoNotSchedule');
  const labels = pod.metadata.labels ?? {};
  for (const constraint of constraints) {
    const { topologyKey, maxSkew, minDomains = 1 } = constraint;
    const own = domainOf(node, topologyKey);
    if (own === undefined)
      return {
        reason: "node(s) didn't match pod topology spread constraints (missing required label)",
        resolvable: false,
      };
    const counts = new Map<string, number>();
    for (const each of nodes) {
      if (constraints.some((other) => domainOf(each, other.topologyKey) === undefined)) continue;
      if (!isCounted(pod, each, constraint)) continue;
      const domain = domainOf(each, topologyKey) ?? '';
      const alike = [...usage.podsOn(each.metadata.name ?? '')].filter((other) => isAlike(pod, other, constraint));
      counts.set(domain, (counts.get(domain) ?? 0) + alike.length);
    }
    const least = counts.size < minDomains ? 0 : Math.min(...counts.values());
    const self = constraint.labelSelector && selectorMatches(spreadSelector(pod, constraint), labels) ? 1 : 0;
    if ((counts.get(own) ?? 0) + self - least > maxSkew)
      return { reason: "node(s) didn't match pod topology spread constraints", resolvable: true };
  }
  return undefined;
}

export function spreadsOf({ spec }: Pod, whenUnsatisfiable: 'DoNotSchedule' | 'ScheduleAnyway'): Spread[] {
  const all = (spec.topologySpreadConstraints ?? []) as Spread[];
  return all.filter((each) => each.whenUnsatisfiable === whenUnsatisfiable);
}

/** Whether the pods of the node are counted for the pod's constraint. */
function isCounted(
  pod: Pod,
  node: Node,
  { nodeAffinityPolicy = 'Honor', nodeTaintsPolicy = 'Ignore' }: Spread,
): boolean {
  if (nodeAffinityPolicy === 'Honor' && !matchesSelector(pod, node)) return false;
  return nodeTaintsPolicy !== 'Honor' || toleratesAll(pod, node);
}

/** Whether another pod counts for a constraint of the pod. */
export function isAlike(pod: Pod, { metadata }: Pod, constraint: Spread): boolean {
  return (
    metadata.namespace === pod.metadata.namespace &&
    !metadata.deletionTimestamp &&
    constraint.labelSelector !== undefined &&
    selectorMatches(spreadSelector(pod, constraint), metadata.labels ?? {})
  );
}

function spreadSelector({ metadata }: Pod, { labelSelector, matchLabelKeys = [] }: Spread): LabelSelector {
  const own = matchLabelKeys.flatMap((key) => {
    const value = metadata.labels?.[key];
    return value === undefined ? [] : [{ key, operator: 'In', values: [value] }];
  });
  return { ...labelSelector, matchExpressions: [...(labelSelector?.matchExpressions ?? []), ...own] };
}

export function domainOf(node: Node, key: string): string | undefined {
  return node.metadata.labels?.[key];
}

function sameDomain(a: Node, b: Node, key: string): boolean {
  const domain = domainOf(a, key);
  return domain !== undefined && domain === domainOf(b, key);
}
