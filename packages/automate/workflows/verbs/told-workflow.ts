import { unpackNodes } from '../controller/persistence/nodes-codec.ts';
import { isActiveSuspend, isFailedOrError } from '../model/phases.ts';
import type { NodeStatus, Template, Workflow } from '../model/types.ts';

/** Nodes that are told of one workflow. */
const most = 20;
/** What is told of no node: it may be large, and its inputs may hold what is nobody's business. */
type Shown = Pick<NodeStatus, 'id' | 'name' | 'displayName' | 'type' | 'templateName' | 'phase' | 'message'> &
  Pick<NodeStatus, 'startedAt' | 'finishedAt'>;

/**
 * A workflow as notifications tell of it, so that it can be kept of many: without what was stored of templates, and of its nodes
 * those that failed and those that wait for somebody to resume them.
 */
export function toldWorkflow(packed: Workflow): Workflow {
  const workflow = unpackNodes(packed);
  if (!workflow.status) return workflow;
  const { nodes = {}, storedTemplates, storedWorkflowTemplateSpec, artifactRepositoryRef, ...status } = workflow.status;
  const told = Object.values(nodes)
    .filter((node) => hasFailed(node, nodes) || waitsForSomebody(workflow, node))
    .slice(0, most)
    .map(shown);
  return {
    ...workflow,
    status: {
      ...status,
      ...(told.length > 0 ? { nodes: Object.fromEntries(told.map((node) => [node.id, node])) } : {}),
    } as NonNullable<Workflow['status']>,
  };
}

/** Failed itself: groups say only that something in them did, and of what is tried again only the last attempt counts. */
function hasFailed(
  { phase, children, type, nodeFlag }: NodeStatus,
  nodes: Readonly<Record<string, NodeStatus>>,
): boolean {
  if (!isFailedOrError(phase) || nodeFlag?.retried) return false;
  return type === 'Pod' || !children?.some((id) => isFailedOrError(nodes[id]?.phase));
}

/** A suspended step that no time ends. */
function waitsForSomebody(workflow: Workflow, node: NodeStatus): boolean {
  return isActiveSuspend(node) && !templateOf(workflow, node)?.suspend?.duration;
}

function templateOf({ spec, status }: Workflow, { templateName }: NodeStatus): Template | undefined {
  const known = [
    ...(spec?.templates ?? []),
    ...(status?.storedWorkflowTemplateSpec?.templates ?? []),
    ...Object.values(status?.storedTemplates ?? {}),
  ];
  return known.find(({ name }) => name === templateName);
}

const shown = ({
  id,
  name,
  displayName,
  type,
  templateName,
  phase,
  message,
  startedAt,
  finishedAt,
}: NodeStatus): Shown =>
  ({
    id,
    name,
    ...(displayName ? { displayName } : {}),
    type,
    ...(templateName ? { templateName } : {}),
    ...(phase ? { phase } : {}),
    ...(message ? { message } : {}),
    ...(startedAt ? { startedAt } : {}),
    ...(finishedAt ? { finishedAt } : {}),
  }) as Shown;
