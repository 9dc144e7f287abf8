import type { Node, Pod } from '@tiphys/kube-controllers';
import { type KubeObject, type LabelSelector, selectorMatches } from '@tiphys/kubernetes';
import type { Refusal } from './node-filters.ts';
import { type UsageView, without } from './usage-view.ts';

export interface Budget extends KubeObject {
  spec: { selector?: LabelSelector };
  status?: { disruptionsAllowed?: number };
}

/** Where a pod could go if these others went. */
export interface Preemption {
  readonly node: Node;
  readonly victims: readonly Pod[];
}

interface Candidate extends Preemption {
  /** How many of the victims a disruption budget would rather keep. */
  readonly violations: number;
}

export const priorityOf = ({ spec }: Pod): number => (spec.priority as number | undefined) ?? 0;

const startOf = ({ status, metadata }: Pod): number =>
  Date.parse(status?.startTime ?? metadata.creationTimestamp ?? '');

/** What is known when pods of lower priority may have to go. */
interface PreemptionTerms {
  /** Why the node would not take the pod with this usage; empty if it would. */
  refusals: (node: Node, usage: UsageView) => readonly Refusal[];
  budgets: readonly Budget[];
}

/**
 * The node and the pods of lower priority on it that have to go for a pod that no node takes: the fewest that a budget
 * protects, the least important, the fewest, the youngest. Where that would not help, why not, for each node.
 */
export function choosePreemption(
  pod: Pod,
  nodes: readonly Node[],
  usage: UsageView,
  terms: PreemptionTerms,
): Preemption | { reasons: string[][] } {
  const tried = nodes.map((node) => candidateOn(pod, node, usage, terms));
  const keys = ({ victims, violations }: Candidate): number[] => {
    const priorities = victims.map(priorityOf);
    const highest = Math.max(...priorities);
    const oldest = Math.min(...victims.filter((victim) => priorityOf(victim) === highest).map(startOf));
    return [violations, highest, priorities.reduce((a, b) => a + b, 0), victims.length, -oldest];
  };
  const candidates = tried.filter((each): each is Candidate => !Array.isArray(each));
  const [best] = candidates.sort((a, b) => compare(keys(a), keys(b)));
  return best ?? { reasons: tried.filter((each): each is string[] => Array.isArray(each)) };
}

function compare(a: readonly number[], b: readonly number[]): number {
  for (const [index, value] of a.entries()) {
    const difference = value - (b[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function candidateOn(
  pod: Pod,
  node: Node,
  usage: UsageView,
  { refusals, budgets }: PreemptionTerms,
): Candidate | string[] {
  const lower = [...usage.podsOn(node.metadata.name ?? '')].filter((other) => priorityOf(other) < priorityOf(pod));
  if (!lower.length) return ['No preemption victims found for incoming pod'];
  const left = refusals(node, without(usage, lower));
  if (left.length > 0) return left.map(({ reason }) => reason);
  const fits = (view: UsageView) => refusals(node, view).length === 0;
  const kept = protectedPods(lower, budgets);
  // The important ones, and those under a protecting budget before all, get their place back if they can.
  const order = lower.toSorted(
    (a, b) => Number(kept.has(b)) - Number(kept.has(a)) || priorityOf(b) - priorityOf(a) || startOf(a) - startOf(b),
  );
  let victims: Pod[] = order;
  for (const other of order) {
    const rest = victims.filter((victim) => victim !== other);
    if (fits(without(usage, rest))) victims = rest;
  }
  return { node, victims, violations: victims.filter((victim) => kept.has(victim)).length };
}

/** Pods whose going would be more than a budget allows. */
function protectedPods(pods: readonly Pod[], budgets: readonly Budget[]): Set<Pod> {
  const left = new Map(budgets.map((budget) => [budget, budget.status?.disruptionsAllowed ?? 0]));
  const found = new Set<Pod>();
  for (const pod of pods)
    for (const [budget, allowed] of left) {
      const { namespace } = budget.metadata;
      const { selector } = budget.spec;
      if (namespace !== pod.metadata.namespace || !selector) continue;
      if (!selectorMatches(selector, pod.metadata.labels ?? {})) continue;
      left.set(budget, allowed - 1);
      if (allowed <= 0) found.add(pod);
    }
  return found;
}
