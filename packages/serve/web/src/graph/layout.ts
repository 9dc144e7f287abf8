import type { TreeNode } from '../api/model.ts';

/** One row of the resource list and one box of the graph. */
export interface GraphNode {
  readonly id: string;
  readonly node: TreeNode;
  readonly status: string | undefined;
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

/** Groups of children of the same kind beyond this many are drawn as one box. */
const groupLimit = 6;

/**
 * Boxes and arrows of a tree: the application points to its managed objects, owners to what they own.
 * Old ReplicaSets without pods are left out, as they only tell of the past.
 */
export function buildGraph(tree: readonly TreeNode[], statusOf: (node: TreeNode) => string | undefined): Graph {
  const parents = new Map(tree.map((node) => [node.uid ?? idOf(node), node]));
  const owners = new Set(tree.flatMap((node) => (node.parentRefs ?? []).map(({ uid }) => uid)));
  const shown = tree.filter(
    (node) =>
      !(
        node.kind === 'ReplicaSet' &&
        (node.parentRefs?.length ?? 0) > 0 &&
        !owners.has(node.uid) &&
        hasSibling(node, tree)
      ),
  );
  const nodes: GraphNode[] = [];
  const edges: { id: string; from: string; to: string }[] = [];
  const families = new Map<string, TreeNode[]>();
  for (const node of shown) {
    const parent = (node.parentRefs ?? [])
      .map(({ uid }) => parents.get(uid ?? ''))
      .find((owner) => owner !== undefined);
    const from = parent ? idOf(parent) : rootId;
    const family = `${from}>${node.kind}`;
    families.set(family, [...(families.get(family) ?? []), node]);
  }
  for (const [family, members] of families) {
    const from = family.slice(0, family.lastIndexOf('>'));
    const leaves = members.every((member) => !owners.has(member.uid));
    const drawn = from !== rootId && leaves && members.length > groupLimit ? members.slice(0, groupLimit - 1) : members;
    for (const node of drawn) {
      nodes.push({ id: idOf(node), node, status: statusOf(node) });
      edges.push({ id: `${from}->${idOf(node)}`, from, to: idOf(node) });
    }
    if (drawn.length < members.length) {
      const rest = members.slice(drawn.length);
      const id = `${family}+`;
      nodes.push({
        id,
        node: { kind: members[0]?.kind ?? '', name: `and ${rest.length} more`, health: { status: worst(rest) } },
        status: undefined,
      });
      edges.push({ id: `${from}->${id}`, from, to: id });
    }
  }
  return { nodes, edges };
}

function hasSibling(node: TreeNode, tree: readonly TreeNode[]): boolean {
  const owner = node.parentRefs?.[0]?.uid;
  return tree.some((other) => other !== node && other.kind === node.kind && other.parentRefs?.[0]?.uid === owner);
}

function worst(nodes: readonly TreeNode[]): string {
  const order = ['Degraded', 'Progressing', 'Suspended', 'Unknown', 'Healthy'];
  return order.find((status) => nodes.some(({ health }) => health?.status === status)) ?? 'Healthy';
}
