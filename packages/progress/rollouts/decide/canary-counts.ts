import type { Rollout, TrafficWeights } from '@tiphys/api';
import {
  available,
  isSame,
  otherSets,
  type ReplicaSet,
  type ReplicaSets,
  separateStable,
  totalAvailable,
  totalWanted,
  wanted,
} from '../objects/replica-set.ts';
import {
  canaryScale,
  hasExplicitAbortDelay,
  isDriven,
  maxSurge,
  maxTrafficWeight,
  maxUnavailable,
  replicasOf,
  stepsOf,
  weightOfSteps,
} from '../objects/rollout.ts';

/** How many pods each part of a canary gets. */
export interface CanaryCounts {
  readonly canary: number;
  readonly stable: number;
}

/** Pods of canary and stable at this moment: with a router by weight, without one by the ratio that the budget lets through. */
export function canaryCounts(rollout: Rollout, sets: ReplicaSets, weights?: TrafficWeights): CanaryCounts {
  if (isDriven(rollout)) return drivenCounts(rollout, sets);
  return rollout.spec.strategy.canary?.trafficRouting
    ? routedCounts(rollout, sets, weights)
    : ratioCounts(rollout, sets);
}

/** Whether a ReplicaSet has enough available pods to go on; all of them unless a threshold is given. */
export function isProgressed(rollout: Rollout, set: ReplicaSet | undefined, desired: number): boolean {
  const threshold = rollout.spec.strategy.canary?.replicaProgressThreshold;
  if (!threshold || !set || threshold.value < 0)
    return set !== undefined && wanted(set) === desired && available(set) === desired;
  if (threshold.type !== 'Percent') return available(set) >= threshold.value;
  if (desired === 0) return true;
  return (available(set) / desired) * 100 >= threshold.value - 1e-10;
}

/** Whether canary and stable have the pods that the step at hand asks for. */
export function isAtDesiredCounts(rollout: Rollout, sets: ReplicaSets, weights?: TrafficWeights): boolean {
  const { trafficRouting, dynamicStableScale } = rollout.spec.strategy.canary ?? {};
  const { canary, stable } = canaryCounts(rollout, sets, weights);
  if (!isProgressed(rollout, sets.desired, canary)) return false;
  const isStableCreated =
    sets.stable !== undefined && wanted(sets.stable) === stable && (sets.stable.status?.replicas ?? 0) === stable;
  if ((!trafficRouting || !dynamicStableScale) && !isStableCreated) return false;
  return Boolean(trafficRouting) || totalAvailable(otherSets(sets)) === 0;
}

/** What the canary is to get: a number of pods, or else a weight. */
function canaryShare(rollout: Rollout, sets: ReplicaSets): { replicas?: number; weight: number } {
  const { promoteFull, stableRS = '', currentPodHash = '' } = rollout.status ?? {};
  if (promoteFull || stableRS === '' || currentPodHash === stableRS) return { weight: maxTrafficWeight(rollout) };
  const scale = canaryScale(rollout);
  if (scale?.replicas !== undefined) return { replicas: scale.replicas, weight: 0 };
  return { weight: scale?.weight ?? desiredCanaryWeight(rollout, sets) };
}

/**
 * The weight to go for. After an abort with a dynamic stable scale it goes down the steps that the stable pods, which come back,
 * leave room for.
 */
export function desiredCanaryWeight(rollout: Rollout, { desired, stable }: ReplicaSets): number {
  if (!rollout.status?.abort || !rollout.spec.strategy.canary?.dynamicStableScale || !desired || !stable)
    return weightOfSteps(rollout);
  const replicas = replicasOf(rollout);
  const missing = replicas - available(stable);
  const canary = hasExplicitAbortDelay(rollout) ? missing : Math.max(missing, available(desired));
  const fitting = stepsOf(rollout).findLast(
    ({ setWeight }) => setWeight !== undefined && weighted(replicas, setWeight, maxTrafficWeight(rollout)) < canary,
  );
  return fitting?.setWeight ?? 0;
}

/** Pods of a workload that keeps them are replaced in their places: none comes beyond them. */
function drivenCounts(rollout: Rollout, sets: ReplicaSets): CanaryCounts {
  const replicas = replicasOf(rollout);
  const { weight } = canaryShare(rollout, sets);
  const canary = Math.min(replicas, weighted(replicas, weight, maxTrafficWeight(rollout)));
  return { canary, stable: separateStable(sets) ? replicas - canary : 0 };
}

function weighted(replicas: number, weight: number, maxWeight: number): number {
  return Math.ceil((weight * replicas) / maxWeight);
}

function routedCounts(rollout: Rollout, sets: ReplicaSets, weights: TrafficWeights | undefined): CanaryCounts {
  const replicas = replicasOf(rollout);
  const maxWeight = maxTrafficWeight(rollout);
  const share = canaryShare(rollout, sets);
  let canary = share.replicas ?? atLeastMinimum(rollout, weighted(replicas, share.weight, maxWeight));
  if (!rollout.spec.strategy.canary?.dynamicStableScale) return { canary, stable: replicas };
  let stable = weighted(replicas, maxWeight - share.weight, maxWeight);
  if (weights) {
    // no fewer than what the traffic that still goes there needs
    stable = Math.max(stable, weighted(replicas, weights.stable.weight, maxWeight));
    if (rollout.status?.abort) canary = Math.max(canary, weighted(replicas, weights.canary.weight, maxWeight));
  }
  return { canary: atLeastMinimum(rollout, canary), stable: atLeastMinimum(rollout, stable) };
}

function atLeastMinimum(rollout: Rollout, count: number): number {
  const minimum = rollout.spec.strategy.canary?.minPodsPerReplicaSet;
  if (count === 0 || minimum === undefined || !rollout.spec.strategy.canary?.trafficRouting) return count;
  return Math.max(count, Math.min(minimum, replicasOf(rollout)));
}

/**
 * Without a router the weight is the ratio of pods. New pods come within `maxSurge`, old ones go within `maxUnavailable`, those of
 * intermediate revisions first.
 */
function ratioCounts(rollout: Rollout, sets: ReplicaSets): CanaryCounts {
  const replicas = replicasOf(rollout);
  const { desired } = sets;
  const stable = separateStable(sets);
  const others = otherSets(sets);
  const goal = stable
    ? nearestRatio({
        replicas,
        weight: canaryShare(rollout, sets).weight,
        maxWeight: maxTrafficWeight(rollout),
        surge: maxSurge(rollout),
      })
    : { canary: replicas, stable: 0 };
  const ceiling = replicas + maxSurge(rollout);
  const counts = grow(ceiling, { desired, stable, others }, goal);
  if (totalWanted(others) > 0) return counts;
  return shrink({ desired, stable, goal, counts, ceiling, floor: replicas - maxUnavailable(rollout) });
}

interface Parts {
  readonly desired: ReplicaSet | undefined;
  readonly stable: ReplicaSet | undefined;
  readonly others: readonly ReplicaSet[];
}

/** Scales up towards the goal as far as the ceiling lets, the stable part first. */
function grow(ceiling: number, { desired, stable, others }: Parts, goal: CanaryCounts): CanaryCounts {
  let room = Math.max(0, ceiling - totalWanted([...others, desired, stable]));
  const raise = (set: ReplicaSet | undefined, to: number) => {
    const now = wanted(set);
    const more = set ? Math.min(Math.max(0, to - now), room) : 0;
    room -= more;
    return now + more;
  };
  const stableCount = raise(stable, goal.stable);
  return { stable: stableCount, canary: raise(desired, goal.canary) };
}

interface Shrinking {
  readonly desired: ReplicaSet | undefined;
  readonly stable: ReplicaSet | undefined;
  readonly goal: CanaryCounts;
  readonly counts: CanaryCounts;
  readonly ceiling: number;
  readonly floor: number;
}

/** Scales down the part that is to lose pods, as far as enough pods stay available. */
function shrink({ desired, stable, goal, counts, ceiling, floor }: Shrinking): CanaryCounts {
  const isIncreasing = !desired || goal.canary >= wanted(desired);
  const standing = removable(desired, !isIncreasing) + removable(stable, isIncreasing);
  if (standing <= floor) return counts;
  const most = standing - floor;
  if (!isIncreasing) {
    const [canary, stableCount] = withinLimits({
      drained: { set: desired, count: lowered(desired, goal.canary, most, counts.canary) },
      kept: { set: stable, count: counts.stable },
      ceiling,
      floor,
    });
    return { canary, stable: stableCount };
  }
  if (!stable) return counts;
  const [stableCount, canary] = withinLimits({
    drained: { set: stable, count: lowered(stable, goal.stable, most, counts.stable) },
    kept: { set: desired, count: counts.canary },
    ceiling,
    floor,
  });
  return { canary, stable: stableCount };
}

/** Pods of a part that count as standing when it is asked how many may go. */
function removable(set: ReplicaSet | undefined, isDrained: boolean): number {
  return isDrained ? wanted(set) : Math.min(wanted(set), available(set));
}

function lowered(set: ReplicaSet | undefined, goal: number, most: number, count: number): number {
  return set && wanted(set) > goal ? Math.max(goal, wanted(set) - most) : count;
}

interface Part {
  readonly set: ReplicaSet | undefined;
  readonly count: number;
}

/** Takes from the kept part what is over the ceiling, but gives back what availability needs, and then takes it from the drained one. */
function withinLimits(limits: { drained: Part; kept: Part; ceiling: number; floor: number }): [number, number] {
  const { drained, kept, ceiling, floor } = limits;
  if (!kept.set) return [drained.count, kept.count];
  const reduced = kept.count - Math.max(0, kept.count + drained.count - ceiling);
  const standing =
    (drained.set ? Math.min(available(drained.set), drained.count) : 0) + Math.min(available(kept.set), reduced);
  const spare = Math.max(0, available(kept.set) - reduced);
  const keptCount = reduced + Math.min(spare, Math.max(0, floor - standing));
  return [drained.count - Math.max(0, keptCount + drained.count - ceiling), keptCount];
}

interface Ratio {
  readonly replicas: number;
  readonly weight: number;
  readonly maxWeight: number;
  readonly surge: number;
}

/**
 * The whole numbers of pods whose ratio comes nearest to the weight, with one pod more if surge lets. A canary of some weight gets
 * at least one pod and leaves the stable part at least one.
 */
export function nearestRatio({ replicas, weight, maxWeight, surge }: Ratio): CanaryCounts {
  if (replicas === 0) return { canary: 0, stable: 0 };
  const exact = (replicas * weight) / maxWeight;
  const up = Math.ceil(exact);
  const down = Math.floor(exact);
  const mayBeNone = weight === maxWeight || weight === 0 || (replicas === 1 && surge === 0);
  const options: { canary: number; total: number }[] = [];
  const offerDown = (total: number) => {
    const isTied = (total * (weight / maxWeight)) % 1 === 0.5;
    if (!isTied && (down !== 0 || mayBeNone)) options.push({ canary: down, total });
  };
  if (up < replicas || mayBeNone) options.push({ canary: up, total: replicas });
  offerDown(replicas);
  if (surge > 0) {
    options.push({ canary: up, total: replicas + 1 });
    offerDown(replicas + 1);
  }
  const distance = ({ canary, total }: { canary: number; total: number }) =>
    Math.abs((canary * maxWeight) / total - weight);
  const [first, ...rest] = options;
  if (!first) return { canary: 0, stable: replicas };
  const best = rest.reduce((nearest, option) => (distance(option) < distance(nearest) ? option : nearest), first);
  return { canary: best.canary, stable: best.total - best.canary };
}

/** How many pods the desired ReplicaSet of a blue-green Rollout gets: the preview's number until it may go on. */
export function previewCount(rollout: Rollout, sets: ReplicaSets, active: ReplicaSet | undefined): number {
  const replicas = replicasOf(rollout);
  const preview = rollout.spec.strategy.blueGreen?.previewReplicaCount;
  const { promoteFull, pauseConditions = [], blueGreen, currentPodHash } = rollout.status ?? {};
  if (preview === undefined || !active || isSame(active, sets.desired) || promoteFull) return replicas;
  if (sets.desired?.metadata.labels?.['rollouts-pod-template-hash'] !== currentPodHash) return preview;
  const mayGoOn = !rollout.spec.paused && pauseConditions.length === 0 && blueGreen?.scaleUpPreviewCheckPoint;
  return mayGoOn ? replicas : preview;
}
