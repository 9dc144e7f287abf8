import { type Diagnosis, defineDiagnosis, diagnose, type Evidence } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, keyOf, webhookDenial, webhookFailure } from '@tiphys/kubernetes';
import { conditionOf } from './conditions.ts';

const quotaExceeded = defineDiagnosis('WorkloadQuotaExceeded', 'A quota forbids the pods of a workload', 'C6');
const podsForbidden = defineDiagnosis('PodsForbidden', 'The pods of a workload are not admitted', 'C3');

/** Why a ReplicaSet cannot create its pods, by its own condition. */
export function replicaTrouble(set: KubeObject): Diagnosis | undefined {
  const failure = conditionOf(set, 'ReplicaFailure');
  if (failure?.status !== 'True') return undefined;
  const object = describeKey(keyOf(set));
  const evidence = [{ name: `condition ReplicaFailure, ${failure.reason}`, value: failure.message }];
  return quotaTrouble(failure.message, object, evidence) ?? podsRefused(failure.message, object, evidence);
}

/** Refusals of pods by their text: what refuses them, and what to do. */
const refusals: readonly [pattern: RegExp, what: (match: RegExpExecArray) => string, remedy: string][] = [
  [
    /service ?account "([^"]+)" not found/i,
    (match) => `ServiceAccount ${match[1]} does not exist`,
    'Add the ServiceAccount to the source, or correct serviceAccountName of the pod template',
  ],
  [
    /violates PodSecurity "([^"]+)": (.*)$/s,
    (match) => `they violate the pod security level ${match[1]} of the namespace: ${match[2]}`,
    'Correct securityContext of the pod template as the message says, or change the label pod-security.kubernetes.io/enforce of the namespace',
  ],
  [
    /((?:maximum|minimum) (?:cpu|memory|storage)\S* usage per \S+ is .*|.* max limit to request ratio per .*)$/s,
    (match) => `a LimitRange of the namespace forbids them: ${match[1]}`,
    'Correct resources of the pod template, or the LimitRange (kubectl get limitrange)',
  ],
  [
    /failed quota: (\S+): must specify (.*)$/s,
    (match) => `ResourceQuota ${match[1]} counts what their containers do not say: ${match[2]}`,
    'Set these resources for each container of the pod template, or give the namespace a LimitRange with defaults',
  ],
  [
    /no PriorityClass with name (\S+) was found/,
    (match) => `PriorityClass ${match[1]} does not exist`,
    'Create the PriorityClass, or correct priorityClassName of the pod template',
  ],
  [
    /RuntimeClass "([^"]+)" not found/i,
    (match) => `RuntimeClass ${match[1]} does not exist`,
    'Create the RuntimeClass, or correct runtimeClassName of the pod template',
  ],
];

/** Why pods of a workload are not admitted: by a webhook, by what they refer to, or by a limit of the namespace. */
export function podsRefused(message: string, object: string, evidence: readonly Evidence[]): Diagnosis {
  const called = /failed calling webhook "([^"]+)": (.*)$/s.exec(message);
  const webhook = called ? webhookFailure(called[1] ?? '', called[2] ?? '') : webhookDenial(message);
  if (webhook)
    return diagnose(webhook.kind, {
      message: `Pods cannot be created: ${webhook.message}`,
      place: { object },
      evidence,
      ...(webhook.remedies ? { remedies: webhook.remedies } : {}),
    });
  for (const [pattern, what, remedy] of refusals) {
    const match = pattern.exec(message);
    if (match)
      return diagnose(podsForbidden, {
        message: `Pods cannot be created: ${what(match)}`,
        place: { object },
        evidence,
        remedies: [remedy],
      });
  }
  return diagnose(podsForbidden, {
    message: `Pods cannot be created: ${message}`,
    place: { object },
    evidence,
    remedies: ['Correct what the message names: admission webhook, policy, service account or pod security'],
  });
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
