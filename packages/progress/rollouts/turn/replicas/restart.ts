import type { Rollout } from '@tiphys/api';
import { isNotFound, isTooManyRequests } from '@tiphys/kubernetes';
import type { Pod } from '../../objects/kinds.ts';
import { isAvailable } from '../../objects/pods.ts';
import { createdAt, isSame, type ReplicaSet, totalWanted } from '../../objects/replica-set.ts';
import { maxUnavailable, replicasOf } from '../../objects/rollout.ts';
import type { Turn } from '../turn.ts';

/** Pods that may not go yet are tried again after this time, in milliseconds. */
const retryAfter = 30_000;

/** Whether a restart is asked for, is due, and is not done. */
function isDue({ spec, status }: Rollout, now: number): boolean {
  if (spec.restartAt === undefined) return false;
  const at = Date.parse(spec.restartAt);
  return Date.parse(status?.restartedAt ?? '') !== at && now > at;
}

/**
 * Evicts pods that are older than `restartAt`, the stable ones first, as many at once as may be unavailable; budgets are heard.
 * Gives the number of evicted pods.
 */
export async function restart(turn: Turn): Promise<number> {
  const { rollout, now } = turn;
  const at = Date.parse(rollout.spec.restartAt ?? '');
  if (at > now) turn.requeueIn(at - now);
  if (!isDue(rollout, now)) return 0;
  const pods = podsInOrder(turn);
  const most = Math.max(maxUnavailable(rollout), 1);
  const floor = Math.max(replicasOf(rollout), totalWanted(turn.sets.all)) - most;
  let room =
    pods.filter((pod) => isAvailable(pod, { minReadySeconds: rollout.spec.minReadySeconds ?? 0, now })).length - floor;
  const old = pods.filter((pod) => createdAt(pod) < at);
  let evicted = 0;
  for (const pod of old) {
    if (room <= 0) break;
    if (pod.metadata.deletionTimestamp || !(await evict(turn, pod))) continue;
    room -= 1;
    evicted += 1;
  }
  if (old.length > evicted) turn.requeueIn(retryAfter);
  else turn.found.restartedAt = rollout.spec.restartAt;
  return evicted;
}

function podsInOrder(turn: Turn): Pod[] {
  const rank = (set: ReplicaSet) => (isSame(set, turn.stable) ? 0 : isSame(set, turn.desired) ? 1 : 2);
  const sets = [...turn.sets.all].sort((a, b) => rank(a) - rank(b) || createdAt(a) - createdAt(b));
  return sets.flatMap((set) =>
    [...turn.podsOf(set)].sort((a, b) => (a.metadata.name ?? '').localeCompare(b.metadata.name ?? '')),
  );
}

/** False if a budget forbids it now. */
export async function evict(turn: Turn, { metadata: { name = '', namespace = '' } }: Pod): Promise<boolean> {
  try {
    await turn.context.evict({ namespace, name });
    return true;
  } catch (error) {
    if (isNotFound(error)) return true;
    if (isTooManyRequests(error)) return false;
    throw error;
  }
}
