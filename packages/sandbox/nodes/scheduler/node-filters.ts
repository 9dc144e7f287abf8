import type { Node, NodeSelectorTerm, Pod, Taint, Toleration } from '../../controllers/machinery/workload-model.ts';

/** Why the node does not take the pod, in the scheduler's words; undefined if it does. */
export function refusalOf(pod: Pod, node: Node): string | undefined {
  if (node.spec?.unschedulable && !tolerates(pod, { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }))
    return 'node(s) were unschedulable';
  const taint = (node.spec?.taints ?? []).find((item) => item.effect !== 'PreferNoSchedule' && !tolerates(pod, item));
  if (taint) return `node(s) had untolerated taint {${taint.key}: ${taint.value ?? ''}}`;
  if (!matchesSelector(pod, node)) return "node(s) didn't match Pod's node affinity/selector";
  return tooBig(pod, node);
}

function tolerates({ spec }: Pod, taint: Taint): boolean {
  return (spec.tolerations ?? []).some((toleration: Toleration) => {
    if (toleration.effect && toleration.effect !== taint.effect) return false;
    if (!toleration.key) return toleration.operator === 'Exists';
    if (toleration.key !== taint.key) return false;
    return toleration.operator === 'Exists' || (toleration.value ?? '') === (taint.value ?? '');
  });
}

function matchesSelector({ spec }: Pod, { metadata }: Node): boolean {
  const labels = metadata.labels ?? {};
  if (!Object.entries(spec.nodeSelector ?? {}).every(([key, value]) => labels[key] === value)) return false;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms;
  return !terms || terms.some((term) => matchesTerm(term, labels, metadata.name ?? ''));
}

function matchesTerm(term: NodeSelectorTerm, labels: Record<string, string>, name: string): boolean {
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

const binary: Readonly<Record<string, number>> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, Ti: 2 ** 40 };
const decimal: Readonly<Record<string, number>> = { m: 1e-3, k: 1e3, M: 1e6, G: 1e9, T: 1e12 };

function amount(quantity: string): number {
  const [, number = '0', unit = ''] = /^([0-9.]+)([A-Za-z]*)$/.exec(quantity) ?? [];
  return Number(number) * (binary[unit] ?? decimal[unit] ?? 1);
}

/** A pod that asks for more than the whole node has fits nowhere; pods beside it do not use simulated nodes up. */
function tooBig({ spec }: Pod, { status }: Node): string | undefined {
  for (const resource of ['cpu', 'memory']) {
    const asked = spec.containers.reduce(
      (sum, { resources }) => sum + amount(resources?.requests?.[resource] ?? '0'),
      0,
    );
    if (asked > amount(status?.allocatable?.[resource] ?? '0')) return `Insufficient ${resource}`;
  }
  return undefined;
}
