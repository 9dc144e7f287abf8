import type { Application, ApplicationSet } from '@tiphys/api';
import { ApplicationInformer, RepositoryWatcher, type SharedState } from '@tiphys/applications';
import {
  deepEqual,
  EventRecorder,
  type FamilyOptions,
  keyOf,
  LeaseShards,
  ObjectStore,
  type Permit,
  Reconciler,
  type Runtime,
  settingsReader,
} from '@tiphys/controller';
import { type Diagnosis, DiagnosisError } from '@tiphys/diagnosis';
import type { GitRepositories } from '@tiphys/git';
import { WorkQueue } from '@tiphys/kubernetes';
import { ApplicationSetBackend } from './backend.ts';
import { gitSourcesOf, usesClusters } from './generators/uses.ts';
import { liveSources } from './live/live-sources.ts';
import { OwnedApplications, setOf } from './live/owned-applications.ts';
import { type ApplicationSetSettings, readSettings } from './settings/settings.ts';
import { newMemory, type SetContext, type SetMemory } from './steps/reconciliation.ts';
import { steps } from './steps/steps.ts';

export interface ApplicationSetsOptions extends FamilyOptions {
  readonly git: GitRepositories;
  /** Caches and credentials of the Applications' controllers. */
  readonly shared: SharedState;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** False in a process that only serves: it makes nothing, and answers what generators would say. */
  readonly delivers?: boolean;
  /** Who decides while the process runs whether it makes Applications; always if absent. */
  readonly permit?: Permit | undefined;
}

export interface ApplicationSetsRuntime extends Runtime {
  readonly backend: ApplicationSetBackend;
}

/** Changes of Applications come in swarms; what a status shows of them may be this late, in milliseconds. */
const statusDelay = 1_000;

/** Starts the controller of ApplicationSets; resolves when its caches are filled. */
export async function startApplicationSets(options: ApplicationSetsOptions): Promise<ApplicationSetsRuntime> {
  const { client, namespace, clock, onError, git, shared, env, delivers = true, permit } = options;
  const abort = new AbortController();
  const signal = AbortSignal.any([options.signal, abort.signal]);
  let last: ApplicationSetSettings | undefined;
  const settings = settingsReader([() => shared.configMaps.get(namespace, 'argocd-cmd-params-cm')], ([parameters]) => {
    last = readSettings(parameters ?? new Map(), env, last);
    return last;
  });
  const asked = (purpose: string) => client.as({ component: 'applicationset-controller', purpose });
  const sets = new ApplicationInformer<ApplicationSet>({
    client: asked('watch'),
    namespace,
    clock,
    kind: 'ApplicationSet',
    permitted: () => settings().namespaces,
    onError: (problem: Diagnosis) => onError('ApplicationSets of other namespaces', new DiagnosisError(problem)),
  });
  const sources = liveSources({
    client,
    namespace,
    clock,
    git,
    shared,
    settings,
    gpgEnabled: !['false', 'no'].includes((env.ARGOCD_GPG_ENABLED ?? '').toLowerCase()),
  });
  const backend = new ApplicationSetBackend({ sets, sources, settings, shared, client: asked('confirm') });
  if (!delivers) {
    await sets.start(signal);
    return { backend, close: async () => abort.abort(new Error('stopped')) };
  }
  const queue = new WorkQueue({ clock });
  const store = new ObjectStore<ApplicationSet>({
    client: asked('status'),
    view: sets,
    statusSubresource: true,
  });
  const applications = new OwnedApplications(shared.applications);
  const context: SetContext = {
    client: asked('applications'),
    controlNamespace: namespace,
    applications,
    clusters: shared.clusters,
    sources,
    settings,
  };
  const lease = new LeaseShards({
    client: asked('leader election'),
    namespace,
    clock,
    leaseName: () => 'tiphys-applicationset-controller',
    permit,
    onChange: () => all(),
    onError,
  });
  const watcher = new RepositoryWatcher(git, (keys) => {
    for (const key of keys) again(key);
  });
  const reconciler = new Reconciler<ApplicationSet, SetContext, SetMemory>({
    name: 'applicationset',
    store,
    queue,
    clock,
    steps,
    context,
    memory: newMemory,
    events: new EventRecorder({
      client: asked('events'),
      clock,
      component: 'applicationset-controller',
      onError: (error) => onError('events', error),
      signal,
    }),
    holds: () => lease.hold(0),
    onGone: (key) => watcher.leave(key),
    onError,
  });
  backend.follow(reconciler);

  /** Something that generators read may have changed. */
  const again = (key: string) => {
    reconciler.memoryOf(key).stale = true;
    queue.add(key);
  };
  const all = () => {
    for (const set of sets.list()) again(keyOf(set));
  };
  const follow = (set: ApplicationSet) => {
    try {
      const interval = shared.reconciliationTimeout();
      const repositories = gitSourcesOf(set).map(({ repoURL, project }) =>
        shared.access.repository({ repoURL }, project),
      );
      watcher.follow(keyOf(set), repositories, interval);
    } catch (error) {
      // the pass meets the same fault and shows it in the conditions
      onError(keyOf(set), error);
    }
  };
  sets.subscribe(({ type, object, old }) => {
    const key = keyOf(object);
    if (type === 'deleted') {
      watcher.leave(key);
      queue.add(key);
      return;
    }
    follow(object);
    if (type === 'updated' && old && !isNews(old, object)) return;
    store.unlessOwn(object, () => {
      if (old && !deepEqual(old.spec, object.spec)) again(key);
      else queue.add(key);
    });
  });
  shared.applications.subscribe(({ type, object, old }) => {
    const key = setOf(object) ?? (old && setOf(old));
    if (key === undefined) return;
    if (type === 'deleted') queue.add(key);
    else if (old && isDrift(old, object)) queue.add(key);
    else if (old && isProgress(old, object)) {
      const set = store.get(key);
      if (settings().progressiveSyncs && set?.spec.strategy?.type === 'RollingSync') queue.add(key);
      else if (isShown(old, object)) queue.addAfter(key, statusDelay);
    } else if (type === 'added') queue.addAfter(key, statusDelay);
  });
  shared.clusterSecrets.subscribe(() => {
    for (const set of sets.list()) if (usesClusters(set)) again(keyOf(set));
    // a destination may have come or gone
    for (const set of sets.list()) if (set.status?.conditions?.some(isFailed)) queue.add(keyOf(set));
  });
  shared.projects.subscribe(({ type }) => {
    if (type === 'updated') return;
    for (const set of sets.list()) if (set.status?.conditions?.some(isFailed)) again(keyOf(set));
  });
  shared.templateSecrets.subscribe(() => all());
  shared.configMaps.subscribe(({ object }) => {
    if (object.metadata.name !== 'argocd-cmd-params-cm') return;
    sets.update().catch((error: unknown) => onError('ApplicationSets of other namespaces', error));
    all();
  });

  await sets.start(signal);
  const competing = new AbortController();
  const running = reconciler.run(options.workers ?? settings().workers, signal);
  const competition = lease.run(competing.signal);
  return {
    backend,
    close: async () => {
      abort.abort(new Error('stopped'));
      watcher.close();
      await running.catch((error: unknown) => {
        if (!signal.aborted) throw error;
      });
      competing.abort(new Error('stopped'));
      await competition;
    },
  };
}

function isFailed({ type, status }: { type: string; status: string }): boolean {
  return type === 'ErrorOccurred' && status === 'True';
}

/** A change of a set that is more than its own status. */
function isNews(before: ApplicationSet, after: ApplicationSet): boolean {
  const [a, b] = [before.metadata, after.metadata];
  return !(
    deepEqual(before.spec, after.spec) &&
    deepEqual(a.labels, b.labels) &&
    deepEqual(a.annotations, b.annotations) &&
    deepEqual(a.finalizers, b.finalizers) &&
    a.deletionTimestamp === b.deletionTimestamp &&
    deepEqual(before.status, after.status)
  );
}

/** Somebody changed what the set decides. */
function isDrift(before: Application, after: Application): boolean {
  const [a, b] = [before.metadata, after.metadata];
  return !(
    deepEqual(before.spec, after.spec) &&
    deepEqual(a.labels, b.labels) &&
    deepEqual(a.annotations, b.annotations) &&
    deepEqual(a.finalizers, b.finalizers) &&
    deepEqual(a.ownerReferences, b.ownerReferences)
  );
}

/** What the status of a set shows of an Application. */
function isShown({ status: a }: Application, { status: b }: Application): boolean {
  return !(a?.health?.status === b?.health?.status && a?.sync?.status === b?.sync?.status);
}

/** What a rollout reads. */
function isProgress({ status: a, operation: x }: Application, { status: b, operation: y }: Application): boolean {
  return !(
    a?.health?.status === b?.health?.status &&
    a?.sync?.status === b?.sync?.status &&
    a?.sync?.revision === b?.sync?.revision &&
    deepEqual(a?.sync?.revisions, b?.sync?.revisions) &&
    a?.operationState?.phase === b?.operationState?.phase &&
    a?.operationState?.startedAt === b?.operationState?.startedAt &&
    (x === undefined) === (y === undefined) &&
    a?.reconciledAt === b?.reconciledAt
  );
}
