import type { ApplicationCondition, ApplicationStatus } from '@tiphys/api';
import { deepEqual } from '@tiphys/controller';
import { type Diagnosis, explainDiagnosis } from '@tiphys/diagnosis';

export type ConditionType =
  | 'DeletionError'
  | 'InvalidSpecError'
  | 'ComparisonError'
  | 'SyncError'
  | 'HydrationError'
  | 'OperationError'
  | 'OperationWaiting'
  | 'RenderWaiting'
  | 'ServerWarning'
  | 'HealthGateError'
  | 'HealthWarning'
  | 'ObjectWarning'
  | 'NotificationWarning'
  | 'UnknownError'
  | 'SharedResourceWarning'
  | 'RepeatedResourceWarning'
  | 'ExcludedResourceWarning'
  | 'OrphanedResourceWarning';

export interface Condition {
  readonly type: ConditionType;
  readonly diagnosis: Diagnosis;
  /** True for what is worth knowing but no error: it is told in `status.diagnoses` and makes no condition. */
  readonly notice?: boolean;
}

/**
 * Replaces the conditions of the owned types by the given ones, keeping the time of those that stay the same;
 * `status.diagnoses` follows with the whole diagnosis of each condition.
 */
export function setConditions(
  status: ApplicationStatus,
  owned: readonly ConditionType[],
  found: readonly Condition[],
  now: string,
): void {
  const before = status.conditions ?? [];
  const kept = before.filter(({ type }) => !owned.includes(type as ConditionType));
  const added = found
    .filter(({ notice }) => !notice)
    .map(({ type, diagnosis }): ApplicationCondition => {
      const message = explainDiagnosis(diagnosis);
      const same = before.find((condition) => condition.type === type && condition.message === message);
      return { type, message, lastTransitionTime: same?.lastTransitionTime ?? now };
    });
  const conditions = [...kept, ...added].sort((a, b) => (a.type + a.message < b.type + b.message ? -1 : 1));
  if (conditions.length > 0) status.conditions = conditions;
  else delete status.conditions;

  const stored = (status.diagnoses ?? []) as unknown as StoredDiagnosis[];
  const diagnoses = [
    ...stored.filter(({ condition }) => !owned.includes(condition)),
    ...found.map(({ type, diagnosis }): StoredDiagnosis => ({ condition: type, ...diagnosis })),
  ].sort((a, b) => (a.condition + a.message < b.condition + b.message ? -1 : 1));
  if (diagnoses.length === 0) delete status.diagnoses;
  else if (!deepEqual(diagnoses, stored))
    status.diagnoses = diagnoses as unknown as NonNullable<ApplicationStatus['diagnoses']>;
}

/** A diagnosis in `status.diagnoses`, with the condition that it stands for. */
export interface StoredDiagnosis extends Diagnosis {
  readonly condition: ConditionType;
}
