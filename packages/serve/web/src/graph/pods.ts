import type { Host, TreeNode } from '../api/model.ts';
import { healthRank } from '../applications/status.ts';

export const podGroupings = ['node', 'owner', 'state'] as const;
export type PodGrouping = (typeof podGroupings)[number];

export interface PodGroup {
  readonly name: string;
  readonly pods: readonly TreeNode[];
  /** Of a node of the cluster. */
  readonly host?: Host | undefined;
}

const infoOf = (node: TreeNode, name: string) => node.info?.find((one) => one.name === name)?.value ?? '';

/** The pods of a tree by the node they run on, by what owns them at last, or by their health; unwell pods first in each. */
export function groupPods(tree: readonly TreeNode[], grouping: PodGrouping, hosts: readonly Host[] = []): PodGroup[] {
  const byUid = new Map(tree.flatMap((node) => (node.uid ? [[node.uid, node] as const] : [])));
  const nameOf: Record<PodGrouping, (pod: TreeNode) => string> = {
    node: (pod) => infoOf(pod, 'Node') || 'on no node yet',
    owner: (pod) => ownerOf(pod, byUid),
    state: (pod) => pod.health?.status ?? 'Unknown',
  };
  const groups = new Map<string, TreeNode[]>();
  if (grouping === 'node') for (const { name } of hosts) groups.set(name, []);
  for (const pod of tree) {
    if (pod.kind !== 'Pod' || (pod.group ?? '') !== '') continue;
    const name = nameOf[grouping](pod);
    const pods = groups.get(name);
    if (pods) pods.push(pod);
    else groups.set(name, [pod]);
  }
  const rank = (pod: TreeNode) => healthRank(pod.health?.status);
  return [...groups]
    .map(([name, pods]) => ({
      name,
      pods: pods.sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1)),
      host: grouping === 'node' ? hosts.find((host) => host.name === name) : undefined,
    }))
    .sort((a, b) => worstRank(a.pods) - worstRank(b.pods) || (a.name < b.name ? -1 : 1));
}

const worstRank = (pods: readonly TreeNode[]) =>
  Math.min(99, ...pods.slice(0, 1).map((pod) => healthRank(pod.health?.status)));

/** The last owner that is known, as `Kind name`; a pod of nobody is its own. */
function ownerOf(pod: TreeNode, byUid: ReadonlyMap<string, TreeNode>): string {
  let node = pod;
  for (let depth = 0; depth < 20; depth++) {
    const parent = (node.parentRefs ?? []).map(({ uid }) => byUid.get(uid ?? '')).find(Boolean);
    if (!parent || parent === node) break;
    node = parent;
  }
  return `${node.kind} ${node.name}`;
}
