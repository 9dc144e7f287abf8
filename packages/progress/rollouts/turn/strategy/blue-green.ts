import type { RolloutStatus } from '@tiphys/api';
import { isWithinWindow } from '../../decide/rollback.ts';
import type { Service } from '../../objects/kinds.ts';
import { available, hashOf, ofHash, totalActual, totalAvailable } from '../../objects/replica-set.ts';
import { haltReason, pauseCondition } from '../../objects/rollout.ts';
import { isTemplateChanged } from '../changes.ts';
import { forgetOldRevisions } from '../history.ts';
import { syncEphemeralMetadata } from '../replicas/ephemeral.ts';
import { isReadyForPause, scaleBlueGreen } from '../replicas/replica-sets.ts';
import { restart } from '../replicas/restart.ts';
import { switchActive, switchPreview } from '../replicas/services.ts';
import { verifyActiveTargets } from '../replicas/targets.ts';
import { baseStatus, finish, formatSelector, promote, reset } from '../status/finish.ts';
import { selectedHash, type Turn } from '../turn.ts';
import { analyse } from './analysis.ts';

interface Services {
  readonly preview: Service | undefined;
  readonly active: Service;
}

/** One pass over a blue-green Rollout. */
export async function blueGreen(turn: Turn): Promise<void> {
  const strategy = turn.rollout.spec.strategy.blueGreen;
  const found = turn.service(strategy?.activeService);
  if (!found) return;
  const preview = await switchPreview(turn, turn.service(strategy?.previewService));
  if (isTemplateChanged(turn)) return writeStatus(turn, { preview, active: found });
  await restart(turn);
  await scaleBlueGreen(turn);
  await forgetOldRevisions(turn);
  pauseBeforeSwitch(turn, found);
  const active = await switchActive(turn, found, { mayPromote: mayPromote(turn, found) });
  await verifyActiveTargets(turn, active);
  await analyse(turn);
  await syncEphemeralMetadata(turn);
  return writeStatus(turn, { preview, active });
}

function hasAnalysed(turn: Turn): boolean {
  const { blueGreen: strategy } = turn.rollout.spec.strategy;
  return !strategy?.prePromotionAnalysis || turn.runs.prePromotion?.status?.phase === 'Successful';
}

function mayPromote(turn: Turn, active: Service): boolean {
  if (isFastTracked(turn, active)) return true;
  return turn.pauses.hasCompletedBlueGreen(turn.pass.clock.now()) && hasAnalysed(turn);
}

/** Nothing has to be waited for: a way back, a full promotion, or a service that is not used yet. */
function isFastTracked(turn: Turn, active: Service): boolean {
  const selected = selectedHash(active);
  return Boolean(
    turn.isFastRollback || turn.status.promoteFull || selected === '' || selected === hashOf(turn.desired),
  );
}

/** Pauses before the switch where the spec asks for it, and ends the pause. */
function pauseBeforeSwitch(turn: Turn, active: Service): void {
  const strategy = turn.rollout.spec.strategy.blueGreen;
  const { abort, blueGreen: status, controllerPause } = turn.status;
  if (abort || !isReadyForPause(turn) || haltReason(turn.rollout)) return;
  const seconds = strategy?.autoPromotionSeconds ?? 0;
  const isNeeded = strategy?.autoPromotionEnabled === false || seconds > 0;
  if (isFastTracked(turn, active) || status?.scaleUpPreviewCheckPoint || !isNeeded) {
    turn.pauses.remove('BlueGreenPause');
    return;
  }
  if (!hasAnalysed(turn)) return;
  const condition = pauseCondition(turn.rollout, 'BlueGreenPause');
  if (!condition) {
    if (!controllerPause) turn.pauses.add('BlueGreenPause');
    return;
  }
  if (turn.pauses.hasCompletedBlueGreen(turn.pass.clock.now())) turn.pauses.remove('BlueGreenPause');
  else if (seconds > 0) turn.requeueIn(Date.parse(condition.startTime) + seconds * 1000 - turn.now + 1);
}

async function writeStatus(turn: Turn, { preview, active }: Services): Promise<void> {
  const { rollout, sets, found, status: before } = turn;
  const status: RolloutStatus = {
    ...baseStatus(turn),
    stableRS: before.stableRS ?? '',
    blueGreen: {
      ...(found.prePromotionRun ? { prePromotionAnalysisRunStatus: found.prePromotionRun } : {}),
      ...(found.postPromotionRun ? { postPromotionAnalysisRunStatus: found.postPromotionRun } : {}),
    },
  };
  if (isTemplateChanged(turn)) reset(turn, status);
  if (before.promoteFull || isWithinWindow(rollout, sets)) {
    turn.pauses.clear();
    turn.pauses.removeAbort();
  }
  const activeSelector = selectedHash(active);
  status.blueGreen = {
    ...status.blueGreen,
    ...(selectedHash(preview) ? { previewSelector: selectedHash(preview) } : {}),
    ...(activeSelector ? { activeSelector } : {}),
  };
  const reason = promotionReason(turn, status);
  if (reason !== undefined) await promote(turn, status, reason);
  else if (isPreviewChecked(turn)) status.blueGreen.scaleUpPreviewCheckPoint = true;
  const serving = ofHash(turn.sets.all, activeSelector);
  const { spec, status: observed = {} } = serving ?? {};
  status.selector = formatSelector(serving ? spec?.selector : rollout.spec.selector);
  status.HPAReplicas = serving ? (observed.replicas ?? 0) : totalActual(turn.sets.all);
  status.availableReplicas = serving ? (observed.availableReplicas ?? 0) : totalAvailable(turn.sets.all);
  if (serving) status.readyReplicas = observed.readyReplicas ?? 0;
  return finish(turn, status);
}

/** Whether the preview with its smaller number of pods has passed all checks and may grow. */
function isPreviewChecked(turn: Turn): boolean {
  const count = turn.rollout.spec.strategy.blueGreen?.previewReplicaCount;
  if (count === undefined) return false;
  if (turn.status.blueGreen?.scaleUpPreviewCheckPoint && !isTemplateChanged(turn)) return true;
  if (!hasAnalysed(turn) || !turn.pauses.hasCompletedBlueGreen(turn.pass.clock.now())) return false;
  return available(turn.desired) === count;
}

/** Why the wanted revision becomes the stable one now; undefined if it does not. */
function promotionReason(turn: Turn, { blueGreen: status, currentPodHash }: RolloutStatus): string | undefined {
  const { rollout } = turn;
  const activeSelector = status?.activeSelector ?? '';
  if (!turn.stable || activeSelector === '') return 'Initial deploy';
  if (activeSelector !== currentPodHash || turn.found.targetsVerified === false) return undefined;
  if (turn.status.promoteFull) return 'Full promotion requested';
  if (turn.isFastRollback) return isWithinWindow(rollout, turn.sets) ? 'Rollback within window' : 'Fast rollback';
  if (turn.pauses.isAborted) return undefined;
  const needsAnalysis = rollout.spec.strategy.blueGreen?.postPromotionAnalysis;
  if (needsAnalysis && turn.runs.postPromotion?.status?.phase !== 'Successful') return undefined;
  return 'Completed blue-green update';
}
