import { type flow, workflowNames } from '@tiphys/api';

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
    uid: metadata.uid ?? '',
    labels: metadata.labels ?? {},
    archived: metadata.labels?.[workflowNames.labels.archiving] === 'Persisted',
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

/**
 * A node with what it was given and gave, the template that it runs, and why it waits where a lock keeps it; undefined if there is
 * none.
 */
export function nodeDetail({ spec, status }: flow.Workflow, id: string) {
  const nodes = status?.nodes ?? {};
  const node = Object.hasOwn(nodes, id) ? nodes[id] : undefined;
  if (!node) return undefined;
  const templates = [
    ...(spec?.templates ?? []),
    ...(status?.storedWorkflowTemplateSpec?.templates ?? []),
    ...Object.values(status?.storedTemplates ?? {}),
  ];
  const name = node.templateName || node.templateRef?.template;
  return {
    node,
    template: templates.find((template) => template.name === name) ?? null,
    locks: locksOf(status, node),
  };
}

/** The locks that a node waits for, and who has them. */
function locksOf(status: flow.Workflow['status'], node: flow.NodeStatus) {
  const waiting = node.synchronizationStatus?.waiting;
  if (!waiting) return [];
  const { mutex, semaphore } = (status?.synchronization ?? {}) as Synchronization;
  const holders = [
    ...(mutex?.waiting ?? []).filter((one) => one.mutex === waiting).map(({ holder }) => holder ?? ''),
    ...(semaphore?.waiting ?? []).filter((one) => one.semaphore === waiting).flatMap((one) => one.holders ?? []),
  ];
  return [{ name: waiting, holders: [...new Set(holders)] }];
}

interface Synchronization {
  readonly mutex?: { readonly waiting?: readonly { readonly mutex?: string; readonly holder?: string }[] };
  readonly semaphore?: {
    readonly waiting?: readonly { readonly semaphore?: string; readonly holders?: readonly string[] }[];
  };
}

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
