import { randomBytes } from 'node:crypto';
import { names, workflowNames } from '@tiphys/api';
import { nodeId } from '../model/node-names.ts';
import { isFailedOrError } from '../model/phases.ts';
import type { NodeStatus, Workflow } from '../model/types.ts';
import { overrideParameters, VerbError } from './submit.ts';

const { labels } = workflowNames;
/** What was told of the original is not told of the copy. */
const ownAnnotations: readonly string[] = [
  'notified.notifications.argoproj.io',
  names.annotations.notificationOutbox,
  names.annotations.notificationProblems,
];
const ownLabels: readonly string[] = [
  labels.creator,
  labels.creatorEmail,
  labels.creatorUsername,
  labels.phase,
  labels.completed,
  labels.archiving,
];

/**
 * A workflow like another one, to be run from the start; or with `memoized`, for one that failed, from what did not end well. Throws a
 * `VerbError`, also for a parameter that is none.
 */
export function resubmitted(
  original: Workflow,
  parameters: readonly string[] = [],
  options: { memoized?: boolean; suffix?: string } = {},
): Workflow {
  const { metadata, spec, apiVersion, kind } = original;
  const { activeDeadlineSeconds, shutdown, ...rest } = structuredClone(spec);
  const kept = Object.entries(metadata.labels ?? {}).filter(([name]) => !ownLabels.includes(name));
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => !ownAnnotations.includes(name));
  const copy: Workflow = {
    apiVersion,
    kind,
    metadata: {
      generateName: metadata.generateName ?? `${metadata.name}-`,
      ...(metadata.namespace ? { namespace: metadata.namespace } : {}),
      labels: { ...Object.fromEntries(kept), [labels.resubmittedFrom]: metadata.name ?? '' },
      ...(metadata.annotations ? { annotations: Object.fromEntries(annotations) } : {}),
      ...(metadata.ownerReferences ? { ownerReferences: [...metadata.ownerReferences] } : {}),
    },
    spec: { ...rest, ...(activeDeadlineSeconds ? { activeDeadlineSeconds } : {}) },
  };
  overrideParameters(copy, parameters);
  return options.memoized ? memoized(original, copy, options.suffix ?? randomSuffix()) : copy;
}

/** The copy with the nodes of the original: pods that ended well are skipped, all others run again. */
function memoized(original: Workflow, copy: Workflow, suffix: string): Workflow {
  const { phase, nodes = {}, storedTemplates } = original.status ?? {};
  if (phase !== 'Failed' && phase !== 'Error')
    throw new VerbError('workflow must be Failed/Error to resubmit in memoized mode', { isBadRequest: true });
  const before = original.metadata.name ?? '';
  const name = `${copy.metadata.generateName}${suffix}`;
  const renamed = (node: string) => (node.startsWith(before) ? `${name}${node.slice(before.length)}` : node);
  const idOf = (id: string) => nodeId(name, renamed(nodes[id]?.name ?? ''));
  const kept: Record<string, NodeStatus> = {};
  for (const node of Object.values(nodes)) {
    if (node.name.startsWith(`${before}.onExit`)) continue;
    if (node.type === 'Skipped' && !hasSuccess(nodes, node)) continue;
    const id = nodeId(name, renamed(node.name));
    const succeeded = node.type === 'Pod' && !isFailedOrError(node.phase);
    const { message, startedAt, finishedAt, boundaryID, children, outboundNodes, ...rest } = node;
    kept[id] = {
      ...rest,
      id,
      name: renamed(node.name),
      startedAt: null,
      finishedAt: null,
      ...(boundaryID ? { boundaryID: idOf(boundaryID) } : {}),
      ...(children ? { children: children.map(idOf) } : {}),
      ...(outboundNodes ? { outboundNodes: outboundNodes.map(idOf) } : {}),
      ...(succeeded
        ? {
            phase: 'Skipped',
            type: 'Skipped',
            message: `original pod: ${node.id}`,
            startedAt: node.startedAt ?? null,
            finishedAt: node.finishedAt ?? null,
          }
        : { phase: 'Pending' }),
    } as NodeStatus;
  }
  const conditions = [{ type: 'Completed', status: 'False' }];
  const status = { nodes: kept, conditions, ...(storedTemplates ? { storedTemplates } : {}) };
  return {
    ...copy,
    metadata: { ...copy.metadata, name },
    status: status as unknown as NonNullable<Workflow['status']>,
  };
}

/** True if something below a node ended well. */
function hasSuccess(nodes: Readonly<Record<string, NodeStatus>>, start: NodeStatus): boolean {
  const seen = new Set<string>();
  const stack = [...(start.children ?? [])];
  for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
    if (seen.has(id)) continue;
    seen.add(id);
    if (nodes[id]?.phase === 'Succeeded') return true;
    stack.push(...(nodes[id]?.children ?? []));
  }
  return false;
}

/** As the API server makes names unique. */
function randomSuffix(): string {
  return [...randomBytes(5)].map((byte) => 'bcdfghjklmnpqrstvwxz2456789'[byte % 27]).join('');
}
