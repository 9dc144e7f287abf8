import { workflowNames, workflowsDefinitions } from '@tiphys/api';
import {
  EventRecorder,
  ensureDefinitions,
  type FamilyOptions,
  keyOf,
  LeaseShards,
  ObjectStore,
  type ObjectView,
  Reconciler,
  type Runtime,
  settingsReader,
  shardOfKey,
} from '@tiphys/controller';
import { type Diagnosis, DiagnosisError } from '@tiphys/diagnosis';
import { ApiError, type Client, Informer, type KubeObject, pause, WorkQueue } from '@tiphys/kubernetes';
import { type CronRuntime, startCronWorkflows } from '../cron/start-cron.ts';
import { LockTable } from '../locks/lock-table.ts';
import { isCollecting } from '../machine/index.ts';
import { isCompletedWorkflow } from '../model/phases.ts';
import type { Pod, WorkflowTaskResult, WorkflowTaskSet, WorkflowTemplate } from '../model/types.ts';
import { ContainerSignals } from './containers/container-signals.ts';
import { ImageCommands } from './containers/image-commands.ts';
import { ImageRegistry } from './containers/image-registry.ts';
import { isSamePod, keptPod } from './containers/kept-pod.ts';
import { PodCleanup } from './containers/pod-cleanup.ts';
import type { PodObject } from './containers/pod-object.ts';
import { beyondRetention } from './expiry.ts';
import { KeptByWorkflow } from './kept-by-workflow.ts';
import { RateLimit } from './limits/rate-limit.ts';
import { type LockStore, SharedLocks } from './limits/shared-locks.ts';
import { Throttle } from './limits/throttle.ts';
import { WorkflowMeasures } from './measures/workflow-measures.ts';
import { forgetMemos } from './memo-caches.ts';
import { isArchiving, type WorkflowPersistence } from './persistence/persistence.ts';
import { parseSettings, type SettingsBase } from './settings/controller-settings.ts';
import type { Surroundings } from './surroundings.ts';
import {
  admit,
  archive,
  awaitExpiry,
  collect,
  conclude,
  decide,
  expire,
  type WorkflowMemory,
  type WorkflowObject,
} from './workflow-pass.ts';

export interface WorkflowsOptions extends FamilyOptions {
  /** What the process is started with. */
  readonly base: SettingsBase;
  /** Only workflows of this namespace; of all if absent. */
  readonly managedNamespace?: string | undefined;
  /** Whether registries are asked what an image runs by itself, where neither the workflow nor the ConfigMap says it. */
  readonly asksRegistries?: boolean;
  /** Parts of the work, each of which one replica holds; 1 if absent. */
  readonly shards?: number;
  /** Archive and offloaded nodes; none if absent. */
  readonly persistence?: WorkflowPersistence;
  /** Of Tiphys, for metrics. */
  readonly version?: string | undefined;
  /** Mutexes and semaphores that several controllers share; none if absent. */
  readonly lockStore?: LockStore | undefined;
}

export interface WorkflowsRuntime extends Runtime {
  /** The workflows as the controllers follow them: those that have ended without their nodes, all with their metadata. */
  readonly workflows: ObjectView<WorkflowObject>;
}

const { labels } = workflowNames;

/**
 * How long a workflow is left alone after a pass: pods that end one after the other share the next one, and one workflow of thousands of nodes
 * takes half of the time at most. Upstream waits ten seconds (DEFAULT_REQUEUE_TIME).
 */
const rest = (took: number) => Math.min(Math.max(took, 100), 1000);

/** Starts the controllers of Workflows and CronWorkflows; resolves when they have seen what is there. */
export async function startWorkflows(options: WorkflowsOptions): Promise<WorkflowsRuntime> {
  const { clock, namespace, persistence = {} } = options;
  const client = options.client.as({ component: 'workflows', purpose: 'control' });
  await ensureDefinitions(client, workflowsDefinitions(), clock, { keepsOthers: true });
  let measures: WorkflowMeasures | undefined;
  const onError: FamilyOptions['onError'] = (key, error) => {
    measures?.logged('error');
    options.onError(key, error);
  };
  const abort = new AbortController();
  const signal = AbortSignal.any([options.signal, abort.signal]);
  const scope = options.managedNamespace ? { namespace: options.managedNamespace } : {};
  const report = (name: string) => (problem: Diagnosis) => onError(name, new DiagnosisError(problem));
  const informer = <T extends KubeObject>(
    kind: string,
    extra: { labelSelector?: string; transform?: (object: T) => T } = {},
    apiVersion: string = workflowNames.apiVersion,
  ) => new Informer<T>(client, { ref: { apiVersion, kind, ...scope }, clock, onError: report(kind), ...extra });

  const queue = new WorkQueue({ clock, baseDelay: 200, maxDelay: 60_000, rest });
  const workflows = informer<WorkflowObject>('Workflow', { transform: lighter });
  const podInformer = informer<PodObject>(
    'Pod',
    { labelSelector: `${labels.workflow},${labels.completed}=false`, transform: keptPod },
    'v1',
  );
  const resultInformer = informer<WorkflowTaskResult>('WorkflowTaskResult', { labelSelector: labels.workflow });
  const taskSets = informer<WorkflowTaskSet>('WorkflowTaskSet');
  const templates = informer<WorkflowTemplate>('WorkflowTemplate');
  const clusterTemplates = new Informer<WorkflowTemplate>(client, {
    ref: { apiVersion: workflowNames.apiVersion, kind: 'ClusterWorkflowTemplate' },
    clock,
    onError: report('ClusterWorkflowTemplate'),
  });
  const configMap = new Informer(client, {
    ref: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: workflowNames.configMap },
    clock,
    onError: report('ConfigMap'),
  });
  const namespaces = new Informer(client, {
    ref: { apiVersion: 'v1', kind: 'Namespace' },
    clock,
    onError: report('Namespace'),
  });

  const settings = settingsReader([() => configMap.get(namespace, workflowNames.configMap)], ([data]) => {
    const parsed = parseSettings(data ?? new Map(), options.base);
    for (const problem of parsed.problems) onError(workflowNames.configMap, new DiagnosisError(problem));
    return { ...parsed.settings, archives: persistence.archive !== undefined };
  });
  const wake = (key: string) => queue.add(key);
  const throttle = new Throttle(
    () => ({
      parallelism: settings().parallelism,
      namespaceLimit: (name) => namespaceLimit(namespaces.get('', name), settings().namespaceParallelism),
    }),
    wake,
  );
  const store = new ObjectStore<WorkflowObject>({ client, view: workflows, fields: ['spec', 'status'] });
  const locks = new LockTable(wake, (name) => measures?.lockTaken(name));
  const sharedLocks = options.lockStore && new SharedLocks(options.lockStore, { clock, wake });
  const cleanup = new PodCleanup({
    client,
    clock,
    signals: new ContainerSignals(client),
    onError,
    deleteDelay: () => settings().podGCDeleteDelay,
    gracePeriodSeconds: () => settings().podGCGracePeriodSeconds,
  });
  const pods = new KeptByWorkflow(podInformer, {
    changed: wake,
    kept: keptPod,
    isSame: isSamePod,
    // one that is labelled leaves the watch: its node had ended before
    isMissed: (pod) => !cleanup.hasCompleted(pod as unknown as Pod),
  });
  const queues = { workflow_queue: queue, pod_cleanup_queue: cleanup.queue, cron_wf_queue: new WorkQueue({ clock }) };
  measures =
    options.metrics &&
    new WorkflowMeasures(
      options.metrics,
      {
        phases: () => countPhases(workflows.list()),
        pods: () => countPhases(podInformer.list()),
        conditions: () => countConditions(workflows.list()),
        locks: () => locks.counts(),
        queues: () => Object.entries(queues).map(([name, { busy }]) => ({ name, busy })),
        isLeader: () => shards.hold(0) !== undefined,
      },
      { now: () => clock.now(), version: options.version },
    );
  for (const [name, each] of Object.entries(queues)) measures?.followQueue(name, each);
  const registry = new ImageRegistry(client);
  const surroundings: Surroundings = {
    client,
    clock,
    namespace,
    report: report('ExecutorPlugin'),
    settings,
    pods,
    // what was read of a report is in the status
    taskResults: new KeptByWorkflow(resultInformer, { changed: wake, isMissed: () => false }),
    taskSets,
    templates,
    clusterTemplates,
    workflows,
    locks,
    sharedLocks,
    throttle,
    images: new ImageCommands(clock, options.asksRegistries ? (...asked) => registry.look(...asked) : undefined),
    cleanup,
    rateLimit: new RateLimit(
      () => settings().rateLimit,
      () => clock.now(),
    ),
    persistence,
    measures,
  };
  const events = new EventRecorder<WorkflowObject>({
    client,
    clock,
    component: 'workflow-controller',
    // as upstream, whose Events of nodes are not similar where their annotations count
    aggregates: options.base.env.EVENT_AGGREGATION_WITH_ANNOTATIONS !== 'true',
    onError: (error) => onError('events', error),
    // work that waits for a worker goes first
    pressed: () => queue.depth > 0,
    signal,
  });
  let cron: CronRuntime | undefined;
  const shards = new LeaseShards({
    client,
    namespace,
    clock,
    count: options.shards ?? 1,
    leaseName: (shard) => (shard === 0 ? 'workflow-controller' : `workflow-controller-${shard}`),
    onChange: () => {
      locks.restore(workflows.list());
      for (const workflow of workflows.list()) queue.add(keyOf(workflow));
      cron?.wake();
    },
    onError: (shard, error) => onError(`shard ${shard}`, error),
  });
  const reconciler = new Reconciler<WorkflowObject, Surroundings, WorkflowMemory>({
    name: 'workflow',
    store,
    queue,
    clock,
    steps: [expire, admit, decide, conclude, collect, archive, awaitExpiry],
    context: surroundings,
    memory: () => ({ actions: [] }),
    events,
    // who waits for a lock and who holds it must be in one hand
    holds: (workflow) => shards.hold(shardOf(workflow, shards.count)),
    skips: ({ metadata }) => (metadata.labels?.[labels.instance] ?? '') !== (settings().instanceId ?? ''),
    onGone: (key) => {
      for (const pod of pods.of(key)) cleanup.release(pod as unknown as Pod);
      locks.releaseAll(key);
      throttle.remove(key);
    },
    onError,
  });
  workflows.subscribe(({ object, type }) => {
    const key = keyOf(object);
    if (type === 'deleted') {
      locks.releaseAll(key);
      sharedLocks?.forget(key, object).catch((error: unknown) => onError(key, error));
    }
    store.unlessOwn(object, () => queue.add(key));
  });
  podInformer.subscribe(({ object, old, type }) => {
    const workflow = object.metadata.labels?.[labels.workflow] ?? '';
    if (
      type !== 'deleted' &&
      object.metadata.deletionTimestamp &&
      !workflows.get(object.metadata.namespace ?? '', workflow)
    )
      cleanup.release(object as unknown as Pod);
    if (type !== 'deleted' && object.status?.phase && object.status.phase !== old?.status?.phase)
      measures?.podPhaseChanged(object.status.phase, object.metadata.namespace ?? '');
  });
  options.requests?.((record) => {
    if (record.caller.component === 'workflows') measures?.requested(record);
  });
  taskSets.subscribe(({ object }) => queue.add(keyOf(object)));
  configMap.subscribe(() => {
    for (const workflow of workflows.list())
      if (!isCompletedWorkflow(workflow.status?.phase)) queue.add(keyOf(workflow));
  });
  const all = [workflows, podInformer, resultInformer, taskSets, templates, clusterTemplates, configMap, namespaces];
  const wide = await Promise.all(
    [
      { informer: clusterTemplates, apiVersion: workflowNames.apiVersion, kind: 'ClusterWorkflowTemplate' },
      { informer: namespaces, apiVersion: 'v1', kind: 'Namespace' },
    ].map(async ({ informer: each, ...ref }) => ((await mayList(client, ref)) ? undefined : each)),
  );
  const informers = all.filter((each) => !wide.includes(each as never));
  for (const each of informers) each.start(signal);
  await Promise.all(informers.map((each) => each.synced));
  locks.restore(workflows.list());
  for (const workflow of workflows.list()) throttle.note(keyOf(workflow), workflow);
  cron = await startCronWorkflows({
    ...options,
    signal,
    scope,
    queue: queues.cron_wf_queue,
    workflows,
    templates,
    clusterTemplates,
    measures,
    instanceId: () => settings().instanceId,
    holds: () => shards.hold(0),
  });
  const running = [
    cron.done,
    shards.run(signal),
    reconciler.run(options.workers ?? 16, signal),
    cleanup.run(4, signal),
    forgetMemos(
      { ...options, client, env: options.base.env, holds: () => shards.hold(0) !== undefined, onError },
      signal,
    ),
    keepRetention({ surroundings, signal, holds: () => shards.hold(0) !== undefined, onError }),
  ];
  return {
    workflows,
    async close() {
      abort.abort(new Error('stopped'));
      await Promise.all(running);
    },
  };
}

/** False for what belongs to no namespace and may not be read: a Role of one namespace is enough to run workflows in it. */
async function mayList(client: Client, ref: { readonly apiVersion: string; readonly kind: string }): Promise<boolean> {
  try {
    await client.list(ref, { limit: 1 });
    return true;
  } catch (error) {
    if (error instanceof ApiError && error.status === 403) return false;
    throw error;
  }
}

/** The shard of a workflow: its own by its key, or that of its namespace if it shares locks. */
function shardOf(workflow: WorkflowObject, count: number): number {
  if (count === 1) return 0;
  const shares =
    workflow.status?.synchronization !== undefined ||
    JSON.stringify(workflow.spec ?? {}).includes('"synchronization"') ||
    workflow.spec?.workflowTemplateRef !== undefined;
  return shardOfKey(shares ? (workflow.metadata.namespace ?? '') : keyOf(workflow), count);
}

/** Finished workflows keep what is needed to delete them. */
function lighter(workflow: WorkflowObject): WorkflowObject {
  const { managedFields, ...metadata } = workflow.metadata as WorkflowObject['metadata'] & { managedFields?: unknown };
  if (!isCompletedWorkflow(workflow.status?.phase) || isCollecting(workflow) || isArchiving(workflow))
    return { ...workflow, metadata };
  const { ttlStrategy, podGC, shutdown } = workflow.status?.storedWorkflowTemplateSpec ?? workflow.spec;
  const { phase, startedAt = null, finishedAt = null, synchronization, conditions } = workflow.status ?? {};
  const spec = {
    ...(ttlStrategy ? { ttlStrategy } : {}),
    ...(podGC ? { podGC } : {}),
    ...(shutdown ? { shutdown } : {}),
  };
  const status = {
    startedAt,
    finishedAt,
    ...(phase ? { phase } : {}),
    ...(conditions ? { conditions } : {}),
    ...(synchronization ? { synchronization } : {}),
  };
  return { ...workflow, metadata, spec, status } as WorkflowObject;
}

function namespaceLimit(namespace: KubeObject | undefined, fallback: number): number {
  const own = Number(namespace?.metadata.labels?.[labels.parallelismLimit] ?? Number.NaN);
  return Number.isInteger(own) && own >= 0 ? own : fallback;
}

function countPhases(objects: Iterable<{ status?: { phase?: string } }>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { status } of objects) if (status?.phase) counts.set(status.phase, (counts.get(status.phase) ?? 0) + 1);
  return counts;
}

function countConditions(workflows: Iterable<WorkflowObject>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { status } of workflows)
    for (const { type, status: state } of status?.conditions ?? [])
      counts.set(`${type}/${state}`, (counts.get(`${type}/${state}`) ?? 0) + 1);
  return counts;
}

interface Retention {
  readonly surroundings: Surroundings;
  readonly signal: AbortSignal;
  readonly holds: () => boolean;
  readonly onError: FamilyOptions['onError'];
}

/** Deletes finished workflows beyond what the installation keeps. */
async function keepRetention({ surroundings, signal, holds, onError }: Retention): Promise<void> {
  const { client, clock, settings, workflows } = surroundings;
  while (!signal.aborted) {
    if (holds()) {
      for (const { metadata } of beyondRetention(workflows.list(), settings())) {
        const { namespace = '', name = '' } = metadata;
        try {
          await client.delete(
            { apiVersion: workflowNames.apiVersion, kind: 'Workflow', namespace, name },
            { propagationPolicy: settings().deletePropagation },
          );
        } catch (error) {
          if (!signal.aborted) onError(`${namespace}/${name}`, error);
        }
      }
    }
    await pause(clock, 10_000, signal);
  }
}
