import type { PlanRow, ResourceStatus } from '../api/model.ts';
import { t } from '../i18n/texts.ts';
import { resourceKey } from './sync-request.ts';

export type Effect = PlanRow['effect'];

export interface PreviewRow {
  readonly key: string;
  readonly resource: Pick<ResourceStatus, 'group' | 'kind' | 'namespace' | 'name' | 'status'>;
  readonly chosen: boolean;
  readonly effect: Effect;
  /** What will be done to it, for people; the planner's own words. */
  readonly words: string;
}

/**
 * The planner's rows of a whole sync, as the panel shows them: with `chosen` only some objects are worked on, and hooks run in
 * whole syncs alone.
 */
export function previewRows(
  plan: readonly PlanRow[],
  resources: readonly ResourceStatus[],
  chosen: ReadonlySet<string> | undefined,
): PreviewRow[] {
  const statuses = new Map(resources.map((resource) => [resourceKey(resource), resource.status]));
  return plan.map(({ effect, words, ...object }) => {
    const key = resourceKey(object);
    const status = statuses.get(key);
    const resource = { ...object, ...(status ? { status } : {}) };
    if (chosen && effect === 'hook')
      return { key, resource, chosen: false, effect: 'leave', words: t('hooks run in whole syncs alone') };
    if (chosen && !chosen.has(key)) return { key, resource, chosen: false, effect: 'leave', words: t('not chosen') };
    return { key, resource, chosen: true, effect, words };
  });
}

const countWords: Readonly<Record<Exclude<Effect, 'leave'>, string>> = {
  create: 'created',
  change: 'changed',
  delete: 'deleted',
  apply: 'applied again',
  hook: 'run as hooks',
};

/** `1 created, 2 changed, 1 deleted`; what a sync will do in one line. */
export function previewWords(rows: readonly Pick<PreviewRow, 'effect'>[]): string {
  const parts = (Object.keys(countWords) as Exclude<Effect, 'leave'>[]).flatMap((effect) => {
    const count = rows.filter((row) => row.effect === effect).length;
    return count > 0 ? [`${count} ${t(countWords[effect])}`] : [];
  });
  return parts.length > 0 ? parts.join(', ') : t('nothing is done');
}
