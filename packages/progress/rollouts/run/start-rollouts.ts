import { type AnalysisRuntime, startAnalysis } from '@tiphys/analysis';
import { type Experiment, type Rollout, rolloutNames, rolloutsDefinitions } from '@tiphys/api';
import {
  type Announcement,
  ControllerMeasures,
  EventRecorder,
  ensureDefinitions,
  type FamilyOptions,
  keyOf,
  LeaseShards,
  ObjectStore,
  Reconciler,
  type Runtime,
  splitKey,
} from '@tiphys/controller';
import { type KubeObject, WorkQueue } from '@tiphys/kubernetes';
import type { PluginHost } from '@tiphys/step-plugins';
import { awsLoadBalancers, type LoadBalancers, type RoutedRollout, trafficRouters } from '@tiphys/traffic';
import type { Cluster } from '../cluster/cluster.ts';
import { Shelf } from '../cluster/shelf.ts';
import { FollowedConfigurations } from '../configuration/configurations.ts';
import { isVersioned } from '../configuration/versioned.ts';
import type { ExperimentsContext } from '../experiment/context.ts';
import { reconcileExperiment } from '../experiment/reconcile-experiment.ts';
import { readEndpointSlices } from '../routing/endpoints.ts';
import type { RolloutMemory, RolloutsContext } from '../turn/context.ts';
import { reconcileRollout } from '../turn/reconcile/begin.ts';
import { rollingBackFrom } from '../turn/replicas/services.ts';
import { explainFailure } from '../turn/status/diagnoses.ts';
import { verifiesWeights } from '../turn/strategy/traffic.ts';
import { Workloads } from '../turn/workloads.ts';
import { validateRouterObjects } from '../validate/validate-router-objects.ts';
import { Crowd } from './crowd.ts';
import { instanceSelector, makeInformers } from './informers.ts';
import { measured, noteFinish, rolloutMeasures } from './measured.ts';
import { numbersPace } from './numbers-pace.ts';
import { PodIndex } from './pod-index.ts';
import { destinationRuleOf, findOptional, releaseDestinationRule, releaseService } from './release.ts';
import { trafficSettings, verifiesTargets } from './traffic-settings.ts';
import { wakeByChanges } from './wake.ts';

export interface RolloutsOptions extends FamilyOptions {
  readonly plugins: PluginHost;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Label value of the objects of this controller among several; objects without that label if absent. */
  readonly instanceId?: string | undefined;
  /** What AWS' load balancers serve; asked of AWS if absent, where that is set. */
  readonly loadBalancers?: LoadBalancers;
}

const defaultWorkers = 10;
const component = 'rollouts-controller';
/** How long Events wait while dozens of Rollouts change, in milliseconds; with hundreds longer, up to the second. */
const eventDelay = 10_000;
const longestEventDelay = 30_000;

/** Starts the controllers of Rollout, Experiment and AnalysisRun; resolves when they know the cluster. */
export async function startRollouts(options: RolloutsOptions): Promise<Runtime> {
  const { clock, onError, instanceId, namespace } = options;
  const client = options.client.as({ component: 'rollouts', purpose: 'control' });
  await ensureDefinitions(client, rolloutsDefinitions(), clock);
  const stop = new AbortController();
  const signal = AbortSignal.any([options.signal, stop.signal]);
  const informers = makeInformers({ client, clock, signal, instanceId, onError });
  const queueOptions = { clock, baseDelay: 100, maxDelay: 10_000 };
  const queues = {
    rollouts: new WorkQueue(queueOptions),
    experiments: new WorkQueue(queueOptions),
    services: new WorkQueue(queueOptions),
  };
  const cluster: Cluster = {
    client,
    replicaSets: new Shelf(informers.replicaSets),
    services: new Shelf(informers.services),
    analysisRuns: new Shelf(informers.analysisRuns),
    experiments: new Shelf(informers.experiments),
    rollouts: informers.rollouts,
    template: (of, name, clusterScope) =>
      clusterScope ? informers.clusterTemplates.get('', name) : informers.templates.get(of, name),
  };
  const pods = new PodIndex(informers.pods);
  const crowd = new Crowd();
  const events = new EventRecorder<KubeObject>({
    client,
    clock,
    component,
    onError: (error) => onError('Event', error),
    signal,
    // people and pipelines follow an update by its Events: only while dozens of Rollouts change some wait, and are told together
    ...{ burst: 100, merges: true },
    waits: (object) => Math.min(eventDelay * crowd.note(keyOf(object), clock.now()), longestEventDelay),
  });
  const shown = options.metrics && rolloutMeasures(options.metrics, informers);
  options.requests?.((record) => {
    if (record.caller.component === 'rollouts') shown?.requested(record);
  });
  const tell = (object: KubeObject, announcement: Announcement) => {
    events.record(object, announcement);
    if ('reason' in announcement) shown?.event(splitKey(keyOf(object)), announcement);
  };
  const workloads = new Workloads({
    client,
    clock,
    signal,
    onChange: ({ kind, namespace: of, name }) => {
      for (const rollout of informers.rollouts.list())
        if (rollout.metadata.namespace === of && isBorrowed(rollout, { kind, name }))
          queues.rollouts.add(keyOf(rollout));
    },
  });
  const configurations = new FollowedConfigurations({
    client,
    clock,
    signal,
    onChange: (of) => {
      for (const rollout of informers.rollouts.list())
        if (rollout.metadata.namespace === of && isVersioned(rollout)) queues.rollouts.add(keyOf(rollout));
    },
  });
  const settings = trafficSettings(options.env);
  const loadBalancers = options.loadBalancers ?? (verifiesTargets(options.env) ? awsLoadBalancers(signal) : undefined);
  const istio = `networking.istio.io/${settings.istioApiVersion}`;
  const context: RolloutsContext = {
    cluster,
    plugins: options.plugins,
    workloads,
    configurations,
    pods: (of, owner) => (owner === undefined ? pods.inNamespace(of) : pods.ofOwner(owner)),
    tell,
    numbersDue: numbersPace(crowd),
    endpoints: (of, service) => readEndpointSlices(client, { namespace: of, service }),
    targetGroups: loadBalancers && { client, loadBalancers, apiVersion: settings.targetGroupBindingApiVersion },
    evict: async ({ namespace: of, name }) => {
      const body = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { namespace: of, name } };
      await client.request('POST', `/api/v1/namespaces/${of}/pods/${name}/eviction`, { body });
    },
    routers: (turn) =>
      trafficRouters({
        client,
        clock,
        rollout: turn.rollout as unknown as RoutedRollout,
        settings,
        plugins: options.plugins,
        signal,
        replicaSets: turn.sets.all,
        returnsToStable: turn.pauses.isAborted || rollingBackFrom(turn) !== undefined,
        requeueIn: (delay) => turn.requeueIn(delay),
        verifiesWeights: verifiesWeights(turn),
        noteAlbs: (albs) => {
          turn.found.albs = albs;
        },
        ...(loadBalancers ? { loadBalancers } : {}),
        event: (type, reason, message) => turn.event(type, reason, message),
      }),
    validateRouters: (rollout) =>
      validateRouterObjects(rollout, {
        istioApiVersion: settings.istioApiVersion,
        read: ({ namespace: of = rollout.metadata.namespace ?? '', ...ref }) =>
          findOptional(cluster, { ...ref, namespace: of }),
      }),
    isInDestinationRule: async (rollout, hash) => {
      const name = destinationRuleOf(rollout);
      if (!name) return false;
      const ref = { apiVersion: istio, kind: 'DestinationRule', namespace: rollout.metadata.namespace ?? '', name };
      return hasSubset(await findOptional(cluster, ref), hash);
    },
  };
  const shards = new LeaseShards({
    client,
    namespace,
    clock,
    count: Number(options.env.TIPHYS_ROLLOUTS_SHARDS) || 1,
    // upstream's lock, so that the two never work on the same objects
    leaseName: (shard) =>
      ['argo-rollouts-controller-lock', instanceId, shard || undefined].filter((part) => part !== undefined).join('-'),
    onChange: () => wakeAll(),
    onError,
  });
  const measures = options.metrics && new ControllerMeasures(options.metrics);
  measures?.followQueue('Services', queues.services);
  const common = { clock, onError, ...(measures ? { measures } : {}) };
  const rollouts = new Reconciler<Rollout, RolloutsContext, RolloutMemory>({
    ...common,
    name: 'rollout',
    queueName: 'Rollouts',
    store: new ObjectStore<Rollout>({
      client,
      view: informers.rollouts,
      fields: ['spec', 'status'],
      statusSubresource: true,
    }),
    queue: queues.rollouts,
    steps: [reconcileRollout],
    context,
    memory: () => ({}),
    holds: (object) => shards.holdKey(keyOf(object)),
    explain: explainFailure,
    ...measured(shown, 'rollout', onError),
  });
  const experimentsContext: ExperimentsContext = {
    cluster,
    tell,
  };
  const experiments = new Reconciler<Experiment, ExperimentsContext, Record<string, never>>({
    ...common,
    name: 'experiment',
    queueName: 'Experiments',
    store: new ObjectStore<Experiment>({ client, view: informers.experiments }),
    queue: queues.experiments,
    steps: [reconcileExperiment],
    context: experimentsContext,
    memory: () => ({}),
    holds: (object) => shards.holdKey(keyOf(object)),
    ...measured(shown, 'experiment', onError),
  });
  const wakeAll = () => {
    for (const rollout of informers.rollouts.list()) queues.rollouts.add(keyOf(rollout));
    for (const experiment of informers.experiments.list()) queues.experiments.add(keyOf(experiment));
    for (const service of informers.services.list()) queues.services.add(keyOf(service));
    analysis?.wakeAll();
  };
  let analysis: AnalysisRuntime | undefined;
  informers.rollouts.subscribe(({ type, object, old }) => {
    if (!shards.holdKey(keyOf(object))) return;
    noteFinish(shown, object, old);
    const { namespace: of = '', name = '' } = object.metadata;
    if (type === 'added')
      tell(object, {
        type: 'Normal',
        reason: 'RolloutAddedToInformer',
        message: `Rollout resource added to informer: ${of}/${name}`,
      });
    if (type === 'deleted')
      tell(object, { type: 'Normal', reason: 'RolloutDeleted', message: `Rollout ${name}/${of} is deleted.` });
    const rule = old && destinationRuleOf(old);
    if (rule && (type === 'deleted' || destinationRuleOf(object) !== rule))
      releaseDestinationRule(cluster, { apiVersion: istio, namespace: of, name: rule, rollout: name }).catch((error) =>
        onError(`DestinationRule ${of}/${rule}`, error),
      );
  });
  wakeByChanges(informers, queues);
  await informers.start();
  analysis = await startAnalysis({
    client: options.client,
    namespace,
    clock,
    signal,
    plugins: options.plugins,
    environment: options.env,
    labelSelector: instanceSelector(instanceId),
    holds: (run) => shards.holdKey(keyOf(run)),
    ...(measures ? { measures } : {}),
    ...measured(shown, 'analysis_run', onError),
  });
  const workers = options.workers ?? defaultWorkers;
  const running = [
    rollouts.run(workers, signal),
    experiments.run(workers, signal),
    queues.services.run({
      workers: 2,
      signal,
      reconcile: async (key) => {
        const { namespace: of, name } = splitKey(key);
        const service = cluster.services.get(of, name);
        if (service && shards.holdKey(key)) await releaseService(cluster, service, informers.rollouts.list());
      },
      onError,
    }),
    shards.run(signal),
  ];
  return {
    close: async () => {
      stop.abort(new Error('stopped'));
      await analysis?.close();
      await Promise.all(running);
    },
  };
}

function isBorrowed({ spec }: Rollout, { kind, name }: { kind: string; name: string }): boolean {
  return spec.workloadRef?.kind === kind && spec.workloadRef.name === name;
}

function hasSubset(rule: KubeObject | undefined, hash: string): boolean {
  const { subsets = [] } = (rule?.spec ?? {}) as { subsets?: { labels?: Record<string, string> }[] };
  return subsets.some(({ labels }) => labels?.[rolloutNames.labels.podTemplateHash] === hash);
}
