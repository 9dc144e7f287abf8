import type { ResourceStatus, TreeNode } from '../api/model.ts';

type Named = Pick<TreeNode, 'kind' | 'name'> & { group?: string | undefined; namespace?: string | undefined };

/** The API group of an object, empty for the built-in one and for what is no object. */
export function apiGroupOf(object: unknown): string {
  const version = (object as { apiVersion?: unknown } | null | undefined)?.apiVersion;
  return typeof version === 'string' && version.includes('/') ? version.slice(0, version.indexOf('/')) : '';
}

/** `group/kind/namespace/name`, as the peers write it in addresses. */
export function objectKey({ group, kind, namespace, name }: Named): string {
  return [group ?? '', kind, namespace ?? '', name].join('/');
}

/** The nodes of a tree, and the managed objects that are missing in it. */
export function withMissing(nodes: readonly TreeNode[], resources: readonly ResourceStatus[]): TreeNode[] {
  const known = new Set(nodes.map(objectKey));
  const missing = resources
    .filter((resource) => !resource.hook && !known.has(objectKey(resource)))
    .map(
      ({ group, version, kind, namespace, name }): TreeNode => ({
        kind,
        name,
        ...(group ? { group } : {}),
        ...(version ? { version } : {}),
        ...(namespace ? { namespace } : {}),
        health: { status: 'Missing' },
      }),
    );
  return [...nodes, ...missing];
}

/** Facts of an object that the server tells of its own accord; the others are labels that `resource.customLabels` names. */
const ownFacts: ReadonlySet<string> = new Set([
  'Revision',
  'Status Reason',
  'Node',
  'Containers',
  'Restart Count',
  'cpu',
  'memory',
  'managed-by-url',
]);

/** What the server tells of an object beside its health; what is told for the capacity of nodes is left out. */
export function factsOf({ info = [] }: Pick<TreeNode, 'info'>): { name: string; value: string }[] {
  return info.filter(({ name }) => ownFacts.has(name) && !['managed-by-url', 'cpu', 'memory'].includes(name));
}

/** The labels that the settings ask to be shown, as `name: value`. */
export function labelsOf({ info = [] }: Pick<TreeNode, 'info'>): string[] {
  return info.filter(({ name }) => !ownFacts.has(name)).map(({ name, value }) => `${name}: ${value}`);
}

/** Kinds whose pods write logs. */
const workloads = new Set(['Pod', 'Deployment', 'ReplicaSet', 'StatefulSet', 'DaemonSet', 'Job', 'Rollout']);

export function hasLogs({ kind, group = '' }: Pick<TreeNode, 'kind' | 'group'>): boolean {
  return workloads.has(kind) && ['', 'apps', 'batch', 'argoproj.io'].includes(group);
}
