/** What the layout needs of a node. */
export interface LayoutNode {
  readonly id: string;
  readonly type: string;
  readonly message: string;
  readonly children: readonly string[];
}

export interface Placed {
  /** Ids in the order of `x` and `y`, whose numbers are pixels of the upper left corner. */
  readonly ids: readonly string[];
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Pairs of positions in `ids`: from, to. */
  readonly edges: Uint32Array;
  readonly width: number;
  readonly height: number;
}

export const box = { width: 208, height: 46 } as const;
const gaps = { across: 52, down: 12 } as const;
/** Times that the order of each rank is made better by its neighbours. */
const sweeps = 6;

/**
 * Places the nodes of a workflow in ranks from left to right: each right of all that lead to it, near the middle of its neighbours. Groups
 * of steps, which say nothing by themselves, are left out while they have no message. The same nodes always give the same picture; the
 * time grows with nodes and edges, not with their square.
 */
export function layOut(nodes: readonly LayoutNode[]): Placed {
  const { ids, children } = contracted(nodes);
  const count = ids.length;
  const parents: number[][] = ids.map(() => []);
  for (let from = 0; from < count; from += 1) for (const to of children[from] ?? []) parents[to]?.push(from);
  const rank = ranksOf(children, parents);
  const ranks: number[][] = [];
  for (let at = 0; at < count; at += 1) {
    const own = rank[at] ?? 0;
    ranks[own] ??= [];
    ranks[own].push(at);
  }
  const order = new Float64Array(count);
  for (const list of ranks) for (const [place, at] of (list ?? []).entries()) order[at] = place;
  for (let sweep = 0; sweep < sweeps; sweep += 1) {
    const isForward = sweep % 2 === 0;
    const lists = isForward ? ranks : ranks.toReversed();
    for (const list of lists) sortByNeighbours(list ?? [], isForward ? parents : children, order);
  }
  return positions({ ids, ranks, children, order });
}

function contracted(nodes: readonly LayoutNode[]): { ids: string[]; children: number[][] } {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const isShown = ({ type, message }: LayoutNode) => type !== 'StepGroup' || message !== '';
  const shown = nodes.filter(isShown);
  const place = new Map(shown.map(({ id }, at) => [id, at]));
  const children = shown.map((node) => {
    const found = new Set<number>();
    const seen = new Set<string>([node.id]);
    const open = [...node.children];
    for (let id = open.pop(); id !== undefined; id = open.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      const child = byId.get(id);
      const at = place.get(id);
      if (at !== undefined) found.add(at);
      else if (child) open.push(...child.children);
    }
    return [...found].sort((a, b) => a - b);
  });
  return { ids: shown.map(({ id }) => id), children };
}

/** The longest way to each node; what is in a circle, which no workflow has, counts from where the walk comes to it. */
function ranksOf(children: readonly number[][], parents: readonly number[][]): Uint32Array {
  const rank = new Uint32Array(children.length);
  const waits = parents.map((list) => list.length);
  const ready = waits.flatMap((count, at) => (count === 0 ? [at] : []));
  for (let next = 0; next < ready.length; next += 1) {
    const at = ready[next] ?? 0;
    for (const child of children[at] ?? []) {
      rank[child] = Math.max(rank[child] ?? 0, (rank[at] ?? 0) + 1);
      waits[child] = (waits[child] ?? 0) - 1;
      if (waits[child] === 0) ready.push(child);
    }
  }
  return rank;
}

function sortByNeighbours(list: number[], neighbours: readonly number[][], order: Float64Array): void {
  const wish = new Map<number, number>();
  for (const at of list) {
    const near = neighbours[at] ?? [];
    const sum = near.reduce((all, other) => all + (order[other] ?? 0), 0);
    wish.set(at, near.length > 0 ? sum / near.length : (order[at] ?? 0));
  }
  list.sort((a, b) => (wish.get(a) ?? 0) - (wish.get(b) ?? 0) || (order[a] ?? 0) - (order[b] ?? 0) || a - b);
  for (const [place, at] of list.entries()) order[at] = place;
}

interface Ordered {
  readonly ids: readonly string[];
  readonly ranks: readonly (readonly number[])[];
  readonly children: readonly number[][];
  readonly order: Float64Array;
}

/** Each rank is centred on the highest one. */
function positions({ ids, ranks, children }: Ordered): Placed {
  const step = box.height + gaps.down;
  const most = Math.max(1, ...ranks.map((list) => list.length));
  const x = new Float64Array(ids.length);
  const y = new Float64Array(ids.length);
  for (const [rank, list] of ranks.entries())
    for (const [place, at] of list.entries()) {
      x[at] = rank * (box.width + gaps.across);
      // a rank of a few stays at the top of a very high one, where somebody looks first
      y[at] = (place + Math.min((most - list.length) / 2, 4)) * step;
    }
  const edges = new Uint32Array(2 * children.reduce((sum, list) => sum + list.length, 0));
  let at = 0;
  for (const [from, list] of children.entries())
    for (const to of list) {
      edges[at] = from;
      edges[at + 1] = to;
      at += 2;
    }
  const width = Math.max(1, ranks.length) * (box.width + gaps.across) - gaps.across;
  return { ids, x, y, edges, width, height: most * step };
}

export interface Window {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Positions of the boxes that a window shows. */
export function boxesIn({ x, y }: Placed, { left, top, right, bottom }: Window): number[] {
  const found: number[] = [];
  for (let at = 0; at < x.length; at += 1) {
    const [px, py] = [x[at] ?? 0, y[at] ?? 0];
    if (px <= right && px + box.width >= left && py <= bottom && py + box.height >= top) found.push(at);
  }
  return found;
}

/** The arrows that cross a window, as one path of SVG; `most` at most. */
export function edgesIn({ x, y, edges }: Placed, { left, top, right, bottom }: Window, most = 4000): string {
  let path = '';
  let drawn = 0;
  for (let at = 0; at < edges.length && drawn < most; at += 2) {
    const [from, to] = [edges[at] ?? 0, edges[at + 1] ?? 0];
    const [x1, y1] = [(x[from] ?? 0) + box.width, (y[from] ?? 0) + box.height / 2];
    const [x2, y2] = [x[to] ?? 0, (y[to] ?? 0) + box.height / 2];
    if (x2 < left || x1 > right || Math.max(y1, y2) < top || Math.min(y1, y2) > bottom) continue;
    const middle = (x1 + x2) / 2;
    path += `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
    drawn += 1;
  }
  return path;
}
