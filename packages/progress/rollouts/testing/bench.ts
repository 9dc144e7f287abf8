import type { AnalysisRun, AnalysisTemplate } from '@tiphys/analysis';
import type { Experiment, Rollout } from '@tiphys/api';
import { type Announcement, keyOf, ObjectStore, Reconciler } from '@tiphys/controller';
import { type KubeObject, WorkQueue } from '@tiphys/kubernetes';
import type { PluginHost } from '@tiphys/step-plugins';
import type { LoadBalancers, TrafficRouter } from '@tiphys/traffic';
import { MemoryCluster, ScriptedClock } from '../../../foundation/controller/testing/index.ts';
import type { Cluster } from '../cluster/cluster.ts';
import { Shelf } from '../cluster/shelf.ts';
import { copyOfAnnotation, reduced } from '../configuration/configurations.ts';
import type { Pod, Service } from '../objects/kinds.ts';
import { ownerOf } from '../objects/pods.ts';
import type { ReplicaSet } from '../objects/replica-set.ts';
import type { RolloutMemory, RolloutsContext } from '../turn/context.ts';
import { reconcileRollout } from '../turn/reconcile/begin.ts';
import { Workloads } from '../turn/workloads.ts';

export interface BenchOptions {
  /** How many of a ReplicaSet's pods are available; all of them if absent. */
  readonly available?: (set: ReplicaSet) => number;
  readonly routers?: readonly TrafficRouter[];
  /** What Services lead to; not to be told if absent. */
  readonly endpoints?: RolloutsContext['endpoints'];
  /** When numbers alone are written; at once if absent. */
  readonly numbersDue?: RolloutsContext['numbersDue'];
  /** Load balancers of AWS, to verify that they have the pods. */
  readonly loadBalancers?: LoadBalancers;
}

/** A Rollout in a cluster in memory whose ReplicaSets have their pods at once. */
export class Bench {
  readonly cluster = new MemoryCluster();
  readonly clock = new ScriptedClock(Date.parse('2026-01-01T00:00:00Z'));
  readonly events: string[] = [];
  available: (set: ReplicaSet) => number;
  readonly #context: RolloutsContext;
  readonly #reconciler: Reconciler<Rollout, RolloutsContext, RolloutMemory>;
  #key = '';
  #due: number | undefined;

  constructor({
    available = (set) => set.spec.replicas ?? 0,
    routers = [],
    endpoints = async () => undefined,
    loadBalancers,
    numbersDue,
  }: BenchOptions = {}) {
    const { cluster, clock } = this;
    this.available = available;
    const { client } = cluster;
    const objects: Cluster = {
      client,
      replicaSets: new Shelf(cluster.view<ReplicaSet>('ReplicaSet')),
      services: new Shelf(cluster.view<Service>('Service')),
      analysisRuns: new Shelf(cluster.view<AnalysisRun>('AnalysisRun')),
      experiments: new Shelf(cluster.view<Experiment>('Experiment')),
      rollouts: cluster.view<Rollout>('Rollout'),
      template: (namespace, name, clusterScope) =>
        clusterScope
          ? cluster.view<AnalysisTemplate>('ClusterAnalysisTemplate').get('', name)
          : cluster.view<AnalysisTemplate>('AnalysisTemplate').get(namespace, name),
    };
    const signal = new AbortController().signal;
    this.#context = {
      cluster: objects,
      plugins: {} as PluginHost,
      workloads: new Workloads({ client, clock, signal, onChange: () => undefined }),
      configurations: {
        find: async (namespace, reference) => {
          const found = cluster.object({ apiVersion: 'v1', namespace, ...reference });
          return found && reduced(found);
        },
        copies: () =>
          ['ConfigMap', 'Secret']
            .flatMap((kind) => cluster.objects(kind).map(reduced))
            .filter(({ metadata }) => metadata.annotations?.[copyOfAnnotation]),
      },
      routers: async (turn) => (turn.rollout.spec.strategy.canary?.trafficRouting ? routers : []),
      validateRouters: async () => [],
      isInDestinationRule: async () => false,
      pods: (_, owner) => cluster.objects<Pod>('Pod').filter((pod) => owner === undefined || ownerOf(pod) === owner),
      endpoints,
      ...(numbersDue ? { numbersDue } : {}),
      targetGroups: loadBalancers && { client, loadBalancers, apiVersion: 'elbv2.k8s.aws/v1beta1' },
      evict: async ({ namespace, name }) => cluster.remove({ apiVersion: 'v1', kind: 'Pod', namespace, name }),
      tell: (_, announcement) => this.events.push(textOf(announcement)),
    };
    this.#reconciler = this.#start();
  }

  #start() {
    return new Reconciler<Rollout, RolloutsContext, RolloutMemory>({
      name: 'rollout',
      store: new ObjectStore<Rollout>({
        client: this.cluster.client,
        view: this.cluster.view('Rollout'),
        fields: ['spec', 'status'],
        statusSubresource: true,
      }),
      queue: new WorkQueue({ clock: this.clock }),
      clock: this.clock,
      steps: [reconcileRollout],
      context: this.#context,
      memory: () => ({}),
      onError: () => undefined,
    });
  }

  /** Stores an object as a user would; the Rollout gets its generation. */
  put<T extends KubeObject>(object: T): T {
    return this.cluster.put(object);
  }

  /** Stores the Rollout with another spec. */
  apply(rollout: Rollout): void {
    this.#key = keyOf(rollout);
    const before = this.cluster.object<Rollout>(refOf(rollout));
    const generation = (before?.metadata.generation ?? 0) + 1;
    const status = before?.status;
    this.put({
      ...(before ?? rollout),
      ...rollout,
      metadata: { ...before?.metadata, ...rollout.metadata, generation },
      ...(status ? { status } : {}),
    });
  }

  get rollout(): Rollout {
    const [rollout] = this.cluster.objects<Rollout>('Rollout');
    if (!rollout) throw new Error('there is no Rollout');
    return rollout;
  }

  /** Changes the status as the kubectl plugin does. */
  patchStatus(change: Partial<NonNullable<Rollout['status']>>): void {
    const { rollout } = this;
    this.put({ ...rollout, status: { ...rollout.status, ...change } });
  }

  sets(): ReplicaSet[] {
    return this.cluster.objects<ReplicaSet>('ReplicaSet');
  }

  /** One pass, with the ReplicaSets' pods first; tells whether anything was written. A failure of the pass is thrown. */
  async pass(): Promise<boolean> {
    this.#runPods();
    const writes = () => this.cluster.requests.filter((request) => !/^(get|list) /.test(request)).length;
    const before = writes();
    const object = this.cluster.object<Rollout>(refOf(this.rollout));
    if (!object) return false;
    const pass = this.#reconciler.begin(this.#key, object, new AbortController().signal, true);
    await this.#reconciler.walk(pass, [reconcileRollout]);
    await pass.checkpoint();
    this.#due = pass.requeueAfter === undefined ? undefined : this.clock.now() + pass.requeueAfter;
    this.#runPods();
    return writes() > before;
  }

  /** Passes until nothing changes any more. */
  async settle(): Promise<Rollout> {
    for (let count = 0; count < 100; count += 1) if (!(await this.pass()) && !(await this.pass())) return this.rollout;
    throw new Error(`the Rollout does not come to rest: ${JSON.stringify(this.rollout.status)}`);
  }

  /** Lets time go on, with a pass whenever the Rollout asked for one. */
  async advance(milliseconds: number): Promise<Rollout> {
    const end = this.clock.now() + milliseconds;
    for (let count = 0; count < 1000; count += 1) {
      await this.settle();
      if (this.#due === undefined || this.#due > end) break;
      await this.clock.advance(Math.max(1, this.#due - this.clock.now()));
    }
    await this.clock.advance(Math.max(0, end - this.clock.now()));
    return this.settle();
  }

  #runPods(): void {
    for (const set of this.sets()) {
      const wanted = set.spec.replicas ?? 0;
      const available = Math.min(wanted, this.available(set));
      const status = {
        replicas: wanted,
        readyReplicas: available,
        availableReplicas: available,
        observedGeneration: 1,
      };
      const stamped = {
        ...set,
        metadata: {
          ...set.metadata,
          creationTimestamp: set.metadata.creationTimestamp ?? new Date(this.clock.now()).toISOString(),
        },
      };
      if (JSON.stringify({ ...set, status }) !== JSON.stringify(set) || !set.metadata.creationTimestamp)
        this.put({ ...stamped, status });
    }
  }
}

function refOf({ apiVersion, kind, metadata: { namespace = '', name = '' } }: KubeObject) {
  return { apiVersion, kind, namespace, name };
}

function textOf(announcement: Announcement): string {
  return 'reason' in announcement ? `${announcement.reason}: ${announcement.message}` : announcement.subject;
}

/** A Rollout of three pods. */
export function rolloutOf(strategy: Rollout['spec']['strategy'], image = 'web:1'): Rollout {
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Rollout',
    metadata: { name: 'web', namespace: 'shop', uid: 'rollout-uid' },
    spec: {
      replicas: 3,
      selector: { matchLabels: { app: 'web' } },
      template: { metadata: { labels: { app: 'web' } }, spec: { containers: [{ name: 'web', image }] } },
      strategy,
    },
  };
}

export function serviceOf(name: string): Service {
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace: 'shop' },
    spec: { selector: { app: 'web' } },
  };
}
