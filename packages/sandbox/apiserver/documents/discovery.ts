import { type AggregatedVersion, compareVersions, type Registry, type Resource } from '@tiphys/apimachinery';

/** Order of the groups in discovery, as the aggregator of a real server has it; groups of custom resources follow. */
const GROUP_ORDER = [
  'apiregistration.k8s.io',
  'apps',
  'events.k8s.io',
  'authentication.k8s.io',
  'authorization.k8s.io',
  'autoscaling',
  'batch',
  'certificates.k8s.io',
  'networking.k8s.io',
  'policy',
  'rbac.authorization.k8s.io',
  'storage.k8s.io',
  'admissionregistration.k8s.io',
  'apiextensions.k8s.io',
  'scheduling.k8s.io',
  'coordination.k8s.io',
  'node.k8s.io',
  'discovery.k8s.io',
  'resource.k8s.io',
  'flowcontrol.apiserver.k8s.io',
];

interface ListedGroup {
  readonly group: string;
  readonly priority: number;
  readonly versions: readonly string[];
  /** Of versions that other servers serve. */
  readonly aggregated: ReadonlyMap<string, AggregatedVersion>;
}

/** Priority that APIServices of custom resources have. */
const CUSTOM_PRIORITY = 1000;
const BUILTIN_PRIORITY = 16_000;

/** All named groups in the order of their priority, each with its versions in order. */
function orderedGroups(registry: Registry): ListedGroup[] {
  const groups = new Map<string, ListedGroup & { versions: string[]; aggregated: Map<string, AggregatedVersion> }>();
  for (const { group, versions } of registry.groups()) {
    const place = GROUP_ORDER.indexOf(group);
    const priority = place < 0 ? CUSTOM_PRIORITY : BUILTIN_PRIORITY + GROUP_ORDER.length - place;
    groups.set(group, { group, priority, versions: [...versions], aggregated: new Map() });
  }
  for (const version of registry.aggregated()) {
    const { groupPriority, group } = version;
    const listed = groups.get(group) ?? {
      group,
      priority: 0,
      versions: [] as string[],
      aggregated: new Map<string, AggregatedVersion>(),
    };
    groups.set(group, { ...listed, priority: Math.max(listed.priority, groupPriority) });
    if (!listed.versions.includes(version.version)) listed.versions.push(version.version);
    listed.aggregated.set(version.version, version);
    const rank = (name: string) => listed.aggregated.get(name)?.versionPriority ?? 100;
    listed.versions.sort((a, b) => rank(b) - rank(a) || compareVersions(a, b));
  }
  groups.delete('');
  return [...groups.values()].sort((a, b) => b.priority - a.priority || (a.group < b.group ? -1 : 1));
}

/** `/api`. */
export function coreVersions(address: string): unknown {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: address }],
  };
}

function apiGroup(group: string, versions: readonly string[]): Record<string, unknown> {
  const list = versions.map((version) => ({ groupVersion: `${group}/${version}`, version }));
  return { name: group, versions: list, preferredVersion: list[0] };
}

/** `/apis`. */
export function groupList(registry: Registry): unknown {
  return {
    kind: 'APIGroupList',
    apiVersion: 'v1',
    groups: orderedGroups(registry).map(({ group, versions }) => apiGroup(group, versions)),
  };
}

/** `/apis/{group}`. */
export function groupOf(registry: Registry, group: string): unknown {
  const found = orderedGroups(registry).find((entry) => entry.group === group);
  return found && { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(group, found.versions) };
}

/** `/api/v1`, `/apis/{group}/{version}`. */
export function resourceList(registry: Registry, group: string, version: string): unknown {
  const resources = registry.resourcesOf(group, version).flatMap((resource) => [
    {
      name: resource.plural,
      singularName: resource.singular,
      namespaced: resource.namespaced,
      kind: resource.kind,
      verbs: resource.verbs,
      ...(resource.shortNames.length ? { shortNames: resource.shortNames } : {}),
      ...(resource.categories.length ? { categories: resource.categories } : {}),
      ...(resource.storageVersionHash ? { storageVersionHash: resource.storageVersionHash } : {}),
    },
    ...[...resource.subresources.values()].map((sub) => ({
      name: `${resource.plural}/${sub.name}`,
      singularName: '',
      namespaced: resource.namespaced,
      ...(sub.kind.version && (sub.kind.group !== group || sub.kind.version !== version)
        ? { group: sub.kind.group, version: sub.kind.version }
        : {}),
      kind: sub.kind.kind,
      verbs: sub.verbs,
    })),
  ]);
  return {
    kind: 'APIResourceList',
    ...(group ? { apiVersion: 'v1' } : {}),
    groupVersion: group ? `${group}/${version}` : version,
    resources,
  };
}

/** The aggregated form of `/api` (the core group) or `/apis` (all others). */
export function aggregated(registry: Registry, core: boolean): unknown {
  const groups = core
    ? [{ group: '', versions: ['v1'], aggregated: new Map<string, AggregatedVersion>() }]
    : orderedGroups(registry);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: 'apidiscovery.k8s.io/v2',
    metadata: {},
    items: groups.map(({ group, versions, aggregated: others }) => ({
      metadata: group ? { name: group } : {},
      versions: versions.map((version) => {
        const other = others.get(version);
        if (!other)
          return {
            version,
            resources: registry.resourcesOf(group, version).map(aggregatedResource),
            freshness: 'Current',
          };
        const { resources, fresh } = other;
        return { version, ...(resources ? { resources } : {}), freshness: fresh ? 'Current' : 'Stale' };
      }),
    })),
  };
}

function aggregatedResource(resource: Resource): unknown {
  return {
    resource: resource.plural,
    responseKind: responseKind(resource, { group: resource.group, version: resource.version, kind: resource.kind }),
    scope: resource.namespaced ? 'Namespaced' : 'Cluster',
    singularResource: resource.singular,
    verbs: resource.verbs,
    ...(resource.shortNames.length ? { shortNames: resource.shortNames } : {}),
    ...(resource.categories.length ? { categories: resource.categories } : {}),
    ...(resource.subresources.size
      ? {
          subresources: [...resource.subresources.values()].map((sub) => ({
            subresource: sub.name,
            responseKind: sub.kind,
            verbs: sub.verbs,
          })),
        }
      : {}),
  };
}

/** Built-in kinds leave group and version of their own out; custom ones write them. */
function responseKind(resource: Resource, kind: { group: string; version: string; kind: string }): unknown {
  return resource.custom === undefined ? { group: '', version: '', kind: kind.kind } : kind;
}
