import type { flow } from '@tiphys/api';

export function workflowSummary({ metadata, status }: flow.Workflow) {
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    created: metadata.creationTimestamp ?? '',
    phase: status?.phase || 'Pending',
    progress: status?.progress ?? '',
    started: status?.startedAt ?? '',
    finished: status?.finishedAt ?? '',
    message: status?.message ?? '',
  };
}

/** Nodes of a workflow in the order in which they began; inputs and outputs, which may hold secrets, stay out. */
export function shownNodes({ status }: flow.Workflow) {
  const nodes = Object.values(status?.nodes ?? {});
  const groups = groupsOf(nodes);
  return nodes
    .map((node) => ({
      id: node.id,
      name: node.displayName ?? node.name,
      type: node.type,
      template: node.templateName ?? node.templateRef?.template ?? '',
      phase: node.phase || 'Pending',
      started: node.startedAt ?? '',
      finished: node.finishedAt ?? '',
      message: node.message ?? '',
      children: node.children ?? [],
      /** Id of what it belongs to: a loop, a node that is tried again, or the steps or DAG around it. */
      parent: groups.get(node.id) ?? node.boundaryID ?? '',
    }))
    .sort((a, b) => compare(a.started, b.started) || compare(a.name, b.name));
}

/** The loop or retried node of each item and attempt, whose names begin with its own. */
function groupsOf(nodes: readonly flow.NodeStatus[]): Map<string, string> {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const groups = new Map<string, string>();
  for (const group of nodes)
    if (group.type === 'TaskGroup' || group.type === 'Retry')
      for (const id of group.children ?? [])
        if (byId.get(id)?.name.startsWith(`${group.name}(`)) groups.set(id, group.id);
  return groups;
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
