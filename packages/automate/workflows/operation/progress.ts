import { parseProgress } from '../model/progress.ts';
import type { NodeStatus } from '../model/types.ts';
import type { Operation } from './operation.ts';

const executable = new Set(['Pod', 'HTTP', 'Plugin', 'Container', 'Suspend']);

/** Adds up how far the nodes are: `N/M` of the workflow and of every node that has others below it. */
export function updateProgress(op: Operation): void {
  let done = 0;
  let all = 0;
  for (const node of op.nodes()) {
    if (!executable.has(node.type)) continue;
    const progress = parseProgress(node.progress);
    if (!progress) continue;
    if (node.phase === 'Succeeded' || node.phase === 'Skipped' || node.phase === 'Omitted') {
      node.progress = `${progress.all}/${progress.all}`;
      done += progress.all;
    } else done += progress.done;
    all += progress.all;
  }
  op.status.progress = `${done}/${all}`;
  for (const node of op.nodes()) {
    if (executable.has(node.type)) continue;
    const sum = sumBelow(op, node);
    if (sum.all > 0) node.progress = `${sum.done}/${sum.all}`;
  }
}

function sumBelow(op: Operation, node: NodeStatus): { done: number; all: number } {
  const sum = { done: 0, all: 0 };
  const seen = new Set<string>();
  const stack = [...(node.children ?? [])];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    const child = op.nodeById(id);
    if (!child || seen.has(id)) continue;
    seen.add(id);
    stack.push(...(child.children ?? []));
    const progress = executable.has(child.type) ? parseProgress(child.progress) : undefined;
    if (!progress) continue;
    sum.done += progress.done;
    sum.all += progress.all;
  }
  return sum;
}
