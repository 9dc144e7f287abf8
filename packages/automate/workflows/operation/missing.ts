import { workflowNames } from '@tiphys/api';
import { isEnded } from '../model/phases.ts';
import { timeOf } from '../model/time.ts';
import type { NodeStatus } from '../model/types.ts';
import { SubstitutionError } from '../text/substitution-error.ts';
import { descendantsOf } from './nodes.ts';
import type { Operation } from './operation.ts';

/** How long a report may come after the end of its pod: informers see the two in any order. */
const gracePeriod = 60_000;

/**
 * True if an error says that the output of a node below a boundary is missing which its executor may still report. A pod that failed
 * ends its node before its report is here; any other name that has no value by now never gets one, and is an error at once.
 */
export function awaitMissing(op: Operation, boundaryId: string, error: unknown): boolean {
  const missing = error instanceof SubstitutionError ? error.missing : undefined;
  const [, named] = /^(?:steps|tasks)\.([^.]+)\.(?:outputs\.|exitCode$)/.exec(missing ?? '') ?? [];
  if (!named) return false;
  const ends = op
    .nodesWithin(boundaryId)
    .filter(({ name, displayName }) => displayName === named || name.includes(`.${named}(`))
    .flatMap((node) => [node, ...descendantsOf(op, node)])
    .flatMap((node) => (isUnreported(op, node) ? [timeOf(node.finishedAt) ?? 0] : []));
  const left = Math.max(0, ...ends) + gracePeriod - op.now;
  if (left <= 0) return false;
  op.requeueAfter(Math.min(left + 1, 5000));
  return true;
}

/** True for the node of a pod whose executor may be about to say that it has reported all. */
function isUnreported(op: Operation, node: NodeStatus): boolean {
  if (node.type !== 'Pod' || !isEnded(node)) return false;
  if (node.taskResultSynced !== false && !op.podsByNode.has(node.id)) return false;
  const result = op.facts.taskResults.find(({ metadata }) => metadata.name === node.id);
  return result?.metadata.labels?.[workflowNames.labels.outputsReported] !== 'true';
}
