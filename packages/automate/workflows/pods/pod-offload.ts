import { workflowNames } from '@tiphys/api';
import type { Pod } from '../model/types.ts';
import { type BuiltPod, ownerOf } from './build-pod.ts';
import { largestText, type PodRequest, paths } from './pod-request.ts';

/** Templates and arguments that are too large for a process' environment go by a ConfigMap of the pod's name. */
export function offloadLargeTexts(request: PodRequest, pod: Pod): BuiltPod {
  const data: Record<string, string> = {};
  const mount = { name: 'argo-env-config', mountPath: paths.config };
  const containers = [...(pod.spec.initContainers ?? []), ...pod.spec.containers];
  for (const container of containers) {
    const variable = container.env?.find(({ name }) => name === 'ARGO_TEMPLATE');
    if (!variable?.value || variable.value.length <= largestText) continue;
    data.ARGO_TEMPLATE = variable.value;
    variable.value = 'offloaded';
    container.volumeMounts = [...(container.volumeMounts ?? []), mount];
  }
  for (const container of pod.spec.containers) {
    if (container.name === 'wait' || !container.args) continue;
    const args = JSON.stringify(container.args);
    if (args.length <= largestText) continue;
    data.ARGO_CONTAINER_ARGS_FILE = args;
    delete container.args;
    const value = `${paths.config}/ARGO_CONTAINER_ARGS_FILE`;
    container.env = [...(container.env ?? []), { name: 'ARGO_CONTAINER_ARGS_FILE', value }];
    container.volumeMounts = [...(container.volumeMounts ?? []), mount];
    break;
  }
  if (Object.keys(data).length === 0) return { pod };
  const { name = '', namespace } = pod.metadata;
  pod.spec.volumes = [...(pod.spec.volumes ?? []), { name: mount.name, configMap: { name } }];
  return {
    pod,
    configMap: {
      metadata: {
        name,
        ...(namespace ? { namespace } : {}),
        labels: { [workflowNames.labels.workflow]: request.workflow.name },
        annotations: {
          [workflowNames.annotations.nodeName]: request.nodeName,
          [workflowNames.annotations.nodeId]: request.nodeId,
        },
        ownerReferences: [ownerOf(request.workflow)],
      },
      data,
    },
  };
}
