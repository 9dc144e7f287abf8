import { hashOf } from '../objects/replica-set.ts';
import { stepHash } from '../template/hashes.ts';
import type { Turn } from './turn.ts';

/** Whether another template or other steps are asked for than those that were worked on. */
export function isChanged(turn: Turn): boolean {
  const { currentStepHash = '' } = turn.status;
  const steps = turn.rollout.spec.strategy.canary?.steps;
  return currentStepHash === '' || currentStepHash !== stepHash(steps) || isTemplateChanged(turn);
}

export function isTemplateChanged(turn: Turn): boolean {
  const { currentPodHash = '' } = turn.status;
  return currentPodHash !== '' && currentPodHash !== hashOf(turn.desired);
}
