import type { Application } from '@tiphys/api';
import { type Output, structured, table } from '../../terminal/output.ts';
import { paintStatus } from '../../terminal/status-colour.ts';
import { sourceOf } from '../common/source-of.ts';

/** What `tiphys app list` prints, in the columns of `argocd app list`. */
export function printApplications(output: Output, applications: readonly Application[], format: string): void {
  if (format === 'json' || format === 'yaml') {
    output.out(structured(format, applications));
    return;
  }
  if (format === 'name') {
    output.out(applications.map(qualifiedName).join('\n'));
    return;
  }
  const rows = applications.map((application) => [
    qualifiedName(application),
    application.spec.destination.server || application.spec.destination.name || '',
    application.spec.destination.namespace ?? '',
    application.spec.project || 'default',
    application.status?.sync?.status ?? 'Unknown',
    application.status?.health?.status ?? 'Unknown',
    syncPolicy(application),
    conditions(application),
    ...(format === 'wide'
      ? [
          sourceOf(application)?.repoURL ?? '',
          sourceOf(application)?.path ?? '',
          sourceOf(application)?.targetRevision ?? '',
        ]
      : []),
  ]);
  const header = [
    'NAME',
    'CLUSTER',
    'NAMESPACE',
    'PROJECT',
    'STATUS',
    'HEALTH',
    'SYNCPOLICY',
    'CONDITIONS',
    ...(format === 'wide' ? ['REPO', 'PATH', 'TARGET'] : []),
  ];
  output.out(colourCells(output, table([header, ...rows])));
}

export function qualifiedName({ metadata }: Application): string {
  return `${metadata.namespace}/${metadata.name}`;
}

function syncPolicy({ spec }: Application): string {
  const automated = spec.syncPolicy?.automated;
  if (!automated || automated.enabled === false) return 'Manual';
  return automated.prune ? 'Auto-Prune' : 'Auto';
}

function conditions({ status }: Application): string {
  const types = (status?.conditions ?? []).map(({ type }) => type);
  return types.length === 0 ? '<none>' : [...new Set(types)].join(',');
}

/** Colours go in after padding, so that the columns stay aligned. */
function colourCells(output: Output, text: string): string {
  if (!output.colours) return text;
  return text.replace(/\b(Healthy|Synced|Progressing|OutOfSync|Missing|Suspended|Degraded)\b/g, (word) =>
    paintStatus(output, word),
  );
}
