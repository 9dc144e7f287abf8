import { type Diagnosis, defineDiagnosis, diagnose, type Evidence } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, keyOf } from '@tiphys/kubernetes';
import { conditionOf } from './conditions.ts';

const quotaExceeded = defineDiagnosis('WorkloadQuotaExceeded', 'A quota forbids the pods of a workload', 'C6');
export const podsForbidden = defineDiagnosis('PodsForbidden', 'The pods of a workload are not admitted', 'C3');

/** Why a ReplicaSet cannot create its pods, by its own condition. */
export function replicaTrouble(set: KubeObject): Diagnosis | undefined {
  const failure = conditionOf(set, 'ReplicaFailure');
  if (failure?.status !== 'True') return undefined;
  const object = describeKey(keyOf(set));
  const evidence = [{ name: `condition ReplicaFailure, ${failure.reason}`, value: failure.message }];
  return (
    quotaTrouble(failure.message, object, evidence) ??
    diagnose(podsForbidden, {
      message: `Pods cannot be created: ${failure.message}`,
      place: { object },
      evidence,
      remedies: ['Correct what the message names: admission webhook, policy, service account or pod security'],
    })
  );
}

export function quotaTrouble(message: string, object: string, evidence: readonly Evidence[]): Diagnosis | undefined {
  if (!/exceeded quota/.test(message)) return undefined;
  const quota = /exceeded quota: ([^,]+), requested: (.*), used: (.*), limited: (.*?)(?:$|")/.exec(message);
  const text = quota
    ? `Quota ${quota[1]} is used up: requested ${quota[2]}, used ${quota[3]}, limited to ${quota[4]}`
    : message;
  return diagnose(quotaExceeded, {
    message: text,
    place: { object },
    evidence,
    remedies: ['Free or raise the quota, or ask for fewer or smaller pods'],
  });
}
