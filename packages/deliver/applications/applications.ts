import { type Application, type AppProject, names } from '@tiphys/api';
import { deepEqual, EventRecorder, ObjectStore } from '@tiphys/controller';
import { DiagnosisError } from '@tiphys/diagnosis';
import { isIgnoredUpdate } from '@tiphys/engine';
import { type GitRepositories, readSshKeys } from '@tiphys/git';
import { drySourceOf } from '@tiphys/hydrator';
import { type Client, type Clock, Informer, type KubeObject, type RequestRecord, WorkQueue } from '@tiphys/kubernetes';
import type { ControllerMetrics } from '@tiphys/metrics';
import { type FoundAt, Manifests, type RenderLoad, type SharedCache } from '@tiphys/source';
import { ApplicationInformer } from './application-informer.ts';
import { applicationKey, keyOfInstance } from './application-key.ts';
import { Backend } from './backend.ts';
import { cacheSettingsReader } from './cache-settings.ts';
import { ClusterRegistry, clusterSecretSelector } from './cluster-registry.ts';
import { secretText } from './cluster-secret.ts';
import { ClusterShards, type ShardingOptions } from './cluster-shards.ts';
import { ClusterStates } from './cluster-states.ts';
import { labelWithVersion } from './cluster-version-label.ts';
import { commaList } from './comma-list.ts';
import { ApplicationController, isNews } from './controller.ts';
import { Dependents, dependenciesOf } from './dependencies.ts';
import { enabledEvents } from './enabled-events.ts';
import { eventLabels } from './event-labels.ts';
import { applicationAnnotation, GeneratedValues, generatedValuesLabel } from './generated-values.ts';
import { HealthSettings } from './health-settings.ts';
import { Hydrations } from './hydrations.ts';
import { kindOwner } from './kind-owners.ts';
import { metricSources } from './metric-sources.ts';
import { partByChange } from './part-by-change.ts';
import { ProjectDirectory } from './project-directory.ts';
import { releaseProject } from './project-release.ts';
import { noteDelay } from './pushes.ts';
import type { ReconcileContext } from './reconciliation.ts';
import { RepositoryDirectory } from './repository-directory.ts';
import { RepositoryWatcher } from './repository-watcher.ts';
import { settingsReader } from './settings.ts';
import { concernsApplications } from './settings-concern.ts';
import { shardedClusters } from './sharded-clusters.ts';
import { serverSecret, sharedCacheAway } from './shared-cache.ts';
import { SourceAccess } from './source-access.ts';
import { SourceIntegrity } from './source-integrity.ts';
import { allSourcesOf, isGitSource, sourcesOf } from './source-of.ts';
import { SourceRenderer } from './source-renderer.ts';
import { sourceSettings } from './source-settings.ts';
import { type TrustFolders, TrustStore } from './trust-store.ts';

export interface ApplicationsOptions {
  /** Client of the cluster that holds the control plane. */
  readonly client: Client;
  /** Namespace of the control plane. */
  readonly namespace: string;
  /** Other namespaces that may hold Applications, as ARGOCD_APPLICATION_NAMESPACES; `application.namespaces` of argocd-cmd-params-cm if absent. */
  readonly applicationNamespaces?: string | undefined;
  /** As ARGOCD_GIT_MODULES_ENABLED; `reposerver.enable.git.submodule` of argocd-cmd-params-cm if absent. */
  readonly gitModulesEnabled?: string | undefined;
  /** False verifies no signatures, whatever projects say, as ARGOCD_GPG_ENABLED; true if absent. */
  readonly verifiesSignatures?: boolean;
  /** Programs that clusters may get their credentials from; TIPHYS_EXEC_PROVIDERS. */
  readonly execProviders?: readonly string[] | undefined;
  /** Which Events are written, as ARGOCD_ENABLE_K8S_EVENT; all if absent. */
  readonly enabledEvents?: string | undefined;
  readonly git: GitRepositories;
  /** Packages of charts, and what was rendered, are kept below it; only in memory if absent. */
  readonly cacheDir?: string;
  /** A Redis in which replicas share what they rendered, sealed with `server.secretkey` of argocd-secret. */
  readonly redis?: Omit<SharedCache, 'secret'> | undefined;
  /** Where the sockets of config-management plugins are, and the one of their credential helper; Argo CD's own places if absent. */
  readonly plugins?: { readonly pluginFolders?: readonly string[]; readonly askPassSocket?: string };
  /** Trusted besides the ConfigMaps, as ARGOCD_TLS_DATA_PATH and ARGOCD_SSH_DATA_PATH. */
  readonly trustFolders?: TrustFolders;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Reconciles at once; 25 by default. */
  readonly workers?: number;
  /** Told of what a reconcile could not deal with itself; it is tried again. */
  readonly onError: (key: string, error: unknown) => void;
  readonly metrics?: ControllerMetrics;
  /** Told where each render was found: `rendered` if nothing was known by what it reads. */
  readonly onRender?: (found: FoundAt) => void;
  /** Given the way to ask what the projects take of the threads that render. */
  readonly onLoad?: (load: () => readonly RenderLoad[]) => void;
  /** Given the way to ask for the hosts of repositories that an administrator has registered. */
  readonly onRepositories?: (hosts: () => ReadonlySet<string>) => void;
  readonly sharding?: ShardingOptions;
  /** Milliseconds between the waves of a sync, as ARGOCD_SYNC_WAVE_DELAY; `controller.sync.wave.delay.seconds` of argocd-cmd-params-cm if absent. */
  readonly syncWaveDelay?: number | undefined;
  /** False in a process that only serves: it delivers nothing, and shows what others deliver. */
  readonly delivers?: boolean;
  /** Called for each request to the clusters of cluster Secrets. */
  readonly onRequest?: (request: RequestRecord) => void;
}

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
}

/** The running controllers. */
export interface ApplicationsRuntime {
  readonly backend: Backend;
  readonly shared: SharedState;
  close(): Promise<void>;
}

/** Starts the controllers of Application and AppProject; resolves when their caches are filled. */
export async function startApplications(options: ApplicationsOptions): Promise<ApplicationsRuntime> {
  const { client, namespace, git, clock, onError, delivers = true } = options;
  const abort = new AbortController();
  const signal = AbortSignal.any([options.signal, abort.signal]);
  const own = client.as({ component: 'controller', purpose: 'watch the control plane' });
  const inform = <T extends KubeObject>(apiVersion: string, kind: string, labelSelector?: string) =>
    new Informer<T>(own, { ref: { apiVersion, kind, namespace }, clock, ...(labelSelector ? { labelSelector } : {}) });
  const projects = inform<AppProject>(names.apiVersion, 'AppProject');
  const configMaps = inform<KubeObject>('v1', 'ConfigMap', `${names.labels.partOf}=argocd`);
  const clusterSecrets = inform<KubeObject>('v1', 'Secret', clusterSecretSelector);
  const repositorySecrets = inform<KubeObject>(
    'v1',
    'Secret',
    `${names.labels.secretType}=${names.secretTypes.repository}`,
  );
  const templateSecrets = inform<KubeObject>(
    'v1',
    'Secret',
    `${names.labels.secretType}=${names.secretTypes.repositoryCredentials}`,
  );
  const ofType = (type: string) => `${names.labels.secretType}=${type}`;
  const writeSecrets = inform<KubeObject>('v1', 'Secret', ofType(names.secretTypes.repositoryWrite));
  const writeTemplates = inform<KubeObject>('v1', 'Secret', ofType(names.secretTypes.repositoryCredentialsWrite));
  const generatedSecrets = inform<KubeObject>('v1', 'Secret', `${generatedValuesLabel}=true`);
  const informers = [
    projects,
    configMaps,
    clusterSecrets,
    repositorySecrets,
    templateSecrets,
    writeSecrets,
    writeTemplates,
    generatedSecrets,
  ];

  const queue = new WorkQueue({ clock });
  const settings = settingsReader(
    () => configMaps.get(namespace, names.configMaps.settings),
    () => configMaps.get(namespace, names.configMaps.parameters),
  );
  const applications = new ApplicationInformer({
    client: own,
    namespace,
    clock,
    permitted: () => commaList(options.applicationNamespaces ?? settings().applicationNamespaces),
    onError: (problem) => onError('applications of other namespaces', new DiagnosisError(problem)),
  });
  const store = new ObjectStore<Application>({
    client: client.as({ component: 'controller', purpose: 'status' }),
    view: applications,
    fields: ['operation', 'status'],
  });
  const repositories = new RepositoryDirectory(repositorySecrets, templateSecrets);
  options.onRepositories?.(() => repositories.registeredHosts());
  const health = new HealthSettings(settings, clock);
  const clusters = new ClusterRegistry({
    control: client,
    secrets: clusterSecrets,
    settings: cacheSettingsReader(settings),
    inClusterEnabled: () => settings().inClusterEnabled,
    health,
    clock,
    signal,
    ...(options.execProviders ? { execProviders: options.execProviders } : {}),
    ...(options.onRequest ? { onRequest: options.onRequest } : {}),
    onCache: (handle) => {
      const { cache, server } = handle;
      labelWithVersion(own, clusterSecrets, handle).catch((error: unknown) => onError(`cluster ${server}`, error));
      cache.subscribe((changes) => {
        const started = performance.now();
        const rules = health.ignoredUpdates();
        const news = rules ? changes.filter((change) => !isIgnoredUpdate(change, rules)) : changes;
        for (const instance of new Set(news.flatMap(({ instances }) => instances)))
          queue.add(keyOfInstance(instance, namespace));
        options.metrics?.changed(
          server,
          changes.map(({ key }) => key),
          performance.now() - started,
        );
      });
    },
  });
  const shards = new ClusterShards({
    ...options.sharding,
    competes: delivers,
    client: client.as({ component: 'controller', purpose: 'shards' }),
    namespace,
    clock,
    algorithm: () => settings().shardingAlgorithm,
    clusters: () => shardedClusters(clusters, applications.list()),
    onChange: () => all(),
    onError,
  });
  const states = new ClusterStates({
    client: client.as({ component: 'controller', purpose: 'states of clusters' }),
    namespace,
    clock,
    clusters,
    shards,
    applications: (server) =>
      [...applications.list()].filter(({ spec }) => clusters.serverOf(spec.destination) === server).length,
    onError,
  });
  const directory = new ProjectDirectory({
    find: (name) => projects.get(namespace, name),
    globalProjects: () => settings().data.globalProjects,
    repositories: (project) => repositories.scopedTo(project),
    clusters: (project) =>
      [...clusterSecrets.list()]
        .filter((secret) => secretText(secret, 'project') === project)
        .map((secret) => ({
          server: secretText(secret, 'server').replace(/\/+$/, ''),
          name: secretText(secret, 'name'),
          namespaces: commaList(secretText(secret, 'namespaces')),
        })),
  });
  const generated = new GeneratedValues({
    client: client.as({ component: 'controller', purpose: 'generated values' }),
    secrets: generatedSecrets,
    namespace,
  });
  const manifests = new Manifests({
    git,
    clock,
    ...(options.cacheDir === undefined ? {} : { cacheDir: options.cacheDir }),
    ...options.plugins,
    shares: () => settings().renderShares,
    ...(options.redis ? { shared: { ...options.redis, secret: () => serverSecret(own, namespace) } } : {}),
    onProblem: (problem) => problem && onError('shared cache', sharedCacheAway(problem)),
    ...(options.onRender ? { onRender: options.onRender } : {}),
  });
  options.onLoad?.(() => manifests.load());
  const accessBy = (secrets: RepositoryDirectory) =>
    new SourceAccess({
      repositories: secrets,
      trust: new TrustStore(configMaps, namespace, options.trustFolders),
      project: (name) => directory.get(name),
      parameters: () => settings().parameters,
      ...(options.gitModulesEnabled ? { gitModulesEnabled: options.gitModulesEnabled } : {}),
    });
  const access = accessBy(repositories);
  const renderer = new SourceRenderer({
    manifests,
    access,
    generated,
    project: (name) => directory.get(name),
    settings: () => sourceSettings(settings().data),
    parameters: () => settings().parameters,
    controlNamespace: namespace,
  });
  const textsOf = (name: string) =>
    Object.values((configMaps.get(namespace, name)?.data ?? {}) as Readonly<Record<string, string>>);
  const integrity = new SourceIntegrity({
    git,
    access,
    enabled: options.verifiesSignatures ?? true,
    keys: () => ({
      openpgp: textsOf(names.configMaps.gpgKeys),
      ssh: textsOf(names.configMaps.sshSigningKeys).flatMap(readSshKeys),
    }),
  });
  const dependents = new Dependents();
  const hydrations = new Hydrations({
    integrity,
    store,
    git,
    renderer,
    clusters,
    access,
    writeAccess: accessBy(new RepositoryDirectory(writeSecrets, writeTemplates)),
    project: (name) => directory.get(name),
    settings,
    controlNamespace: namespace,
    clock,
    delivers: (application) => controller.delivers(application),
    wake: (key) => queue.add(key),
    onError,
  });
  const context: ReconcileContext = {
    clock,
    find: (key) => store.get(key),
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
    events: new EventRecorder<Application>({
      client: client.as({ component: 'controller', purpose: 'events' }),
      clock,
      component: 'argocd-application-controller',
      onError: (error) => onError('events', error),
      labels: (application) =>
        eventLabels(application, directory.get(application.spec.project || 'default'), settings().data),
      annotations: ({ spec }) => ({
        'dest-server': spec?.destination?.server ?? '',
        'dest-namespace': spec?.destination?.namespace ?? '',
      }),
      enabled: enabledEvents(options.enabledEvents),
      signal,
    }),
    settings,
    look: (key) => queue.add(key),
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
  // Those that do not know it yet: each then shows what the one look at the remote has found.
  const tellFailure = (keys: readonly string[]) => {
    for (const key of keys) {
      const memory = controller.memoryOf(key);
      if (memory.failure) continue;
      memory.resolvedAt = undefined;
      queue.add(key);
    }
  };
  const watcher = new RepositoryWatcher(
    git,
    (keys, repository) => {
      const candidates = keys.flatMap((key) => {
        const memory = controller.memoryOf(key);
        memory.resolvedAt = undefined;
        memory.failedFor = undefined;
        const application = store.get(key);
        const { sourceHydrator, ...spec } = application?.spec ?? {};
        const dry = sourceHydrator
          ? [{ key, source: drySourceOf(sourceHydrator), rendered: dryRevisionOf(application) }]
          : [];
        const candidates = sourcesOf({ ...spec, sourceHydrator }).map((source, index) => {
          return { key, source, rendered: memory.rendered?.revisions[index] };
        });
        return [...dry, ...candidates].filter(({ source }) => source.repoURL === repository.url);
      });
      partByChange(git, repository, candidates).then(
        ({ touched, others }) => {
          for (const key of touched) queue.add(key, { first: true });
          for (const key of others) if (!queue.has(key)) queue.addAfter(key, noteDelay);
        },
        (error: unknown) => onError(repository.url, error),
      );
    },
    tellFailure,
  );

  const follow = (application: Application) => {
    if (!shards.hold(clusters.serverOf(application.spec.destination)))
      return watcher.leave(applicationKey(application));
    const sources = allSourcesOf(application.spec).filter(isGitSource);
    try {
      watcher.follow(
        applicationKey(application),
        sources.map((source) => access.repository(source, application.spec.project || 'default')),
        settings().remoteInterval,
      );
    } catch (error) {
      // The reconcile meets the same fault and shows it in the application's condition.
      onError(applicationKey(application), error);
    }
  };
  applications.subscribe(({ type, object, old }) => {
    const key = applicationKey(object);
    dependents.note(key, type === 'deleted' ? undefined : object);
    for (const dependent of dependents.of(key)) if (concernsDependents(old, object, type)) queue.add(dependent);
    if (type === 'deleted') for (const name of dependenciesOf(object)) queue.add(name);
    if (type === 'deleted') {
      watcher.leave(key);
      release(object.spec.project || 'default');
    }
    if (type !== 'deleted') follow(object);
    if (type === 'added' || (old && !deepEqual(sourcesOf(old.spec), sourcesOf(object.spec))))
      controller.memoryOf(key).sourcesSeenAt = clock.now();
    const { refresh } = names.annotations;
    if (
      object.metadata.annotations?.[refresh] &&
      object.metadata.annotations[refresh] !== old?.metadata.annotations?.[refresh]
    )
      controller.memoryOf(key).refreshAskedAt = clock.now();
    if (object.metadata.annotations?.[refresh] === 'hard' && !controller.delivers(object))
      controller.memoryOf(key).hardRefresh = true;
    if (old && old.spec.project !== object.spec.project) release(old.spec.project || 'default');
    if (type !== 'updated' || !old) queue.add(key);
    else if (isNews(old, object)) store.unlessOwn(object, () => queue.add(key));
  });
  const all = () => {
    for (const application of applications.list()) {
      follow(application);
      const memory = controller.memoryOf(applicationKey(application));
      memory.resolvedAt = undefined;
      memory.failedFor = undefined;
      queue.add(applicationKey(application));
    }
  };
  const release = (name: string) => {
    // an application that is not seen yet may still need it
    if (!delivers || !applications.state().synced) return;
    releaseProject(projects.get(namespace, name), applications.list(), own).catch((error: unknown) =>
      onError(`project ${name}`, error),
    );
  };
  projects.subscribe(({ object }) => {
    release(object.metadata.name ?? '');
    // the rules of a global project are those of others too
    const global = settings().data.globalProjects?.includes(object.metadata.name ?? '');
    for (const application of applications.list())
      if (global || (application.spec.project || 'default') === object.metadata.name) {
        controller.memoryOf(applicationKey(application)).failedFor = undefined;
        queue.add(applicationKey(application));
      }
  });
  // Whoever deletes what is recorded wants other values, or has made a mistake that must show; who only looks takes what comes.
  generatedSecrets.subscribe(({ type, object }) => {
    const key = object.metadata.annotations?.[applicationAnnotation];
    const application = key === undefined ? undefined : store.get(key);
    if (key === undefined || !application || (type !== 'deleted' && controller.delivers(application))) return;
    controller.memoryOf(key).resolvedAt = undefined;
    queue.add(key);
  });
  configMaps.subscribe(() => health.update());
  configMaps.subscribe(() => {
    applications.update().catch((error: unknown) => onError('applications of other namespaces', error));
  });
  clusterSecrets.subscribe(() => shards.reassign());
  configMaps.subscribe((change) => {
    if (concernsApplications(change)) all();
  });
  for (const informer of [clusterSecrets, repositorySecrets, templateSecrets, writeSecrets, writeTemplates])
    informer.subscribe(() => all());

  // Settings and credentials first: an application must never be judged with those missing that are merely late.
  for (const informer of informers) informer.start(signal);
  await Promise.all(informers.map((informer) => informer.synced));
  health.update();
  await applications.start(signal);
  await states.start(signal);
  for (const { metadata } of projects.list()) release(metadata.name ?? '');
  const running = controller.run(options.workers ?? 25, signal);
  const hydrating = hydrations.run(signal);
  const competing = new AbortController();
  const competition = shards.run(competing.signal);
  return {
    backend: new Backend({ context, controller, store, git, manifests, access, repositories, renderer, states }),
    shared: {
      applications,
      configMaps,
      clusterSecrets,
      templateSecrets,
      projects,
      clusters,
      access,
      reconciliationTimeout: () => settings().reconciliationTimeout,
    },
    close: async () => {
      abort.abort(new Error('stopped'));
      watcher.close();
      await manifests.close();
      for (const work of [running, hydrating])
        await work.catch((error: unknown) => {
          if (!signal.aborted) throw error;
        });
      // the others begin when nothing is done here any more
      competing.abort(new Error('stopped'));
      await competition;
    },
  };
}

/** Whether those that depend on an application may go on, or have to wait again. */
function concernsDependents(old: Application | undefined, now: Application, type: string): boolean {
  if (type !== 'updated' || !old) return true;
  const state = ({ status, operation }: Application) =>
    [status?.sync?.status, status?.health?.status, status?.operationState?.phase, operation !== undefined].join();
  return state(old) !== state(now);
}

/** The dry revision that an application was hydrated at, or looked at, last. */
function dryRevisionOf(application: Application | undefined): string | undefined {
  return application?.status?.sourceHydrator?.lastComparedDryRevision;
}
