import { available, hashOf, isSaturated, wanted } from '../../objects/replica-set.ts';
import { replicasOf } from '../../objects/rollout.ts';
import type { Turn } from '../turn.ts';

/** Whether the analysis before the promotion does not take place: promoted already, nothing to compare, or pods are missing. */
export function skipsPrePromotion(turn: Turn): boolean {
  const { desired, rollout, status } = turn;
  const hash = hashOf(desired);
  const active = status.blueGreen?.activeSelector ?? '';
  if (status.stableRS === hash || active === '' || active === hash || hash === '') return true;
  if (turn.runs.prePromotion) return false;
  const preview = rollout.spec.strategy.blueGreen?.previewReplicaCount;
  if (preview !== undefined) return wanted(desired) !== preview || available(desired) !== preview;
  return !isSaturated(desired, replicasOf(rollout));
}

/** The same after the promotion: it is over, the switch has not been made, or pods are missing. */
export function skipsPostPromotion(turn: Turn): boolean {
  const hash = hashOf(turn.desired);
  const isSwitched = (turn.status.blueGreen?.activeSelector ?? '') === hash && hash !== '';
  if (turn.status.stableRS === hash || !isSwitched) return true;
  return !turn.runs.postPromotion && !isSaturated(turn.desired, replicasOf(turn.rollout));
}
