import type { WorkflowNode } from '../api/families.ts';

export interface NodeRow {
  readonly node: WorkflowNode;
  readonly depth: number;
}

/**
 * The nodes as a tree, each once, below what it belongs to. Nodes that belong to nothing, such as those of exit handlers, begin
 * trees of their own. Groups of steps, which say nothing by themselves, are left out while they have no message.
 */
export function treeOf(nodes: readonly WorkflowNode[]): NodeRow[] {
  const ids = new Set(nodes.map(({ id }) => id));
  const below = Map.groupBy(nodes, ({ id, parent }) => (ids.has(parent) && parent !== id ? parent : ''));
  const rows: NodeRow[] = [];
  const open: NodeRow[] = rowsBelow('', 0);
  function rowsBelow(parent: string, depth: number): NodeRow[] {
    return (below.get(parent) ?? []).toReversed().map((node) => ({ node, depth }));
  }
  for (let row = open.pop(); row; row = open.pop()) {
    const { node, depth } = row;
    const isShown = node.type !== 'StepGroup' || node.message !== '';
    if (isShown) rows.push(row);
    open.push(...rowsBelow(node.id, isShown ? depth + 1 : depth));
  }
  return rows;
}

export interface Bar {
  /** Percent of the whole time. */
  readonly left: number;
  readonly width: number;
}

export interface Span {
  readonly from: number;
  readonly to: number;
}

/** From the first start to the last end of the nodes; what still runs ends `now`. Undefined if nothing has begun. */
export function spanOf(nodes: readonly WorkflowNode[], now: number): Span | undefined {
  let from = Number.POSITIVE_INFINITY;
  let to = Number.NEGATIVE_INFINITY;
  for (const node of nodes) {
    if (node.started === '') continue;
    from = Math.min(from, Date.parse(node.started));
    to = Math.max(to, endOf(node, now));
  }
  return from <= to ? { from, to } : undefined;
}

/** Where the bar of a node is in that time; undefined if it has not begun. */
export function barOf(node: WorkflowNode, { from, to }: Span, now: number): Bar | undefined {
  if (node.started === '') return undefined;
  const all = Math.max(1, to - from);
  const left = (100 * (Date.parse(node.started) - from)) / all;
  const width = (100 * (endOf(node, now) - Date.parse(node.started))) / all;
  return { left: Math.min(left, 99), width: Math.max(1, Math.min(width, 100 - left)) };
}

function endOf({ started, finished }: WorkflowNode, now: number): number {
  return finished === '' ? Math.max(now, Date.parse(started)) : Date.parse(finished);
}

/** Newest first. */
export function newestFirst<T extends { created: string }>(items: readonly T[]): T[] {
  return items.toSorted((a, b) => (a.created < b.created ? 1 : a.created > b.created ? -1 : 0));
}
