import type { Application, ApplicationSet, ApplicationSetRolloutStep } from '@tiphys/api';

/** The strategy has steps, and is chosen. */
export function isRollingSync({ spec: { strategy } }: ApplicationSet): boolean {
  return strategy?.type === 'RollingSync' && strategy.rollingSync !== undefined;
}

export function stepsOf(set: ApplicationSet): readonly ApplicationSetRolloutStep[] {
  return isRollingSync(set) ? (set.spec.strategy?.rollingSync?.steps ?? []) : [];
}

/** Applications are to be deleted step by step, the last step first. */
export function deletesInReverse(set: ApplicationSet): boolean {
  return stepsOf(set).length > 0 && set.spec.strategy?.deletionOrder?.toLowerCase() === 'reverse';
}

/**
 * The step of each Application by name, counted from 0; absent for those that no step selects. One that several select belongs to the
 * first. Upstream rule: every expression of a step must hold; `In` wants the label, `NotIn` does not.
 */
export function stepOfEach(set: ApplicationSet, applications: readonly Application[]): Map<string, number> {
  const steps = stepsOf(set);
  const result = new Map<string, number>();
  for (const { metadata } of applications) {
    const index = steps.findIndex(({ matchExpressions = [] }) =>
      matchExpressions.every(({ key = '', operator, values = [] }) => {
        const label = metadata.labels?.[key];
        if (operator === 'In') return label !== undefined && values.includes(label);
        return operator === 'NotIn' ? label === undefined || !values.includes(label) : label === undefined;
      }),
    );
    if (index >= 0) result.set(metadata.name ?? '', index);
  }
  return result;
}

/** How many of a step may be under way at once; all if it does not say. A share is rounded down, but not to none. */
export function maxUpdateOf({ maxUpdate }: ApplicationSetRolloutStep, total: number): number {
  if (maxUpdate === undefined || maxUpdate === null) return total;
  if (typeof maxUpdate === 'number') return maxUpdate;
  const percent = /^(\d{1,4})%$/.exec(maxUpdate)?.[1];
  if (percent === undefined) return 0;
  return percent === '0' ? 0 : Math.max(1, Math.floor((total * Number(percent)) / 100));
}
