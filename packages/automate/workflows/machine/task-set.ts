import { saveMemo } from '../execute/memoize.ts';
import { isFulfilled, isTaskSetNode } from '../model/phases.ts';
import type { Operation } from '../operation/operation.ts';
import { tellAgentWaits } from './agent-waits.ts';

/** Takes over what the agent has done. */
export function readTaskSet(op: Operation): void {
  for (const [id, result] of Object.entries(op.facts.taskSet?.status?.nodes ?? {})) {
    const node = op.nodeById(id);
    if (!node || isFulfilled(node) || !result) continue;
    if (result.outputs) node.outputs = structuredClone(result.outputs);
    if (result.phase) node.phase = result.phase;
    if (result.message) node.message = result.message;
    else if (result.phase) delete node.message;
    if (isFulfilled(node)) node.finishedAt = op.timestamp;
    if (node.phase === 'Succeeded') saveMemo(op, node);
  }
}

/** Asks for what the agent has to do. */
export function taskActions(op: Operation): void {
  const open = Object.entries(op.tasks).filter(([id]) => {
    const node = op.nodeById(id);
    return node && isTaskSetNode(node) && !isFulfilled(node);
  });
  if (open.length === 0 || op.shutdown) return;
  op.actions.push({ kind: 'set-tasks', tasks: Object.fromEntries(open) });
  tellAgentWaits(op, open);
}
