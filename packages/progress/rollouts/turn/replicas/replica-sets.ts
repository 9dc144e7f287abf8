import { isCompleted } from '@tiphys/analysis';
import { rolloutNames } from '@tiphys/api';
import { canaryCounts, previewCount } from '../../decide/canary-counts.ts';
import {
  available,
  byAge,
  byRevisionDescending,
  hasScaleDownDeadline,
  isSame,
  ofHash,
  otherSets,
  type ReplicaSet,
  revisionOf,
  separateStable,
  totalAvailable,
  untilScaleDown,
  wanted,
} from '../../objects/replica-set.ts';
import {
  abortScaleDownDelaySeconds,
  haltReason,
  isFullyPromoted,
  maxUnavailable,
  pauseCondition,
  replicasOf,
  scaleDownDelaySeconds,
  scaleDownRevisionLimit,
} from '../../objects/rollout.ts';
import type { Turn } from '../turn.ts';
import { skipsPostPromotion } from './blue-green-analysis.ts';
import { isReferenced } from './references.ts';
import { mayScaleDown } from './targets.ts';
import { migrateWorkload } from './workload-scaling.ts';

/** Brings canary, stable and old ReplicaSets towards their numbers of pods, one at a time; tells whether one was changed. */
export async function scaleCanary(turn: Turn): Promise<boolean> {
  if (haltReason(turn.rollout)) return false;
  await forgetDeadlines(turn);
  const stable = separateStable(turn.sets);
  if (stable) {
    const { trafficRouting } = turn.rollout.spec.strategy.canary ?? {};
    const counts = canaryCounts(turn.rollout, turn.sets, trafficRouting ? turn.status.canary?.weights : undefined);
    if (await turn.scale(stable, counts.stable)) return true;
  }
  if (await scaleDesired(turn, canaryCounts(turn.rollout, turn.sets, turn.found.weights).canary)) return true;
  return scaleDownOthers(turn, scaleDownOldCanaries);
}

export async function scaleBlueGreen(turn: Turn): Promise<void> {
  await forgetDeadlines(turn);
  if (turn.stable) await turn.scale(turn.stable, replicasOf(turn.rollout));
  await scaleDesired(turn, previewCount(turn.rollout, turn.sets, activeSet(turn)));
  await scaleDownOthers(turn, scaleDownOldBlueGreens);
}

/** The ReplicaSet that the active service selected when the status was last written. */
export function activeSet(turn: Turn): ReplicaSet | undefined {
  return ofHash(turn.sets.all, turn.status.blueGreen?.activeSelector);
}

/** Pods that are wanted again are not to go. */
async function forgetDeadlines(turn: Turn): Promise<void> {
  if (!turn.delaysScaleDownOnAbort) await turn.forgetScaleDown(turn.desired);
  const stable = separateStable(turn.sets);
  if (stable) await turn.forgetScaleDown(stable);
  else if (turn.delaysScaleDownOnAbort && isSame(turn.stable, turn.desired)) await turn.forgetScaleDown(turn.desired);
}

/** Scales the wanted revision. After an abort its pods stay until their time is over. */
async function scaleDesired(turn: Turn, count: number): Promise<boolean> {
  if (turn.delaysScaleDownOnAbort) {
    const outcome = await delayAfterAbort(turn);
    if (outcome === 'keep') return false;
    if (outcome === 'remove') return scaleAndMigrate(turn, 0);
  }
  return scaleAndMigrate(turn, count);
}

async function scaleAndMigrate(turn: Turn, count: number): Promise<boolean> {
  const scaled = await turn.scale(turn.desired, count);
  if (revisionOf(turn.desired) === 1) await migrateWorkload(turn, count);
  return scaled;
}

async function delayAfterAbort(turn: Turn): Promise<'keep' | 'remove' | 'scale'> {
  const { desired, now } = turn;
  if (hasScaleDownDeadline(desired)) {
    const left = untilScaleDown(desired, now);
    if (left === undefined) {
      const deadline = desired.metadata.annotations?.[rolloutNames.annotations.scaleDownDeadline];
      return Number.isNaN(Date.parse(deadline ?? '')) ? 'scale' : 'remove';
    }
    turn.requeueIn(left);
    await turn.scale(desired, wanted(desired));
    return 'keep';
  }
  await turn.scale(desired, wanted(desired));
  const seconds = abortScaleDownDelaySeconds(turn.rollout) ?? 0;
  // the clock starts when the stable pods can take everything
  if (available(turn.stable) >= replicasOf(turn.rollout)) await turn.delayScaleDown(turn.desired, seconds);
  return 'keep';
}

async function scaleDownOthers(
  turn: Turn,
  scaleDown: (turn: Turn, old: ReplicaSet[]) => Promise<boolean>,
): Promise<boolean> {
  const active = otherSets(turn.sets).filter((set) => wanted(set) > 0);
  return active.length > 0 && scaleDown(turn, active);
}

/** Old revisions of a canary: unhealthy pods first, then as far as enough pods stay available. */
async function scaleDownOldCanaries(turn: Turn, old: ReplicaSet[]): Promise<boolean> {
  if (!(await mayScaleDown(turn, old))) return false;
  let scaled = 0;
  for (const set of old.sort(byAge)) {
    const broken = wanted(set) - available(set);
    if (broken <= 0) continue;
    await turn.scale(set, available(set));
    scaled += broken;
  }
  const floor = replicasOf(turn.rollout) - maxUnavailable(turn.rollout);
  let room = totalAvailable(turn.sets.all) - floor;
  if (room <= 0) return false;
  const budget = { annotated: 0 };
  for (const set of otherSets(turn.sets)
    .filter((each) => wanted(each) > 0)
    .sort(byRevisionDescending)) {
    if (room <= 0) break;
    if (turn.rollout.spec.strategy.canary?.trafficRouting && (await isReferenced(turn, set))) continue;
    const count = await oldCanaryCount(turn, set, { room, budget });
    if (count === wanted(set)) continue;
    const removed = wanted(set) - count;
    await turn.scale(currentOf(turn, set), count);
    room -= removed;
    scaled += removed;
  }
  return scaled > 0;
}

async function oldCanaryCount(
  turn: Turn,
  set: ReplicaSet,
  { room, budget }: { room: number; budget: { annotated: number } },
): Promise<number> {
  const { canary } = turn.rollout.spec.strategy;
  if (!canary?.trafficRouting) return Math.max(0, wanted(set) - room);
  // what was never promoted serves nobody
  if (!isFullyPromoted(turn.rollout) && !hasScaleDownDeadline(set)) return 0;
  return canary.dynamicStableScale ? 0 : delayed(turn, set, { budget, replicas: wanted(set) });
}

async function scaleDownOldBlueGreens(turn: Turn, old: ReplicaSet[]): Promise<boolean> {
  if (pauseCondition(turn.rollout, 'InconclusiveAnalysisRun') || waitsForPostPromotion(turn)) return false;
  let scaled = false;
  const budget = { annotated: 0 };
  for (const set of old.sort(byRevisionDescending)) {
    if (await isReferenced(turn, set)) continue;
    const count = await delayed(turn, set, { budget, replicas: replicasOf(turn.rollout) });
    const current = currentOf(turn, set);
    if (wanted(current) === count) continue;
    await turn.scale(current, count);
    scaled = true;
  }
  return scaled;
}

/** Without a delay old pods are kept until the analysis after the promotion has succeeded. */
function waitsForPostPromotion(turn: Turn): boolean {
  const { blueGreen } = turn.rollout.spec.strategy;
  if (!blueGreen?.postPromotionAnalysis || blueGreen.scaleDownDelaySeconds !== undefined) return false;
  if (skipsPostPromotion(turn)) return false;
  const phase = turn.runs.postPromotion?.status?.phase;
  return !(isCompleted(phase) && phase === 'Successful');
}

/** How many pods an old ReplicaSet has today: all until its deadline, which is set first; none afterwards or over the limit. */
async function delayed(
  turn: Turn,
  set: ReplicaSet,
  { budget, replicas }: { budget: { annotated: number }; replicas: number },
): Promise<number> {
  const limit = scaleDownRevisionLimit(turn.rollout);
  if (!hasScaleDownDeadline(set)) {
    const seconds = scaleDownDelaySeconds(turn.rollout);
    if (budget.annotated >= limit || seconds === 0) return 0;
    budget.annotated += 1;
    await turn.delayScaleDown(set, seconds);
    turn.requeueIn(seconds * 1000);
    return wanted(set);
  }
  budget.annotated += 1;
  const left = untilScaleDown(set, turn.now);
  if (budget.annotated > limit || left === undefined) return 0;
  turn.requeueIn(left);
  return replicas;
}

/** The ReplicaSet as this pass has changed it. */
function currentOf(turn: Turn, set: ReplicaSet): ReplicaSet {
  return turn.sets.all.find((each) => isSame(each, set)) ?? set;
}

/** Whether the wanted revision of a blue-green Rollout has the pods it needs for the next decision. */
export function isReadyForPause(turn: Turn): boolean {
  const count = previewCount(turn.rollout, turn.sets, activeSet(turn));
  return wanted(turn.desired) === count && available(turn.desired) === count;
}
