import { requirementMatches } from '@tiphys/kubernetes';
import { podFromTemplate } from '../machinery/pods.ts';
import type { Node, NodeSelectorTerm, Pod, PodSpec, Taint, Toleration } from '../machinery/workload-model.ts';
import { revisionLabel } from '../revisions/controller-revision.ts';
import type { DaemonSet } from './daemon-set-model.ts';

const alwaysTolerated: readonly Toleration[] = [
  { key: 'node.kubernetes.io/not-ready', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/unreachable', operator: 'Exists', effect: 'NoExecute' },
  { key: 'node.kubernetes.io/disk-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/memory-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/pid-pressure', operator: 'Exists', effect: 'NoSchedule' },
  { key: 'node.kubernetes.io/unschedulable', operator: 'Exists', effect: 'NoSchedule' },
];
const networkUnavailable: Toleration = {
  key: 'node.kubernetes.io/network-unavailable',
  operator: 'Exists',
  effect: 'NoSchedule',
};
const generationAnnotation = 'deprecated.daemonset.template.generation';
const generationLabel = 'pod-template-generation';

/** The pod of one node. The scheduler binds it, to that node alone. */
export function newDaemonPod(set: DaemonSet, node: string, hash: string): Pod {
  const pod = podFromTemplate(set.spec.template, set);
  const generation = set.metadata.annotations?.[generationAnnotation];
  const { spec } = pod;
  const term = { matchFields: [{ key: 'metadata.name', operator: 'In', values: [node] }] };
  const affinity = {
    ...spec.affinity,
    nodeAffinity: {
      ...spec.affinity?.nodeAffinity,
      requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] },
    },
  };
  const labels = {
    ...pod.metadata.labels,
    ...(generation ? { [generationLabel]: generation } : {}),
    [revisionLabel]: hash,
  };
  return {
    ...pod,
    metadata: { ...pod.metadata, labels },
    spec: { ...spec, affinity, tolerations: tolerationsOf(spec) },
  };
}

export function isUpToDate(set: DaemonSet, pod: Pod, hash: string): boolean {
  const generation = set.metadata.annotations?.[generationAnnotation];
  const { labels = {} } = pod.metadata;
  return labels[revisionLabel] === hash || (generation !== undefined && labels[generationLabel] === generation);
}

/** The node that a pod is on, or is meant for. */
export function nodeOf({ spec }: Pod): string | undefined {
  if (spec.nodeName) return spec.nodeName;
  const terms = spec.affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
  for (const { matchFields = [] } of terms)
    for (const { key, operator, values } of matchFields)
      if (key === 'metadata.name' && operator === 'In') return values?.length === 1 ? values[0] : undefined;
  return undefined;
}

/** Whether a node is to have a pod, and whether it may keep one that it has (`NodeShouldRunDaemonPod`). */
export function fitsNode({ spec: { template } }: DaemonSet, node: Node): { runs: boolean; keeps: boolean } {
  const { spec } = template;
  if (spec.nodeName && spec.nodeName !== node.metadata.name) return { runs: false, keeps: false };
  if (!matchesNode(spec, node)) return { runs: false, keeps: false };
  const tolerations = tolerationsOf(spec);
  const refusing = (node.spec?.taints ?? []).filter((taint) => !tolerations.some((each) => tolerates(each, taint)));
  const hard = refusing.filter(({ effect }) => effect === 'NoExecute' || effect === 'NoSchedule');
  return { runs: hard.length === 0, keeps: !hard.some(({ effect }) => effect === 'NoExecute') };
}

function tolerationsOf({ tolerations = [], hostNetwork }: PodSpec): Toleration[] {
  const added = hostNetwork ? [...alwaysTolerated, networkUnavailable] : alwaysTolerated;
  const same = (a: Toleration, b: Toleration) =>
    a.key === b.key && a.effect === b.effect && (a.operator ?? 'Equal') === b.operator && !a.value;
  return [...tolerations, ...added.filter((toleration) => !tolerations.some((own) => same(own, toleration)))];
}

function tolerates({ key, operator = 'Equal', value = '', effect }: Toleration, taint: Taint): boolean {
  if (effect && effect !== taint.effect) return false;
  if (!key) return operator === 'Exists';
  if (key !== taint.key) return false;
  return operator === 'Exists' || value === (taint.value ?? '');
}

function matchesNode({ nodeSelector = {}, affinity }: PodSpec, node: Node): boolean {
  const { labels = {}, name = '' } = node.metadata;
  if (!Object.entries(nodeSelector).every(([key, value]) => labels[key] === value)) return false;
  const required = affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution;
  if (!required) return true;
  const matches = ({ matchExpressions = [], matchFields = [] }: NodeSelectorTerm) =>
    matchExpressions.length + matchFields.length > 0 &&
    matchExpressions.every((each) => requirementMatches(each, labels)) &&
    matchFields.every((each) => requirementMatches(each, { 'metadata.name': name }));
  return required.nodeSelectorTerms.some(matches);
}
