import { registrationOf, targetGroupsOf } from '@tiphys/traffic';
import type { Service } from '../../objects/kinds.ts';
import { hashOf, hasScaleDownDeadline, type ReplicaSet, wanted } from '../../objects/replica-set.ts';
import { isFullyPromoted } from '../../objects/rollout.ts';
import { selectedHash, type Turn } from '../turn.ts';
import { serviceNames } from './services.ts';

/** What is not registered yet is asked for again after this time, in milliseconds. */
const verifyInterval = 10_000;

/** After the switch of a blue-green Rollout: whether the load balancer has its new pods. Nothing is promoted before. */
export async function verifyActiveTargets(turn: Turn, active: Service): Promise<void> {
  const { stableRS, currentPodHash, blueGreen } = turn.status;
  if (stableRS === currentPodHash || stableRS === hashOf(turn.desired)) return;
  if (selectedHash(active) !== hashOf(turn.desired)) return;
  // the analysis after the promotion has begun: it was asked before
  if (blueGreen?.postPromotionAnalysisRunStatus) return;
  await verifyTargets(turn, active);
}

/** Whether the old pods of a canary behind an AWS load balancer may go: the stable target group has all that is to serve. */
export async function mayScaleDown(turn: Turn, old: readonly ReplicaSet[]): Promise<boolean> {
  if (!turn.context.targetGroups || !isFullyPromoted(turn.rollout)) return true;
  if (!turn.rollout.spec.strategy.canary?.trafficRouting?.alb) return true;
  // a deadline was only set when that had been verified
  if (!old.some((set) => wanted(set) > 0 && !hasScaleDownDeadline(set))) return true;
  const stable = turn.service(serviceNames(turn).stable);
  if (stable && selectedHash(stable) !== hashOf(turn.desired)) return false;
  if (stable) await verifyTargets(turn, stable);
  return turn.found.targetsVerified !== false;
}

async function verifyTargets(turn: Turn, service: Service): Promise<void> {
  const { targetGroups, endpoints } = turn.context;
  if (!targetGroups) return;
  const { namespace = '', name = '' } = service.metadata;
  const groups = await targetGroupsOf(targetGroups, service);
  if (!groups) return;
  turn.found.targetsVerified = false;
  const slices = (await endpoints(namespace, name)) ?? [];
  for (const group of groups) {
    const subject = `Service ${name} (TargetGroup ${group.arn})`;
    let found: Awaited<ReturnType<typeof registrationOf>>;
    try {
      found = await registrationOf(targetGroups.loadBalancers, group, slices);
    } catch (error) {
      const sentence = error instanceof Error ? error.message : String(error);
      turn.event('Warning', 'TargetGroupVerifyError', `Failed to verify ${subject}: ${sentence}`);
      throw error;
    }
    const { registered, endpoints: all } = found;
    if (registered < all) {
      const message = `${subject} not verified: ${registered}/${all} endpoints registered`;
      turn.event('Warning', 'TargetGroupUnverified', message);
      turn.requeueIn(verifyInterval);
      return;
    }
    turn.event('Normal', 'TargetGroupVerified', `${subject} verified: ${registered} endpoints registered`);
  }
  turn.found.targetsVerified = true;
}
