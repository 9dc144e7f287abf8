import { type FieldErrors, isDnsSubdomain, qualifiedNameProblems, type Strategy } from '@tiphys/apimachinery';
import type { coreV1, KubeObject } from '@tiphys/kubernetes';
import { podAddresses } from '../shared/address-status.ts';
import type { PodObject } from '../shared/shapes.ts';

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

/** Conditions that are not the system's own have qualified names; how a pod ranks for eviction is settled. */
export function podStatus(object: KubeObject, old: KubeObject, errors: FieldErrors): void {
  const status = statusOf(object);
  conditionsOf(status).forEach(({ type = '', observedGeneration = 0 }, index) => {
    if (observedGeneration < 0)
      errors.invalid(
        `status.conditions[${index}].observedGeneration`,
        observedGeneration,
        'must be a non-negative integer',
      );
    if (SYSTEM_CONDITIONS.includes(type)) return;
    for (const text of qualifiedNameProblems(type)) errors.invalid(`status.conditions[${index}].Type`, type, text);
  });
  const { nominatedNodeName = '' } = status as coreV1.PodStatus;
  if (nominatedNodeName && nominatedNodeName !== statusOf(old).nominatedNodeName)
    for (const text of isDnsSubdomain(nominatedNodeName))
      errors.invalid('status.nominatedNodeName', nominatedNodeName, text);
  if (numberOf(status, 'observedGeneration') < 0)
    errors.invalid('status.observedGeneration', status.observedGeneration, 'must be a non-negative integer');
  if (status.qosClass !== statusOf(old).qosClass)
    errors.invalid('status.qosClass', status.qosClass ?? '', 'field is immutable');
  validateClaimStatuses(object as PodObject, errors);
  podAddresses(object, old, errors);
  for (const field of ['containerStatuses', 'initContainerStatuses', 'ephemeralContainerStatuses'])
    validateUsers(object as PodObject, field, errors);
}

/** Claims of the pod's own, each once. */
function validateClaimStatuses({ spec, status }: PodObject, errors: FieldErrors): void {
  const statuses = ((status as Status | undefined)?.resourceClaimStatuses ?? []) as coreV1.PodResourceClaimStatus[];
  const claims = ((spec as coreV1.PodSpec).resourceClaims ?? []).map(({ name }) => name);
  const seen = new Set<string>();
  statuses.forEach(({ name = '', resourceClaimName }, index) => {
    const path = `status.resourceClaimStatuses[${index}].name`;
    if (!claims.includes(name)) errors.invalid(path, name, 'must match the name of an entry in `spec.resourceClaims`');
    if (seen.has(name)) errors.duplicate(path, name);
    seen.add(name);
    if (resourceClaimName !== undefined)
      for (const text of isDnsSubdomain(resourceClaimName)) errors.invalid(path, resourceClaimName, text);
  });
}

const MAX_ID = 2 ** 31 - 1;

/** Ids of the users that containers run as. */
function validateUsers({ spec, status }: PodObject, field: string, errors: FieldErrors): void {
  const os = (spec as coreV1.PodSpec).os?.name ?? 'linux';
  const statuses = ((status as Status | undefined)?.[field] ?? []) as coreV1.ContainerStatus[];
  statuses.forEach(({ user }, index) => {
    if (!user?.linux) return;
    const path = `status.${field}[${index}].user.linux`;
    if (os === 'windows') errors.forbidden(path, 'cannot be set for a windows pod');
    if (os !== 'linux') return;
    const check = (id: number, at: string) => {
      if (id < 0 || id > MAX_ID) errors.invalid(at, id, `must be between 0 and ${MAX_ID}, inclusive`);
    };
    const { uid = 0, gid = 0, supplementalGroups = [] } = user.linux;
    check(uid, `${path}.uid`);
    check(gid, `${path}.gid`);
    for (const [at, id] of supplementalGroups.entries()) check(id, `${path}.supplementalGroups[${at}]`);
  });
}

const SYSTEM_CONDITIONS = ['PodScheduled', 'Ready', 'Initialized'];

function conditionsOf({ conditions }: Status): { type?: string; observedGeneration?: number }[] {
  return (conditions ?? []) as coreV1.PodCondition[];
}
