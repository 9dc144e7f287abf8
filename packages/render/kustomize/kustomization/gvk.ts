/** Group, version and kind; an empty part is a wildcard where it selects. */
export interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

export function splitApiVersion(apiVersion: string): { group: string; version: string } {
  const at = apiVersion.indexOf('/');
  return at < 0
    ? { group: '', version: apiVersion }
    : { group: apiVersion.slice(0, at), version: apiVersion.slice(at + 1) };
}

export function gvkOf(apiVersion: string, kind: string): Gvk {
  return { ...splitApiVersion(apiVersion), kind };
}

export function apiVersionOf({ group, version }: Gvk): string {
  return group === '' ? version : `${group}/${version}`;
}

/** As messages show it: `Deployment.v1.apps`. */
export function formatGvk({ group, version, kind }: Gvk): string {
  return `${kind || '[noKind]'}.${version || '[noVer]'}.${group || '[noGrp]'}`;
}

export function sameGvk(a: Gvk, b: Gvk): boolean {
  return a.kind === b.kind && a.version === b.version && a.group === b.group;
}

/** True if the selector's parts that are set equal those of the object. */
export function isSelected(gvk: Gvk, selector: Partial<Gvk>): boolean {
  return (
    (!selector.kind || selector.kind === gvk.kind) &&
    (!selector.group || selector.group === gvk.group) &&
    (!selector.version || selector.version === gvk.version)
  );
}

export const orderFirst: readonly string[] = [
  'Namespace',
  'ResourceQuota',
  'StorageClass',
  'CustomResourceDefinition',
  'ServiceAccount',
  'PodSecurityPolicy',
  'Role',
  'ClusterRole',
  'RoleBinding',
  'ClusterRoleBinding',
  'ConfigMap',
  'Secret',
  'Endpoints',
  'Service',
  'LimitRange',
  'PriorityClass',
  'PersistentVolume',
  'PersistentVolumeClaim',
  'Deployment',
  'StatefulSet',
  'CronJob',
  'PodDisruptionBudget',
];
export const orderLast: readonly string[] = ['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'];

/** Rank of a kind: first ones are negative, last ones positive. */
export function kindRanks(first: readonly string[], last: readonly string[]): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const [i, kind] of first.entries()) ranks.set(kind, i - first.length);
  for (const [i, kind] of last.entries()) ranks.set(kind, i + 1);
  return ranks;
}

const builtinRanks = kindRanks(orderFirst, orderLast);

/** The text by which kinds of the same rank are sorted. */
export function sortString({ group, version, kind }: Gvk): string {
  return `${group || '~G'}_${version || '~V'}_${kind || '~K'}`;
}

/** Order of field specs. */
export function isLessThan(a: Gvk, b: Gvk): boolean {
  const x = builtinRanks.get(a.kind) ?? 0;
  const y = builtinRanks.get(b.kind) ?? 0;
  if (x !== y) return x < y;
  return sortString(a) < sortString(b);
}
