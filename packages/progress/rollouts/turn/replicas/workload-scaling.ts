import type { KubeObject } from '@tiphys/kubernetes';
import { isNotFound } from '@tiphys/kubernetes';
import { wanted } from '../../objects/replica-set.ts';
import { replicasOf } from '../../objects/rollout.ts';
import type { Turn } from '../turn.ts';

/** While a Rollout takes over a Deployment step by step, each ready pod takes one of the Deployment's away. */
export async function migrateWorkload(turn: Turn, count: number): Promise<void> {
  if (turn.rollout.spec.workloadRef?.scaleDown !== 'progressively') return;
  if (turn.status.phase === 'Healthy') return scaleWorkload(turn, 0);
  const ready = turn.status.readyReplicas ?? 0;
  if (ready > 0 || wanted(turn.desired) > count) await scaleWorkload(turn, replicasOf(turn.rollout) - ready);
}

/** Scales the Deployment that the Rollout borrows from. One that is gone needs nothing. */
export async function scaleWorkload(turn: Turn, target: number): Promise<void> {
  const ref = turn.rollout.spec.workloadRef;
  if (ref?.kind !== 'Deployment') return;
  const replicas = Math.max(0, target);
  const workload = (await turn.context.workloads.find(turn.namespace, ref)) as
    | (KubeObject & { spec?: { replicas?: number } })
    | undefined;
  if (!workload || (workload.spec?.replicas ?? 1) === replicas) return;
  try {
    await turn.context.cluster.client.patch(
      { apiVersion: ref.apiVersion ?? '', kind: ref.kind, namespace: turn.namespace, name: ref.name ?? '' },
      'merge',
      { spec: { replicas } },
    );
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}
