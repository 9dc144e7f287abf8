import assert from 'node:assert/strict';
import test from 'node:test';
import type { AnalysisRun } from '@tiphys/analysis';
import type { Experiment, ExperimentStatus, Rollout } from '@tiphys/api';
import { type Announcement, keyOf, ObjectStore, Reconciler } from '@tiphys/controller';
import { type KubeObject, WorkQueue } from '@tiphys/kubernetes';
import { MemoryCluster, ScriptedClock } from '../../../foundation/controller/testing/index.ts';
import { Shelf } from '../cluster/shelf.ts';
import type { Service } from '../objects/kinds.ts';
import type { ReplicaSet } from '../objects/replica-set.ts';
import type { ExperimentsContext } from './context.ts';
import { assess, isEnding } from './experiment-state.ts';
import { reconcileExperiment } from './reconcile-experiment.ts';

function experimentOf(spec: Partial<Experiment['spec']> = {}, status?: ExperimentStatus): Experiment {
  const template = {
    metadata: { labels: { app: 'exp' } },
    spec: { containers: [{ name: 'web', image: 'web:1', ports: [{ containerPort: 80 }] }] },
  };
  return {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'Experiment',
    metadata: { name: 'exp', namespace: 'shop', uid: 'exp-uid' },
    spec: {
      templates: [{ name: 'a', replicas: 2, selector: { matchLabels: { app: 'exp' } }, template, service: {} }],
      ...spec,
    },
    ...(status ? { status } : {}),
  };
}

function bench(experiment: Experiment) {
  const cluster = new MemoryCluster();
  const clock = new ScriptedClock();
  const told: string[] = [];
  const { client } = cluster;
  const context: ExperimentsContext = {
    cluster: {
      client,
      replicaSets: new Shelf(cluster.view<ReplicaSet>('ReplicaSet')),
      services: new Shelf(cluster.view<Service>('Service')),
      analysisRuns: new Shelf(cluster.view<AnalysisRun>('AnalysisRun')),
      experiments: new Shelf(cluster.view<Experiment>('Experiment')),
      rollouts: cluster.view<Rollout>('Rollout'),
      template: () => undefined,
    },
    tell: (_: KubeObject, announcement: Announcement) =>
      void ('reason' in announcement && told.push(announcement.reason)),
  };
  const reconciler = new Reconciler<Experiment, ExperimentsContext, Record<string, never>>({
    name: 'experiment',
    store: new ObjectStore<Experiment>({ client, view: cluster.view('Experiment') }),
    queue: new WorkQueue({ clock }),
    clock,
    steps: [reconcileExperiment],
    context,
    memory: () => ({}),
    onError: (_, error) => assert.fail(String(error)),
  });
  cluster.put(experiment);
  const stored = () => cluster.objects<Experiment>('Experiment')[0] as Experiment;
  const sets = () => cluster.objects<ReplicaSet>('ReplicaSet');
  return {
    cluster,
    clock,
    told,
    stored,
    sets,
    /** Passes over the Experiment, with the pods of its ReplicaSets ready at once. */
    async passes(count = 6): Promise<Experiment> {
      for (let pass = 0; pass < count; pass += 1) {
        for (const set of sets()) {
          const { replicas = 0 } = set.spec;
          cluster.put({ ...set, status: { replicas, readyReplicas: replicas, availableReplicas: replicas } });
        }
        const object = stored();
        const begun = reconciler.begin(keyOf(object), object, new AbortController().signal, true);
        await reconciler.walk(begun, [reconcileExperiment]);
        await begun.checkpoint();
      }
      return stored();
    },
  };
}

test('an Experiment runs its pods for its duration, with a Service before them, and then takes them away', async () => {
  const { passes, clock, cluster, sets, told } = bench(experimentOf({ duration: '10s', scaleDownDelaySeconds: 5 }));
  const running = await passes();
  assert.equal(running.status?.phase, 'Running');
  assert.equal(running.status?.templateStatuses?.[0]?.serviceName, 'exp-a');
  assert.equal(cluster.objects('Service').length, 1);
  assert.equal(sets()[0]?.spec.replicas, 2);
  await clock.advance(11_000);
  assert.equal((await passes()).status?.phase, 'Successful');
  assert.equal(sets()[0]?.spec.replicas, 2);
  await clock.advance(6_000);
  await passes();
  assert.equal(sets()[0]?.spec.replicas, 0);
  assert.equal(cluster.objects('Service').length, 0);
  assert.deepEqual(told, [
    ...['TemplateProgressing', 'ExperimentPending', 'ScalingReplicaSet', 'TemplateRunning', 'ExperimentRunning'],
    ...['TemplateSuccessful', 'ExperimentSuccessful', 'ScalingReplicaSet'],
  ]);
});

test('the name of a Service is told even if the pass that made it was lost', async () => {
  const { passes, cluster } = bench(experimentOf());
  await passes(1);
  cluster.fail(/^patch Experiment/, { status: 503, reason: 'ServiceUnavailable' });
  await passes(1).catch(() => undefined);
  assert.equal((await passes()).status?.templateStatuses?.[0]?.serviceName, 'exp-a');
});

test('a template whose pods do not come in time fails the Experiment', async () => {
  const { passes, clock, cluster } = bench(experimentOf({ progressDeadlineSeconds: 30 }));
  await passes(2);
  const view = cluster.put.bind(cluster);
  // no pod becomes available any more
  cluster.put = (object) => view(object.kind === 'ReplicaSet' ? { ...object, status: { replicas: 2 } } : object);
  await passes(2);
  await clock.advance(31_000);
  const failed = await passes();
  assert.equal(failed.status?.phase, 'Failed');
  assert.equal(failed.status?.message, "Template 'a' exceeded its progressDeadlineSeconds (30)");
});

test('assess() takes the worst, and lets required analyses end an Experiment', () => {
  const analyses = [{ name: 'm', templateName: 't', requiredForCompletion: true }];
  const template = { name: 'a', replicas: 2, updatedReplicas: 2, readyReplicas: 2, availableReplicas: 2 };
  const of = (phase: 'Running' | 'Successful' | 'Failed'): ExperimentStatus => ({
    templateStatuses: [{ ...template, status: 'Running' }],
    analysisRuns: [{ name: 'm', analysisRun: 'r', phase }],
  });
  const experiment = experimentOf({ analyses });
  assert.equal(assess(experiment, of('Running')).phase, 'Running');
  assert.deepEqual(assess(experiment, of('Successful')), {
    phase: 'Successful',
    message: 'Required AnalysisRuns completed',
  });
  assert.equal(assess(experiment, of('Failed')).phase, 'Failed');
  assert.equal(isEnding(experimentOf({ analyses }, of('Failed'))), true);
  assert.equal(isEnding(experimentOf({ analyses }, of('Running'))), false);
});
