import { workflowNames } from '@tiphys/api';
import type { NodeStatus, Workflow } from '../../model/types.ts';
import { type Packing, packNodes, unpackNodes, WorkflowTooLarge } from './nodes-codec.ts';

type Nodes = Readonly<Record<string, NodeStatus>>;

/** Where workflows are kept outside of the cluster. */
export interface WorkflowPersistence {
  /** Workflows that have ended. */
  readonly archive?: {
    wants(workflow: Workflow): boolean;
    keep(workflow: Workflow): Promise<void>;
    /** The newest one that succeeded of those with a label. */
    newest?(wanted: { namespace: string; label: string; value: string }): Promise<Workflow | undefined>;
  };
  /** Nodes that are too large for the API server. A version is never changed. */
  readonly nodes?: {
    /** Also those that are small. */
    readonly always: boolean;
    save(workflow: { uid: string; namespace: string }, nodes: Nodes, now: number): Promise<string>;
    load(version: { uid: string; version: string }): Promise<Nodes | undefined>;
  };
}

const archiving = workflowNames.labels.archiving;

/** The nodes of a workflow as they are, wherever they are kept. Throws an error if they are gone. */
export async function hydrated(workflow: Workflow, persistence: WorkflowPersistence): Promise<Workflow> {
  const version = workflow.status?.offloadNodeStatusVersion;
  if (!version || !workflow.status) return unpackNodes(workflow);
  const uid = workflow.metadata.uid ?? '';
  const nodes = await persistence.nodes?.load({ uid, version });
  if (!nodes)
    throw new Error(
      persistence.nodes
        ? `The nodes of this workflow (version ${version}) are not in the database any more`
        : `The nodes of this workflow are in a database: persistence.nodeStatusOffLoad of ${workflowNames.configMap} must be true`,
    );
  const { offloadNodeStatusVersion, ...status } = workflow.status;
  return { ...workflow, status: { ...status, nodes: { ...nodes } } };
}

/** The workflow as the API server takes it: its nodes plain, packed or in the database. Throws a `WorkflowTooLarge`. */
export async function dehydrated(
  workflow: Workflow,
  { nodes: store }: WorkflowPersistence,
  { now, packing }: { now: number; packing: Packing },
): Promise<Workflow> {
  if (Object.keys(workflow.status?.nodes ?? {}).length === 0) return workflow;
  const { uid = '', namespace = '' } = workflow.metadata;
  const offload = async () => {
    const { nodes = {}, ...status } = workflow.status as NonNullable<Workflow['status']>;
    const version = (await store?.save({ uid, namespace }, nodes, now)) ?? '';
    return { ...workflow, status: { ...status, offloadNodeStatusVersion: version } };
  };
  if (store?.always) return offload();
  try {
    return packNodes(workflow, packing);
  } catch (error) {
    if (!store || !(error instanceof WorkflowTooLarge)) throw error;
    return offload();
  }
}

/** True if a workflow has ended and is not in the archive yet. */
export function isArchiving({ metadata }: Workflow): boolean {
  return metadata.labels?.[archiving] === 'Pending';
}

/** Marks a workflow that is in the archive now, or that does not go there. */
export function markArchived(workflow: Workflow, isKept: boolean): void {
  const { [archiving]: _, ...labels } = workflow.metadata.labels ?? {};
  workflow.metadata.labels = isKept ? { ...labels, [archiving]: 'Archived' } : labels;
}
