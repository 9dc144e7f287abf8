import { workflowNames } from '@tiphys/api';
import type { Announcement } from '@tiphys/controller';
import type { KubeObject } from '@tiphys/kubernetes';
import { isCompletedPhase } from '../model/phases.ts';
import { timeOf } from '../model/time.ts';
import type { NodeStatus, Workflow } from '../model/types.ts';

const { annotations } = workflowNames;

/**
 * Events for nodes whose phase has changed: that they run, and how they ended. With `pods` those of a node with a pod are Events of the pod, which
 * name the workflow (`nodeEvents.sendAsPod`).
 */
export function nodeEvents(before: Workflow, after: Workflow, pods: readonly KubeObject[] = []): Announcement[] {
  const ofNode = new Map(pods.map((pod) => [pod.metadata.annotations?.[annotations.nodeId], pod]));
  const { name = '', uid = '' } = after.metadata;
  const owner = { [annotations.workflowName]: name, [annotations.workflowUid]: uid };
  const old = before.status?.nodes ?? {};
  return Object.values(after.status?.nodes ?? {}).flatMap((node) => {
    const phase = old[node.id]?.phase;
    if (phase === node.phase) return [];
    const ended = isCompletedPhase(node.phase);
    const began = node.phase === 'Running' || (ended && (phase === undefined || phase === 'Pending'));
    const events = [...(began ? [eventOf(node, 'Running')] : []), ...(ended ? [eventOf(node, node.phase ?? '')] : [])];
    const about = ofNode.get(node.id);
    return about
      ? events.map((event) => ({ ...event, annotations: { ...event.annotations, ...owner }, about }))
      : events;
  });
}

function eventOf(node: NodeStatus, phase: string) {
  const message = phase === node.phase && node.message ? `: ${node.message}` : '';
  return {
    type: phase === 'Running' || phase === 'Succeeded' ? ('Normal' as const) : ('Warning' as const),
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
