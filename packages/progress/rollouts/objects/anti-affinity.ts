import { type AntiAffinity, type PodSpec, type Rollout, rolloutNames } from '@tiphys/api';

const { podTemplateHash } = rolloutNames.labels;

interface Term {
  labelSelector?: { matchExpressions?: { key: string; operator: string; values?: string[] }[] };
  namespaces?: string[];
  topologyKey?: string;
}

interface Rules {
  preferredDuringSchedulingIgnoredDuringExecution?: { weight: number; podAffinityTerm: Term }[];
  requiredDuringSchedulingIgnoredDuringExecution?: Term[];
}

type Affinity = Record<string, unknown> & { podAntiAffinity?: Rules };

/** What keeps pods of two revisions apart; undefined if nothing is asked for. */
function asked({ spec: { strategy } }: Rollout): AntiAffinity | undefined {
  const rule = (strategy.canary ?? strategy.blueGreen)?.antiAffinity;
  return rule?.preferredDuringSchedulingIgnoredDuringExecution || rule?.requiredDuringSchedulingIgnoredDuringExecution
    ? rule
    : undefined;
}

/** The affinity of new pods: the template's, and away from the nodes of the stable revision while it is another one. */
export function affinityOf(rollout: Rollout, templateHash: string): PodSpec['affinity'] {
  const own = rollout.spec.template?.spec?.affinity as Affinity | undefined;
  const rule = asked(rollout);
  const stable = rollout.status?.stableRS;
  if (!rule || !stable || stable === templateHash) return own;
  const term: Term = {
    labelSelector: { matchExpressions: [{ key: podTemplateHash, operator: 'In', values: [stable] }] },
    namespaces: [rollout.metadata.namespace ?? ''],
    topologyKey: 'kubernetes.io/hostname',
  };
  const rules: Rules = { ...own?.podAntiAffinity };
  const preferred = rule.preferredDuringSchedulingIgnoredDuringExecution;
  if (preferred)
    rules.preferredDuringSchedulingIgnoredDuringExecution = [
      ...(rules.preferredDuringSchedulingIgnoredDuringExecution ?? []),
      { weight: preferred.weight, podAffinityTerm: term },
    ];
  else
    rules.requiredDuringSchedulingIgnoredDuringExecution = [
      ...(rules.requiredDuringSchedulingIgnoredDuringExecution ?? []),
      term,
    ];
  return { ...own, podAntiAffinity: rules };
}

function isOurs(term: Term | undefined): boolean {
  return term?.labelSelector?.matchExpressions?.some(({ key }) => key === podTemplateHash) ?? false;
}

/** Whether the injected rule names another revision than the stable one of today. */
export function isAffinityOutdated(affinity: PodSpec['affinity'], rollout: Rollout, templateHash: string): boolean {
  const stable = rollout.status?.stableRS ?? '';
  if (!asked(rollout) || stable === templateHash) return false;
  const rules = (affinity as Affinity | undefined)?.podAntiAffinity;
  const terms = [
    ...(rules?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(({ podAffinityTerm }) => podAffinityTerm),
    ...(rules?.requiredDuringSchedulingIgnoredDuringExecution ?? []),
  ];
  return terms.some((term) =>
    term.labelSelector?.matchExpressions?.some(
      ({ key, values }) => key === podTemplateHash && values?.[0] !== undefined && values[0] !== stable,
    ),
  );
}

/** The affinity without what was injected. */
export function withoutInjected(affinity: PodSpec['affinity']): PodSpec['affinity'] {
  const { podAntiAffinity, ...rest } = (affinity ?? {}) as Affinity;
  if (!podAntiAffinity) return affinity;
  const {
    preferredDuringSchedulingIgnoredDuringExecution: preferred,
    requiredDuringSchedulingIgnoredDuringExecution: required,
  } = podAntiAffinity;
  const keptPreferred = preferred?.filter(({ podAffinityTerm }) => !isOurs(podAffinityTerm)) ?? [];
  const keptRequired = required?.filter((term) => !isOurs(term)) ?? [];
  const kept: Rules = {
    ...(keptPreferred.length > 0 ? { preferredDuringSchedulingIgnoredDuringExecution: keptPreferred } : {}),
    ...(keptRequired.length > 0 ? { requiredDuringSchedulingIgnoredDuringExecution: keptRequired } : {}),
  };
  const affinityLeft = Object.keys(kept).length > 0 ? { ...rest, podAntiAffinity: kept } : rest;
  return Object.keys(affinityLeft).length > 0 ? affinityLeft : undefined;
}
