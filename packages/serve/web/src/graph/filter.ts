import type { TreeNode } from '../api/model.ts';

/** What objects are filtered by beside words, as the address calls it. */
export const treeFacets = ['kind', 'health', 'sync', 'namespace'] as const;

/** Empty texts and lists match all; of several values one is enough. */
export type TreeFilter = { readonly text: string } & Readonly<Record<(typeof treeFacets)[number], readonly string[]>>;

/** The objects that match, with their owners. */
export function filterTree(
  tree: readonly TreeNode[],
  { text, kind, health, sync, namespace }: TreeFilter,
  statusOf: (node: TreeNode) => string | undefined,
): readonly TreeNode[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length + kind.length + health.length + sync.length + namespace.length === 0) return tree;
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
  const fits = (wanted: readonly string[], value: string | undefined) =>
    wanted.length === 0 || (value !== undefined && wanted.includes(value));
  for (const node of tree) {
    const own = `${node.kind} ${node.namespace ?? ''}/${node.name}`.toLowerCase();
    if (!words.every((word) => own.includes(word))) continue;
    if (!fits(kind, node.kind) || !fits(health, node.health?.status) || !fits(sync, statusOf(node))) continue;
    if (fits(namespace, node.namespace)) keep(node);
  }
  return tree.filter((node) => kept.has(node));
}
