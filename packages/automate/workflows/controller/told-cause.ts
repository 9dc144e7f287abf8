import type { Workflow, WorkflowStatus } from '../model/types.ts';
import { explainNodes } from '../trouble/explain-nodes.ts';

/**
 * A status with what is wrong with its workflow as a condition, with the first remedy of it: a Workflow has no other place for what whoever reads
 * it with kubectl or argo is to know. `workflow` is the same with all of its nodes.
 */
export function withCause(status: WorkflowStatus, workflow: Workflow): WorkflowStatus {
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'Cause');
  const [first, ...rest] = explainNodes(workflow);
  if (!first) return status.conditions ? { ...status, conditions: others } : status;
  const remedy = first.remedies[0];
  const more = rest.length > 0 ? ` (and ${rest.length} more)` : '';
  const message = `${first.code}: ${first.message}${more}${remedy ? ` → ${remedy.text}` : ''}`;
  return { ...status, conditions: [...others, { type: 'Cause', status: 'True', message: message.slice(0, longest) }] };
}

/** Characters of a condition's message. */
const longest = 2000;
