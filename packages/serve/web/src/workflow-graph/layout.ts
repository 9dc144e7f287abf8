/** What the layout needs of a node. */
export interface LayoutNode {
  readonly id: string;
  readonly type: string;
  readonly message: string;
  readonly children: readonly string[];
}

export interface Placed {
  /** Ids in the order of `x` and `y`, whose numbers are pixels of the upper left corner. What comes there behind the nodes are bends of arrows. */
  readonly ids: readonly string[];
  readonly x: Float64Array;
  readonly y: Float64Array;
  /** Pairs of positions of nodes and bends: from, to. */
  readonly edges: Uint32Array;
  readonly width: number;
  readonly height: number;
}

export const box = { width: 208, height: 46 } as const;
const gaps = { across: 52, down: 12 } as const;
/** What an arrow takes of the height of a rank that it goes through, in pixels. */
const lane = 16;
/** More arrows than this for each node go straight behind the boxes. */
const mostBends = 2;
/** Times that the order of each rank is made better by its neighbours. */
const sweeps = 6;

/**
 * Places the nodes of a workflow in ranks from left to right: each right of all that lead to it, near the middle of its neighbours. Groups
 * of steps, which say nothing by themselves, are left out while they have no message. The same nodes always give the same picture; the
 * time grows with nodes and edges, not with their square.
 */
export function layOut(nodes: readonly LayoutNode[]): Placed {
  const { ids, children: direct } = contracted(nodes);
  const { children, rank } = withBends(direct, ranksOf(direct, parentsOf(direct)));
  const parents = parentsOf(children);
  const count = children.length;
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

function parentsOf(children: readonly number[][]): number[][] {
  const parents: number[][] = children.map(() => []);
  for (const [from, list] of children.entries()) for (const to of list) parents[to]?.push(from);
  return parents;
}

/** Arrows that skip ranks have a bend in each, in a place of its own, so that no box stands upon them; all that lead to one node share theirs. */
function withBends(direct: readonly number[][], ranks: Uint32Array): { children: number[][]; rank: number[] } {
  const rank = [...ranks];
  const children: number[][] = direct.map(() => []);
  const most = direct.length * (1 + mostBends);
  const bends = new Map<string, number>();
  for (const [from, list] of direct.entries())
    for (const to of list) {
      let next = to;
      for (let between = (rank[to] ?? 0) - 1; between > (rank[from] ?? 0) && children.length < most; between -= 1) {
        const key = `${to} ${between}`;
        const bend = bends.get(key) ?? children.length;
        if (bend === children.length) {
          children.push([next]);
          rank.push(between);
          bends.set(key, bend);
        }
        next = bend;
      }
      children[from]?.push(next);
    }
  return { children, rank };
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
  const heightOf = (at: number) => (at < ids.length ? box.height + gaps.down : lane);
  const heights = ranks.map((list) => list.reduce((sum, at) => sum + heightOf(at), 0));
  const height = Math.max(box.height + gaps.down, ...heights);
  const x = new Float64Array(children.length);
  const y = new Float64Array(children.length);
  for (const [rank, list] of ranks.entries()) {
    // a rank of a few stays at the top of a very high one, where somebody looks first
    let top = Math.min((height - (heights[rank] ?? 0)) / 2, 4 * (box.height + gaps.down));
    for (const at of list) {
      x[at] = rank * (box.width + gaps.across);
      y[at] = at < ids.length ? top : top + (lane - gaps.down - box.height) / 2;
      top += heightOf(at);
    }
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
  return { ids, x, y, edges, width, height };
}

export interface Window {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

/** Positions of the nodes whose boxes a window shows. */
export function boxesIn({ ids, x, y }: Placed, { left, top, right, bottom }: Window): number[] {
  const found: number[] = [];
  for (let at = 0; at < ids.length; at += 1) {
    const [px, py] = [x[at] ?? 0, y[at] ?? 0];
    if (px <= right && px + box.width >= left && py <= bottom && py + box.height >= top) found.push(at);
  }
  return found;
}

/** The arrows that cross a window, as one path of SVG; `most` at most. */
export function edgesIn({ ids, x, y, edges }: Placed, { left, top, right, bottom }: Window, most = 4000): string {
  let path = '';
  let drawn = 0;
  for (let at = 0; at < edges.length && drawn < most; at += 2) {
    const [from, to] = [edges[at] ?? 0, edges[at + 1] ?? 0];
    const [x1, y1] = [(x[from] ?? 0) + box.width, (y[from] ?? 0) + box.height / 2];
    const [x2, y2] = [x[to] ?? 0, (y[to] ?? 0) + box.height / 2];
    // through its rank an arrow goes on straight
    const end = to < ids.length ? x2 : x2 + box.width;
    if (end < left || x1 > right || Math.max(y1, y2) < top || Math.min(y1, y2) > bottom) continue;
    const middle = (x1 + x2) / 2;
    path += `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}${end > x2 ? `H${end}` : ''}`;
    drawn += 1;
  }
  return path;
}
