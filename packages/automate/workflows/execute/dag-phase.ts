import { isCompleted, isFailedOrError, isFulfilled } from '../model/phases.ts';
import type { NodePhase, NodeStatus } from '../model/types.ts';
import type { Operation } from '../operation/operation.ts';
import type { DagPlan } from './dag-plan.ts';
import { continuesOn } from './steps.ts';

export interface DagState {
  readonly plan: DagPlan;
  readonly boundary: NodeStatus;
  readonly targets: readonly string[];
  readonly failsFast: boolean;
  nodeOf(task: string): NodeStatus | undefined;
}

/** How a DAG stands: a failure travels along the arrows to the targets, and targets decide. */
export function dagPhase(op: Operation, { plan, boundary, targets, failsFast, nodeOf }: DagState): NodePhase {
  const arrived = new Map<string, NodePhase>();
  const wanted = new Set(targets.map((task) => nodeOf(task)?.id).filter((id) => id !== undefined));
  const seen = new Set<string>();
  const queue: { id: string; phase: NodePhase }[] = (boundary.children ?? []).map((id) => ({ id, phase: 'Succeeded' }));
  for (let at = 0; at < queue.length; at += 1) {
    const { id, phase } = queue[at] as { id: string; phase: NodePhase };
    const key = `${id} ${phase}`;
    if (seen.has(key)) continue;
    seen.add(key);
    const node = op.nodeById(id);
    if (!node || !isFulfilled(node)) return 'Running';
    const branch = isCompleted(node) ? (node.phase as NodePhase) : phase;
    if (wanted.has(id) && !isFailedOrError(arrived.get(id))) arrived.set(id, branch);
    for (const child of onward(op, node)) queue.push({ id: child, phase: branch });
  }
  let result: NodePhase = 'Succeeded';
  for (const task of targets) {
    const phase = arrived.get(nodeOf(task)?.id ?? '');
    if (phase === undefined) {
      result = 'Running';
      if (!failsFast) break;
    } else if (isFailedOrError(phase) && !continuesOn(plan.task(task), phase === 'Failed')) {
      result = phase;
      if (failsFast) break;
    }
  }
  return result;
}

/** Where the arrows of a node lead; attempts of a retry do not spread their own failures. */
function onward(op: Operation, node: NodeStatus): string[] {
  const children = node.children ?? [];
  if (node.type !== 'Retry') return children;
  return children.flatMap((id) => {
    const child = op.nodeById(id);
    return child?.nodeFlag?.retried ? (child.children ?? []) : [id];
  });
}
