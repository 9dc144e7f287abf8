import type { Project } from '../api/model.ts';

type Spec = Project['spec'];

/** `in-cluster / shop`, `* / *` */
export function destinationWords({ server, name, namespace }: NonNullable<Spec['destinations']>[number]): string {
  return `${name || server || '*'} / ${namespace || '*'}`;
}

/** `apps/Deployment`, `ConfigMap`, `*` */
export function kindWords({ group, kind }: NonNullable<Spec['clusterResourceWhitelist']>[number]): string {
  if (group === '*' && kind === '*') return '*';
  return group ? `${group}/${kind}` : kind;
}

/** `deny 0 22 * * * for 8h (Europe/Berlin), manual syncs allowed` */
export function windowWords(window: NonNullable<Spec['syncWindows']>[number]): string {
  const { kind = 'allow', schedule = '', duration = '', timeZone, manualSync } = window;
  const zone = timeZone ? ` (${timeZone})` : '';
  return `${kind} ${schedule} for ${duration}${zone}${manualSync ? ', manual syncs allowed' : ''}`;
}

/** What most projects do not say, where one does. */
export function restParts(spec: Spec): { title: string; items: string[] }[] {
  const orphans = spec.orphanedResources;
  return [
    { title: 'Permitted kinds of namespaces', items: (spec.namespaceResourceWhitelist ?? []).map(kindWords) },
    { title: 'Refused cluster-scoped kinds', items: (spec.clusterResourceBlacklist ?? []).map(kindWords) },
    { title: 'Namespaces of applications', items: spec.sourceNamespaces ?? [] },
    {
      title: 'Syncs as',
      items: (spec.destinationServiceAccounts ?? []).map(
        ({ server, namespace, defaultServiceAccount }) =>
          `${defaultServiceAccount ?? ''} in ${destinationWords({ ...(server ? { server } : {}), ...(namespace ? { namespace } : {}) })}`,
      ),
    },
    { title: 'Orphaned objects', items: orphans ? [orphans.warn === false ? 'shown' : 'shown, with a warning'] : [] },
  ].filter(({ items }) => items.length > 0);
}
