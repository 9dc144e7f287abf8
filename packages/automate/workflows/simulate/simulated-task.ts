import { workflowNames } from '@tiphys/api';
import type { NodeStatus, Pod, Template, Workflow } from '../model/types.ts';
import { judgeFailedPod } from '../operation/failed-pod.ts';
import { type SimulatedPod, simulatedOutputs } from './simulated-pod.ts';

/** What an agent does for a node, as a pod of its own: it has a fate as pods have. */
export function simulatedTask(
  { metadata, status }: Workflow,
  { id, template }: { readonly id: string; readonly template: Template },
): Pod {
  const { annotations } = workflowNames;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: id,
      namespace: metadata.namespace ?? '',
      labels: { [workflowNames.labels.workflow]: metadata.name ?? '' },
      annotations: { [annotations.nodeId]: id, [annotations.nodeName]: status?.nodes?.[id]?.name ?? '' },
    },
    spec: {
      containers: [{ name: 'main' }],
      initContainers: [{ name: 'init', env: [{ name: 'ARGO_TEMPLATE', value: JSON.stringify(template) }] }],
    },
  } as Pod;
}

/** What the agent reports of it by now; undefined while it does it. */
export function taskResult(
  task: SimulatedPod,
  now: number,
): Pick<NodeStatus, 'phase' | 'message' | 'outputs'> | undefined {
  const shown = task.at(now);
  if (!shown) return { phase: 'Failed', message: 'the agent went before it had an answer' };
  if (shown.status?.phase === 'Succeeded')
    return { phase: 'Succeeded', outputs: simulatedOutputs(shown, task.fate.outputs ?? {}) };
  return shown.status?.phase === 'Failed' ? judgeFailedPod(shown, undefined) : undefined;
}
