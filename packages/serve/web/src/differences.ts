import { stringify } from 'yaml';
import type { ManagedResource } from './api/model.ts';

export interface DifferingResource {
  title: string;
  change: 'will be created' | 'will be deleted' | 'will be changed';
  live: string;
  desired: string;
}

/** The objects whose live and predicted states differ, as YAML. Hooks are no part of the desired state. */
export function differingResources(items: readonly ManagedResource[]): DifferingResource[] {
  return items.flatMap((item): DifferingResource[] => {
    const live = toYaml(item.normalizedLiveState);
    const desired = toYaml(item.predictedLiveState);
    if (item.hook || live === desired) return [];
    const title = `${item.group ? `${item.group}/` : ''}${item.kind} ${item.namespace ? `${item.namespace}/` : ''}${item.name}`;
    return [
      {
        title,
        live,
        desired,
        change: live === '' ? 'will be created' : desired === '' ? 'will be deleted' : 'will be changed',
      },
    ];
  });
}

function toYaml(state: string | undefined): string {
  if (!state || state === 'null') return '';
  return stringify(JSON.parse(state), { sortMapEntries: true, lineWidth: 0 });
}
