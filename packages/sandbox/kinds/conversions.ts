import type { KubeObject } from '@tiphys/kubernetes';
import { autoscalerToV1, autoscalerToV2 } from './autoscaling/horizontal-pod-autoscaler.ts';
import { eventToCore, eventToNew } from './events/events.ts';

/** How a version that is not the stored one is read and written. */
export interface Conversion {
  readonly collection: string;
  /** Name of the stored version's type. */
  readonly storedType: string;
  readonly toStored: (object: KubeObject) => KubeObject;
  readonly fromStored: (object: KubeObject) => KubeObject;
}

const CONVERSIONS: Record<string, Conversion> = {
  'autoscaling/v1/horizontalpodautoscalers': {
    collection: 'autoscaling/horizontalpodautoscalers',
    storedType: 'autoscaling/v2.HorizontalPodAutoscaler',
    toStored: autoscalerToV2,
    fromStored: autoscalerToV1,
  },
  'events.k8s.io/v1/events': {
    collection: 'events',
    storedType: 'core/v1.Event',
    toStored: eventToCore,
    fromStored: eventToNew,
  },
};

/** The conversion of a built-in resource, or undefined where the version is the stored one. */
export function conversionOf(group: string, version: string, plural: string): Conversion | undefined {
  return CONVERSIONS[`${group}/${version}/${plural}`];
}
