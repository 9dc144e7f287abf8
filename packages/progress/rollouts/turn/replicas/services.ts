import { rolloutNames } from '@tiphys/api';
import type { Service } from '../../objects/kinds.ts';
import { available, hashOf, isSaturated, type ReplicaSet, wanted } from '../../objects/replica-set.ts';
import { haltReason, isFullyPromoted, maxTrafficWeight, replicasOf } from '../../objects/rollout.ts';
import { selectedHash, type Turn } from '../turn.ts';
import { isReadyForPause } from './replica-sets.ts';

/** The names of the services with the stable and with the canary pods; with ping-pong they change places at each update. */
export function serviceNames(turn: Turn): { stable: string; canary: string } {
  const { canaryService = '', stableService = '', pingPong } = turn.rollout.spec.strategy.canary ?? {};
  if (!pingPong) return { stable: stableService, canary: canaryService };
  const { pingService: ping, pongService: pong } = pingPong;
  return isStablePing(turn) ? { stable: ping, canary: pong } : { stable: pong, canary: ping };
}

export function isStablePing(turn: Turn): boolean {
  return turn.status.canary?.stablePingPong === 'ping';
}

/** Points the services of a canary at their pods, as soon as there are pods that can answer. */
export async function switchCanaryServices(turn: Turn): Promise<void> {
  const { canary } = turn.rollout.spec.strategy;
  if (!canary) return;
  if (canary.pingPong && !isFullyPromoted(turn.rollout))
    await pointAt(turn, { name: serviceNames(turn).canary, set: turn.desired, unconditionally: true });
  await pointAt(turn, { name: canary.stableService, set: turn.stable });
  if (turn.pauses.isAborted && !canary.trafficRouting)
    return pointAt(turn, { name: canary.canaryService, set: turn.stable });
  // the router takes the weight away first and then gives the service back: two hands on it would never come to rest
  if (turn.pauses.isAborted) return;
  // the canary's service still serves those that the way back leaves
  if (rollingBackFrom(turn) !== undefined) return;
  await pointAt(turn, { name: canary.canaryService, set: turn.desired });
}

/** With a dynamic stable scale a way back to stable takes time: the hash of the pods that still serve meanwhile. */
export function rollingBackFrom(turn: Turn): string | undefined {
  const { canary } = turn.rollout.spec.strategy;
  if (!isFullyPromoted(turn.rollout) || !canary?.trafficRouting || !canary.dynamicStableScale) return undefined;
  const weights = turn.status.canary?.weights;
  if (!weights) return undefined;
  const serving = weights.canary.podTemplateHash ?? '';
  if (serving === hashOf(turn.desired) || available(turn.desired) >= replicasOf(turn.rollout)) return undefined;
  return serving;
}

export interface Target {
  readonly name: string | undefined;
  readonly set: ReplicaSet | undefined;
  /** Even if no pod of it is available. */
  readonly unconditionally?: boolean;
}

/** Has a service select a ReplicaSet's pods; not before one can answer, and all of them where a service is taken over. */
export async function pointAt(turn: Turn, { name, set, unconditionally = false }: Target): Promise<void> {
  const service = turn.service(name);
  if (!set || !service || selectedHash(service) === hashOf(set)) return;
  const isNew = service.metadata.annotations?.[rolloutNames.annotations.managedByRollouts] === undefined;
  if (!unconditionally) {
    if (isNew && !isAvailable(set)) return;
    if (available(set) === 0) return;
  }
  await turn.switchService(service, hashOf(set));
}

function isAvailable(set: ReplicaSet): boolean {
  return wanted(set) !== 0 && available(set) !== 0 && wanted(set) <= available(set);
}

/** The preview shows the wanted revision from the start. */
export async function switchPreview(turn: Turn, preview: Service | undefined): Promise<Service | undefined> {
  if (!preview || haltReason(turn.rollout)) return preview;
  return turn.switchService(preview, hashOf(turn.desired));
}

/** Switches the active service when everything allows it; back to stable after an abort. */
export async function switchActive(
  turn: Turn,
  active: Service,
  { mayPromote }: { mayPromote: boolean },
): Promise<Service> {
  if (haltReason(turn.rollout)) return active;
  if (!isReadyForPause(turn) || !isSaturated(turn.desired, replicasOf(turn.rollout))) return active;
  const promoted = mayPromote ? hashOf(turn.desired) : selectedHash(active);
  return turn.switchService(active, turn.status.abort ? (turn.status.stableRS ?? '') : promoted);
}

/** The share of traffic that the stable pods can carry now, out of the whole weight. */
export function stableCapacity(turn: Turn): number {
  return Math.floor((maxTrafficWeight(turn.rollout) * available(turn.stable)) / replicasOf(turn.rollout));
}
