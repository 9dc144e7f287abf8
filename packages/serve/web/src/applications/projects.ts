import type { Project } from '../api/model.ts';
import { t } from '../i18n/texts.ts';

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
  const when = t('{kind} {schedule} for {duration}', { kind, schedule, duration });
  return `${when}${zone}${manualSync ? `, ${t('manual syncs allowed')}` : ''}`;
}

/** What most projects do not say, where one does. */
export function restParts(spec: Spec): { title: string; items: string[] }[] {
  const orphans = spec.orphanedResources;
  return [
    { title: t('Permitted kinds of namespaces'), items: (spec.namespaceResourceWhitelist ?? []).map(kindWords) },
    { title: t('Refused cluster-scoped kinds'), items: (spec.clusterResourceBlacklist ?? []).map(kindWords) },
    { title: t('Namespaces of applications'), items: spec.sourceNamespaces ?? [] },
    {
      title: t('Syncs as'),
      items: (spec.destinationServiceAccounts ?? []).map(({ server, namespace, defaultServiceAccount }) =>
        t('{account} in {place}', {
          account: defaultServiceAccount ?? '',
          place: destinationWords({ ...(server ? { server } : {}), ...(namespace ? { namespace } : {}) }),
        }),
      ),
    },
    {
      title: t('Signatures that commits need'),
      items: (spec.sourceIntegrity?.git?.policies ?? []).map(({ repos, gpg }) =>
        [(repos ?? []).map(({ url }) => url).join(', '), gpg?.mode, ...(gpg?.keys ?? [])].filter(Boolean).join(' '),
      ),
    },
    {
      title: t('Objects that may belong to nobody'),
      items: (orphans?.ignore ?? []).map(
        ({ group, kind, name }) => `${group ? `${group}/` : ''}${kind || '*'} ${name || '*'}`,
      ),
    },
    {
      title: t('Orphaned objects'),
      items: orphans ? [orphans.warn === false ? t('shown') : t('shown, with a warning')] : [],
    },
  ].filter(({ items }) => items.length > 0);
}
