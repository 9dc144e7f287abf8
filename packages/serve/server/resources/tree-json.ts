import type { Host, TreeNode } from '@tiphys/engine';
import type { ApplicationTreeState } from '../ports/backend.ts';

/** The tree as Argo CD's `ApplicationTree` JSON. */
export function treeJson({ nodes, orphaned, hosts }: ApplicationTreeState) {
  return {
    nodes: byName(nodes).map(nodeJson),
    orphanedNodes: byName(orphaned).map(nodeJson),
    hosts: hosts.map(hostJson),
  };
}

function hostJson({ name, resources, systemInfo, labels }: Host) {
  return {
    name,
    resourcesInfo: resources.map((resource) => ({
      resourceName: resource.name,
      requestedByApp: resource.requestedByOwn,
      requestedByNeighbors: resource.requestedByOthers,
      capacity: resource.capacity,
    })),
    systemInfo: { ...systemInfo },
    labels: { ...labels },
  };
}

/** By group, kind, namespace and name, as upstream sorts them. */
function byName(nodes: readonly TreeNode[]): TreeNode[] {
  const text = ({ key }: TreeNode) => `${key.group}/${key.kind}/${key.namespace}/${key.name}`;
  return nodes
    .map((node) => ({ node, text: text(node) }))
    .sort((a, b) => (a.text < b.text ? -1 : a.text > b.text ? 1 : 0))
    .map(({ node }) => node);
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
