import type { NodePhase, NodeStatus, WorkflowPhase } from './types.ts';

export function isFailedOrError(phase: NodePhase | undefined): boolean {
  return phase === 'Failed' || phase === 'Error';
}

/** True for phases in which a node ran and ended. */
export function isCompletedPhase(phase: NodePhase | undefined): boolean {
  return phase === 'Succeeded' || isFailedOrError(phase);
}

/** True once nothing more happens to a node: it ended and its outputs are here, or it did not run. */
export function isEnded({ phase, taskResultSynced }: NodeStatus): boolean {
  return (isCompletedPhase(phase) && taskResultSynced !== false) || phase === 'Skipped' || phase === 'Omitted';
}

/** True if what depends on a node may go on: it has ended, or serves as a daemon. */
export function isFulfilled(node: NodeStatus): boolean {
  return isEnded(node) || (node.daemoned === true && node.phase !== 'Pending');
}

/** True if a node ran and ended, and its outputs are here. */
export function isCompleted({ phase, taskResultSynced }: NodeStatus): boolean {
  return isCompletedPhase(phase) && taskResultSynced !== false;
}

export function isCompletedWorkflow(phase: WorkflowPhase | undefined): boolean {
  return phase === 'Succeeded' || phase === 'Failed' || phase === 'Error';
}

/** True for nodes that an agent runs, by a WorkflowTaskSet. */
export function isTaskSetNode({ type }: NodeStatus): boolean {
  return type === 'HTTP' || type === 'Plugin';
}

export function isActiveSuspend({ type, phase }: NodeStatus): boolean {
  return type === 'Suspend' && phase === 'Running';
}
