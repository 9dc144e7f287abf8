import { type Application, type AppProject, names } from '@tiphys/api';
import { ObjectStore } from '@tiphys/controller';
import { DiagnosisError } from '@tiphys/diagnosis';
import { type Informer, type KubeObject, WorkQueue } from '@tiphys/kubernetes';
import { applicationEvents } from './application-events.ts';
import { ApplicationInformer } from './application-informer.ts';
import { Backend } from './backend.ts';
import { ClusterRegistry } from './clusters/cluster-registry.ts';
import { ClusterShards } from './clusters/cluster-shards.ts';
import { ClusterStates } from './clusters/cluster-states.ts';
import { DestinationCounts } from './clusters/destination-counts.ts';
import { shardedClusters } from './clusters/sharded-clusters.ts';
import { ControlPlaneInformers } from './control-plane-informers.ts';
import type { ApplicationsOptions } from './options.ts';
import { Dependents } from './reconciliation/dependencies.ts';
import { Hydrations } from './reconciliation/hydrations.ts';
import { kindOwner } from './reconciliation/kind-owners.ts';
import { metricSources } from './reconciliation/metric-sources.ts';
import type { ReconcileContext } from './reconciliation/reconciliation.ts';
import { cacheSettingsReader } from './settings/cache-settings.ts';
import { HealthSettings } from './settings/health-settings.ts';
import { readNamespaceList } from './settings/namespace-list.ts';
import { settingsReader } from './settings/settings.ts';
import { concernsApplications } from './settings/settings-concern.ts';
import { sourceParts } from './source-parts.ts';
import { RecordedManifests } from './sources/recorded-manifests.ts';
import type { SourceAccess } from './sources/source-access.ts';
import { ApplicationController } from './steps/controller.ts';
import { takeUpApplication } from './triggers/application-changes.ts';
import { clusterFollower } from './triggers/cluster-changes.ts';
import { takeUpGeneratedValues } from './triggers/generated-values-changes.ts';
import { projectReleaser, takeUpProject } from './triggers/project-changes.ts';
import { RepositoryChanges } from './triggers/repository-changes.ts';
import { type TriggerParts, wakeAll } from './triggers/trigger-parts.ts';

/** What other controllers of the control plane read with the same caches and credentials. */
export interface SharedState {
  readonly applications: ApplicationInformer;
  readonly configMaps: Informer<KubeObject>;
  readonly clusterSecrets: Informer<KubeObject>;
  readonly templateSecrets: Informer<KubeObject>;
  readonly projects: Informer<AppProject>;
  readonly clusters: ClusterRegistry;
  readonly access: SourceAccess;
  /** How often repositories are asked for new revisions, in milliseconds; 0 for never. */
  readonly reconciliationTimeout: () => number;
  /** Whether this process acts for a cluster, by its URL. */
  readonly holds: (server: string) => boolean;
  /** Asks for a pass over an application, by its key. */
  readonly look: (key: string) => void;
}

/** The running controllers. */
export interface ApplicationsRuntime {
  readonly backend: Backend;
  readonly shared: SharedState;
  close(): Promise<void>;
}

/** Starts the controllers of Application and AppProject; resolves when their caches are filled. */
export async function startApplications(options: ApplicationsOptions): Promise<ApplicationsRuntime> {
  const { namespace, git, clock, onError, delivers = true } = options;
  const abort = new AbortController();
  const signal = AbortSignal.any([options.signal, abort.signal]);
  const client = (purpose: string) => options.client.as({ component: 'controller', purpose });
  const own = client('watch the control plane');
  const informers = new ControlPlaneInformers({ client: own, namespace, clock });
  const { projects, configMaps, clusterSecrets } = informers;
  const queue = new WorkQueue({ clock });
  const settings = settingsReader(
    () => configMaps.get(namespace, names.configMaps.settings),
    () => configMaps.get(namespace, names.configMaps.parameters),
  );
  const given = options.applicationNamespaces;
  const applications = new ApplicationInformer({
    client: own,
    namespace,
    clock,
    permitted: () => (given === undefined ? settings().applicationNamespaces : readNamespaceList(given).patterns),
    onError: (problem) => onError('applications of other namespaces', new DiagnosisError(problem)),
  });
  const store = new ObjectStore<Application>({
    client: client('status'),
    view: applications,
    fields: ['operation', 'status'],
  });
  const health = new HealthSettings(settings, clock);
  const clusters = new ClusterRegistry({
    control: options.client,
    secrets: clusterSecrets,
    settings: cacheSettingsReader(settings),
    inClusterEnabled: () => settings().inClusterEnabled,
    health,
    clock,
    signal,
    ...(options.execProviders ? { execProviders: options.execProviders } : {}),
    ...(options.onRequest ? { onRequest: options.onRequest } : {}),
    onCache: clusterFollower({ ...options, client: own, clusterSecrets, health, queue }),
  });
  const shards = new ClusterShards({
    ...options.sharding,
    competes: delivers,
    permit: options.permit,
    client: client('shards'),
    namespace,
    clock,
    algorithm: () => settings().shardingAlgorithm,
    clusters: () => shardedClusters(clusters, applications.list()),
    onChange: () => wakeAll(triggers),
    onError,
  });
  const destinations = new DestinationCounts(() => applications.list(), clusters);
  const states = new ClusterStates({
    client: client('states of clusters'),
    namespace,
    clock,
    clusters,
    shards,
    applications: (server) => destinations.of(server),
    onError,
  });
  const sources = sourceParts({ options, own, informers, settings });
  const { repositories, directory, manifests, access, renderer, integrity, generated } = sources;
  const dependents = new Dependents();
  const hydrations = new Hydrations({
    integrity,
    store,
    git,
    renderer,
    clusters,
    access,
    writeAccess: sources.writeAccess,
    project: (name) => directory.get(name),
    settings,
    controlNamespace: namespace,
    clock,
    delivers: (application) => controller.delivers(application),
    wake: (key) => queue.add(key),
    onError,
  });
  const events = applicationEvents({
    ...{ ...options, settings },
    project: (name) => directory.get(name),
    waiting: () => queue.depth,
  });
  const context: ReconcileContext = {
    clock,
    find: (key) => store.get(key),
    count: () => applications.size,
    dependents,
    hydrations,
    integrity,
    controlNamespace: namespace,
    clusters,
    shards,
    health,
    repositories,
    renderer,
    generated,
    history: options.history,
    recorded: new RecordedManifests({ client: client('recorded manifests'), namespace }),
    events,
    settings,
    look: (key) => queue.add(key),
    guard: options.guard,
    checks: options.checks,
    syncWaveDelay: () => options.syncWaveDelay ?? settings().syncWaveDelay,
    projects: directory,
    kindOwner: (kind) => kindOwner(kind, store.list(), (key) => controller.memoryOf(key)),
    project: (name) => directory.get(name),
  };
  const controller = new ApplicationController({
    context,
    store,
    queue,
    onError,
    ...(options.metrics ? { metrics: options.metrics } : {}),
  });
  options.metrics?.follow(metricSources({ context, store, queue }));

  const followed = new RepositoryChanges({ git, access, context, store, controller, queue, onError });
  const triggers: TriggerParts = { clock, queue, store, controller, applications, repositories: followed, onError };
  const release = projectReleaser({ client: own, namespace, projects, applications, delivers, onError });
  applications.subscribe((change) => takeUpApplication({ ...triggers, dependents, onLeft: release }, change));
  projects.subscribe(({ object }) => {
    const name = object.metadata.name ?? '';
    release(name);
    takeUpProject(triggers, object, settings().data.globalProjects?.includes(name) ?? false);
  });
  informers.generatedSecrets.subscribe((change) => takeUpGeneratedValues(triggers, change));
  configMaps.subscribe((change) => {
    health.update();
    applications.update().catch((error: unknown) => onError('applications of other namespaces', error));
    if (concernsApplications(change)) wakeAll(triggers);
  });
  clusterSecrets.subscribe(() => shards.reassign());
  for (const informer of [applications, clusterSecrets, configMaps]) informer.subscribe(() => destinations.changed());
  for (const informer of informers.credentials) informer.subscribe(() => wakeAll(triggers));

  // Settings and credentials first: an application must never be judged with those missing that are merely late.
  await informers.start(signal);
  health.update();
  await applications.start(signal);
  await states.start(signal);
  for (const { metadata } of projects.list()) release(metadata.name ?? '');
  const running = controller.run(options.workers ?? 25, signal);
  const hydrating = hydrations.run(signal);
  const competing = new AbortController();
  const competition = shards.run(competing.signal);
  return {
    backend: new Backend({
      context,
      controller,
      store,
      git,
      manifests,
      access,
      writeAccess: sources.writeAccess,
      settings: () => settings().data,
      repositories,
      renderer,
      states,
    }),
    shared: {
      applications,
      configMaps,
      clusterSecrets,
      templateSecrets: informers.templateSecrets,
      projects,
      clusters,
      access,
      reconciliationTimeout: () => settings().reconciliationTimeout,
      holds: (server) => shards.hold(server) !== undefined,
      look: (key) => queue.add(key),
    },
    close: async () => {
      abort.abort(new Error('stopped'));
      followed.close();
      await manifests.close();
      for (const work of [running, hydrating])
        await work.catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
      await events.close();
      // the others begin when nothing is done here any more
      competing.abort(new Error('stopped'));
      await competition;
    },
  };
}
