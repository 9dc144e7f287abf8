import { goJson } from '../model/go-text.ts';
import type { Template } from '../model/types.ts';
import { executorDeadline } from './pod-deadline.ts';
import type { PodRequest } from './pod-request.ts';
import type { Draft } from './pod-volumes.ts';

/** Tells all containers which node they are, and `init` the whole template. */
export function addEnvironment(request: PodRequest, draft: Draft): void {
  const { nodeId, workflow, settings, includeOutput } = request;
  const shared = [
    { name: 'ARGO_NODE_ID', value: nodeId },
    { name: 'ARGO_INCLUDE_SCRIPT_OUTPUT', value: String(includeOutput) },
    { name: 'ARGO_DEADLINE', value: executorDeadline(request) },
    { name: 'ARGO_WORKFLOW_NAME', value: workflow.name },
    ...progress(settings.progressPatchTick ?? '1m0s', settings.progressFileTick ?? '3s'),
  ];
  const template = { name: 'ARGO_TEMPLATE', value: goJson(simplified(request.template)) };
  for (const container of draft.initContainers.filter(({ restartPolicy }) => !restartPolicy))
    container.env = [
      ...(container.env ?? []),
      { name: 'ARGO_CONTAINER_NAME', value: container.name ?? '' },
      template,
      ...shared,
    ];
  for (const container of draft.containers)
    container.env = [...(container.env ?? []), { name: 'ARGO_CONTAINER_NAME', value: container.name ?? '' }, ...shared];
}

function progress(patchTick: string, fileTick: string): { name: string; value: string }[] {
  if (patchTick === '0s' || fileTick === '0s') return [];
  return [
    { name: 'ARGO_PROGRESS_FILE', value: '/var/run/argo/progress' },
    { name: 'ARGO_PROGRESS_PATCH_TICK_DURATION', value: patchTick },
    { name: 'ARGO_PROGRESS_FILE_TICK_DURATION', value: fileTick },
  ];
}

/** Parameters were put in already; the executor needs none of them. */
function simplified(template: Template): Template {
  const { inputs, outputs, metadata } = template;
  return {
    ...template,
    inputs: inputs?.artifacts ? { artifacts: inputs.artifacts } : {},
    outputs: outputs ?? {},
    metadata: metadata ?? {},
  };
}
