import { type Diagnosis, defineDiagnosis, diagnose } from '@tiphys/diagnosis';
import { describeKey } from '@tiphys/kubernetes';
import type { Comparison } from '../difference/comparison.ts';
import { isObject, valueAt } from '../model/fields.ts';

const contested = defineDiagnosis(
  'ReplicasContested',
  'The source sets the replicas of a workload that an autoscaler scales',
  'S18',
);

const autoscalers: Readonly<Record<string, string>> = {
  'autoscaling/HorizontalPodAutoscaler': 'HorizontalPodAutoscaler',
  'keda.sh/ScaledObject': 'ScaledObject',
};

/**
 * Workloads of the application whose replicas are in the source although an autoscaler of the same application scales them: each
 * sync sets them back. Nothing is told of replicas that are ignored or left out.
 */
export function contestedReplicas({ resources, ignoreDifferences }: Comparison): Diagnosis[] {
  const found: Diagnosis[] = [];
  for (const { key, desired } of resources) {
    const kind = autoscalers[`${key.group}/${key.kind}`];
    const target = kind && desired ? valueAt(desired, 'spec', 'scaleTargetRef') : undefined;
    if (!isObject(target)) continue;
    const workload = resources.find(
      (other) =>
        other.key.name === target['name'] &&
        other.key.kind === (target['kind'] ?? 'Deployment') &&
        other.key.namespace === key.namespace,
    );
    const replicas = workload?.desired ? valueAt(workload.desired, 'spec', 'replicas') : undefined;
    if (!workload || typeof replicas !== 'number') continue;
    if (ignoreDifferences.some(({ jsonPointers }) => jsonPointers?.includes('/spec/replicas'))) continue;
    const live = workload.live ? valueAt(workload.live, 'spec', 'replicas') : undefined;
    const { file, line } = workload.origin ?? {};
    found.push(
      diagnose(contested, {
        message: `${describeKey(workload.key)} has spec.replicas in the source, and ${kind} ${key.name} scales it: each sync sets ${replicas} again`,
        place: {
          object: describeKey(workload.key),
          field: 'spec.replicas',
          ...(file ? { file, ...(line ? { line } : {}) } : {}),
        },
        evidence: {
          'in the source': replicas,
          live: typeof live === 'number' ? live : undefined,
          'last written by': workload.differences.find(({ path }) => path === 'spec.replicas')?.manager,
        },
        remedies: [
          'Leave spec.replicas out of the manifest',
          {
            text: 'Or let the comparison and the sync pass over it',
            paste: `spec:\n  ignoreDifferences:\n  - group: ${workload.key.group}\n    kind: ${workload.key.kind}\n    jsonPointers: [/spec/replicas]\n  syncPolicy:\n    syncOptions: [RespectIgnoreDifferences=true]`,
          },
        ],
      }),
    );
  }
  return found;
}
