import { defineDiagnosis } from '@tiphys/diagnosis';

export const notPromotable = defineDiagnosis('RolloutNotPromotable', 'A Rollout cannot be promoted as was asked');
export const noRevision = defineDiagnosis('RolloutRevisionMissing', 'A Rollout has no ReplicaSet of a revision');
export const noContainer = defineDiagnosis('ContainerNotInTemplate', 'A pod template has no container of a name');
export const notRestorable = defineDiagnosis(
  'WorkloadNotChangeable',
  'The workload that a Rollout refers to cannot be changed by this command',
);
export const notCreatable = defineDiagnosis(
  'NotOfRollouts',
  'An object is of a kind that the commands of Rollouts do not create',
);
