import { compileGlob } from '@tiphys/glob';
import type { TrackingRule } from '../model/tracking.ts';

/** An entry of `resource.exclusions` or `resource.inclusions`; each list holds globs, an empty one matches all. */
export interface ResourceFilter {
  readonly apiGroups?: readonly string[];
  readonly kinds?: readonly string[];
  readonly clusters?: readonly string[];
}

export interface CacheSettings {
  /** Entries of `resource.exclusions`; `defaultExclusions` if absent. Events and metrics are left out always. */
  readonly exclusions?: readonly ResourceFilter[];
  readonly inclusions?: readonly ResourceFilter[];
  readonly tracking: TrackingRule;
  /** Only these namespaces are watched, and no cluster-scoped kinds unless `clusterResources`. Empty or absent: everything. */
  readonly namespaces?: readonly string[];
  readonly clusterResources?: boolean;
  /** Labels whose values the tree shows among the facts of an object. */
  readonly customLabels?: readonly string[];
}

/** What upstream's argocd-cm of 3.5 excludes as installed. */
export const defaultExclusions: readonly ResourceFilter[] = [
  { apiGroups: ['', 'discovery.k8s.io'], kinds: ['Endpoints', 'EndpointSlice'] },
  { apiGroups: ['coordination.k8s.io'], kinds: ['Lease'] },
  {
    apiGroups: ['authentication.k8s.io', 'authorization.k8s.io'],
    kinds: [
      'SelfSubjectReview',
      'TokenReview',
      'LocalSubjectAccessReview',
      'SelfSubjectAccessReview',
      'SelfSubjectRulesReview',
      'SubjectAccessReview',
    ],
  },
  { apiGroups: ['certificates.k8s.io'], kinds: ['CertificateSigningRequest'] },
  { apiGroups: ['cert-manager.io'], kinds: ['CertificateRequest'] },
  { apiGroups: ['cilium.io'], kinds: ['CiliumIdentity', 'CiliumEndpoint', 'CiliumEndpointSlice'] },
  {
    apiGroups: ['kyverno.io', 'reports.kyverno.io', 'wgpolicyk8s.io'],
    kinds: [
      'PolicyReport',
      'ClusterPolicyReport',
      'EphemeralReport',
      'ClusterEphemeralReport',
      'AdmissionReport',
      'ClusterAdmissionReport',
      'BackgroundScanReport',
      'ClusterBackgroundScanReport',
      'UpdateRequest',
    ],
  },
];

/** Left out whatever the settings say, as upstream does. */
const alwaysExcluded: readonly ResourceFilter[] = [
  { apiGroups: ['events.k8s.io', 'metrics.k8s.io'] },
  { apiGroups: [''], kinds: ['Event'] },
];

/** Whether objects of the kind are watched and may be deployed. Upstream's rule: exclusion wins; inclusions, where there are any, are a list of all that is allowed. */
export function resourceSelector(settings: CacheSettings, server: string): (group: string, kind: string) => boolean {
  const excluded = [...alwaysExcluded, ...(settings.exclusions ?? defaultExclusions)].map((entry) =>
    matcher(entry, server),
  );
  const included = (settings.inclusions ?? []).map((entry) => matcher(entry, server));
  const inclusionsApply = (settings.inclusions ?? []).some(({ clusters }) => matchesAny(clusters, server));
  const known = new Map<string, boolean>();
  return (group, kind) => {
    const id = `${group}/${kind}`;
    const before = known.get(id);
    if (before !== undefined) return before;
    const selected =
      !excluded.some((match) => match(group, kind)) &&
      (!inclusionsApply || included.some((match) => match(group, kind)));
    known.set(id, selected);
    return selected;
  };
}

function matcher(
  { apiGroups, kinds, clusters }: ResourceFilter,
  server: string,
): (group: string, kind: string) => boolean {
  if (!matchesAny(clusters, server)) return () => false;
  const groups = apiGroups?.map((pattern) => compileGlob(pattern));
  const names = kinds?.map((pattern) => compileGlob(pattern));
  return (group, kind) =>
    (!groups?.length || groups.some((match) => match(group))) && (!names?.length || names.some((match) => match(kind)));
}

function matchesAny(patterns: readonly string[] | undefined, value: string): boolean {
  return !patterns?.length || patterns.some((pattern) => compileGlob(pattern)(value));
}
