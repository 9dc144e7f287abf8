import type { TreeNode } from '../api/model.ts';

export interface TreeFilter {
  readonly text: string;
  readonly kind: string;
  readonly health: string;
  readonly sync: string;
}

/** The objects that match, with their owners; empty texts match all. */
export function filterTree(
  tree: readonly TreeNode[],
  { text, kind, health, sync }: TreeFilter,
  statusOf: (node: TreeNode) => string | undefined,
): readonly TreeNode[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0 && !kind && !health && !sync) return tree;
  const byUid = new Map(tree.flatMap((node) => (node.uid ? [[node.uid, node] as const] : [])));
  const kept = new Set<TreeNode>();
  const keep = (node: TreeNode) => {
    if (kept.has(node)) return;
    kept.add(node);
    for (const { uid } of node.parentRefs ?? []) {
      const owner = byUid.get(uid ?? '');
      if (owner) keep(owner);
    }
  };
  for (const node of tree) {
    const own = `${node.kind} ${node.namespace ?? ''}/${node.name}`.toLowerCase();
    if (!words.every((word) => own.includes(word))) continue;
    if (kind && node.kind !== kind) continue;
    if (health && node.health?.status !== health) continue;
    if (sync && statusOf(node) !== sync) continue;
    keep(node);
  }
  return tree.filter((node) => kept.has(node));
}
