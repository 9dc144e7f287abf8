import type { ApplicationSet, ApplicationSetCondition } from '@tiphys/api';
import { type Diagnosis, formatDiagnosis } from '@tiphys/diagnosis';

export type ConditionType =
  | 'ErrorOccurred'
  | 'ParametersGenerated'
  | 'ResourcesUpToDate'
  | 'RolloutProgressing'
  | 'Notice';

export interface NewCondition {
  readonly type: ConditionType;
  readonly status: 'True' | 'False';
  readonly reason: string;
  readonly message: string;
}

/** The condition of a whole pass: an error, or all is well. */
export type Outcome =
  | { readonly kind: 'up-to-date' }
  /** Nothing failed, but deletions wait. */
  | { readonly kind: 'held'; readonly reason: string; readonly message: string }
  | { readonly kind: 'error'; readonly reason: string; readonly message: string };

const generated = 'All applications have been generated successfully';

/** The conditions that follow from the outcome of a pass, with upstream's reasons and words. */
export function conditionsOf(outcome: Outcome, parametersGenerated: boolean): NewCondition[] {
  const parameters: NewCondition = parametersGenerated
    ? {
        type: 'ParametersGenerated',
        status: 'True',
        reason: 'ParametersGenerated',
        message: 'Successfully generated parameters for all Applications',
      }
    : {
        type: 'ParametersGenerated',
        status: 'False',
        reason: 'ErrorOccurred',
        message: outcome.kind === 'error' ? outcome.message : '',
      };
  if (outcome.kind === 'up-to-date') {
    const words = { reason: 'ApplicationSetUpToDate', message: generated };
    return [
      { type: 'ErrorOccurred', status: 'False', ...words },
      parameters,
      { type: 'ResourcesUpToDate', status: 'True', ...words },
    ];
  }
  const { reason, message } = outcome;
  if (outcome.kind === 'held')
    return [
      { type: 'ErrorOccurred', status: 'False', reason, message },
      parameters,
      { type: 'ResourcesUpToDate', status: 'False', reason, message },
    ];
  return [
    { type: 'ErrorOccurred', status: 'True', reason, message },
    parameters,
    { type: 'ResourcesUpToDate', status: 'False', reason: 'ErrorOccurred', message },
  ];
}

/** What is to be known of a set that is up to date, as a condition: other programs than ours show no diagnoses. */
export function noticeOf([first, ...more]: readonly Diagnosis[]): NewCondition[] {
  if (!first) return [];
  const remedy = first.remedies[0]?.text;
  const others = more.length > 0 ? ` (and ${more.length} more)` : '';
  const message = `${formatDiagnosis(first)}${others}${remedy ? ` → ${remedy}` : ''}`;
  return [{ type: 'Notice', status: 'True', reason: first.code, message }];
}

/** Puts conditions in place of those of their types, and takes the `removed` ones off. What says the same keeps its time. */
export function setConditions(
  status: NonNullable<ApplicationSet['status']>,
  conditions: readonly NewCondition[],
  { at, removed = [] }: { readonly at: string; readonly removed?: readonly ConditionType[] },
): void {
  const before = status.conditions ?? [];
  const types = new Set<string>(['Notice', ...conditions.map(({ type }) => type), ...removed]);
  const fresh = conditions.map((condition): ApplicationSetCondition => {
    const old = before.find(({ type }) => type === condition.type);
    const same =
      old && old.status === condition.status && old.reason === condition.reason && old.message === condition.message;
    return same ? old : { ...condition, lastTransitionTime: at };
  });
  status.conditions = [...before.filter(({ type }) => !types.has(type)), ...fresh].sort((a, b) =>
    a.type < b.type ? -1 : 1,
  );
  status.health = healthOf(status.conditions);
}

/** Upstream's rule: an error counts before a rollout, and a rollout before what is up to date. */
function healthOf(conditions: readonly ApplicationSetCondition[]): {
  status: 'Degraded' | 'Progressing' | 'Healthy' | 'Unknown';
  message: string;
} {
  if (conditions.length === 0) return { status: 'Unknown', message: 'No status conditions found for ApplicationSet' };
  const is = (wanted: ConditionType) => conditions.find(({ type, status }) => type === wanted && status === 'True');
  const failed = is('ErrorOccurred');
  if (failed) return { status: 'Degraded', message: failed.message };
  const progressing = is('RolloutProgressing');
  if (progressing) return { status: 'Progressing', message: progressing.message };
  const upToDate = is('ResourcesUpToDate');
  if (upToDate) return { status: 'Healthy', message: upToDate.message };
  return { status: 'Unknown', message: 'Waiting for health status to be determined' };
}
