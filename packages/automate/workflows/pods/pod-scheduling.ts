import { isMap } from '../model/merge.ts';
import type { Meta, PodSpec } from '../model/types.ts';
import type { PodRequest } from './pod-request.ts';

/** Where the pod runs and as whom: the template's rules, else those of the steps or DAG around it, else the workflow's. */
export function addScheduling(
  request: Pick<PodRequest, 'template' | 'boundary' | 'spec' | 'settings' | 'avoidHosts'>,
  spec: PodSpec,
): void {
  const { template, boundary, spec: workflow } = request;
  const first = (...candidates: unknown[]) => candidates.find(isSet);
  const chosen: Record<string, unknown> = {
    nodeSelector: first(template.nodeSelector, boundary?.nodeSelector, workflow.nodeSelector),
    affinity: first(template.affinity, boundary?.affinity, workflow.affinity),
    tolerations: first(template.tolerations, boundary?.tolerations, workflow.tolerations),
    schedulerName: first(template.schedulerName, workflow.schedulerName),
    priorityClassName: first(template.priorityClassName, workflow.podPriorityClassName),
    securityContext: first(template.securityContext, workflow.securityContext),
    hostAliases: first([...(workflow.hostAliases ?? []), ...(template.hostAliases ?? [])]),
    resources: first(template.podResources, workflow.podResources),
    resourceClaims: first(template.resourceClaims, workflow.resourceClaims),
    dnsPolicy: workflow.dnsPolicy,
    dnsConfig: workflow.dnsConfig,
    hostNetwork: workflow.hostNetwork,
    imagePullSecrets: first(workflow.imagePullSecrets),
  };
  for (const [field, value] of Object.entries(chosen)) if (isSet(value)) spec[field] = value;
  if (request.avoidHosts.length > 0) spec.affinity = avoiding(request, spec.affinity);
}

function isSet(value: unknown): boolean {
  if (value === undefined || value === null || value === '') return false;
  return Array.isArray(value) ? value.length > 0 : !isMap(value) || Object.keys(value).length > 0;
}

interface Term {
  matchExpressions?: { key: string; operator: string; values: string[] }[];
}

/** An affinity that also keeps the pod from hosts on which attempts have failed; every alternative of the user's gets the rule. */
function avoiding({ settings, avoidHosts }: Pick<PodRequest, 'settings' | 'avoidHosts'>, affinity: unknown): unknown {
  const rule = { key: settings.retryHostLabel || 'kubernetes.io/hostname', operator: 'NotIn', values: [...avoidHosts] };
  const own = (isMap(affinity) ? structuredClone(affinity) : {}) as Record<string, Record<string, unknown>>;
  own.nodeAffinity ??= {};
  const required = (own.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution ?? {}) as {
    nodeSelectorTerms?: Term[];
  };
  const terms = required.nodeSelectorTerms?.length ? required.nodeSelectorTerms : [{}];
  own.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution = {
    nodeSelectorTerms: terms.map((term) => ({ ...term, matchExpressions: [...(term.matchExpressions ?? []), rule] })),
  };
  return own;
}

/** Labels and annotations that workflow and template ask for. */
export function addMetadata({ template, spec }: Pick<PodRequest, 'template' | 'spec'>, metadata: Meta): void {
  metadata.labels = { ...metadata.labels, ...spec.podMetadata?.labels, ...template.metadata?.labels };
  metadata.annotations = {
    ...metadata.annotations,
    ...spec.podMetadata?.annotations,
    ...template.metadata?.annotations,
  };
}
