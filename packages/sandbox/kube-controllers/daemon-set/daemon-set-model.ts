import type { KubeObject, LabelSelector } from '@tiphys/kubernetes';
import { scaledValue } from '../machinery/int-or-percent.ts';
import type { Condition, PodTemplate } from '../machinery/workload-model.ts';

export interface DaemonSetStatus {
  currentNumberScheduled: number;
  numberMisscheduled: number;
  desiredNumberScheduled: number;
  numberReady: number;
  observedGeneration?: number;
  updatedNumberScheduled?: number;
  numberAvailable?: number;
  numberUnavailable?: number;
  collisionCount?: number;
  conditions?: Condition[];
}

export interface DaemonSet extends KubeObject {
  spec: {
    selector: LabelSelector;
    template: PodTemplate;
    updateStrategy?: {
      type?: string;
      rollingUpdate?: { maxUnavailable?: number | string; maxSurge?: number | string };
    };
    minReadySeconds?: number;
    revisionHistoryLimit?: number;
  };
  status?: DaemonSetStatus;
}

/** How many pods more than nodes an update may run; of `desired` nodes. */
export function surgeOf({ spec }: DaemonSet, desired: number): number {
  const { type, rollingUpdate } = spec.updateStrategy ?? {};
  return type === 'OnDelete' ? 0 : scaledValue(rollingUpdate?.maxSurge, desired, 'up');
}

/** How many nodes an update may leave without an available pod; one if surge and this are both nothing. */
export function unavailableOf(set: DaemonSet, desired: number): number {
  const { type, rollingUpdate } = set.spec.updateStrategy ?? {};
  const count = type === 'OnDelete' ? 0 : scaledValue(rollingUpdate?.maxUnavailable ?? 1, desired, 'up');
  return count === 0 && surgeOf(set, desired) === 0 && desired > 0 ? 1 : count;
}
