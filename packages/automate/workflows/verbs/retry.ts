import { workflowNames } from '@tiphys/api';
import { podNameOf } from '../model/node-names.ts';
import { isFailedOrError } from '../model/phases.ts';
import { timestamp } from '../model/time.ts';
import type { NodeStatus, Workflow } from '../model/types.ts';
import { nodeSelector } from './node-selector.ts';
import { overrideParameters, VerbError } from './submit.ts';

export interface RetryOptions {
  /** Also runs selected nodes again that succeeded. */
  readonly restartSuccessful?: boolean;
  readonly nodeFieldSelector?: string;
  readonly parameters?: readonly string[];
  /** Milliseconds. */
  readonly now: number;
}

type Nodes = ReadonlyMap<string, NodeStatus>;

const { labels } = workflowNames;
const ran = new Set(['Pod', 'Container', 'HTTP', 'Plugin']);

/**
 * A finished workflow as it goes on: what failed, and all that came of it, is taken away and runs again; what succeeded stays. Gives
 * the pods to delete first. Throws a `VerbError`.
 */
export function retried(workflow: Workflow, options: RetryOptions): { workflow: Workflow; pods: string[] } {
  const phase = workflow.status?.phase;
  const selects = options.restartSuccessful && options.nodeFieldSelector;
  if (phase === 'Succeeded' && !selects)
    throw new VerbError('To retry a succeeded workflow, set the options restartSuccessful and nodeFieldSelector', {
      isBadRequest: true,
    });
  if (phase !== 'Failed' && phase !== 'Error' && phase !== 'Succeeded')
    throw new VerbError(`Cannot retry a workflow in phase ${phase ?? ''}`, { isBadRequest: true });
  const copy = reopened(workflow, options);
  const nodes: Nodes = new Map(Object.entries(copy.status?.nodes ?? {}));
  const removed = removedNodes(copy, nodes, selects || undefined);
  const reset = resetNodes(nodes, removed);
  const kept: Record<string, NodeStatus> = {};
  for (const [id, node] of nodes) {
    if (removed.has(id)) continue;
    const { children, outboundNodes, ...rest } = node;
    const own = reset.has(id) ? again(rest, options.now) : rest;
    kept[id] = {
      ...own,
      ...(children ? { children: children.filter((child) => !removed.has(child)) } : {}),
      ...(outboundNodes && !reset.has(id) ? { outboundNodes: outboundNodes.filter((to) => !removed.has(to)) } : {}),
    };
  }
  if (copy.status) copy.status.nodes = kept;
  const pods = [...removed]
    .map((id) => nodes.get(id))
    .flatMap((node) => (node?.type === 'Pod' ? [podNameOf(copy.metadata, node)] : []));
  return { workflow: copy, pods: [...new Set(pods)] };
}

function reopened(workflow: Workflow, { parameters = [], now }: RetryOptions): Workflow {
  const copy = structuredClone(workflow);
  const { metadata, spec, status } = copy;
  delete metadata.labels?.[labels.completed];
  delete metadata.labels?.[labels.archiving];
  delete spec.shutdown;
  if (spec.activeDeadlineSeconds === 0) delete spec.activeDeadlineSeconds;
  if (status) {
    delete status.phase;
    delete status.message;
    delete status.persistentVolumeClaims;
    delete status.storedWorkflowTemplateSpec?.shutdown;
    status.startedAt = timestamp(now);
    status.finishedAt = null;
    const others = (status.conditions ?? []).filter(({ type }) => type !== 'Completed');
    status.conditions = [...others, { type: 'Completed', status: 'False' }];
  }
  overrideParameters(copy, parameters);
  return copy;
}

/** Failed nodes and those selected, with everything below them; the exit handler too. */
function removedNodes({ metadata }: Workflow, nodes: Nodes, selector: string | undefined): Set<string> {
  const isSelected = selector ? nodeSelector(selector) : () => false;
  const selected = new Set([...nodes.values()].filter(isSelected).map(({ id }) => id));
  const begun = new Set(selected);
  for (const node of nodes.values())
    if (isFailedOrError(node.phase) && ran.has(node.type) && !succeededBelow(nodes, retryOf(nodes, node), selected))
      begun.add(node.type === 'Container' ? (node.boundaryID ?? node.id) : node.id);
  const exit = `${metadata.name}.onExit`;
  const removed = new Set<string>();
  const stack = [...begun, ...[...nodes.values()].filter(({ name }) => name.startsWith(exit)).map(({ id }) => id)];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (removed.has(id)) continue;
    removed.add(id);
    stack.push(...(nodes.get(id)?.children ?? []));
    for (const node of nodes.values()) if (node.boundaryID === id) stack.push(node.id);
  }
  return removed;
}

/** The retry node of an attempt; the node itself if it is none. */
function retryOf(nodes: Nodes, node: NodeStatus): NodeStatus {
  if (!node.nodeFlag?.retried) return node;
  return [...nodes.values()].find(({ type, children }) => type === 'Retry' && children?.includes(node.id)) ?? node;
}

function succeededBelow(nodes: Nodes, node: NodeStatus, selected: ReadonlySet<string>): boolean {
  const seen = new Set<string>();
  const stack = [...(node.children ?? [])];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const child = nodes.get(id);
    if (child?.phase === 'Succeeded' && !selected.has(id)) return true;
    stack.push(...(child?.children ?? []));
  }
  return false;
}

/** What surrounds a removed node: groups, retries, steps and DAGs up to the root. */
function resetNodes(nodes: Nodes, removed: ReadonlySet<string>): Set<string> {
  const reset = new Set<string>();
  const parents = new Map<string, NodeStatus[]>();
  for (const node of nodes.values())
    for (const child of node.children ?? []) parents.set(child, [...(parents.get(child) ?? []), node]);
  const stack = [...removed];
  const seen = new Set<string>();
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    const boundary = nodes.get(id)?.boundaryID;
    const groups = (parents.get(id) ?? []).filter(({ type }) => ['StepGroup', 'TaskGroup', 'Retry'].includes(type));
    for (const next of [...(boundary ? [boundary] : []), ...groups.map((group) => group.id)]) {
      if (removed.has(next)) continue;
      reset.add(next);
      stack.push(next);
    }
  }
  return reset;
}

function again(node: NodeStatus, now: number): NodeStatus {
  const { message, outputs, ...rest } = node;
  return {
    ...rest,
    phase: node.phase === 'Skipped' ? 'Skipped' : 'Running',
    startedAt: timestamp(now),
    finishedAt: null,
  };
}
