import { objectsAt, textAt } from '../../model/fields.ts';
import type { Health } from '../../model/model.ts';
import { health } from '../conditions.ts';
import { cronJobHealth } from '../other-health.ts';
import { type Check, type Checks, conditions, firstOf, given, hasStatus, judge, listAt, when } from './check.ts';

/** The last condition counts, unless one before it disrupts. */
const disruptionBudget: Check = (budget) => {
  let last: Health = health('Progressing', 'Waiting for status');
  for (const condition of objectsAt(budget, 'status', 'conditions')) {
    const reason = textAt(condition, 'reason');
    const message = `PodDisruptionBudget has ${reason}`;
    if (condition.status === 'False' && reason !== 'InsufficientPods') return health('Degraded', message);
    last = health('Healthy', message);
  }
  return last;
};

const definition: Check = (crd) => {
  const list = objectsAt(crd, 'status', 'conditions');
  if (list.length === 0) return health('Progressing', 'Status conditions not found');
  const decided = judge(list, [
    when('Terminating', 'True', 'Progressing', ({ message }) => `CRD is terminating: ${message}`),
    when('NamesAccepted', 'False', 'Degraded', ({ message }) => `CRD names have not been accepted: ${message}`),
    when('NonStructuralSchema', 'True', 'Degraded', ({ message }) => `Schema violations found: ${message}`),
    {
      type: 'Established',
      unless: 'True',
      reason: 'Installing',
      code: 'Progressing',
      message: 'CRD is being installed',
    },
  ]);
  if (decided) return decided;
  const established = list.some(({ type, status }) => type === 'Established' && status === 'True');
  return established ? health('Healthy', 'CRD is healthy') : health('Degraded', 'CRD is not established');
};

const snapshot = firstOf(
  ['Progressing', 'Waiting for status'],
  given(({ status }) => (status as { readyToUse?: boolean } | undefined)?.readyToUse, 'Healthy', 'Ready to use'),
  given(
    ({ status }) => (status as { error?: object } | undefined)?.error,
    'Degraded',
    (object) => textAt(object, 'status', 'error', 'message'),
  ),
);

const route: Check = (object) => {
  if (!hasStatus(object) || !Array.isArray((object.status as { ingress?: unknown }).ingress))
    return health('Progressing', 'Route is still getting admitted');
  const rules = listAt(object, 'status', 'ingress');
  const admitted = rules.flatMap((rule) => objectsAt(rule, 'conditions').filter(({ type }) => type === 'Admitted'));
  if (admitted.filter(({ status }) => status === 'True').length === rules.length)
    return health('Healthy', 'Route is healthy');
  return admitted.some(({ status }) => status === 'False')
    ? health('Degraded', 'Route is degraded')
    : health('Progressing', 'Route is still getting admitted');
};

const deploymentConfig: Check = (object) => {
  const waiting = health('Progressing', 'replication controller is waiting for pods to run');
  const list = objectsAt(object, 'status', 'conditions');
  const replicas = (object.status as { replicas?: number } | undefined)?.replicas;
  if (replicas === undefined || !Array.isArray((object.status as { conditions?: unknown }).conditions)) return waiting;
  const good = list.filter(
    ({ type, status, reason }) =>
      status === 'True' &&
      (type === 'Available' || (type === 'Progressing' && reason === 'NewReplicationControllerAvailable')),
  ).length;
  if (good === 2 || replicas === 0) return health('Healthy', 'replication controller successfully rolled out');
  return good === 1 ? waiting : health('Degraded', 'Deployment config is degraded');
};

const storageCluster: Check = (object) => {
  const list = objectsAt(object, 'status', 'conditions');
  for (const [type, code] of [
    ['Degraded', 'Degraded'],
    ['Progressing', 'Progressing'],
    ['Available', 'Healthy'],
  ] as const) {
    const last = list.findLast((condition) => condition.type === type && condition.status === 'True');
    if (last) return health(code, textAt(last, 'message'));
  }
  return health('Unknown', 'StorageCluster is in an unknown state.');
};

/** Kinds of Kubernetes itself and of OpenShift. */
export const kubernetesKinds: Checks = {
  'apiextensions.k8s.io/CustomResourceDefinition': definition,
  'batch/CronJob': cronJobHealth,
  'policy/PodDisruptionBudget': disruptionBudget,
  'snapshot.storage.k8s.io/VolumeSnapshot': snapshot,
  'snapshot.storage.k8s.io/VolumeSnapshotContent': snapshot,
  'apps.openshift.io/DeploymentConfig': deploymentConfig,
  'ocs.openshift.io/StorageCluster': storageCluster,
  'operator.openshift.io/IngressController': firstOf(
    ['Progressing', 'Status of IngressController is not known yet'],
    conditions(
      when('Degraded', 'True', 'Degraded'),
      when('DeploymentReplicasAllAvailable', 'False', 'Progressing'),
      when('Progressing', 'True', 'Progressing', (condition) => textAt(condition, 'reason')),
      when('Available', 'True', 'Healthy', 'IngressController is available'),
    ),
  ),
  'route.openshift.io/Route': route,
};
