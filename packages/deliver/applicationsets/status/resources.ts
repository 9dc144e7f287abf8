import type { Application, ApplicationSet } from '@tiphys/api';

type Resources = NonNullable<NonNullable<ApplicationSet['status']>['resources']>;

/** What `status.resources` says of the Applications of a set, by name; at most `most` of them (0 for all). */
export function resourcesOf(applications: readonly Application[], most: number): Resources {
  const all = applications
    .map(({ metadata, status }) => ({
      group: 'argoproj.io',
      version: 'v1alpha1',
      kind: 'Application',
      name: metadata.name ?? '',
      namespace: metadata.namespace ?? '',
      ...(status?.sync?.status ? { status: status.sync.status } : {}),
      health: status?.health?.status ? { status: status.health.status } : {},
    }))
    .sort((a, b) => (a.name < b.name ? -1 : 1));
  return (most > 0 ? all.slice(0, most) : all) as Resources;
}
