import type { TrafficWeights, WeightDestination } from '@tiphys/api';
import { deepEqual } from '@tiphys/controller';
import { DiagnosisError, diagnosisOf } from '@tiphys/diagnosis';
import type { TrafficRouter } from '@tiphys/traffic';
import { desiredCanaryWeight, isAtDesiredCounts, isProgressed } from '../../decide/canary-counts.ts';
import { available, hashOf, type ReplicaSet } from '../../objects/replica-set.ts';
import {
  currentStep,
  isFullyPromoted,
  lastWeight,
  maxTrafficWeight,
  replicasOf,
  stepsOf,
  weightOfSteps,
} from '../../objects/rollout.ts';
import { hasEndpoints, readyEndpoints, risesOf } from '../../routing/endpoints.ts';
import { pointAt, rollingBackFrom, serviceNames, stableCapacity } from '../replicas/services.ts';
import type { Turn } from '../turn.ts';

/** Weights that are not served yet are asked for again after this time, in milliseconds. */
const verifyInterval = 10_000;

/** Endpoints that are not there yet are looked at again after this time, in milliseconds. */
const endpointsInterval = 500;

/** What the routers are to be told. */
interface Routing {
  readonly weight: number;
  readonly canaryHash: string;
  readonly stableHash: string;
  readonly additional: readonly WeightDestination[];
  readonly removesRoutes: boolean;
  /** After an abort the canary's service goes back to stable once nothing is routed to it. */
  readonly returnsService: boolean;
}

/** Tells every router of the Rollout where traffic goes, and notes the weights. */
export async function route(turn: Turn): Promise<void> {
  const routers = await turn.context.routers(turn);
  if (routers.length === 0) {
    turn.found.weights = undefined;
    return;
  }
  for (const router of routers) if (!(await routeBy(turn, router))) return;
}

/** False if the remaining routers are to wait. */
async function routeBy(turn: Turn, router: TrafficRouter): Promise<boolean> {
  const { rollout } = turn;
  const routing = routingOf(turn);
  const { weight, canaryHash, stableHash, additional } = routing;
  if (routing.removesRoutes) await router.removeManagedRoutes();
  if (!canCarry(turn, turn.stable, maxTrafficWeight(rollout) - weight)) return false;
  if (await awaitsEndpoints(turn, routing)) return false;
  await setRoutes(turn, router);
  const hasNoCanary = available(turn.desired) === 0;
  // weight goes away from pods that are gone before the subsets change
  if (hasNoCanary && (turn.status.canary?.weights?.canary.weight ?? 0) > 0) await setWeight(turn, router, routing);
  await router.updateHash(canaryHash, stableHash, additional);
  await setWeight(turn, router, routing);
  noteWeights(turn, routing);
  // the weight goes first: until then requests to the canary are the canary's
  if (routing.returnsService)
    await pointAt(turn, {
      name: rollout.spec.strategy.canary?.canaryService,
      set: turn.stable,
      unconditionally: true,
    });
  return verify(turn, router, routing);
}

function routingOf(turn: Turn): Routing {
  const { rollout, status } = turn;
  const { canary } = rollout.spec.strategy;
  const base = {
    weight: 0,
    canaryHash: hashOf(turn.desired),
    stableHash: hashOf(turn.stable),
    additional: [] as readonly WeightDestination[],
    removesRoutes: false,
    returnsService: false,
  };
  const serving = rollingBackFrom(turn);
  if (serving !== undefined) return { ...base, weight: retreatWeight(turn), canaryHash: serving };
  if (isFullyPromoted(rollout)) return { ...base, removesRoutes: true };
  if (turn.pauses.isAborted) {
    const weight = retreatWeight(turn);
    return { ...base, weight, removesRoutes: true, returnsService: !canary?.dynamicStableScale || weight === 0 };
  }
  if (available(turn.desired) === 0) return { ...base, additional: experimentWeights(turn), removesRoutes: true };
  if (status.promoteFull) {
    const share = Math.floor((maxTrafficWeight(rollout) * available(turn.desired)) / replicasOf(rollout));
    const weight = canary?.dynamicStableScale ? share : (status.canary?.weights?.canary.weight ?? 0);
    return { ...base, weight, removesRoutes: true };
  }
  const { index } = currentStep(rollout);
  if (index === undefined) return base;
  if (!isAtDesiredCounts(rollout, turn.sets))
    return { ...base, weight: lastWeight(rollout, index - 1), additional: experimentWeights(turn) };
  if (index === stepsOf(rollout).length) return { ...base, weight: maxTrafficWeight(rollout) };
  return { ...base, weight: weightOfSteps(rollout), additional: experimentWeights(turn) };
}

/** On the way back to stable the canary keeps as much as the stable pods cannot carry yet, and never gets more than it has. */
function retreatWeight(turn: Turn): number {
  const { rollout, stable } = turn;
  if (!rollout.spec.strategy.canary?.dynamicStableScale || !stable || replicasOf(rollout) === 0) return 0;
  const most = maxTrafficWeight(rollout);
  const goal = desiredCanaryWeight(rollout, turn.sets);
  const uncarried = Math.max(0, most - stableCapacity(turn));
  const current = turn.status.canary?.weights?.canary.weight;
  if (current === undefined) return Math.max(uncarried, goal);
  if (goal <= 0) return Math.min(uncarried, current);
  return stableCapacity(turn) < most - goal ? current : Math.min(goal, current);
}

/** What the templates of the experiment that runs get. */
function experimentWeights(turn: Turn): WeightDestination[] {
  const { step, index = 0 } = currentStep(turn.rollout);
  const wanted =
    step &&
    stepsOf(turn.rollout)
      .slice(0, index + 1)
      .findLast(({ experiment }) => experiment)?.experiment;
  if (!wanted || turn.experiment?.status?.phase !== 'Running') return [];
  const weights = new Map(wanted.templates.map(({ name, weight }) => [name, weight]));
  return (turn.experiment.status.templateStatuses ?? []).flatMap(({ name, serviceName, podTemplateHash }) => {
    const weight = weights.get(name);
    if (weight === undefined) return [];
    return [{ weight, serviceName: serviceName ?? '', podTemplateHash: podTemplateHash ?? '' }];
  });
}

/** Whether the pods of a ReplicaSet can serve a weight. */
function canCarry(turn: Turn, set: ReplicaSet | undefined, weight: number): boolean {
  if (!set) return false;
  const needed = Math.floor((weight * replicasOf(turn.rollout)) / maxTrafficWeight(turn.rollout));
  return available(set) >= needed || isProgressed(turn.rollout, set, needed);
}

/**
 * Whether a part that is to get more traffic has a Service that does not lead to its pods yet. Pods are available before every
 * proxy knows of them: a weight that is told earlier is answered by nobody.
 */
async function awaitsEndpoints(turn: Turn, { weight, canaryHash, stableHash, additional }: Routing): Promise<boolean> {
  const { rollout, namespace, pass } = turn;
  const most = maxTrafficWeight(rollout);
  const rest = additional.reduce((left, each) => left - each.weight, most - weight);
  const wanted = { canary: { weight, hash: canaryHash }, stable: { weight: rest, hash: stableHash } };
  const names = serviceNames(turn);
  for (const rise of risesOf(turn.found.weights, wanted)) {
    const service = turn.service(names[rise.part]);
    if (!hasEndpoints(service)) continue;
    const set = turn.sets.all.find((each) => hashOf(each) === rise.hash);
    const share = Math.floor((rise.weight * replicasOf(rollout)) / most);
    const needed = Math.max(1, Math.min(share, available(set)));
    const name = service.metadata.name ?? '';
    const slices = await turn.context.endpoints(namespace, name);
    if (!slices) continue;
    const ready = readyEndpoints(slices, turn.context.pods(namespace), rise.hash);
    if (ready >= needed) continue;
    turn.found.endpointsAwaited = { service: name, hash: rise.hash, ready, needed };
    pass.memory.endpointsAwaited ??= turn.now;
    turn.requeueIn(endpointsInterval);
    return true;
  }
  pass.memory.endpointsAwaited = undefined;
  return false;
}

async function setRoutes(turn: Turn, router: TrafficRouter): Promise<void> {
  const { step } = currentStep(turn.rollout);
  if (!step || turn.revision <= 1) return;
  const { setHeaderRoute, setMirrorRoute } = step;
  if (setHeaderRoute) await router.setHeaderRoute(setHeaderRoute as Parameters<TrafficRouter['setHeaderRoute']>[0]);
  if (setMirrorRoute) await router.setMirrorRoute(setMirrorRoute);
}

async function setWeight(turn: Turn, router: TrafficRouter, { weight, additional }: Routing): Promise<void> {
  try {
    await router.setWeight(weight, additional);
  } catch (error) {
    turn.event('Warning', 'TrafficRoutingError', sentenceOf(error));
    throw error;
  }
}

function sentenceOf(error: unknown): string {
  return error instanceof DiagnosisError ? error.diagnosis.message : diagnosisOf(error).message;
}

function noteWeights(turn: Turn, { weight, canaryHash, stableHash, additional }: Routing): void {
  const { canaryService, stableService } = turn.rollout.spec.strategy.canary ?? {};
  const rest = additional.reduce((left, each) => left - each.weight, maxTrafficWeight(turn.rollout) - weight);
  const next: TrafficWeights = {
    canary: destination(weight, canaryHash, canaryService),
    stable: destination(rest, stableHash, stableService),
    ...(additional.length > 0
      ? { additional: additional.map((each) => destination(each.weight, each.podTemplateHash, each.serviceName)) }
      : {}),
  };
  const before = turn.status.canary?.weights;
  const { verified: _, ...compared } = before ?? { canary: undefined, stable: undefined };
  if (before && deepEqual(compared, next)) return;
  turn.event('Normal', 'TrafficWeightUpdated', weightsText(before, next));
  turn.found.weights = next;
}

function destination(weight: number, podTemplateHash?: string, serviceName?: string): WeightDestination {
  return { weight, ...(serviceName ? { serviceName } : {}), ...(podTemplateHash ? { podTemplateHash } : {}) };
}

function weightsText(before: TrafficWeights | undefined, next: TrafficWeights): string {
  if (!before) return `Traffic weight updated to ${next.canary.weight}`;
  const details: string[] = [];
  if (before.canary.weight !== next.canary.weight)
    details.push(`from ${before.canary.weight} to ${next.canary.weight}`);
  if (!deepEqual(before.additional ?? [], next.additional ?? [])) {
    const parts = (next.additional ?? []).map(
      ({ weight, serviceName = '', podTemplateHash = '' }) => `{${weight} ${serviceName} ${podTemplateHash}}`,
    );
    details.push(`additional: [${parts.join(' ')}]`);
  }
  return `Traffic weight updated ${details.join(', ')}`;
}

/** A step sets a weight, or all traffic is to go to the wanted revision: what is served is read back then. */
export function verifiesWeights(turn: Turn): boolean {
  const { rollout, status } = turn;
  if (!status.stableRS || isFullyPromoted(rollout)) return false;
  const { step } = currentStep(rollout);
  return step ? step.setWeight !== undefined : routingOf(turn).weight === maxTrafficWeight(rollout);
}

/** Reads the weight back where the router can tell. */
async function verify(turn: Turn, router: TrafficRouter, { weight, additional }: Routing): Promise<boolean> {
  const { weights } = turn.found;
  let verified: boolean | undefined;
  try {
    verified = await router.verifyWeight(weight, additional);
  } catch (error) {
    turn.event('Warning', 'WeightVerifyError', `Failed to verify weight: ${sentenceOf(error)}`);
    if (weights) delete weights.verified;
    return false;
  }
  if (weights) {
    if (verified === undefined) delete weights.verified;
    else weights.verified = verified;
  }
  if (verified === false) {
    turn.requeueIn(verifyInterval);
    if (weight === maxTrafficWeight(turn.rollout)) turn.found.endWeightUnverified = true;
  }
  return true;
}
