import { workflowNames } from '@tiphys/api';
import { isNotFound } from '@tiphys/kubernetes';
import { isCompletedWorkflow, isFulfilled, isTaskSetNode } from '../model/phases.ts';
import type { Workflow } from '../model/types.ts';
import type { Surroundings } from './surroundings.ts';

/** What there is to take out of the task set of a workflow. */
function untidy({ taskSets }: Pick<Surroundings, 'taskSets'>, workflow: Workflow) {
  const { name = '', namespace = '' } = workflow.metadata;
  const found = taskSets.get(namespace, name);
  const isOver = isCompletedWorkflow(workflow.status?.phase);
  const done = new Set(
    Object.values(workflow.status?.nodes ?? {})
      .filter((node) => isTaskSetNode(node) && isFulfilled(node))
      .map(({ id }) => id),
  );
  const gone = (values: object = {}) => {
    const ids = Object.keys(values).filter((id) => isOver || done.has(id));
    return ids.length > 0 ? Object.fromEntries(ids.map((id) => [id, null])) : undefined;
  };
  return {
    nodes: gone(found?.status?.nodes),
    tasks: gone(found?.spec?.tasks),
    ends: found !== undefined && isOver && found.metadata.labels?.[workflowNames.labels.completed] !== 'true',
  };
}

/** Whether `tidyTasks` has anything to do. */
export function isUntidy(surroundings: Pick<Surroundings, 'taskSets'>, workflow: Workflow): boolean {
  const { nodes, tasks, ends } = untidy(surroundings, workflow);
  return nodes !== undefined || tasks !== undefined || ends;
}

/**
 * Takes out of the task set of a workflow what the agent has done and the workflow's status holds by now, as upstream, so that it stays
 * small. Once the workflow has ended the label `completed` lets the agent end.
 */
export async function tidyTasks({ client, taskSets }: Surroundings, workflow: Workflow): Promise<void> {
  const { name = '', namespace = '' } = workflow.metadata;
  const { nodes, tasks, ends } = untidy({ taskSets }, workflow);
  const { labels, apiVersion } = workflowNames;
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
