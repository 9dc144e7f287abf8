import type { RolloutStatus } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { isHealthy } from '../decide/conditions.ts';
import { podTrouble } from '../decide/pod-trouble.ts';
import { available, wanted } from '../objects/replica-set.ts';
import { ownerOf } from './restart.ts';
import type { Turn } from './turn.ts';

const podsNotAvailable = defineDiagnosis(
  'RolloutPodsNotAvailable',
  'Pods of the revision that a Rollout goes to do not become available',
);

/** As long as pods are waited for, the status names one and why it is not available. */
export function diagnoseWaiting(turn: Turn, status: RolloutStatus): void {
  const { desired, rollout, now } = turn;
  if (isHealthy(rollout, status)) return;
  if (wanted(desired) === 0 || available(desired) >= wanted(desired)) return;
  const diagnosis = waiting(turn, now);
  if (diagnosis) status.diagnoses = [diagnosis];
}

function waiting(turn: Turn, now: number): Diagnosis | undefined {
  const { desired, namespace } = turn;
  const failed = desired.status?.conditions?.find(({ type }) => type === 'ReplicaFailure');
  const object = `argoproj.io/Rollout ${namespace}/${turn.rollout.metadata.name}`;
  if (failed)
    return diagnose(podsNotAvailable, {
      message: `ReplicaSet ${desired.metadata.name} cannot make its pods: ${failed.message ?? failed.reason ?? ''}`,
      place: { object },
      remedies: ['Correct what the message names: a quota, an admission webhook, or the pod template'],
    });
  for (const pod of turn.context.pods(namespace)) {
    if (ownerOf(pod) !== desired.metadata.uid) continue;
    const trouble = podTrouble(pod, { now, minReadySeconds: turn.rollout.spec.minReadySeconds ?? 0 });
    if (!trouble) continue;
    return diagnose(podsNotAvailable, {
      message: `Pod ${pod.metadata.name} of ReplicaSet ${desired.metadata.name} is not available: ${trouble.reason}`,
      place: { object: `Pod ${namespace}/${pod.metadata.name}` },
      remedies: [trouble.remedy],
    });
  }
  return undefined;
}
