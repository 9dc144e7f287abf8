import type { TreeNode } from '../api/model.ts';
import { healthRank } from '../applications/status.ts';
import type { Drawing } from './place.ts';

/** One row of the resource list and one box of the graph. */
export interface GraphNode {
  readonly id: string;
  readonly node: TreeNode;
  readonly status: string | undefined;
  /** Of a box that stands for many; their healths worst first, each that of the worst among an object and what it owns. */
  readonly group?: {
    readonly opened: boolean;
    readonly count: number;
    readonly healths: readonly (readonly [status: string, count: number])[];
  };
  /** Of an object that owns others: how many it owns itself, the worst health among all below, and whether they are left out. */
  readonly below?: { readonly count: number; readonly worst: string; readonly folded: boolean };
}

export interface Graph extends Drawing {
  /** Without the box of the application itself, which is the first of `boxes`. */
  readonly nodes: ReadonlyMap<string, GraphNode>;
}

/** Id of the box that stands for the application itself. */
export const rootId = 'application';

function idOf(node: { group?: string; kind?: string; namespace?: string; name?: string }): string {
  return [node.group ?? '', node.kind, node.namespace ?? '', node.name].join('/');
}

/** Siblings of one kind beyond so many are one box until it is opened: below an owner, and of the root itself with and without objects of their own. */
interface GroupLimits {
  readonly owner: number;
  readonly leaves: number;
  readonly owners: number;
}

const groupLimits: GroupLimits = { owner: 6, leaves: 30, owners: 60 };
/** Those that are unwell stay out of the box, up to so many. */
const unwellLimit = 12;

/**
 * Boxes and arrows of a tree: the application points to its managed objects, owners to what they own. Siblings that are alike are folded
 * into one box; whatever is unwell, or owns what is unwell, is drawn beside it. Old ReplicaSets without pods are left out, as they only
 * tell of the past.
 */
export function buildGraph(
  tree: readonly TreeNode[],
  statusOf: (node: TreeNode) => string | undefined,
  /** Ids of groups that are opened. */
  opened: ReadonlySet<string> = new Set(),
  limits: GroupLimits = groupLimits,
  /** Whether what an object owns is left out, by the object's id. */
  isFolded: (id: string) => boolean = () => false,
): Graph {
  const families = familiesOf(withoutPast(tree));
  const worst = worstOf(families);
  const nodes = new Map<string, GraphNode>();
  const boxes = [rootId];
  const arrows: { from: string; to: string }[] = [];
  const put = (from: string, node: GraphNode) => {
    nodes.set(node.id, node);
    boxes.push(node.id);
    arrows.push({ from, to: node.id });
  };
  const open = [rootId];
  for (let from = open.pop(); from !== undefined; from = open.pop()) {
    for (const siblings of families.get(from)?.values() ?? []) {
      const { alone, folded } = foldSiblings(siblings, { isRoot: from === rootId, families, worst, statusOf, limits });
      const id = `${from}>${siblings[0]?.group ?? ''}/${siblings[0]?.kind}+`;
      if (folded.length > 0) put(from, groupBox(id, folded, { worst, statusOf, opened: opened.has(id) }));
      for (const node of folded.length > 0 && opened.has(id) ? [...alone, ...folded] : alone) {
        const own = idOf(node);
        if (nodes.has(own)) continue;
        const count = [...(families.get(own)?.values() ?? [])].reduce((sum, { length }) => sum + length, 0);
        const folded = count > 0 && isFolded(own);
        const below = count > 0 ? { below: { count, worst: worst(node), folded } } : {};
        put(from, { id: own, node, status: statusOf(node), ...below });
        if (!folded) open.push(own);
      }
    }
  }
  return { nodes, boxes, arrows };
}

type Families = ReadonlyMap<string, ReadonlyMap<string, readonly TreeNode[]>>;

function withoutPast(tree: readonly TreeNode[]): readonly TreeNode[] {
  const owners = new Set(tree.flatMap(({ parentRefs }) => (parentRefs ?? []).map(({ uid }) => uid)));
  const familyOf = ({ kind, parentRefs }: TreeNode) => `${parentRefs?.[0]?.uid} ${kind}`;
  const sizes = new Map<string, number>();
  for (const node of tree) sizes.set(familyOf(node), (sizes.get(familyOf(node)) ?? 0) + 1);
  return tree.filter(
    (node) =>
      node.kind !== 'ReplicaSet' ||
      (node.parentRefs?.length ?? 0) === 0 ||
      owners.has(node.uid) ||
      (sizes.get(familyOf(node)) ?? 0) <= 1,
  );
}

/** What each box owns, by kind; what has no owner here is the application's. */
function familiesOf(tree: readonly TreeNode[]): Families {
  const byUid = new Map(tree.flatMap((node) => (node.uid ? [[node.uid, node] as const] : [])));
  const families = new Map<string, Map<string, TreeNode[]>>();
  for (const node of tree) {
    const parent = (node.parentRefs ?? [])
      .map(({ uid }) => byUid.get(uid ?? ''))
      .find((owner) => owner !== undefined && owner !== node);
    const from = parent ? idOf(parent) : rootId;
    const kinds = families.get(from) ?? new Map<string, TreeNode[]>();
    families.set(from, kinds);
    const kind = `${node.group ?? ''}/${node.kind}`;
    const siblings = kinds.get(kind);
    if (siblings) siblings.push(node);
    else kinds.set(kind, [node]);
  }
  return families;
}

const noHealth = 'Healthy';

/** The worst health among an object and what it owns. */
function worstOf(families: Families): (node: TreeNode) => string {
  const known = new Map<string, string>();
  const of = (node: TreeNode, depth: number): string => {
    const id = idOf(node);
    const found = known.get(id);
    if (found !== undefined) return found;
    let worst = node.health?.status || noHealth;
    known.set(id, worst);
    // owners go a few levels deep; what is deeper is not looked at, rather than the stack lost
    if (depth < 50)
      for (const siblings of families.get(id)?.values() ?? [])
        for (const sibling of siblings) {
          const health = of(sibling, depth + 1);
          if (healthRank(health) < healthRank(worst)) worst = health;
        }
    known.set(id, worst);
    return worst;
  };
  return (node) => of(node, 0);
}

interface Known {
  readonly worst: (node: TreeNode) => string;
  readonly statusOf: (node: TreeNode) => string | undefined;
}

/** Which siblings are drawn by themselves, in their order, and which as one box. */
function foldSiblings(
  siblings: readonly TreeNode[],
  { isRoot, families, worst, statusOf, limits }: Known & { isRoot: boolean; families: Families; limits: GroupLimits },
): { alone: readonly TreeNode[]; folded: readonly TreeNode[] } {
  const owns = siblings.some((node) => families.has(idOf(node)));
  const limit = isRoot ? (owns ? limits.owners : limits.leaves) : limits.owner;
  if (siblings.length <= limit) return { alone: siblings, folded: [] };
  const unwell = siblings
    .filter((node) => worst(node) !== 'Healthy' || statusOf(node) === 'OutOfSync')
    .sort((a, b) => healthRank(worst(a)) - healthRank(worst(b)))
    .slice(0, unwellLimit);
  const apart = new Set(unwell);
  return { alone: unwell, folded: siblings.filter((node) => !apart.has(node)) };
}

function groupBox(
  id: string,
  folded: readonly TreeNode[],
  { worst, statusOf, opened }: Known & { opened: boolean },
): GraphNode {
  const healths = new Map<string, number>();
  for (const node of folded) healths.set(worst(node), (healths.get(worst(node)) ?? 0) + 1);
  const sorted = [...healths].sort(([a], [b]) => healthRank(a) - healthRank(b));
  const statuses = new Set(folded.map(statusOf));
  return {
    id,
    node: {
      ...(folded[0]?.group ? { group: folded[0].group } : {}),
      kind: folded[0]?.kind ?? '',
      name: '',
      health: { status: sorted[0]?.[0] ?? '' },
    },
    status: ['OutOfSync', 'Unknown', 'Synced'].find((status) => statuses.has(status)),
    group: { opened, count: folded.length, healths: sorted },
  };
}
