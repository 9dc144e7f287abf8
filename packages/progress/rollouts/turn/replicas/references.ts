import { hashOf, type ReplicaSet } from '../../objects/replica-set.ts';
import { selectedHash, type Turn } from '../turn.ts';

/** Whether status, a Service or a router still speaks of a ReplicaSet: traffic may reach its pods. */
export async function isReferenced(turn: Turn, set: ReplicaSet): Promise<boolean> {
  const hash = hashOf(set);
  if (hash === '') return false;
  const { stableRS, currentPodHash, blueGreen, canary } = turn.status;
  const named = [
    stableRS,
    currentPodHash,
    blueGreen?.activeSelector,
    blueGreen?.previewSelector,
    canary?.weights?.canary.podTemplateHash,
    canary?.weights?.stable.podTemplateHash,
  ];
  if (named.includes(hash)) return true;
  const { strategy } = turn.rollout.spec;
  const services = strategy.canary
    ? [strategy.canary.canaryService, strategy.canary.stableService]
    : [strategy.blueGreen?.activeService, strategy.blueGreen?.previewService];
  if (services.some((name) => selectedHash(turn.service(name)) === hash)) return true;
  return turn.context.isInDestinationRule(turn.rollout, hash);
}
