import type { AnalysisRun, AnalysisTemplate } from '@tiphys/analysis';
import type { Experiment, Rollout } from '@tiphys/api';
import { MemoryCluster } from '@tiphys/controller';
import type { KubeObject } from '@tiphys/kubernetes';
import type { Cluster } from '../cluster/cluster.ts';
import { Shelf } from '../cluster/shelf.ts';
import type { Service } from '../objects/kinds.ts';
import type { ReplicaSet } from '../objects/replica-set.ts';

/** A cluster in memory whose pods are available as soon as they are wanted. */
export class SimulatedCluster {
  readonly memory = new MemoryCluster();
  readonly #now: () => number;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What the controllers of the family read and write. */
  cluster(): Cluster {
    const { memory } = this;
    return {
      client: memory.client,
      replicaSets: new Shelf(memory.view<ReplicaSet>('ReplicaSet')),
      services: new Shelf(memory.view<Service>('Service')),
      analysisRuns: new Shelf(memory.view<AnalysisRun>('AnalysisRun')),
      experiments: new Shelf(memory.view<Experiment>('Experiment')),
      rollouts: memory.view<Rollout>('Rollout'),
      template: (namespace, name, clusterScope) =>
        memory
          .view<AnalysisTemplate>(clusterScope ? 'ClusterAnalysisTemplate' : 'AnalysisTemplate')
          .get(clusterScope ? '' : namespace, name),
    };
  }

  /** Stores an object as its user would: a spec that changed is a new generation, the status stays. */
  apply<T extends KubeObject>(object: T): T {
    const before = this.memory.object<T>(refOf(object));
    const generation = (before?.metadata.generation ?? 0) + 1;
    return this.memory.put({
      ...before,
      ...object,
      metadata: { ...before?.metadata, ...object.metadata, generation },
      ...(before?.status === undefined ? {} : { status: before.status }),
    });
  }

  object<T extends KubeObject>(like: KubeObject): T | undefined {
    return this.memory.object<T>(refOf(like));
  }

  objects<T extends KubeObject>(kind: string): T[] {
    return this.memory.objects<T>(kind);
  }

  /** How often anything was written. */
  get writes(): number {
    return this.memory.requests.filter((request) => !/^(?:get|list) /.test(request)).length;
  }

  /** Lets every ReplicaSet have the pods that it wants. */
  runPods(): void {
    for (const set of this.objects<ReplicaSet>('ReplicaSet')) {
      const wanted = set.spec.replicas ?? 0;
      const status = { replicas: wanted, readyReplicas: wanted, availableReplicas: wanted, observedGeneration: 1 };
      const isBorn = set.metadata.creationTimestamp !== undefined;
      if (isBorn && (set.status as { replicas?: number } | undefined)?.replicas === wanted) continue;
      const creationTimestamp = set.metadata.creationTimestamp ?? new Date(this.#now()).toISOString();
      this.memory.put({ ...set, metadata: { ...set.metadata, creationTimestamp }, status } as ReplicaSet);
    }
  }
}

function refOf({ apiVersion, kind, metadata: { namespace, name = '' } }: KubeObject) {
  return { apiVersion, kind, ...(namespace ? { namespace } : {}), name };
}
