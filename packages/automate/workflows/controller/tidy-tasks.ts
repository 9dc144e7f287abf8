import { workflowNames } from '@tiphys/api';
import { isNotFound } from '@tiphys/kubernetes';
import { isCompletedWorkflow, isFulfilled, isTaskSetNode } from '../model/phases.ts';
import type { Workflow } from '../model/types.ts';
import type { Surroundings } from './surroundings.ts';

/**
 * Takes out of the task set of a workflow what the agent has done and the workflow's status holds by now, as upstream, so that it stays
 * small. Once the workflow has ended the label `completed` lets the agent end.
 */
export async function tidyTasks({ client, taskSets }: Surroundings, workflow: Workflow): Promise<void> {
  const { name = '', namespace = '' } = workflow.metadata;
  const found = taskSets.get(namespace, name);
  if (!found) return;
  const { labels, apiVersion } = workflowNames;
  const isOver = isCompletedWorkflow(workflow.status?.phase);
  const done = new Set(
    Object.values(workflow.status?.nodes ?? {})
      .filter((node) => isTaskSetNode(node) && isFulfilled(node))
      .map(({ id }) => id),
  );
  const nothing = (values: object = {}) => {
    const gone = Object.keys(values).filter((id) => isOver || done.has(id));
    return gone.length > 0 ? Object.fromEntries(gone.map((id) => [id, null])) : undefined;
  };
  const nodes = nothing(found.status?.nodes);
  const tasks = nothing(found.spec?.tasks);
  const ends = isOver && found.metadata.labels?.[labels.completed] !== 'true';
  const ref = { apiVersion, kind: 'WorkflowTaskSet', namespace, name };
  try {
    if (nodes) await client.patch(ref, 'merge', { status: { nodes } }, { subresource: 'status' });
    if (!tasks && !ends) return;
    const metadata = ends ? { metadata: { labels: { [labels.completed]: 'true' } } } : {};
    await client.patch(ref, 'merge', { ...metadata, ...(tasks ? { spec: { tasks } } : {}) });
  } catch (error) {
    // it goes with its workflow
    if (!isNotFound(error)) throw error;
  }
}
