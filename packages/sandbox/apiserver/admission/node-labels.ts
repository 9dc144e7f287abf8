import type { KubeObject } from '@tiphys/kubernetes';

/** Labels of Kubernetes' own that a kubelet may set on its node; of others it may set all. */
const OF_KUBELET = new Set([
  'kubernetes.io/hostname',
  'topology.kubernetes.io/zone',
  'topology.kubernetes.io/region',
  'failure-domain.beta.kubernetes.io/zone',
  'failure-domain.beta.kubernetes.io/region',
  'beta.kubernetes.io/instance-type',
  'node.kubernetes.io/instance-type',
  'kubernetes.io/os',
  'kubernetes.io/arch',
  'beta.kubernetes.io/os',
  'beta.kubernetes.io/arch',
]);
const NAMESPACES_OF_KUBELET = ['kubelet.kubernetes.io', 'node.kubernetes.io'];
const OF_KUBERNETES = ['kubernetes.io', 'k8s.io'];

/** Throws what `refusal` makes of the labels, sorted, that a kubelet has changed and may not: they steer pods to nodes. */
export function restrictNodeLabels(
  object: KubeObject,
  old: KubeObject | undefined,
  refusal: (labels: string) => Error,
): void {
  const after = object.metadata.labels ?? {};
  const before = old?.metadata.labels ?? {};
  const changed = Object.keys({ ...before, ...after }).filter((label) => before[label] !== after[label]);
  const forbidden = changed.filter(isForbidden).sort();
  if (forbidden.length) throw refusal(forbidden.join(', '));
}

function isForbidden(label: string): boolean {
  const slash = label.indexOf('/');
  const namespace = slash < 0 ? '' : label.slice(0, slash);
  if (isWithin(namespace, ['node-restriction.kubernetes.io'])) return true;
  return isWithin(namespace, OF_KUBERNETES) && !OF_KUBELET.has(label) && !isWithin(namespace, NAMESPACES_OF_KUBELET);
}

function isWithin(namespace: string, domains: readonly string[]): boolean {
  return domains.some((domain) => namespace === domain || namespace.endsWith(`.${domain}`));
}
