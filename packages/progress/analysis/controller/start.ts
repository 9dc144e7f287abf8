import {
  type ControllerMeasures,
  EventRecorder,
  type FamilyOptions,
  keyOf,
  ObjectStore,
  Reconciler,
  type Runtime,
} from '@tiphys/controller';
import { Informer, type KubeObject, WorkQueue } from '@tiphys/kubernetes';
import type { PluginHost } from '@tiphys/step-plugins';
import type { AnalysisRun } from '../model/types.ts';
import { runUidLabel } from '../providers/job.ts';
import type { JobView } from '../providers/provider.ts';
import type { AnalysisContext, AnalysisPass } from './pass.ts';
import { analysisSteps } from './steps.ts';

export interface AnalysisOptions extends Omit<FamilyOptions, 'metrics'> {
  /** The measures of the family that this controller belongs to. */
  readonly measures?: ControllerMeasures;
  readonly plugins: PluginHost;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Label selector of the runs, for a controller with an instance id; all runs if absent. */
  readonly labelSelector?: string;
  /** Aborts when this process no longer works on a run; undefined if it does not. Every run is ours if absent. */
  readonly holds?: (run: AnalysisRun) => AbortSignal | undefined;
  /** Told of each pass, with its time in milliseconds, and of runs that are gone. */
  readonly onPass?: (pass: AnalysisPass, milliseconds: number) => void;
  readonly onGone?: (key: string) => void;
}

/** The controller of AnalysisRuns while it runs. */
export interface AnalysisRuntime extends Runtime {
  /** Looks at every run again; for anyone who comes to hold runs that another replica worked on. */
  wakeAll(): void;
}

/** Starts the controller of AnalysisRuns; resolves when it knows the cluster. */
export async function startAnalysis(options: AnalysisOptions): Promise<AnalysisRuntime> {
  const { clock, onError } = options;
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const client = options.client.as({ component: 'analysis', purpose: 'AnalysisRuns' });
  const follow = <T extends KubeObject>(apiVersion: string, kind: string, labelSelector?: string) =>
    new Informer<T>(client, {
      ref: { apiVersion, kind },
      clock,
      onError: ({ message }) => onError(kind, new Error(message)),
      ...(labelSelector ? { labelSelector } : {}),
    });
  const runs = follow<AnalysisRun>('argoproj.io/v1alpha1', 'AnalysisRun', options.labelSelector);
  const jobs = follow<KubeObject>('batch/v1', 'Job', runUidLabel);
  const pods = follow<KubeObject>('v1', 'Pod', runUidLabel);
  const store = new ObjectStore<AnalysisRun>({ client, view: runs });
  const queue = new WorkQueue({ clock });
  runs.subscribe(({ object }) => store.unlessOwn(object, () => queue.add(keyOf(object))));
  jobs.subscribe(({ object }) => queue.add(runKeyOf(object)));
  pods.subscribe(({ object }) => wakeRunOf(object, jobs, queue));
  const context: AnalysisContext = {
    client,
    namespace: options.namespace,
    environment: options.environment,
    plugins: options.plugins,
    jobs: jobView(jobs, pods),
  };
  const recorder = new EventRecorder<AnalysisRun>({
    client,
    clock,
    component: 'rollouts-controller',
    onError: (error) => onError('Event', error),
    signal,
  });
  const reconciler = new Reconciler<AnalysisRun, AnalysisContext, undefined>({
    name: 'analysisrun',
    queueName: 'AnalysisRuns',
    store,
    queue,
    clock,
    steps: analysisSteps,
    context,
    memory: () => undefined,
    events: recorder,
    onError,
    ...(options.holds ? { holds: options.holds } : {}),
    ...(options.onPass ? { onPass: options.onPass } : {}),
    ...(options.onGone ? { onGone: options.onGone } : {}),
    ...(options.measures ? { measures: options.measures } : {}),
  });
  for (const informer of [jobs, pods, runs]) informer.start(signal);
  await Promise.all([jobs.synced, pods.synced, runs.synced]);
  const ended = reconciler.run(options.workers ?? 30, signal);
  return {
    wakeAll: () => {
      for (const run of runs.list()) queue.add(keyOf(run));
    },
    close: async () => {
      stop.abort();
      await ended;
    },
  };
}

/** The key of the run that a Job measures for; its namespace may be another. */
function runKeyOf({ metadata }: KubeObject): string {
  const { annotations = {}, namespace = '' } = metadata;
  const runNamespace = annotations['analysisrun.argoproj.io/namespace'] || namespace;
  return `${runNamespace}/${annotations['analysisrun.argoproj.io/name'] ?? ''}`;
}

function wakeRunOf(pod: KubeObject, jobs: Informer, queue: WorkQueue): void {
  const name = pod.metadata.ownerReferences?.find(({ kind }) => kind === 'Job')?.name;
  const job = name === undefined ? undefined : jobs.get(pod.metadata.namespace ?? '', name);
  if (job) queue.add(runKeyOf(job));
}

function jobView(jobs: Informer, pods: Informer): JobView {
  return {
    job: (namespace, name) => jobs.get(namespace, name),
    jobsOf: (uid) => [...jobs.list()].filter(({ metadata }) => metadata.labels?.[runUidLabel] === uid),
    podsOf: (job) =>
      [...pods.list()].filter(
        ({ metadata }) =>
          metadata.namespace === job.metadata.namespace &&
          metadata.ownerReferences?.some(({ uid }) => uid === job.metadata.uid),
      ),
  };
}
