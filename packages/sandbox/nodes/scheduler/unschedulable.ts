import {
  type Controller,
  conditionOf,
  type ObjectStore,
  type Pod,
  type SeriesRecorder,
  withoutCondition,
} from '@tiphys/kube-controllers';
import { timestamp } from '@tiphys/kubernetes';
import type { Nominations } from './nominations.ts';
import type { Budget } from './preemption.ts';

/** What the scheduler reads and writes. */
export interface SchedulerIo {
  controller: Controller;
  pods: ObjectStore<Pod>;
  nominations: Nominations;
  budgets: ObjectStore<Budget>;
  events: SeriesRecorder;
}

/** Says in the pod's status and by an event why no node takes it; `nominatedNodeName` stays as it is if absent. */
export async function tellUnschedulable(
  { controller, pods, events }: SchedulerIo,
  pod: Pod,
  { message, nominatedNodeName = pod.status?.nominatedNodeName ?? '' }: { message: string; nominatedNodeName?: string },
): Promise<undefined> {
  const { nominatedNodeName: nominated = '', ...status } = pod.status ?? {};
  const before = conditionOf(status.conditions, 'PodScheduled');
  if (before?.message === message && nominated === nominatedNodeName) return undefined;
  const condition = {
    type: 'PodScheduled',
    ...(pod.metadata.generation ? { observedGeneration: pod.metadata.generation } : {}),
    status: 'False' as const,
    lastProbeTime: null,
    reason: 'Unschedulable',
    message,
    lastTransitionTime: (before?.status === 'False' && before.lastTransitionTime) || timestamp(controller.clock.now()),
  };
  await controller.updateStatus(pods, {
    ...pod,
    status: {
      ...status,
      ...(nominatedNodeName ? { nominatedNodeName } : {}),
      conditions: [...withoutCondition(status.conditions, 'PodScheduled'), condition],
    },
  });
  events.event(pod, { type: 'Warning', reason: 'FailedScheduling', action: 'Scheduling', note: message });
  return undefined;
}
