import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey, type KubeObject, keyOf } from '@tiphys/kubernetes';
import { objectsAt, textAt } from '../model/fields.ts';
import { conditionOf } from './conditions.ts';

const gated = defineDiagnosis('PodSchedulingGated', 'A pod is held back by a scheduling gate', 'S9');
const unscheduled = defineDiagnosis('PodNotScheduled', 'No scheduler has looked at a pod', 'S9');
const readinessGate = defineDiagnosis(
  'ReadinessGateWaiting',
  'The containers of a pod are ready, and its readiness gate is not',
  'S13',
);

/** A pod that is held back by a scheduling gate. */
export function heldByGate(pod: KubeObject): Diagnosis | undefined {
  const gates = objectsAt(pod, 'spec', 'schedulingGates').map((gate) => textAt(gate, 'name'));
  if (!isUnassigned(pod) || gates.length === 0) return undefined;
  return diagnose(gated, {
    message: `The pod is not scheduled as long as it has the scheduling gate ${gates.join(', ')}`,
    place: { object: describeKey(keyOf(pod)), field: 'spec.schedulingGates' },
    evidence: {
      'condition PodScheduled': conditionOf(pod, 'PodScheduled')?.reason,
      'created at': pod.metadata.creationTimestamp,
    },
    remedies: [
      'See why the controller that owns the gate (a queue such as Kueue, for example) does not remove it',
      'Or take the gate out of the pod template',
    ],
  });
}

/** A pod that no scheduler has looked at. True of every new pod for a moment: ask it of those that are older. */
export function unseenByScheduler(pod: KubeObject): Diagnosis | undefined {
  if (!isUnassigned(pod) || conditionOf(pod, 'PodScheduled')) return undefined;
  const place = { object: describeKey(keyOf(pod)) };
  const name = textAt(pod, 'spec', 'schedulerName') || 'default-scheduler';
  const own = name !== 'default-scheduler';
  return diagnose(unscheduled, {
    message: `Scheduler ${name} has not looked at the pod: ${own ? 'nobody of that name may run in the cluster' : 'it may not run'}`,
    place: { ...place, ...(own ? { field: 'spec.schedulerName' } : {}) },
    evidence: { 'created at': pod.metadata.creationTimestamp },
    remedies: [
      own
        ? 'Correct schedulerName of the pod template, or start that scheduler'
        : 'See whether kube-scheduler runs and holds its lease (kubectl get lease -n kube-system kube-scheduler)',
    ],
  });
}

function isUnassigned(pod: KubeObject): boolean {
  return !textAt(pod, 'spec', 'nodeName') && textAt(pod, 'status', 'phase') === 'Pending';
}

/** A pod whose containers are all ready, and that waits for somebody else's condition. */
export function waitingForGate(pod: KubeObject): Diagnosis | undefined {
  const ready = conditionOf(pod, 'Ready');
  if (ready?.status !== 'False' || ready.reason !== 'ReadinessGatesNotReady') return undefined;
  const missing = objectsAt(pod, 'spec', 'readinessGates')
    .map((gate) => textAt(gate, 'conditionType'))
    .filter((type) => conditionOf(pod, type)?.status !== 'True');
  if (missing.length === 0) return undefined;
  return diagnose(readinessGate, {
    message: `The containers of the pod are ready, but its readiness gate ${missing.join(', ')} is not`,
    place: { object: describeKey(keyOf(pod)), field: 'spec.readinessGates' },
    evidence: {
      'condition Ready': ready.message || ready.reason,
      ...Object.fromEntries(
        missing.map((type) => [`condition ${type}`, conditionOf(pod, type)?.message || 'nobody has set it']),
      ),
    },
    remedies: [
      'See whether the controller that sets this condition runs (that of the load balancer, for example), and what its log says of the pod',
      'Or take the gate out of the pod template',
    ],
  });
}
