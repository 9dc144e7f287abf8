import { workflowNames } from '@tiphys/api';
import type { Announcement } from '@tiphys/controller';
import { isCompletedPhase } from '../model/phases.ts';
import { timeOf } from '../model/time.ts';
import type { NodeStatus, Workflow } from '../model/types.ts';

/** Events for nodes whose phase has changed: that they run, and how they ended. */
export function nodeEvents(before: Workflow, after: Workflow): Announcement[] {
  const old = before.status?.nodes ?? {};
  return Object.values(after.status?.nodes ?? {}).flatMap((node) => {
    const phase = old[node.id]?.phase;
    if (phase === node.phase) return [];
    const ended = isCompletedPhase(node.phase);
    const began = node.phase === 'Running' || (ended && (phase === undefined || phase === 'Pending'));
    return [...(began ? [eventOf(node, 'Running')] : []), ...(ended ? [eventOf(node, node.phase ?? '')] : [])];
  });
}

function eventOf(node: NodeStatus, phase: string): Announcement {
  const { annotations } = workflowNames;
  const message = phase === node.phase && node.message ? `: ${node.message}` : '';
  return {
    type: phase === 'Running' || phase === 'Succeeded' ? 'Normal' : 'Warning',
    reason: `WorkflowNode${phase}`,
    message: `${phase} node ${node.name}${message}`,
    annotations: {
      [annotations.nodeType]: node.type,
      [annotations.nodeName]: node.name,
      [annotations.nodeId]: node.id,
      [annotations.nodeStartTime]: `${(timeOf(node.startedAt) ?? 0) * 1_000_000}`,
    },
  };
}
