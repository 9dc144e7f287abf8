import { type LabelSelector, names, type RolloutStatus, rolloutNames } from '@tiphys/api';
import { type Diagnosis, deliveryNotices } from '@tiphys/diagnosis';
import { conditionOf, isCompleted, isHealthy, isProgressing, isTimedOut, reasons } from '../../decide/conditions.ts';
import { durationOf } from '../../decide/durations.ts';
import { phaseOf } from '../../decide/phase.ts';
import { isRollback } from '../../decide/rollback.ts';
import { decideConditions } from '../../decide/rollout-conditions.ts';
import {
  available,
  hashOf,
  hasScaleDownDeadline,
  otherSets,
  totalActual,
  totalReady,
} from '../../objects/replica-set.ts';
import { currentStep, progressDeadlineSeconds, replicasOf, stepsOf } from '../../objects/rollout.ts';
import { remediate, rulesAnnotated } from '../../remediation/remediate.ts';
import { isChanged, isTemplateChanged } from '../changes.ts';
import { isStablePing } from '../replicas/services.ts';
import { scaleWorkload } from '../replicas/workload-scaling.ts';
import { abortWithOthers } from '../together.ts';
import type { Turn } from '../turn.ts';
import { diagnoseWaiting } from './diagnoses.ts';
import { changeOf } from './status-change.ts';

/** What every status says, whatever the strategy. */
export function baseStatus(turn: Turn): RolloutStatus {
  const { sets, found, status: before } = turn;
  const conditions = (before.conditions ?? []).filter(({ type }) => type !== 'InvalidSpec');
  const currentPodHash = hashOf(turn.desired);
  return {
    currentPodHash,
    replicas: totalActual(sets.all),
    updatedReplicas: turn.desired.status?.replicas ?? 0,
    readyReplicas: totalReady(sets.all),
    ...(before.collisionCount === undefined ? {} : { collisionCount: before.collisionCount }),
    conditions,
    ...(found.restartedAt ? { restartedAt: found.restartedAt } : {}),
    ...(before.promoteFull ? { promoteFull: true } : {}),
    ...albsOf(turn),
    ...(before.duration ? { duration: before.duration } : {}),
  };
}

/** Of several Ingresses the last is reported as the one, too. */
function albsOf({ status: { alb, albs }, found }: Turn): Pick<RolloutStatus, 'alb' | 'albs'> {
  const last = found.albs?.at(-1);
  if (last) return { alb: last, albs: [...(found.albs ?? [])] };
  if (found.albs) return {};
  return { ...(alb ? { alb } : {}), ...(albs ? { albs } : {}) };
}

/** Begins anew: another template or other steps are asked for. */
export function reset(turn: Turn, status: RolloutStatus): void {
  turn.pauses.clear();
  turn.pauses.removeAbort();
  if (turn.rollout.spec.restartAt) status.restartedAt = turn.rollout.spec.restartAt;
  else delete status.restartedAt;
  delete status.promoteFull;
  if (status.blueGreen) status.blueGreen = {};
  if (status.canary) {
    delete status.canary.currentStepAnalysisRunStatus;
    delete status.canary.currentBackgroundAnalysisRunStatus;
    delete status.canary.stepPluginStatuses;
  }
  if (stepsOf(turn.rollout).length > 0) status.currentStepIndex = 0;
}

/** Makes the wanted revision the stable one. */
export async function promote(turn: Turn, status: RolloutStatus, reason: string): Promise<void> {
  const { rollout, status: before } = turn;
  turn.pauses.clear();
  turn.pauses.removeAbort();
  delete status.promoteFull;
  if (status.blueGreen) delete status.blueGreen.scaleUpPreviewCheckPoint;
  const steps = stepsOf(rollout).length;
  if (rollout.spec.strategy.canary && steps > 0) status.currentStepIndex = steps;
  if ((status.stableRS ?? '') !== status.currentPodHash) {
    if (rollout.spec.strategy.canary?.pingPong)
      status.canary = { ...status.canary, stablePingPong: isStablePing(turn) ? 'pong' : 'ping' };
    if (status.duration && !status.duration.completionStatus)
      status.duration = { ...status.duration, completionStatus: before.promoteFull ? 'FastPromoted' : 'Promoted' };
    status.stableRS = status.currentPodHash ?? '';
    turn.event(
      'Normal',
      reasons.completed,
      `Rollout completed update to revision ${turn.revision} (${status.currentPodHash}): ${reason}`,
    );
  }
  const isTakenOver =
    turn.revision === 1 && before.phase === 'Healthy' && rollout.spec.workloadRef?.scaleDown === 'onsuccess';
  if (isTakenOver) await scaleWorkload(turn, 0);
}

/** Completes a status, writes it, and tells of pauses. */
export async function finish(turn: Turn, status: RolloutStatus): Promise<void> {
  const { pass, rollout, now } = turn;
  status.observedGeneration = String(rollout.metadata.generation ?? 0);
  const borrowed = pass.next.metadata.annotations?.[rolloutNames.annotations.workloadGeneration];
  if (rollout.spec.workloadRef && borrowed !== undefined) status.workloadObservedGeneration = borrowed;
  if (status.promoteFull && status.stableRS === status.currentPodHash) delete status.promoteFull;
  abortAtDeadline(turn, status);
  abortWithOthers(turn);
  const remedied: Pick<RolloutStatus, 'diagnoses'> = {};
  remediate(turn, remedied);
  turn.pauses.apply(status, now);
  const told = decideConditions({
    rollout,
    status,
    now,
    sets: turn.sets,
    revision: turn.revision,
    isAborted: turn.pauses.isAborted,
    abortMessage: turn.pauses.abortMessage,
    mayTimeOut: mayTimeOut(turn),
  });
  for (const { type, reason, message } of told) turn.event(type, reason, message);
  Object.assign(status, withMessage(phaseOf({ ...rollout, status })));
  const duration = durationOf({
    rollout,
    status,
    now,
    isChanged: isAnotherUpdate(turn),
    rollback: isRollback(rollout, turn.sets) ? (turn.isFastRollback ? 'fast' : 'stepwise') : 'none',
    isAborted: turn.pauses.isAborted,
    hasReachedReplicas: available(turn.desired) >= replicasOf(rollout),
  });
  if (duration) status.duration = duration;
  else delete status.duration;
  diagnoseWaiting(turn, status);
  const beside = [...(remedied.diagnoses ?? []), ...notificationNotices(turn)];
  if (beside.length > 0) status.diagnoses = [...(status.diagnoses ?? []), ...beside];
  // rules are asked of what was read: of what is new, in the next pass
  if (status.phase !== turn.status.phase && rulesAnnotated(rollout)) turn.requeueIn(0);
  await writeStatus(turn, status);
  requeueForDeadline(turn, status);
}

/** What keeps notifications of the Rollout from being delivered. */
function notificationNotices({ rollout: { metadata } }: Turn): Diagnosis[] {
  const { annotations, namespace, name } = metadata;
  return deliveryNotices({
    object: `argoproj.io/Rollout ${namespace}/${name}`,
    outbox: annotations?.[names.annotations.notificationOutbox],
    problems: annotations?.[names.annotations.notificationProblems],
  });
}

function withMessage({ phase, message }: ReturnType<typeof phaseOf>): Pick<RolloutStatus, 'phase' | 'message'> {
  return message ? { phase, message } : { phase };
}

function isAnotherUpdate(turn: Turn): boolean {
  if ((turn.status.currentPodHash ?? '') === '') return true;
  return turn.rollout.spec.strategy.canary ? isChanged(turn) : isTemplateChanged(turn);
}

/** Stores a status, and tells if a pause begins or ends. One in which nothing but numbers changed may wait for others. */
export async function writeStatus(turn: Turn, status: RolloutStatus): Promise<void> {
  const { pass, status: before } = turn;
  const next = compact(status);
  if (mayWait(turn, next)) return;
  pass.next.status = next;
  await pass.checkpoint();
  const wasPaused = (before.pauseConditions ?? []).length > 0;
  const [first] = status.pauseConditions ?? [];
  if (first && !wasPaused) turn.event('Normal', reasons.paused, `Rollout is paused (${first.reason})`);
  if (!first && wasPaused && status.abortedAt === undefined)
    turn.event('Normal', reasons.resumed, 'Rollout is resumed');
}

/** Whether a status is left for a later write, which is asked for: of numbers of pods the last ones are enough. */
function mayWait(turn: Turn, next: RolloutStatus): boolean {
  const { pass, now, context } = turn;
  const { memory } = pass;
  const change = changeOf(pass.before.status ?? {}, next);
  if (change !== 'numbers' || !context.numbersDue) {
    memory.numbersDue = undefined;
    return false;
  }
  memory.numbersDue ??= context.numbersDue(now, pass.key);
  if (now < memory.numbersDue) {
    turn.requeueIn(memory.numbersDue - now);
    return true;
  }
  memory.numbersDue = undefined;
  return false;
}

/** Without what Go leaves out as empty. */
export function compact(status: RolloutStatus): RolloutStatus {
  const isEmpty = (value: unknown) =>
    value === undefined ||
    value === '' ||
    value === 0 ||
    value === false ||
    (typeof value === 'object' && value !== null && Object.keys(value).length === 0);
  const kept = Object.entries(status).filter(
    ([field, value]) =>
      !isEmpty(value) || (value === 0 && (field === 'currentStepIndex' || field === 'collisionCount')),
  );
  return Object.fromEntries(kept) as RolloutStatus;
}

/** Steps that take their own time, and waits for old pods, have no deadline. */
function mayTimeOut(turn: Turn): boolean {
  if (turn.found.memberAwaited !== undefined) return false;
  const { step } = currentStep(turn.rollout);
  if (step?.experiment ?? step?.analysis ?? step?.pause) return false;
  if (conditionOf(turn.status, 'Paused')?.status === 'True') return false;
  const { prePromotion, postPromotion } = turn.runs;
  const isAnalysing = [prePromotion, postPromotion].some(
    (run) => run && ['', 'Pending', 'Running'].includes(run.status?.phase ?? ''),
  );
  return !isAnalysing && !otherSets(turn.sets).some(hasScaleDownDeadline);
}

function abortAtDeadline(turn: Turn, status: RolloutStatus): void {
  const { rollout, now } = turn;
  if (!rollout.spec.progressDeadlineAbort || turn.pauses.isAborted || isCompleted(status)) return;
  if (isProgressing(rollout, status) || !mayTimeOut(turn) || !isTimedOut(rollout, turn.status, now)) return;
  const message = `ReplicaSet "${turn.desired.metadata.name}" has timed out progressing.`;
  turn.pauses.abort(message);
  turn.event('Warning', reasons.aborted, message);
}

/** Looks again when the deadline passes, if anything is waited for. */
function requeueForDeadline(turn: Turn, status: RolloutStatus): void {
  const { rollout, now } = turn;
  const condition = conditionOf(status, 'Progressing');
  const isPaused = (status.pauseConditions ?? []).length > 0 || rollout.spec.paused;
  if (!condition || condition.reason === reasons.timedOut || isPaused || status.abort || !mayTimeOut(turn)) return;
  if (isHealthy(rollout, status)) return;
  const left = Date.parse(condition.lastUpdateTime) + progressDeadlineSeconds(rollout) * 1000 - now;
  turn.requeueIn(Math.max(left, 0) + 1000);
}

/** A label selector as text, as `kubectl` and the scale subresource have it. */
export function formatSelector(selector: LabelSelector | undefined): string {
  const { matchLabels = {}, matchExpressions = [] } = selector ?? {};
  const equal = Object.keys(matchLabels)
    .sort()
    .map((key) => `${key}=${matchLabels[key]}`);
  const others = matchExpressions.map(({ key, operator, values = [] }) => {
    if (operator === 'Exists') return key;
    if (operator === 'DoesNotExist') return `!${key}`;
    return `${key} ${operator.toLowerCase()} (${[...values].sort().join(',')})`;
  });
  return [...equal, ...others].join(',');
}
