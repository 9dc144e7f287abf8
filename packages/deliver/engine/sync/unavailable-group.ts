import { type Diagnosis, DiagnosisError, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { placeOf } from '../difference/desired-state.ts';
import { conditionOf } from '../health/conditions.ts';
import { textAt } from '../model/fields.ts';
import type { SyncTask } from './model.ts';
import type { StepRequest } from './step-request.ts';

const groupUnavailable = defineDiagnosis(
  'SyncApiGroupUnavailable',
  'The server behind the API group of a kind that is to be applied does not answer',
  'C13',
);

/**
 * Why a kind is not served although its group is announced: the APIService, its condition, its service. Undefined where the group
 * is none that another server serves.
 */
export async function unavailableGroup(
  task: SyncTask,
  { client, cache, signal }: Pick<StepRequest, 'client' | 'cache' | 'signal'>,
): Promise<Diagnosis | undefined> {
  const { group, kind } = task.key;
  if (!group) return undefined;
  const name = `${task.version}.${group}`;
  const announced = [...cache.unavailableGroups()].find(
    ([served]) => served === group || served.startsWith(`${group}/`),
  );
  const found = await apiService(name, { client, signal });
  const available = found && conditionOf(found, 'Available');
  const service = found
    ? [textAt(found, 'spec', 'service', 'namespace'), textAt(found, 'spec', 'service', 'name')]
    : [];
  const isDown = service[1] !== undefined && service[1] !== '' && available?.status !== 'True';
  if (!announced && !isDown) return undefined;
  return diagnose(groupUnavailable, {
    message: `APIService ${name} is unavailable, so ${kind} cannot be applied: ${available?.message || announced?.[1] || 'its server does not answer'}`,
    place: placeOf(task),
    evidence: {
      APIService: name,
      reason: available?.reason,
      service: service[1] ? service.join('/') : undefined,
    },
    remedies: [
      {
        text: 'See why the server behind the APIService is down, and restore its pods; the sync goes on by itself then',
        paste: service[1]
          ? `kubectl get apiservice ${name}; kubectl get endpointslices,pods -n ${service[0]} -l kubernetes.io/service-name=${service[1]}`
          : `kubectl describe apiservice ${name}`,
      },
    ],
  });
}

async function apiService(name: string, { client, signal }: Pick<StepRequest, 'client' | 'signal'>) {
  try {
    return await client.find({ apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', name }, { signal });
  } catch (error) {
    signal.throwIfAborted();
    // without the right to read it there is less to tell, and the sync fails all the same
    if (error instanceof DiagnosisError) return undefined;
    throw error;
  }
}
