import type { KubeObject } from '@tiphys/kubernetes';
import { isObject, numberAt, textAt, valueAt } from '../model/fields.ts';
import type { Health } from '../model/model.ts';
import { conditionOf, health } from './conditions.ts';

const status = (object: KubeObject, field: string): number => numberAt(object, 'status', field) ?? 0;
const generation = ({ metadata }: KubeObject): number => metadata.generation ?? 0;
const name = ({ metadata }: KubeObject): string => JSON.stringify(metadata.name ?? '');

export function deploymentHealth(object: KubeObject): Health {
  if (valueAt(object, 'spec', 'paused') === true) return health('Suspended', 'Deployment is paused');
  if (generation(object) > status(object, 'observedGeneration')) {
    return health(
      'Progressing',
      'Waiting for rollout to finish: observed deployment generation less than desired generation',
    );
  }
  if (conditionOf(object, 'Progressing')?.reason === 'ProgressDeadlineExceeded') {
    return health('Degraded', `Deployment ${name(object)} exceeded its progress deadline`);
  }
  const wanted = numberAt(object, 'spec', 'replicas');
  const updated = status(object, 'updatedReplicas');
  const all = status(object, 'replicas');
  const available = status(object, 'availableReplicas');
  if (wanted !== undefined && updated < wanted) {
    return health(
      'Progressing',
      `Waiting for rollout to finish: ${updated} out of ${wanted} new replicas have been updated...`,
    );
  }
  if (all > updated) {
    return health(
      'Progressing',
      `Waiting for rollout to finish: ${all - updated} old replicas are pending termination...`,
    );
  }
  if (available < updated) {
    return health(
      'Progressing',
      `Waiting for rollout to finish: ${available} of ${updated} updated replicas are available...`,
    );
  }
  return health('Healthy');
}

export function replicaSetHealth(object: KubeObject): Health {
  if (generation(object) > status(object, 'observedGeneration')) {
    return health(
      'Progressing',
      'Waiting for rollout to finish: observed replica set generation less than desired generation',
    );
  }
  const failure = conditionOf(object, 'ReplicaFailure');
  if (failure?.status === 'True') return health('Degraded', failure.message);
  const wanted = numberAt(object, 'spec', 'replicas');
  const available = status(object, 'availableReplicas');
  if (wanted !== undefined && available < wanted) {
    return health(
      'Progressing',
      `Waiting for rollout to finish: ${available} out of ${wanted} new replicas are available...`,
    );
  }
  return health('Healthy');
}

export function statefulSetHealth(object: KubeObject): Health {
  const observed = status(object, 'observedGeneration');
  if (observed === 0 || generation(object) > observed) {
    return health('Progressing', 'Waiting for statefulset spec update to be observed...');
  }
  const wanted = numberAt(object, 'spec', 'replicas');
  const ready = status(object, 'readyReplicas');
  const updated = status(object, 'updatedReplicas');
  if (wanted !== undefined && ready < wanted)
    return health('Progressing', `Waiting for ${wanted - ready} pods to be ready...`);
  const strategy = textAt(object, 'spec', 'updateStrategy', 'type');
  if (strategy === 'RollingUpdate' && isObject(valueAt(object, 'spec', 'updateStrategy', 'rollingUpdate'))) {
    const partition = numberAt(object, 'spec', 'updateStrategy', 'rollingUpdate', 'partition');
    if (wanted !== undefined && partition !== undefined && updated < wanted - partition) {
      return health(
        'Progressing',
        `Waiting for partitioned roll out to finish: ${updated} out of ${wanted - partition} new pods have been updated...`,
      );
    }
    return health('Healthy', `partitioned roll out complete: ${updated} new pods have been updated...`);
  }
  if (strategy === 'OnDelete') return health('Healthy', `statefulset has ${ready} ready pods`);
  const updateRevision = textAt(object, 'status', 'updateRevision');
  const currentRevision = textAt(object, 'status', 'currentRevision');
  if (updateRevision !== currentRevision) {
    return health(
      'Progressing',
      `waiting for statefulset rolling update to complete ${updated} pods at revision ${updateRevision}...`,
    );
  }
  return health(
    'Healthy',
    `statefulset rolling update complete ${status(object, 'currentReplicas')} pods at revision ${currentRevision}...`,
  );
}

export function daemonSetHealth(object: KubeObject): Health {
  if (generation(object) > status(object, 'observedGeneration')) {
    return health(
      'Progressing',
      'Waiting for rollout to finish: observed daemon set generation less than desired generation',
    );
  }
  const updated = status(object, 'updatedNumberScheduled');
  const wanted = status(object, 'desiredNumberScheduled');
  const available = status(object, 'numberAvailable');
  if (textAt(object, 'spec', 'updateStrategy', 'type') === 'OnDelete') {
    return health('Healthy', `daemon set ${updated} out of ${wanted} new pods have been updated`);
  }
  if (updated < wanted) {
    return health(
      'Progressing',
      `Waiting for daemon set ${name(object)} rollout to finish: ${updated} out of ${wanted} new pods have been updated...`,
    );
  }
  if (available < wanted) {
    return health(
      'Progressing',
      `Waiting for daemon set ${name(object)} rollout to finish: ${available} of ${wanted} updated pods are available...`,
    );
  }
  return health('Healthy');
}
