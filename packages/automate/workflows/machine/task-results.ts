import { workflowNames } from '@tiphys/api';
import { isCompletedPhase } from '../model/phases.ts';
import { parseProgress } from '../model/progress.ts';
import { timeOf } from '../model/time.ts';
import type { NodeStatus, Outputs, WorkflowTaskResult } from '../model/types.ts';
import type { Operation } from '../operation/operation.ts';

/** Takes over what executors report. */
export function readTaskResults(op: Operation): void {
  for (const result of op.facts.taskResults) {
    const node = op.nodeById(result.metadata.name);
    if (node) readTaskResult(op, node, result);
  }
}

function readTaskResult(op: Operation, node: NodeStatus, result: WorkflowTaskResult): void {
  const label = result.metadata.labels?.[workflowNames.labels.outputsReported];
  if (label === 'true') setSynced(op, node, true);
  else if (label === 'false' && !(isCompletedPhase(node.phase) && isAbandoned(op, node))) setSynced(op, node, false);
  else if (label === 'false') setSynced(op, node, true);
  if (hasOutputs(result.outputs)) {
    const exitCode = result.outputs?.exitCode ?? node.outputs?.exitCode;
    node.outputs = { ...node.outputs, ...result.outputs, ...(exitCode === undefined ? {} : { exitCode }) };
  }
  if (parseProgress(result.progress)) node.progress = result.progress as string;
}

function setSynced(op: Operation, node: NodeStatus, isSynced: boolean): void {
  if (node.taskResultSynced !== undefined) node.taskResultSynced = isSynced;
  const completion = op.status.taskResultsCompletionStatus;
  if (completion) completion[node.id] = isSynced;
}

/** True if the rest of a report will not come: the node ended a while ago, or its pod is gone. */
function isAbandoned(op: Operation, node: NodeStatus): boolean {
  const ended = timeOf(node.finishedAt);
  if (ended === undefined) return false;
  const gracePeriod = op.podsByNode.has(node.id) ? (op.facts.settings.taskResultTimeout ?? 120_000) : 30_000;
  const left = ended + gracePeriod - op.now;
  if (left > 0) op.requeueAfter(left + 1);
  return left <= 0;
}

function hasOutputs(outputs: Outputs | undefined): boolean {
  return Boolean(
    outputs &&
      (outputs.result !== undefined ||
        outputs.exitCode !== undefined ||
        outputs.parameters?.length ||
        outputs.artifacts?.length),
  );
}

/** True while an executor has announced outputs that are not here. */
export function resultsInProgress(op: Operation): boolean {
  return (
    op.nodes().some(({ taskResultSynced }) => taskResultSynced === false) ||
    Object.values(op.status.taskResultsCompletionStatus ?? {}).includes(false)
  );
}
