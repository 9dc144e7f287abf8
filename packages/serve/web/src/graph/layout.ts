import type { TreeNode } from '../api/model.ts';

/** One row of the resource list and one box of the graph. */
export interface GraphNode {
  readonly id: string;
  readonly node: TreeNode;
  readonly status: string | undefined;
  /** Of a box that stands for many. */
  readonly group?: {
    readonly opened: boolean;
    readonly healths: readonly (readonly [status: string, count: number])[];
  };
}

export interface Graph {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly { readonly id: string; readonly from: string; readonly to: string }[];
}

/** Id of the box that stands for the application itself. */
export const rootId = 'application';

function idOf(node: { group?: string; kind?: string; namespace?: string; name?: string }): string {
  return [node.group ?? '', node.kind, node.namespace ?? '', node.name].join('/');
}

/** Siblings of one kind beyond so many are drawn as one box until it is opened: below an owner, and of the application itself. */
const groupLimits = { owner: 6, application: 30 };

/**
 * Boxes and arrows of a tree: the application points to its managed objects, owners to what they own.
 * Old ReplicaSets without pods are left out, as they only tell of the past.
 */
export function buildGraph(
  tree: readonly TreeNode[],
  statusOf: (node: TreeNode) => string | undefined,
  /** Ids of groups that are opened. */
  opened: ReadonlySet<string> = new Set(),
): Graph {
  const parents = new Map(tree.map((node) => [node.uid ?? idOf(node), node]));
  const owners = new Set(tree.flatMap((node) => (node.parentRefs ?? []).map(({ uid }) => uid)));
  const families = new Map<string, number>();
  for (const node of tree) families.set(familyOf(node), (families.get(familyOf(node)) ?? 0) + 1);
  const shown = tree.filter(
    (node) =>
      !(
        node.kind === 'ReplicaSet' &&
        (node.parentRefs?.length ?? 0) > 0 &&
        !owners.has(node.uid) &&
        (families.get(familyOf(node)) ?? 0) > 1
      ),
  );
  const nodes: GraphNode[] = [];
  const edges: { id: string; from: string; to: string }[] = [];
  const members = new Map<string, TreeNode[]>();
  for (const node of shown) {
    const parent = (node.parentRefs ?? [])
      .map(({ uid }) => parents.get(uid ?? ''))
      .find((owner) => owner !== undefined);
    const from = parent ? idOf(parent) : rootId;
    const family = `${from}>${node.kind}`;
    const known = members.get(family);
    if (known) known.push(node);
    else members.set(family, [node]);
  }
  for (const [family, siblings] of members) {
    const from = family.slice(0, family.lastIndexOf('>'));
    const leaves = siblings.every((member) => !owners.has(member.uid));
    const limit = from === rootId ? groupLimits.application : groupLimits.owner;
    const folds = leaves && siblings.length > limit;
    const id = `${family}+`;
    const drawn = folds && !opened.has(id) ? [] : siblings;
    for (const node of drawn) {
      nodes.push({ id: idOf(node), node, status: statusOf(node) });
      edges.push({ id: `${from}->${idOf(node)}`, from, to: idOf(node) });
    }
    if (folds) {
      nodes.push({
        id,
        node: {
          kind: siblings[0]?.kind ?? '',
          name: `${siblings.length} of this kind`,
          health: { status: worst(siblings) },
        },
        status: worstSync(siblings, statusOf),
        group: { opened: opened.has(id), healths: countHealths(siblings) },
      });
      edges.push({ id: `${from}->${id}`, from, to: id });
    }
  }
  return { nodes, edges };
}

const familyOf = ({ kind, parentRefs }: TreeNode) => `${parentRefs?.[0]?.uid} ${kind}`;

function worstSync(nodes: readonly TreeNode[], statusOf: (node: TreeNode) => string | undefined): string | undefined {
  const statuses = new Set(nodes.map(statusOf));
  return ['OutOfSync', 'Unknown', 'Synced'].find((status) => statuses.has(status));
}

function countHealths(nodes: readonly TreeNode[]): [status: string, count: number][] {
  const counts = new Map<string, number>();
  for (const { health } of nodes) {
    const status = health?.status ?? '';
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
  return [...counts];
}

function worst(nodes: readonly TreeNode[]): string {
  const order = ['Degraded', 'Missing', 'Progressing', 'Suspended', 'Unknown', 'Healthy'];
  return order.find((status) => nodes.some(({ health }) => health?.status === status)) ?? '';
}
