import { type AnalysisContext, type AnalysisRun, analysisSteps, type Metric, type Reading } from '@tiphys/analysis';
import type { Experiment, Rollout } from '@tiphys/api';
import { type Announcement, keyOf, ObjectStore, type Pass, Reconciler, type Step } from '@tiphys/controller';
import { type KubeObject, WorkQueue } from '@tiphys/kubernetes';
import type { PluginHost } from '@tiphys/step-plugins';
import type { TrafficRouter } from '@tiphys/traffic';
import type { ExperimentsContext } from '../experiment/context.ts';
import { reconcileExperiment } from '../experiment/reconcile-experiment.ts';
import type { RolloutMemory, RolloutsContext } from '../turn/context.ts';
import { reconcileRollout } from '../turn/reconcile/begin.ts';
import { Workloads } from '../turn/workloads.ts';
import { SimulatedClock } from './simulated-clock.ts';
import { SimulatedCluster } from './simulated-cluster.ts';

/** Something that a controller told, in the order in which it happened. */
export interface SimulatedEvent {
  /** Milliseconds since 1970, on the simulated clock. */
  readonly at: number;
  readonly kind: string;
  readonly name: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** The reconciler of a kind: one pass over an object. */
interface Controller {
  readonly kind: string;
  pass(object: KubeObject): Promise<void>;
}

/** Passes that change something without time going on; more is a controller that does not come to rest. */
const mostPasses = 500;
const start = Date.parse('2030-01-01T00:00:00Z');

/** The controllers of Rollouts, Experiments and AnalysisRuns over a cluster in memory, on a clock that only `advance` moves. */
export class Simulation {
  readonly clock = new SimulatedClock(start);
  readonly cluster = new SimulatedCluster(() => this.clock.now());
  readonly events: SimulatedEvent[] = [];
  readonly #controllers: readonly Controller[];
  readonly #due = new Map<string, number>();
  readonly #signal = new AbortController().signal;

  constructor(answers: (metric: Metric, now: number) => Reading) {
    const { clock } = this;
    const cluster = this.cluster.cluster();
    const tell = (object: KubeObject, announcement: Announcement) => this.#tell(object, announcement);
    const { client } = cluster;
    const rollouts: RolloutsContext = {
      cluster,
      plugins: noPlugins,
      workloads: new Workloads({ client, clock, signal: this.#signal, onChange: () => undefined }),
      configurations: { find: async () => undefined, copies: () => [] },
      routers: async ({ rollout }) => (rollout.spec.strategy.canary?.trafficRouting ? [obedientRouter] : []),
      validateRouters: async () => [],
      isInDestinationRule: async () => false,
      pods: () => [],
      endpoints: async () => undefined,
      evict: async () => undefined,
      tell,
    };
    const analysis: AnalysisContext = {
      client,
      namespace: '',
      environment: {},
      plugins: noPlugins,
      jobs: { job: () => undefined, jobsOf: () => [], podsOf: () => [] },
      answers: (metric) => answers(metric, clock.now()),
    };
    this.#controllers = [
      this.#controller<Rollout, RolloutsContext, RolloutMemory>('Rollout', [reconcileRollout], rollouts),
      this.#controller<Experiment, ExperimentsContext, Record<string, never>>('Experiment', [reconcileExperiment], {
        cluster,
        tell,
      }),
      this.#controller<AnalysisRun, AnalysisContext, undefined>('AnalysisRun', analysisSteps, analysis),
    ];
  }

  #controller<T extends KubeObject, C, M>(kind: string, steps: readonly Step<Pass<T, C, M>>[], context: C): Controller {
    const { memory } = this.cluster;
    const isRollout = kind === 'Rollout';
    const reconciler = new Reconciler<T, C, M>({
      name: kind,
      store: new ObjectStore<T>({
        client: memory.client,
        view: memory.view<T>(kind),
        fields: isRollout ? ['spec', 'status'] : ['status'],
        statusSubresource: isRollout,
      }),
      queue: new WorkQueue({ clock: this.clock }),
      clock: this.clock,
      steps,
      context,
      memory: () => ({}) as M,
      onError: () => undefined,
    });
    const pass = async (seen: KubeObject) => {
      const object = this.cluster.object<T>(seen);
      if (!object) return;
      const pass = reconciler.begin(keyOf(object), object, this.#signal, true);
      await reconciler.walk(pass, steps);
      for (const announcement of pass.announcements) this.#tell(object, announcement);
      await pass.checkpoint();
      const key = `${kind}/${keyOf(object)}`;
      if (pass.requeueAfter === undefined) this.#due.delete(key);
      else this.#due.set(key, this.clock.now() + pass.requeueAfter);
    };
    return { kind, pass };
  }

  /** Passes over all objects until nothing changes any more. Throws what a pass throws. */
  async settle(): Promise<void> {
    for (let count = 0; count < mostPasses; count += 1) {
      const before = this.cluster.writes;
      for (const { kind, pass } of this.#controllers)
        for (const object of this.cluster.objects<KubeObject>(kind)) {
          this.cluster.runPods();
          await pass(object);
          this.cluster.runPods();
        }
      if (this.cluster.writes === before) return;
    }
    throw new Error('the simulated controllers do not come to rest');
  }

  /** Moves the clock to when somebody wants to look again, but not beyond `limit`; false if nobody does before it. */
  advance(limit: number): boolean {
    const next = Math.min(...this.#due.values());
    if (next > limit) return false;
    // a pass that is due now has been made
    this.clock.advanceTo(Math.max(next, this.clock.now() + 1));
    return true;
  }

  #tell({ kind, metadata }: KubeObject, announcement: Announcement): void {
    if (!('reason' in announcement)) return;
    const { type, reason, message } = announcement;
    this.events.push({ at: this.clock.now(), kind, name: metadata.name ?? '', type, reason, message });
  }
}

/** Takes every weight and route at once. */
const obedientRouter: TrafficRouter = {
  type: 'Simulated',
  updateHash: async () => undefined,
  setWeight: async () => undefined,
  setHeaderRoute: async () => undefined,
  setMirrorRoute: async () => undefined,
  verifyWeight: async () => undefined,
  removeManagedRoutes: async () => undefined,
};

/** A plugin that does at once what it is asked for. */
const noPlugins: PluginHost = {
  step: async () => {
    const done = async () => ({
      phase: 'Successful' as const,
      message: 'simulated',
      requeueAfter: 0,
      status: undefined,
    });
    return { enabled: true, run: done, terminate: done, abort: done, type: async () => 'simulated' };
  },
  traffic: async () => {
    throw new Error('traffic is simulated without plugins');
  },
  metric: async () => {
    throw new Error('metrics are simulated without plugins');
  },
  close: async () => undefined,
};
