import type { Experiment, Rollout } from '@tiphys/api';
import { ageOf, humanDuration } from '@tiphys/kubernetes';
import { goDuration, replicasOf, weightOfSteps } from '../objects/rollout.ts';
import { stepOf, strategyOf } from './describe.ts';
import { shownPhase } from './shown-phase.ts';

export const rolloutColumns: readonly string[] = [
  ...['NAME', 'STRATEGY', 'STATUS', 'STEP', 'SET-WEIGHT', 'READY', 'DESIRED', 'UP-TO-DATE', 'AVAILABLE'],
];

export const experimentColumns: readonly string[] = ['NAME', 'STATUS', 'DURATION', 'REMAINING', 'AGE'];

/** The cells of `rolloutColumns`. */
export function rolloutRow(rollout: Rollout): string[] {
  const { status = {} } = rollout;
  return [
    rollout.metadata.name ?? '',
    strategyOf(rollout) || 'unknown',
    shownPhase(rollout).phase,
    stepOf(rollout) ?? '-',
    rollout.spec.strategy.canary ? String(weightOfSteps(rollout)) : '-',
    `${status.readyReplicas ?? 0}/${status.replicas ?? 0}`,
    String(replicasOf(rollout)),
    String(status.updatedReplicas ?? 0),
    String(status.availableReplicas ?? 0),
  ];
}

/** The cells of `experimentColumns`; `now` in milliseconds since the epoch. */
export function experimentRow({ metadata, spec, status }: Experiment, now: number): string[] {
  const duration = goDuration(spec.duration ?? '');
  const isOver = ['Successful', 'Failed', 'Error', 'Inconclusive'].includes(status?.phase ?? '');
  const end = status?.availableAt && duration !== undefined ? Date.parse(status.availableAt) + duration : 0;
  return [
    metadata.name ?? '',
    status?.phase ?? '',
    duration === undefined ? '-' : humanDuration(duration),
    !isOver && end > now ? humanDuration(end - now) : '-',
    ageOf(metadata.creationTimestamp, now),
  ];
}
