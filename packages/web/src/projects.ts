import type { Project } from './api/model.ts';

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
