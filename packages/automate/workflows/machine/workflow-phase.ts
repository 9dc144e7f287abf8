import { workflowNames } from '@tiphys/api';
import { stopDaemons } from '../execute/daemons.ts';
import { isCompletedWorkflow } from '../model/phases.ts';
import { secondsBetween } from '../model/time.ts';
import type { WorkflowPhase } from '../model/types.ts';
import { setCondition } from '../operation/conditions.ts';
import type { Operation } from '../operation/operation.ts';
import { releaseAllLocks } from '../operation/synchronize.ts';
import { resultsInProgress } from './task-results.ts';

const { labels } = workflowNames;

/** Sets the phase of the workflow, its labels, times and events. A workflow does not end while outputs are on their way. */
export function markWorkflow(op: Operation, phase: WorkflowPhase, message = ''): void {
  const { workflow, status } = op;
  const ends = isCompletedWorkflow(phase);
  if (ends && (resultsInProgress(op) || op.nodes().some(({ daemoned }) => daemoned))) {
    for (const boundary of new Set(op.nodes().map(({ boundaryID }) => boundaryID ?? ''))) stopDaemons(op, boundary);
    if (resultsInProgress(op)) {
      op.requeueAfter(1000);
      return;
    }
  }
  if (status.phase !== phase) {
    status.phase = phase;
    workflow.metadata.labels = {
      [labels.completed]: 'false',
      ...workflow.metadata.labels,
      [labels.phase]: phase,
    };
    announce(op, phase, message);
  }
  if (!status.startedAt && phase !== 'Pending') {
    status.startedAt = op.timestamp;
    const { baseline } = op.facts;
    const estimate = secondsBetween(baseline?.status?.startedAt, baseline?.status?.finishedAt);
    if (estimate) status.estimatedDuration = Math.floor(estimate);
  }
  if (message) status.message = message;
  else delete status.message;
  if (phase === 'Error') failEntry(op);
  if (ends) finishWorkflow(op);
}

function announce(op: Operation, phase: WorkflowPhase, message: string): void {
  if (op.facts.settings.sendWorkflowEvents === false) return;
  const event = (type: 'Normal' | 'Warning', reason: string, text: string) =>
    op.actions.push({ kind: 'event', type, reason, message: text });
  if (phase === 'Running') event('Normal', 'WorkflowRunning', 'Workflow Running');
  if (phase === 'Succeeded') event('Normal', 'WorkflowSucceeded', 'Workflow completed');
  if (phase === 'Failed' || phase === 'Error') event('Warning', 'WorkflowFailed', message || `Workflow ${phase}`);
}

function failEntry(op: Operation): void {
  const entry = op.node(op.name);
  if (entry?.phase !== 'Running') return;
  entry.phase = 'Error';
  entry.message = 'Workflow operation error';
  entry.finishedAt = op.timestamp;
}

function finishWorkflow(op: Operation): void {
  const { workflow, status } = op;
  status.finishedAt = op.timestamp;
  op.globals.set('workflow.duration', secondsBetween(status.startedAt, status.finishedAt).toFixed(6));
  workflow.metadata.labels = { ...workflow.metadata.labels, [labels.completed]: 'true' };
  setCondition(op, { type: 'Completed', status: 'True' });
  if (op.spec.podDisruptionBudget) op.actions.push({ kind: 'delete-budget', name: op.name });
  if (op.facts.settings.archives) workflow.metadata.labels[labels.archiving] = 'Pending';
  if (status.synchronization) releaseAllLocks(op);
  // nothing goes on below a workflow that has ended
  for (const node of op.nodes()) {
    if (node.phase !== 'Running' && node.phase !== 'Pending') continue;
    node.phase = status.phase === 'Error' ? 'Error' : 'Failed';
    node.message ??= op.shutdown ? `Stopped with strategy '${op.shutdown}'` : 'the workflow ended before this node did';
    node.finishedAt ??= op.timestamp;
    if (node.taskResultSynced === false) node.taskResultSynced = true;
  }
}
