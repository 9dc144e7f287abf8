import type { Rollout, RolloutStatus } from '@tiphys/api';
import { type Diagnosis, defineDiagnosis, diagnose, diagnosisOf } from '@tiphys/diagnosis';
import { isHealthy } from '../../decide/conditions.ts';
import { podTrouble } from '../../decide/pod-trouble.ts';
import { available, wanted } from '../../objects/replica-set.ts';
import { isFullyPromoted } from '../../objects/rollout.ts';
import { releaseOf } from '../together.ts';
import type { Turn } from '../turn.ts';
import { diagnoseAnalysis } from './analysis-diagnosis.ts';

const podsNotAvailable = defineDiagnosis(
  'RolloutPodsNotAvailable',
  'Pods of the revision that a Rollout goes to do not become available',
);

/**
 * Says in a Rollout's status why it does not go on: its traffic router, a plugin or the API server failed. The next turn that
 * comes to its end takes it out. False where the status says so already.
 */
export function explainFailure(rollout: Rollout & { status: RolloutStatus }, error: unknown): boolean {
  const found = diagnosisOf(error);
  const [known] = rollout.status.diagnoses ?? [];
  if (known?.code === found.code && known.message === found.message) return false;
  rollout.status.diagnoses = [found];
  return true;
}

const endpointsMissing = defineDiagnosis(
  'RolloutEndpointsNotReady',
  'The Service of a Rollout does not lead to the pods that traffic is to go to',
);

/** Endpoints follow pods within moments: only when they do not, in milliseconds, there is something to be said. */
const endpointsTimeout = 10_000;

function diagnoseEndpoints(turn: Turn): Diagnosis | undefined {
  const { found, now, namespace, pass } = turn;
  const awaited = found.endpointsAwaited;
  const since = pass.memory.endpointsAwaited;
  if (!awaited || since === undefined || now - since < endpointsTimeout) return undefined;
  const { service, hash, ready, needed } = awaited;
  return diagnose(endpointsMissing, {
    message: `Traffic stays where it is: Service ${service} leads to ${ready} ready pods of ${hash}, and ${needed} are needed`,
    place: { object: `Service ${namespace}/${service}` },
    remedies: [
      `Look at what it leads to: kubectl get endpointslices -n ${namespace} -l kubernetes.io/service-name=${service}`,
      'See that the labels of the Service select the pods, and that the controller of EndpointSlices runs',
    ],
  });
}

const releaseBehind = defineDiagnosis(
  'RolloutReleaseBehind',
  'A Rollout waits for another one that it is released with',
);

function diagnoseRelease({ found, namespace, rollout }: Turn): Diagnosis | undefined {
  if (found.memberAwaited === undefined || isFullyPromoted(rollout)) return undefined;
  return diagnose(releaseBehind, {
    message: `The step does not end before Rollout ${found.memberAwaited} has come as far: both are of release ${releaseOf(rollout)}`,
    place: { object: `argoproj.io/Rollout ${namespace}/${found.memberAwaited}` },
    remedies: [
      `Look at what it waits for: tiphys rollouts get rollout ${found.memberAwaited} -n ${namespace}`,
      'Abort it, which aborts the whole release',
    ],
  });
}

/** What an analysis found, or, as long as pods are waited for, one of them and why it is not available. */
export function diagnoseWaiting(turn: Turn, status: RolloutStatus): void {
  const { desired, rollout, now } = turn;
  const unreached = diagnoseAnalysis(turn, status) ?? diagnoseEndpoints(turn) ?? diagnoseRelease(turn);
  if (unreached) status.diagnoses = [unreached];
  if (unreached || isHealthy(rollout, status)) return;
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
  for (const pod of turn.podsOf(desired)) {
    const trouble = podTrouble(pod, { now, minReadySeconds: turn.rollout.spec.minReadySeconds ?? 0 });
    if (!trouble) continue;
    return diagnose(podsNotAvailable, {
      message: `Pod ${pod.metadata.name} of ReplicaSet ${desired.metadata.name} is not available: ${trouble.reason}`,
      place: { object: `Pod ${namespace}/${pod.metadata.name}` },
      remedies: trouble.remedies,
    });
  }
  return undefined;
}
