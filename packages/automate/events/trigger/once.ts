import { createHash } from 'node:crypto';
import { isAlreadyExists, type KubeObject } from '@tiphys/kubernetes';
import type { Action, TriggerContext } from './trigger.ts';

/**
 * On an object that a trigger creates: it is made once for the events that asked for it, however often the action is tried. On a
 * Sensor: the same for all that its triggers create or call, where the other side can tell.
 */
export const onceAnnotation = 'events.tiphys.dev/once';

export interface Made {
  readonly done: string;
  readonly result: KubeObject;
}

/**
 * Creates an object. One that is to be made once gets the end of its name from the events instead of from the API server; if it is
 * there, it was made for the same events, and is given as it is.
 */
export async function createOnce(object: KubeObject, action: Action, context: TriggerContext): Promise<Made> {
  const { metadata, apiVersion, kind } = object;
  const { client } = context;
  const isOnce = context.isOnce || metadata.annotations?.[onceAnnotation] === 'true';
  const named = { ...object, metadata: { ...metadata } };
  const isMadeOfEvents = isOnce && metadata.generateName !== undefined && !metadata.name;
  if (isMadeOfEvents) {
    named.metadata.name = `${metadata.generateName}${eventsHash(action)}`;
    delete named.metadata.generateName;
  }
  try {
    const result = await client.create(named, { signal: action.signal });
    return { done: `created ${shown(result)}`, result };
  } catch (error) {
    if (!isOnce || !isAlreadyExists(error)) throw error;
    const { name = '', namespace } = named.metadata;
    const result = await client.get({ apiVersion, kind, name, ...(namespace ? { namespace } : {}) });
    return { done: `${shown(named)} was made for the same events before`, result };
  }
}

/** The same text for the same events and trigger, whatever order the events came in; 10 characters for a name. */
export function eventsHash({ events, template }: Action, length = 10): string {
  const ids = [...events.values()].map(({ id }) => id).sort();
  return createHash('sha256')
    .update(JSON.stringify([template.name, ids]))
    .digest('hex')
    .slice(0, length);
}

/** An object as it is told: `Kind namespace/name`. */
export function shown({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.namespace ? `${metadata.namespace}/` : ''}${metadata.name ?? metadata.generateName ?? ''}`;
}
