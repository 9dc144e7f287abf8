import type { AnalysisRun, AnalysisTemplate } from '@tiphys/analysis';
import { type Experiment, type Rollout, rolloutNames } from '@tiphys/api';
import { DiagnosisError } from '@tiphys/diagnosis';
import { type Client, type Clock, Informer, type KubeObject } from '@tiphys/kubernetes';
import type { Pod, Service } from '../objects/kinds.ts';
import type { ReplicaSet } from '../objects/replica-set.ts';

export interface InformersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly instanceId: string | undefined;
  readonly onError: (key: string, error: unknown) => void;
}

/** What the controllers of this family know of the cluster. */
export interface Informers {
  readonly rollouts: Informer<Rollout>;
  readonly experiments: Informer<Experiment>;
  readonly analysisRuns: Informer<AnalysisRun>;
  readonly templates: Informer<AnalysisTemplate>;
  readonly clusterTemplates: Informer<AnalysisTemplate>;
  readonly replicaSets: Informer<ReplicaSet>;
  readonly services: Informer<Service>;
  readonly pods: Informer<Pod>;
  /** Begins to follow; resolves when all is known. Subscribe before. */
  start(): Promise<void>;
}

/** The label selector of the objects of one controller among several. */
export function instanceSelector(instanceId: string | undefined): string {
  const { instanceId: label } = rolloutNames.labels;
  return instanceId ? `${label}=${instanceId}` : `!${label}`;
}

export function makeInformers({ client, clock, signal, instanceId, onError }: InformersOptions): Informers {
  const all: Informer[] = [];
  const follow = <T extends KubeObject>(
    apiVersion: string,
    kind: string,
    labelSelector?: string,
    transform: (object: T) => T = withoutManagedFields,
  ): Informer<T> => {
    const informer = new Informer<T>(client, {
      ref: { apiVersion, kind },
      clock,
      transform,
      onError: (problem) => onError(kind, new DiagnosisError(problem)),
      ...(labelSelector ? { labelSelector } : {}),
    });
    all.push(informer as unknown as Informer);
    return informer;
  };
  const ours = instanceSelector(instanceId);
  const { apiVersion, labels } = rolloutNames;
  return {
    rollouts: follow<Rollout>(apiVersion, 'Rollout', ours),
    experiments: follow<Experiment>(apiVersion, 'Experiment', ours),
    analysisRuns: follow<AnalysisRun>(apiVersion, 'AnalysisRun', ours),
    templates: follow<AnalysisTemplate>(apiVersion, 'AnalysisTemplate'),
    clusterTemplates: follow<AnalysisTemplate>(apiVersion, 'ClusterAnalysisTemplate'),
    replicaSets: follow<ReplicaSet>('apps/v1', 'ReplicaSet', labels.podTemplateHash),
    services: follow<Service>('v1', 'Service'),
    pods: follow<Pod>('v1', 'Pod', labels.podTemplateHash, asRead),
    start: async () => {
      for (const informer of all) informer.start(signal);
      await Promise.all(all.map(({ synced }) => synced));
    },
  };
}

function withoutManagedFields<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}

const metadataRead = [
  ...(['name', 'namespace', 'uid', 'resourceVersion', 'labels', 'annotations'] as const),
  ...(['ownerReferences', 'creationTimestamp', 'deletionTimestamp'] as const),
] as const;

/** What is read of a pod, of which there are the most: not what it runs, which its ReplicaSet says. */
function asRead({ apiVersion, kind, metadata, status = {} }: Pod): Pod {
  return {
    ...{ apiVersion, kind },
    metadata: picked(metadata, metadataRead),
    status: picked(status, ['phase', 'conditions', 'containerStatuses', 'initContainerStatuses']),
  };
}

function picked<T extends object, K extends keyof T>(object: T, names: readonly K[]): Pick<T, K> {
  return Object.fromEntries(
    names.filter((name) => Object.hasOwn(object, name)).map((name) => [name, object[name]]),
  ) as Pick<T, K>;
}
