import { type LabelSelector, type PodTemplate, rolloutNames } from '@tiphys/api';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { isControlledBy, type Pod } from '../objects/kinds.ts';
import { isAvailable } from '../objects/pods.ts';
import type { ReplicaSet } from '../objects/replica-set.ts';

/** A StatefulSet or DaemonSet. */
export interface Workload extends KubeObject {
  spec: {
    replicas?: number;
    minReadySeconds?: number;
    selector?: LabelSelector;
    template?: PodTemplate;
    updateStrategy?: { type?: string; rollingUpdate?: { partition?: number } };
  };
  status?: {
    observedGeneration?: number;
    currentRevision?: string;
    updateRevision?: string;
    desiredNumberScheduled?: number;
  };
}

export interface Revision extends KubeObject {
  revision?: number;
  data?: { spec?: { template?: PodTemplate & { $patch?: string } } };
}

export interface WorkloadState {
  readonly workload: Workload;
  readonly revisions: readonly Revision[];
  readonly pods: readonly Pod[];
}

const revisionLabel = 'controller-revision-hash';

/** Pods and revisions of a workload, as the API server has them now. */
export async function readState(client: Client, workload: Workload): Promise<WorkloadState> {
  const { namespace = '' } = workload.metadata;
  const of = async <T extends KubeObject>(apiVersion: string, kind: string) =>
    (await client.list<T>({ apiVersion, kind, namespace }, selectorOf(workload))).items.filter((each) =>
      isControlledBy(each, workload),
    );
  const [revisions, pods] = await Promise.all([of<Revision>('apps/v1', 'ControllerRevision'), of<Pod>('v1', 'Pod')]);
  return { workload, revisions, pods };
}

function selectorOf({ spec: { selector } }: Workload): { labelSelector?: string } {
  const labels = Object.entries(selector?.matchLabels ?? {}).map(([key, value]) => `${key}=${value}`);
  return labels.length > 0 ? { labelSelector: labels.join(',') } : {};
}

/** The hash at the end of a revision's name; labels of pods have it with or without the workload's name. */
export function shortHash(workload: Workload, text: string | undefined): string {
  const prefix = `${workload.metadata.name}-`;
  return text?.startsWith(prefix) ? text.slice(prefix.length) : (text ?? '');
}

export function revisionOfPod(workload: Workload, { metadata }: Pod): string {
  return shortHash(workload, metadata.labels?.[revisionLabel]);
}

/** A revision as the steps of a canary see it. */
export function shownRevision(
  { workload, pods }: WorkloadState,
  revision: Revision,
  { wanted, replicas, now }: { wanted: number; replicas: number; now: number },
): ReplicaSet {
  const hash = shortHash(workload, revision.metadata.name);
  const own = pods.filter((pod) => revisionOfPod(workload, pod) === hash);
  const isReady = (pod: Pod, minReadySeconds: number) => isAvailable(pod, { minReadySeconds, now });
  const { $patch: _, ...template } = revision.data?.spec?.template ?? {};
  return {
    apiVersion: revision.apiVersion,
    kind: revision.kind,
    metadata: {
      ...revision.metadata,
      labels: { ...revision.metadata.labels, [rolloutNames.labels.podTemplateHash]: hash },
      annotations: {
        [rolloutNames.annotations.revision]: String(revision.revision ?? 0),
        [rolloutNames.annotations.desiredReplicas]: String(replicas),
      },
    },
    spec: { replicas: wanted, template, ...(workload.spec.selector ? { selector: workload.spec.selector } : {}) },
    status: {
      replicas: own.length,
      readyReplicas: own.filter((pod) => isReady(pod, 0)).length,
      availableReplicas: own.filter((pod) => isReady(pod, workload.spec.minReadySeconds ?? 0)).length,
    },
  };
}
