import { workflowNames } from '@tiphys/api';
import { deepEqual } from '@tiphys/controller';
import type { Container, ContainerStatus, PodSpec, PodStatus } from '../../model/types.ts';
import type { PodObject } from './pod-object.ts';

/**
 * What decisions read of a pod: volumes, environments and commands are most of it, and thousands of pods may be there at once. Pods of
 * agents and of artifact collections, of which a workflow has one, are kept whole.
 */
export function keptPod(pod: PodObject): PodObject {
  const { managedFields, ...metadata } = pod.metadata as PodObject['metadata'] & { managedFields?: unknown };
  if (metadata.labels?.[workflowNames.labels.component]) return { ...pod, metadata };
  const { containers, initContainers, nodeName } = pod.spec;
  const spec: PodSpec = {
    containers: containers.map(keptContainer),
    ...(initContainers ? { initContainers: initContainers.map(keptContainer) } : {}),
    ...(nodeName ? { nodeName } : {}),
  };
  const { apiVersion, kind, status } = pod;
  return { apiVersion, kind, metadata, spec, ...(status ? { status: keptStatus(status) } : {}) };
}

const keptContainer = ({ name, resources }: Container): Container =>
  ({ name, ...(resources ? { resources } : {}) }) as Container;

function keptStatus({ phase, reason, message, podIP, conditions, ...status }: PodStatus): PodStatus {
  const told = conditions?.filter((condition) => condition.reason);
  return {
    ...(phase ? { phase } : {}),
    ...(reason ? { reason } : {}),
    ...(message ? { message } : {}),
    ...(podIP ? { podIP } : {}),
    ...(told?.length ? { conditions: told } : {}),
    ...(status.containerStatuses ? { containerStatuses: status.containerStatuses.map(keptContainerStatus) } : {}),
    ...(status.initContainerStatuses
      ? { initContainerStatuses: status.initContainerStatuses.map(keptContainerStatus) }
      : {}),
  };
}

const keptContainerStatus = ({ name, ready, state, lastState }: ContainerStatus): ContainerStatus => ({
  name,
  ...(ready === undefined ? {} : { ready }),
  ...(state ? { state } : {}),
  ...(lastState ? { lastState } : {}),
});

/** Whether nothing that a decision reads differs between two states of a pod. */
export function isSamePod(a: PodObject, b: PodObject): boolean {
  return deepEqual(withoutVersion(a), withoutVersion(b));
}

function withoutVersion({ metadata, spec, status }: PodObject) {
  const { resourceVersion, generation, ...rest } = metadata;
  return { metadata: rest, spec, status };
}
