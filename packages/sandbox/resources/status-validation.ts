import type { KubeObject } from '@tiphys/kubernetes';
import type { FieldErrors } from '../server/field-errors.ts';
import { qualifiedNameProblems } from '../server/object-meta.ts';
import type { Strategy } from '../server/strategy.ts';

type Status = Record<string, unknown>;
type Rule = NonNullable<Strategy['validateStatus']>;

const statusOf = ({ status }: KubeObject): Status => (status ?? {}) as Status;
const numberOf = (status: Status, field: string): number => Number(status[field] ?? 0);

/** Counts that may not be negative, those that may not exceed all replicas, and what is said of more available than ready. */
function counts(fields: readonly string[], parts: readonly string[] = [], available?: string): Rule {
  return (object, old, errors) => {
    const status = statusOf(object);
    for (const field of fields)
      if (numberOf(status, field) < 0)
        errors.invalid(`status.${field}`, numberOf(status, field), 'must be greater than or equal to 0');
    for (const field of parts)
      if (numberOf(status, field) > numberOf(status, 'replicas'))
        errors.invalid(`status.${field}`, numberOf(status, field), 'cannot be greater than status.replicas');
    if (available && numberOf(status, 'availableReplicas') > numberOf(status, 'readyReplicas'))
      errors.invalid(
        'status.availableReplicas',
        numberOf(status, 'availableReplicas'),
        `cannot be greater than ${available}`,
      );
    const before = statusOf(old).collisionCount;
    if (before !== undefined && numberOf(status, 'collisionCount') < Number(before))
      errors.invalid('status.collisionCount', numberOf(status, 'collisionCount'), 'cannot be decremented');
  };
}

export const deploymentStatus = counts(
  [
    'observedGeneration',
    'replicas',
    'updatedReplicas',
    'readyReplicas',
    'availableReplicas',
    'unavailableReplicas',
    'terminatingReplicas',
    'collisionCount',
  ],
  ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
  'readyReplicas',
);

/** Of ReplicaSets and ReplicationControllers. */
export const replicaSetStatus = counts(
  [
    'replicas',
    'fullyLabeledReplicas',
    'readyReplicas',
    'availableReplicas',
    'observedGeneration',
    'terminatingReplicas',
  ],
  ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
  'readyReplicas',
);

export const statefulSetStatus = counts(
  [
    'replicas',
    'readyReplicas',
    'currentReplicas',
    'updatedReplicas',
    'availableReplicas',
    'observedGeneration',
    'collisionCount',
  ],
  ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
  'status.readyReplicas',
);

export const daemonSetStatus = counts([
  'currentNumberScheduled',
  'numberMisscheduled',
  'desiredNumberScheduled',
  'numberReady',
  'observedGeneration',
  'updatedNumberScheduled',
  'numberAvailable',
  'numberUnavailable',
  'collisionCount',
]);

const jobCounts = counts(['active', 'succeeded', 'failed', 'ready', 'terminating']);

export const jobStatus: Rule = (object, old, errors) => {
  jobCounts(object, old, errors);
  const [now, before] = [statusOf(object), statusOf(old)];
  const complete = isTrue(now, 'Complete');
  const timeChanged = now.completionTime !== before.completionTime || complete !== isTrue(before, 'Complete');
  if (timeChanged && now.completionTime && !complete)
    errors.invalid(
      'status.completionTime',
      now.completionTime,
      'cannot set completionTime when there is no Complete=True condition',
    );
  if (timeChanged && !now.completionTime && complete)
    errors.required('status.completionTime', 'completionTime is required for Complete jobs');
  const countsChanged = now.ready !== before.ready || numberOf(now, 'active') !== numberOf(before, 'active');
  if (countsChanged && numberOf(now, 'ready') > numberOf(now, 'active'))
    errors.invalid('status.ready', now.ready, 'cannot set more ready pods than active');
  for (const type of ['Failed', 'Complete', 'FailureTarget'])
    if (isTrue(before, type) && !isTrue(now, type))
      errors.invalidWhole('status.conditions', `cannot disable the terminal ${type}=True condition`);
  if (numberOf(now, 'failed') < numberOf(before, 'failed'))
    errors.invalid('status.failed', numberOf(now, 'failed'), 'cannot decrease the failed counter');
};

/** Conditions that are not the system's own have qualified names; how a pod ranks for eviction is settled. */
export function podStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const status = statusOf(object);
  conditionsOf(status).forEach(({ type = '' }, index) => {
    if (SYSTEM_CONDITIONS.includes(type)) return;
    for (const text of qualifiedNameProblems(type)) errors.invalid(`status.conditions[${index}].Type`, type, text);
  });
  if (numberOf(status, 'observedGeneration') < 0)
    errors.invalid('status.observedGeneration', status.observedGeneration, 'must be a non-negative integer');
  if (status.qosClass !== statusOf(old).qosClass)
    errors.invalid('status.qosClass', status.qosClass ?? '', 'field is immutable');
}

const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

function conditionsOf({ conditions }: Status): { type?: string; status?: string }[] {
  return (conditions ?? []) as { type?: string; status?: string }[];
}

function isTrue(status: Status, type: string): boolean {
  return conditionsOf(status).some((condition) => condition.type === type && condition.status === 'True');
}
