import type { ResourceStatus } from './api/model.ts';
import { resourceKey, type SyncChoices } from './sync-request.ts';

export type Effect = 'create' | 'change' | 'apply' | 'delete' | 'leave' | 'hook';

export interface PreviewRow {
  readonly key: string;
  readonly resource: ResourceStatus;
  readonly chosen: boolean;
  readonly effect: Effect;
  /** What will be done to it, for people. */
  readonly words: string;
}

/**
 * What a sync with these choices will do to each object, as the last comparison knows it. With `chosen` only some are looked
 * at; hooks run in whole syncs alone.
 */
export function previewSync(resources: readonly ResourceStatus[], choices: SyncChoices): PreviewRow[] {
  return resources.map((resource) => {
    const key = resourceKey(resource);
    const chosen = choices.chosen?.has(key) ?? true;
    const [effect, words]: [Effect, string] = chosen ? effectOf(resource, choices) : ['leave', 'not chosen'];
    return { key, resource, chosen, effect, words };
  });
}

function effectOf(resource: ResourceStatus, choices: SyncChoices): [Effect, string] {
  const { applyOnly, prune, force, switches: on } = choices;
  if (resource.hook) {
    if (applyOnly) return ['leave', 'hook, left out'];
    return choices.chosen ? ['leave', 'hooks run in whole syncs alone'] : ['hook', 'hook, runs'];
  }
  if (resource.requiresPruning) {
    if (!prune) return ['leave', 'left over, stays: prune is off'];
    const late = on.has('PruneLast=true') ? ' last' : '';
    return ['delete', `deleted${late}${choices.propagation === 'foreground' ? '' : ` (${choices.propagation})`}`];
  }
  const how = on.has('Replace=true') ? 'replaced' : 'changed';
  const forced = force ? ', deleted first if need be' : '';
  if (resource.status === 'OutOfSync')
    return resource.health?.status === 'Missing' ? ['create', 'created'] : ['change', `${how}${forced}`];
  if (on.has('ApplyOutOfSyncOnly=true')) return ['leave', 'in sync, left alone'];
  return ['apply', on.has('Replace=true') ? `replaced${forced}` : 'applied again, no change expected'];
}

const countWords: Readonly<Record<Exclude<Effect, 'leave'>, string>> = {
  create: 'created',
  change: 'changed',
  delete: 'deleted',
  apply: 'applied again',
  hook: 'run as hooks',
};

/** `1 created, 2 changed, 1 deleted`; what a sync will do in one line. */
export function previewWords(rows: readonly PreviewRow[]): string {
  const parts = (Object.keys(countWords) as Exclude<Effect, 'leave'>[]).flatMap((effect) => {
    const count = rows.filter((row) => row.effect === effect).length;
    return count > 0 ? [`${count} ${countWords[effect]}`] : [];
  });
  return parts.length > 0 ? parts.join(', ') : 'nothing is done';
}
