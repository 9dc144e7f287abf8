import type { InformerChange, KubeObject } from '@tiphys/kubernetes';
import { applicationAnnotation } from '../sources/application-secret.ts';
import type { TriggerParts } from './trigger-parts.ts';

/**
 * A change of the Secret that records what an application's charts have generated. Anyone who deletes it wants other values, or
 * has made a mistake that must show; a process that only compares takes over what the other one records.
 */
export function takeUpGeneratedValues(
  { store, controller, queue }: TriggerParts,
  { type, object }: InformerChange<KubeObject>,
): void {
  const key = object.metadata.annotations?.[applicationAnnotation];
  const application = key === undefined ? undefined : store.get(key);
  if (key === undefined || !application || (type !== 'deleted' && controller.delivers(application))) return;
  controller.memoryOf(key).outdated();
  queue.add(key);
}
