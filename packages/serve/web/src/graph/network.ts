import type { TreeNode } from '../api/model.ts';
import { objectKey } from '../objects/objects.ts';
import type { Drawing } from './place.ts';

/** Where requests come from: an address or a URL of the outside, or `internet` for what gives none. */
export const outsidePrefix = 'outside:';

export interface Network extends Drawing {
  /** By box; what stands for the outside has none. */
  readonly nodes: ReadonlyMap<string, TreeNode>;
}

const isPod = ({ kind, group = '' }: TreeNode) => kind === 'Pod' && group === '';

/** The way of a request: from the outside over Ingresses, Gateways and their routes to Services, and from these to the pods that they choose. */
export function buildNetwork(tree: readonly TreeNode[]): Network {
  const byKey = new Map(tree.map((node) => [objectKey(node), node]));
  const nodes = new Map<string, TreeNode>();
  const boxes = new Set<string>();
  const arrows = new Map<string, { from: string; to: string }>();
  const put = (node: TreeNode) => {
    const key = objectKey(node);
    nodes.set(key, node);
    boxes.add(key);
    return key;
  };
  const point = (from: string, to: string) => arrows.set(`${from}>${to}`, { from, to });
  const podsByNamespace = new Map<string, TreeNode[]>();
  for (const pod of tree.filter(isPod)) {
    const known = podsByNamespace.get(pod.namespace ?? '');
    if (known) known.push(pod);
    else podsByNamespace.set(pod.namespace ?? '', [pod]);
  }
  for (const node of tree) {
    const { networkingInfo: info } = node;
    if (!info || isPod(node)) continue;
    const refs = (info.targetRefs ?? []).flatMap((ref) => byKey.get(objectKey({ kind: '', name: '', ...ref })) ?? []);
    const labels = Object.entries(info.targetLabels ?? {});
    const pods =
      labels.length === 0
        ? []
        : (podsByNamespace.get(node.namespace ?? '') ?? []).filter((pod) =>
            labels.every(([name, value]) => pod.networkingInfo?.labels?.[name] === value),
          );
    const outside = [
      ...(info.externalURLs ?? []),
      ...((info.externalURLs ?? []).length > 0
        ? []
        : (info.ingress ?? []).map(({ hostname, ip }) => hostname || ip || '')),
    ].filter(Boolean);
    if (refs.length + pods.length + outside.length === 0 && labels.length === 0) continue;
    const own = put(node);
    for (const address of outside) {
      boxes.add(outsidePrefix + address);
      point(outsidePrefix + address, own);
    }
    for (const target of [...refs, ...pods]) point(own, put(target));
  }
  return { nodes, boxes: [...boxes], arrows: [...arrows.values()] };
}
