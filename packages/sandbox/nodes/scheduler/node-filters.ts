import { type Node, type NodeSelectorTerm, type Pod, type Taint, toleratesTaint } from '@tiphys/kube-controllers';
import { quantityValue } from '@tiphys/kubernetes';
import { podRequests } from './pod-requests.ts';
import type { UsageView } from './usage-view.ts';

/** Why a node does not take a pod, in the scheduler's words. */
export interface Refusal {
  readonly reason: string;
  /** Whether the node might take it if other pods went. */
  readonly resolvable: boolean;
}

/** Why the node does not take the pod whatever runs on it: cordoned, tainted, or not selected; undefined if it does. */
export function nodeRefusal(pod: Pod, node: Node): Refusal | undefined {
  const never = (reason: string): Refusal => ({ reason, resolvable: false });
  if (node.spec?.unschedulable && !tolerates(pod, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }))
    return never('node(s) were unschedulable');
  if (!toleratesAll(pod, node)) return never('node(s) had untolerated taint(s)');
  return matchesSelector(pod, node) ? undefined : never("node(s) didn't match Pod's node affinity/selector");
}

/** Whether no taint of the node keeps the pod away. */
export function toleratesAll(pod: Pod, { spec }: Node): boolean {
  return (spec?.taints ?? []).every((taint) => taint.effect === 'PreferNoSchedule' || tolerates(pod, taint));
}

export function tolerates({ spec }: Pod, taint: Taint): boolean {
  return (spec.tolerations ?? []).some((toleration) => toleratesTaint(toleration, taint));
}

export function matchesSelector({ spec }: Pod, { metadata }: Node): boolean {
  const labels = metadata.labels ?? {};
  if (!Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return !terms || terms.some((term) => matchesTerm(term, labels, metadata.name ?? ''));
}

/**
 * The names of the nodes that a pod's required affinity names, if every term names some: no other node is looked at.
 * Undefined where it does not; empty where its terms name no node in common.
 */
export function namedNodes({ spec }: Pod): ReadonlySet<string> | undefined {
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  const named = terms.map(({ matchFields = [] }) =>
    matchFields
      .filter(({ key, operator }) => key === 'metadata.name' && operator === 'In')
      .map(({ values }) => new Set(values))
      .reduce<ReadonlySet<string> | undefined>((all, values) => all?.intersection(values) ?? values, undefined),
  );
  if (named.length === 0 || named.includes(undefined)) return undefined;
  return new Set(named.flatMap((names) => [...(names ?? [])]));
}

export function matchesTerm(term: NodeSelectorTerm, labels: Record<string, string>, name: string): boolean {
  const expressions = (term.matchExpressions ?? []).map((item) => ({ ...item, actual: labels[item.key] }));
  const fields = (term.matchFields ?? []).map((item) => ({
    ...item,
    actual: item.key === 'metadata.name' ? name : undefined,
  }));
  return [...expressions, ...fields].every(({ operator, values = [], actual }) => {
    if (operator === 'In') return actual !== undefined && values.includes(actual);
    if (operator === 'NotIn') return actual === undefined || !values.includes(actual);
    if (operator === 'Exists') return actual !== undefined;
    if (operator === 'DoesNotExist') return actual === undefined;
    if (operator === 'Gt') return Number(actual) > Number(values[0]);
    return operator === 'Lt' && Number(actual) < Number(values[0]);
  });
}

/** Which host ports, and how much of each resource, the node has not left for the pod; empty if it has enough. */
export function capacityRefusals(pod: Pod, node: Node, usage: UsageView): Refusal[] {
  const name = node.metadata.name ?? '';
  const ports = hostPorts(pod);
  if (ports.length > 0 && [...usage.podsOn(name)].flatMap(hostPorts).some((port) => ports.includes(port)))
    return [{ reason: "node(s) didn't have free ports for the requested pod ports", resolvable: true }];
  const room = (resource: string) => quantityValue(node.status?.allocatable?.[resource] ?? '0');
  const refusals: Refusal[] = [];
  if (usage.count(name) + 1 > room('pods')) refusals.push({ reason: 'Too many pods', resolvable: true });
  for (const [resource, wanted] of podRequests(pod))
    if (wanted > 0 && wanted > room(resource) - usage.requested(name, resource))
      refusals.push({ reason: `Insufficient ${resource}`, resolvable: wanted <= room(resource) });
  return refusals;
}

export function hostPorts({ spec }: Pod): string[] {
  return spec.containers.flatMap(({ ports = [] }) =>
    ports.flatMap(({ hostPort, containerPort, protocol = 'TCP' }) => {
      const port = hostPort ?? (spec.hostNetwork ? containerPort : undefined);
      return port ? [`${protocol}/${port}`] : [];
    }),
  );
}
