import type { Experiment, Rollout } from '@tiphys/api';
import { goDuration } from '@tiphys/go';
import { ageOf, humanDuration } from '@tiphys/kubernetes';
import { replicasOf, weightOfSteps } from '../objects/rollout.ts';
import { stepOf, strategyOf } from './describe.ts';
import { shownPhase } from './shown-phase.ts';

export const rolloutColumns: readonly string[] = [
  ...['NAME', 'STRATEGY', 'STATUS', 'STEP', 'SET-WEIGHT', 'READY', 'DESIRED', 'UP-TO-DATE', 'AVAILABLE'],
];

/** Cells are at least so wide, by column: rows that follow in a watch are then mostly in line with the first ones. */
const leastWidths: Readonly<Record<string, number>> = {
  TIMESTAMP: 20,
  NAMESPACE: 9,
  NAME: 10,
  STRATEGY: 9,
  STATUS: 12,
  STEP: 4,
  'SET-WEIGHT': 10,
  READY: 5,
  DESIRED: 7,
  'UP-TO-DATE': 10,
  AVAILABLE: 9,
  DURATION: 8,
  REMAINING: 9,
  AGE: 3,
};

/** Rows under columns, each cell two blanks from the next; with `header` false the rows alone. */
export function columnsText(columns: readonly string[], rows: readonly (readonly string[])[], header = true): string {
  const isExperiments = columns.includes('REMAINING');
  const least = columns.map((column) => (isExperiments && column === 'STATUS' ? 6 : (leastWidths[column] ?? 0)));
  const padded = rows.map((row) => row.map((cell, index) => cell.padEnd(least[index] ?? 0)));
  const all = header ? [columns, ...padded] : padded;
  const widths = columns.map((_, index) => Math.max(...all.map((row) => (row[index] ?? '').length)));
  const line = (row: readonly string[]) =>
    row.map((cell, index) => (index === row.length - 1 ? cell : cell.padEnd((widths[index] ?? 0) + 2))).join('');
  return all.map(line).join('\n');
}

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
