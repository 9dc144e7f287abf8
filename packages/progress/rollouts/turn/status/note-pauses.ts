import type { RolloutStatus } from '@tiphys/api';
import { copyJson } from '@tiphys/controller';
import { conditionOf, isCompleted, reasons, setCondition } from '../../decide/conditions.ts';
import { durationOf } from '../../decide/durations.ts';
import { phaseOf } from '../../decide/phase.ts';
import { isRollback } from '../../decide/rollback.ts';
import { available } from '../../objects/replica-set.ts';
import { replicasOf } from '../../objects/rollout.ts';
import { isChanged, isTemplateChanged } from '../changes.ts';
import type { Turn } from '../turn.ts';
import { compact } from './finish.ts';

/**
 * Notes by conditions that somebody paused, went on, or asks to try again, so that the deadline does not run meanwhile. True if
 * that was news: the pass ends with it.
 */
export async function notePauses(turn: Turn): Promise<boolean> {
  const { rollout, status: before, now, pass } = turn;
  if (before.observedGeneration !== String(rollout.metadata.generation ?? 0)) return false;
  const progressing = conditionOf(before, 'Progressing');
  const isPaused = (before.pauseConditions ?? []).length > 0 || Boolean(rollout.spec.paused);
  const wasAborted = progressing?.reason === reasons.aborted;
  const status: RolloutStatus = copyJson(before);
  let changed = false;
  const set = (
    type: 'Progressing' | 'Paused',
    condition: { status: 'True' | 'False' | 'Unknown'; reason: string; message: string },
  ) => {
    changed = true;
    setCondition(status, { type, ...condition }, now);
  };
  if (isPaused !== (progressing?.reason === reasons.paused) && !wasAborted && !isCompleted(before))
    set('Progressing', {
      status: 'Unknown',
      reason: isPaused ? reasons.paused : reasons.resumed,
      message: isPaused ? 'Rollout is paused' : 'Rollout is resumed',
    });
  if (!before.abort && wasAborted)
    set('Progressing', { status: 'Unknown', reason: reasons.retry, message: 'Retrying Rollout after abort' });
  const wasPaused = conditionOf(before, 'Paused')?.status === 'True';
  if (isPaused !== wasPaused && !wasAborted)
    set('Paused', { status: isPaused ? 'True' : 'False', reason: reasons.paused, message: 'Rollout is paused' });
  if (!changed) return false;
  Object.assign(status, { message: undefined }, phaseOf({ ...rollout, status }));
  const duration = durationOf({
    rollout,
    status,
    now,
    isChanged: rollout.spec.strategy.canary ? isChanged(turn) : isTemplateChanged(turn),
    rollback: isRollback(rollout, turn.sets) ? (turn.isFastRollback ? 'fast' : 'stepwise') : 'none',
    isAborted: turn.pauses.isAborted,
    hasReachedReplicas: available(turn.desired) >= replicasOf(rollout),
  });
  if (duration) status.duration = duration;
  pass.next.status = compact(status);
  const { resourceVersion } = pass.next.metadata;
  await pass.checkpoint();
  return resourceVersion !== pass.next.metadata.resourceVersion;
}
