import type { TreeNode } from '@tiphys/engine';
import type { ApplicationTreeState } from '../backend.ts';

/** The tree as Argo CD's `ApplicationTree` JSON. */
export function treeJson({ nodes, orphaned }: ApplicationTreeState) {
  return { nodes: nodes.map(nodeJson), orphanedNodes: orphaned.map(nodeJson), hosts: [] };
}

function nodeJson(node: TreeNode) {
  const { key, health, networking } = node;
  return {
    group: key.group,
    version: node.version,
    kind: key.kind,
    namespace: key.namespace,
    name: key.name,
    uid: node.uid,
    parentRefs: node.parents.map((parent) => ({ ...parent.key, version: parent.version, uid: parent.uid })),
    info: node.info.map(({ name, value }) => ({ name, value })),
    resourceVersion: node.resourceVersion,
    images: [...node.images],
    ...(networking
      ? {
          networkingInfo: {
            ...(networking.targetLabels ? { targetLabels: { ...networking.targetLabels } } : {}),
            ...(networking.targetRefs ? { targetRefs: networking.targetRefs.map((ref) => ({ ...ref })) } : {}),
            ...(networking.labels ? { labels: { ...networking.labels } } : {}),
            ...(networking.ingress ? { ingress: networking.ingress.map((address) => ({ ...address })) } : {}),
            ...(networking.externalURLs ? { externalURLs: [...networking.externalURLs] } : {}),
          },
        }
      : {}),
    ...(health ? { health: { status: health.status, ...(health.message ? { message: health.message } : {}) } } : {}),
    ...(node.createdAt ? { createdAt: node.createdAt } : {}),
  };
}
