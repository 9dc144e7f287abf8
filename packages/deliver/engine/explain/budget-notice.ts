import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey } from '@tiphys/kubernetes';
import { numberAt, objectAt, objectsAt, valueAt } from '../model/fields.ts';
import type { ComparedResource } from '../model/model.ts';
import type { NoticeContext } from './notice.ts';
import { meets, podLabels, workloadsIn } from './workloads-of.ts';

const blocksEvictions = defineDiagnosis(
  'EvictionsBlocked',
  'A PodDisruptionBudget never lets a pod be evicted, so that drains of nodes wait for ever',
  'S16',
);

/** A budget that leaves no room even when all pods are ready. Upstream's own advice for budgets: one more replica than are needed. */
export function budgetNotice({ key, desired }: ComparedResource, { resources }: NoticeContext): Diagnosis | undefined {
  const selector = objectAt(desired, 'spec', 'selector', 'matchLabels');
  if (objectsAt(desired, 'spec', 'selector', 'matchExpressions').length > 0) return undefined;
  const workload = workloadsIn(resources, key.namespace).find((each) => meets(podLabels(each), selector));
  if (!workload || workload.key.kind === 'DaemonSet' || isScaled(workload, resources)) return undefined;
  const replicas = numberAt(workload.desired, 'spec', 'replicas') ?? 1;
  const field = valueAt(desired, 'spec', 'maxUnavailable') === undefined ? 'minAvailable' : 'maxUnavailable';
  const value = valueAt(desired, 'spec', field);
  if (replicas === 0 || !leavesNone(field, value, replicas)) return undefined;
  return diagnose(blocksEvictions, {
    message: `PodDisruptionBudget ${key.name} never lets a pod of ${workload.key.kind} ${workload.key.name} be evicted (${field} ${value} of ${replicas}): drains and upgrades of nodes wait for ever`,
    place: { object: describeKey(key), field: `spec.${field}` },
    evidence: { [field]: String(value), replicas },
    remedies: [
      field === 'minAvailable'
        ? 'Set minAvailable below the number of replicas, or use maxUnavailable: 1; or run one replica more'
        : 'Set maxUnavailable to 1 or more',
    ],
  });
}

function leavesNone(field: string, value: unknown, replicas: number): boolean {
  const share = typeof value === 'string' && /^\d{1,3}%$/.test(value) ? Number.parseInt(value, 10) / 100 : undefined;
  // both are rounded up, as the controller of budgets does
  const count = share === undefined ? value : Math.ceil(share * replicas);
  if (typeof count !== 'number') return false;
  return field === 'minAvailable' ? count >= replicas : count === 0;
}

/** Whether an autoscaler of the application decides about the replicas. */
function isScaled(workload: ComparedResource, resources: readonly ComparedResource[]): boolean {
  return resources.some(({ key, desired }) => {
    const target = objectAt(desired, 'spec', 'scaleTargetRef');
    return (
      key.namespace === workload.key.namespace &&
      target['name'] === workload.key.name &&
      (target['kind'] ?? 'Deployment') === workload.key.kind
    );
  });
}
