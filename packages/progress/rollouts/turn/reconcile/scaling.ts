import { copyJson } from '@tiphys/controller';
import {
  desiredReplicasNoted,
  ofHash,
  separateStable,
  totalActual,
  totalAvailable,
  wanted,
} from '../../objects/replica-set.ts';
import { replicasOf } from '../../objects/rollout.ts';
import { forgetOldRevisions } from '../history.ts';
import { scaleBlueGreen, scaleCanary } from '../replicas/replica-sets.ts';
import { finish } from '../status/finish.ts';
import type { Turn } from '../turn.ts';

/** Whether the Rollout was scaled since its ReplicaSets were: nothing else happens before they are. */
export function isScaling(turn: Turn): boolean {
  return [turn.desired, separateStable(turn.sets)].some((set) => {
    if (!set || wanted(set) === 0) return false;
    const noted = desiredReplicasNoted(set);
    return noted !== undefined && noted !== replicasOf(turn.rollout);
  });
}

/** Scales the ReplicaSets, and leaves steps and services where they are. */
export async function syncReplicasOnly(turn: Turn): Promise<void> {
  const status = copyJson(turn.status);
  if (turn.rollout.spec.strategy.blueGreen) {
    await scaleBlueGreen(turn);
    await forgetOldRevisions(turn);
    const active = ofHash(turn.sets.all, status.blueGreen?.activeSelector);
    status.HPAReplicas = active ? (active.status?.replicas ?? 0) : totalActual(turn.sets.all);
    status.availableReplicas = active ? (active.status?.availableReplicas ?? 0) : totalAvailable(turn.sets.all);
  } else {
    await scaleCanary(turn);
    status.availableReplicas = totalAvailable(turn.sets.all);
    status.HPAReplicas = totalActual(turn.sets.all);
  }
  delete status.abort;
  delete status.abortedAt;
  delete status.diagnoses;
  return finish(turn, status);
}
