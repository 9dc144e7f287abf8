import type { Application, ApplicationSource, OperationState, SyncOperation } from '@tiphys/api';
import { timestamp } from '@tiphys/controller';
import { type Diagnosis, DiagnosisError, defineDiagnosis, diagnosisOf, failure } from '@tiphys/diagnosis';
import {
  type ActionEffect,
  type ActionInfo,
  type Comparison,
  compareByServer,
  type Host,
  isLive,
  type PlanRow,
  planRows,
  planSync,
  planWords,
  prepareDesired,
  ResourceActions,
  type TreeNode,
} from '@tiphys/engine';
import { type Client, connect, type KubeObject, keyOf, type ObjectKey } from '@tiphys/kubernetes';
import type { Rendered, TreeFile, WantedObject } from '@tiphys/source';
import type { ClusterHandle } from './clusters/cluster-registry.ts';
import { clusterConfig } from './clusters/cluster-secret.ts';
import type { ClusterState, ClusterStates } from './clusters/cluster-states.ts';
import { plainVersion } from './clusters/cluster-version-label.ts';
import { clientOf } from './clusters/impersonation.ts';
import { missingProject, objectDenial } from './projects/projects.ts';
import { compareOptionsOf, compareRevisions, trackingOf } from './reconciliation/comparing.ts';
import { orphansOf } from './reconciliation/orphans.ts';
import type { ApplicationStore, ReconcileContext } from './reconciliation/reconciliation.ts';
import type { RenderAccount } from './sources/render-history.ts';
import type { SignatureAccount } from './sources/source-integrity.ts';
import { SourceQuestions, type SourceQuestionsParts, type SourceRequest } from './sources/source-questions.ts';
import type { RenderedSources } from './sources/source-renderer.ts';
import { applicationKey } from './spec/application-key.ts';
import { manifestSourcesOf, revisionsOf, sourcesOf } from './spec/source-of.ts';
import type { ApplicationController } from './steps/controller.ts';
import { ownParts, syncOptionsOf } from './steps/sync-options-of.ts';
import { takeUpPush } from './triggers/pushes.ts';

const notCompared = defineDiagnosis(
  'NotCompared',
  'The application could not be compared, so there is nothing to show',
);
const applicationNotFound = defineDiagnosis('ApplicationNotFound', 'There is no such application');

interface Ref {
  readonly namespace: string;
  readonly name: string;
}

export interface BackendParts extends SourceQuestionsParts {
  readonly context: ReconcileContext;
  readonly controller: ApplicationController;
  readonly store: ApplicationStore;
  readonly states: Pick<ClusterStates, 'of'>;
}

/** What the API server asks of the controllers. Answers come from caches; every method throws a `DiagnosisError`. */
export class Backend extends SourceQuestions {
  readonly #parts: BackendParts;

  constructor(parts: BackendParts) {
    super(parts);
    this.#parts = parts;
  }

  async comparison(
    ref: Ref,
    signal?: AbortSignal,
  ): Promise<{ status: Comparison['sync']; resources: Comparison['resources']; conditions: readonly Diagnosis[] }> {
    const { sync, resources, conditions } = await this.#compared(ref, signal);
    return { status: sync, resources, conditions };
  }

  /**
   * What other revisions than the tracked ones, one a source, would deploy, against what is live and by the application's own rules:
   * rendered and compared now, and kept nowhere.
   */
  async comparisonAt(
    ref: Ref,
    asked: readonly string[],
    signal?: AbortSignal,
  ): Promise<{ resources: Comparison['resources']; revisions: readonly string[] }> {
    const { comparison, revisions } = await this.#comparedAt(ref, asked, signal);
    return { resources: comparison.resources, revisions };
  }

  async tree(
    ref: Ref,
    signal?: AbortSignal,
  ): Promise<{ nodes: readonly TreeNode[]; orphaned: readonly TreeNode[]; hosts: readonly Host[] }> {
    const { resources } = await this.#compared(ref, signal);
    const application = this.#application(ref);
    const cluster = this.#clusterOf(application);
    // after a change of settings it may be read anew; of one that cannot be reached is shown what is known
    await cluster.cache.ensureSynced().catch(() => undefined);
    const project = this.#parts.context.project(application.spec.project || 'default');
    const roots = resources.filter(isLive).map(({ key }) => key);
    const { generated, recorded } = this.#parts.context;
    const known = cluster.cache.tree(roots).filter(({ key }) => !generated.holds(key) && !recorded.holds(key));
    const nodes = [...missingNodes(resources), ...known];
    const hosts = this.#hostsOf(known, cluster);
    if (!project) return { nodes, orphaned: [], hosts };
    const orphaned = orphansOf(project, cluster, application.spec.destination.namespace ?? '');
    const destination = {
      server: cluster.server,
      name: cluster.name,
      namespace: application.spec.destination.namespace ?? '',
    };
    // What the project has ceased to permit is shown no more, although the application still holds it.
    return {
      nodes: nodes.filter(({ key }) => !objectDenial(project, key, key.namespace !== '', destination)),
      orphaned,
      hosts,
    };
  }

  /** The nodes that the pods of a tree run on, with the labels that `application.allowedNodeLabels` permits to show. */
  #hostsOf(tree: readonly TreeNode[], { cache }: ClusterHandle): Host[] {
    const { allowedNodeLabels } = this.#parts.context.settings();
    const pods = tree.filter(({ key }) => key.group === '' && key.kind === 'Pod').map(({ key }) => key);
    return cache.hosts(pods).map((host) => ({
      ...host,
      labels: Object.fromEntries(Object.entries(host.labels).filter(([name]) => allowedNodeLabels.includes(name))),
    }));
  }

  /** How the tracked revisions were rendered lately, newest first; compares the application if it never was. */
  async renders(ref: Ref, signal?: AbortSignal): Promise<readonly RenderAccount[]> {
    const { renders } = this.#parts.controller.memoryOf(applicationKey(this.#application(ref)));
    if (renders.accounts.length === 0) await this.#compared(ref, signal);
    return renders.accounts;
  }

  /**
   * What a sync would do to each object, by the planner that the operation itself follows; `refusals` says why it would not begin.
   * A sync that names no revisions is of those that were compared last. Nothing is asked of the cluster.
   */
  async plan(
    ref: Ref,
    sync: SyncOperation,
    signal?: AbortSignal,
  ): Promise<{ rows: readonly PlanRow[]; refusals: readonly Diagnosis[]; summary: string }> {
    const named = revisionsOf(sync);
    const elsewhere = named.some(Boolean) ? (await this.#comparedAt(ref, named, signal)).comparison : undefined;
    if (!elsewhere) await this.#compared(ref, signal);
    const application = this.#application(ref);
    const comparison = elsewhere ?? this.#parts.controller.memoryOf(applicationKey(application)).comparison;
    if (!comparison) return { rows: [], refusals: [], summary: planWords([]) };
    const startedAt = timestamp(this.#parts.context.clock.now());
    const operation = { operation: { sync }, startedAt, phase: 'Running' } as OperationState;
    const options = syncOptionsOf(application, operation, {
      syncOptions: application.spec.syncPolicy?.syncOptions ?? [],
      ...sync,
    });
    const cluster = this.#clusterOf(application);
    const plan = planSync(comparison, { ...options, ...ownParts(cluster, this.#parts.context) });
    const rows = planRows(plan, (key) => cluster.cache.node(key) !== undefined);
    return { rows, refusals: plan.refusals, summary: planWords(rows) };
  }

  onTreeChange(ref: Ref, listener: () => void): () => void {
    return this.#parts.controller.follow(`${ref.namespace}/${ref.name}`, listener);
  }

  async render(
    application: Application,
    options: {
      revisions?: readonly string[];
      noCache?: boolean;
      files?: readonly TreeFile[];
      explain?: WantedObject;
      signal?: AbortSignal;
    },
  ): Promise<{
    objects: (Rendered['objects'][number] & { namespaceDefaulted: boolean })[];
    revisions: string[];
    sourceType: Exclude<Rendered['sourceType'], ''>;
    warnings: readonly Diagnosis[];
    explained?: RenderedSources['explained'];
  }> {
    const cluster = this.#clusterOf(application);
    // upstream rule: the manifests of a hydrated application are those of its dry source
    const sources = required(manifestSourcesOf(application.spec));
    const rendered = await this.#parts.renderer.render(
      application,
      options.files ? sources.slice(0, 1) : sources,
      cluster,
      {
        revisions: options.revisions,
        ...(options.files ? { files: options.files } : {}),
        noCache: options.noCache ?? false,
        explain: options.explain,
        ...(options.signal ? { signal: options.signal } : {}),
      },
    );
    const tracking = trackingOf({ next: application, context: this.#parts.context });
    const objects = prepareDesired({
      desired: rendered.objects,
      cache: cluster.cache,
      tracking,
      destinationNamespace: application.spec.destination.namespace ?? '',
    });
    const { revisions, sourceTypes, warnings, explained } = rendered;
    const explicit = new Set(
      rendered.objects.filter(({ object }) => object.metadata.namespace).map(({ origin }) => origin),
    );
    return {
      objects: objects.map(({ object, origin }) => ({ object, origin, namespaceDefaulted: !explicit.has(origin) })),
      revisions: [...revisions],
      sourceType: sourceTypes.find((type) => type !== '') ?? 'Directory',
      warnings,
      ...(explained ? { explained } : {}),
    };
  }

  /** What is known of the signature of one commit of a source of a project. */
  async signature(
    source: SourceRequest,
    project: string,
    commit: string,
    signal: AbortSignal,
  ): Promise<SignatureAccount> {
    const { integrity, project: find } = this.#parts.context;
    return integrity.account(find(project), source as unknown as ApplicationSource, commit, signal);
  }

  async checkSources(application: Application, signal?: AbortSignal): Promise<readonly Diagnosis[]> {
    try {
      // the branch of the hydrated manifests may be made by the hydrator
      const sources = required(manifestSourcesOf(application.spec));
      await this.#parts.renderer.check(application, sources, this.#clusterOf(application), signal);
      return [];
    } catch (error) {
      signal?.throwIfAborted();
      const diagnosis = diagnosisOf(error);
      // The files may come later: upstream lets such an application be stored, and shows the comparison's failure.
      return diagnosis.code === 'ValueFilesGlobEmpty' ? [] : [diagnosis];
    }
  }

  async resolveRevision(
    application: Application,
    sourceIndex: number,
    revision: string,
    signal?: AbortSignal,
  ): Promise<{ revision: string; display: string }> {
    const sources = required(sourcesOf(application.spec));
    const source = sources[sourceIndex] ?? (sources[0] as ApplicationSource);
    const wanted = revision || source.targetRevision || 'HEAD';
    const { revision: resolved } = await this.#parts.renderer.resolve(
      source,
      application.spec.project || 'default',
      source.chart && !revision ? (source.targetRevision ?? '') : wanted,
      { signal },
    );
    return {
      revision: resolved,
      display: resolved.startsWith(wanted) ? wanted : `${wanted} (${resolved})`,
    };
  }

  async cluster(destination: {
    server?: string;
    name?: string;
  }): Promise<{ server: string; name: string; client: Client }> {
    const { server, name, client } = this.#parts.context.clusters.resolve(destination);
    return { server, name, client };
  }

  async clusterOf(application: Application): Promise<{ server: string; name: string; client: Client }> {
    const { context } = this.#parts;
    const cluster = this.#clusterOf(application);
    const project = context.project(application.spec.project || 'default');
    if (!project) throw new DiagnosisError(missingProject(application), { handling: 'stalled' });
    const { server, name } = cluster;
    return { server, name, client: clientOf({ application, project, cluster, settings: context.settings() }) };
  }

  clusterState(server: string): Promise<ClusterState | undefined> {
    return this.#parts.states.of(server.replace(/(?<!\/)\/+$/, ''));
  }

  pushed(applications: readonly Ref[], jitter: { milliseconds: number; threshold: number }): Promise<readonly Ref[]> {
    return takeUpPush(this.#parts, applications, jitter);
  }

  async testCluster({
    server,
    config,
  }: {
    server: string;
    config: Readonly<Record<string, unknown>>;
  }): Promise<{ version: string }> {
    const client = connect(
      clusterConfig({
        server,
        config,
        place: { remote: server, field: 'config' },
        execProviders: this.#parts.context.clusters.execProviders,
      }),
      {
        caller: { component: 'server', purpose: 'test cluster' },
        clock: this.#parts.context.clock,
      },
    );
    try {
      const { gitVersion } = await client.discovery.version();
      return { version: plainVersion(gitVersion) };
    } finally {
      await client.close();
    }
  }

  async live(ref: Ref, key: ObjectKey, version: string, signal?: AbortSignal): Promise<KubeObject | undefined> {
    const cluster = this.#clusterOf(this.#application(ref));
    const { generated, recorded } = this.#parts.context;
    if (generated.holds(key) || recorded.holds(key)) return undefined;
    const cached = cluster.cache.get(key);
    if (cached) return cached;
    const apiVersion = key.group ? `${key.group}/${version}` : version;
    const client = cluster.client.as({
      component: 'server',
      application: `${ref.namespace}/${ref.name}`,
      purpose: 'show object',
    });
    return client.find(
      { apiVersion, kind: key.kind, name: key.name, ...(key.namespace ? { namespace: key.namespace } : {}) },
      signal ? { signal } : {},
    );
  }

  async compareByServer(
    ref: Ref,
    desired: KubeObject,
    live: KubeObject,
    signal?: AbortSignal,
  ): Promise<{ live: KubeObject; predicted: KubeObject; modified: boolean }> {
    const application = this.#application(ref);
    const { context } = this.#parts;
    const { ignoreDifferences, knownTypes } = context.settings().comparison();
    const { differences, normalized } = await compareByServer({
      desired,
      live,
      client: this.#clusterOf(application).client.as({
        component: 'server',
        application: `${ref.namespace}/${ref.name}`,
        purpose: 'server-side diff',
      }),
      ignoreDifferences: [...(application.spec.ignoreDifferences ?? []), ...ignoreDifferences],
      knownTypes,
      options: compareOptionsOf({ next: application, context }),
      ...(signal ? { signal } : {}),
    });
    return { ...normalized, modified: differences.length > 0 };
  }

  availableActions(object: KubeObject): ActionInfo[] {
    return this.#actions().available(object, this.#parts.context.clock.now());
  }

  /** What an action would do; nothing of it may leave what the application's project permits. */
  planAction(
    ref: Ref,
    object: KubeObject,
    action: string,
    parameters: Readonly<Record<string, string>>,
  ): ActionEffect[] {
    const { context } = this.#parts;
    const effects = this.#actions().plan(object, action, { parameters, now: context.clock.now() });
    const application = this.#application(ref);
    const project = context.project(application.spec.project || 'default');
    if (!project) throw new DiagnosisError(missingProject(application), { handling: 'stalled' });
    const { server, name } = this.#clusterOf(application);
    const destination = { server, name, namespace: application.spec.destination.namespace ?? '' };
    // an application may always be changed by its own actions
    const own = ({ group, kind, namespace, name }: ObjectKey) =>
      group === 'argoproj.io' && kind === 'Application' && `${namespace}/${name}` === applicationKey(application);
    for (const { object: impacted } of effects) {
      const key = keyOf(impacted);
      if (own(key)) continue;
      const denial = objectDenial(project, key, key.namespace !== '', destination);
      if (!denial) continue;
      const what = `${key.group}/${key.kind}/${key.name} in ${key.namespace}`;
      const message = `application is not permitted to manage ${what}: ${denial.message}`;
      throw new DiagnosisError({ ...denial, message }, { handling: 'stalled' });
    }
    return effects;
  }

  #actions(): ResourceActions {
    return new ResourceActions(this.#parts.context.settings().comparison().actions);
  }

  #application({ namespace, name }: Ref): Application {
    const application = this.#parts.store.get(`${namespace}/${name}`);
    if (application) return application;
    throw failure(applicationNotFound, {
      message: `application '${name}' not found`,
      place: { object: `Application ${namespace}/${name}` },
      remedies: ['Look at `argocd app list`'],
    });
  }

  #clusterOf(application: Application): ClusterHandle {
    return this.#parts.context.clusters.resolve(application.spec.destination);
  }

  /** Compares at other revisions than the tracked ones; of an application that is not permitted there is nothing to compare. */
  async #comparedAt(
    ref: Ref,
    revisions: readonly string[],
    signal: AbortSignal = new AbortController().signal,
  ): Promise<{ comparison: Comparison; revisions: readonly string[] }> {
    const { controller, context } = this.#parts;
    const next = this.#application(ref);
    const memory = controller.memoryOf(applicationKey(next));
    // the first look tells whether the application is permitted; that its own target cannot be rendered says nothing of other revisions
    if (!memory.comparison && !memory.failure) await this.#compared(ref, signal).catch(() => signal.throwIfAborted());
    const project = context.project(next.spec.project || 'default');
    if (memory.refused || !project)
      throw failure(notCompared, {
        message: next.status?.conditions?.[0]?.message ?? missingProject(next).message,
        place: { object: `Application ${applicationKey(next)}` },
        remedies: ['Look at the conditions of the application'],
      });
    return compareRevisions({ next, context, project, cluster: this.#clusterOf(next), signal }, revisions);
  }

  /** The last comparison; waits for the first one. */
  async #compared(ref: Ref, signal?: AbortSignal): Promise<Pick<Comparison, 'sync' | 'resources' | 'conditions'>> {
    const { controller } = this.#parts;
    const application = this.#application(ref);
    const key = applicationKey(application);
    const known = () => controller.memoryOf(key).comparison;
    if (!controller.delivers(application)) await controller.observed(application, signal);
    else {
      const asked = () => !known() && !controller.memoryOf(key).refused;
      if (asked()) await controller.reconciled(key, signal);
      for (let going = controller.memoryOf(key).going?.refresh; asked() && going; ) {
        await settled(going.done, signal);
        await controller.reconciled(key, signal);
        going = controller.memoryOf(key).going?.refresh;
      }
    }
    const comparison = known();
    if (comparison) return comparison;
    // Upstream rule: an application that is not permitted shows an empty tree, and nothing that it manages.
    if (controller.memoryOf(key).refused) return nothingCompared;
    const cause = controller.memoryOf(key).failure?.diagnosis;
    const shown = this.#application(ref).status?.conditions?.[0]?.message;
    throw failure(notCompared, {
      message: cause?.message ?? shown ?? `Application ${ref.name} could not be compared yet`,
      place: { object: `Application ${key}` },
      remedies: ['Look at the conditions of the application'],
      ...(cause ? { causes: [cause] } : {}),
    });
  }
}

/** Resolves when the work has ended, well or badly; rejects with the signal's reason. */
async function settled(work: Promise<unknown>, signal?: AbortSignal): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const abort = () => reject(signal?.reason);
  signal?.addEventListener('abort', abort, { once: true });
  work.then(
    () => resolve(),
    () => resolve(),
  );
  await promise.finally(() => signal?.removeEventListener('abort', abort));
}

const nothingCompared: Pick<Comparison, 'sync' | 'resources' | 'conditions'> = {
  sync: 'Unknown',
  resources: [],
  conditions: [],
};

function required(sources: readonly ApplicationSource[]): readonly ApplicationSource[] {
  if (sources.length > 0) return sources;
  throw failure(notCompared, {
    message: 'The application has no source',
    place: { field: 'spec.source' },
    remedies: ['Set spec.source'],
  });
}

/** What is desired and not there, as nodes that lead nowhere. */
function missingNodes(resources: Comparison['resources']): TreeNode[] {
  return resources.flatMap(({ key, version, live, hook }) =>
    live || hook
      ? []
      : [
          {
            key,
            version,
            uid: '',
            resourceVersion: '',
            createdAt: '',
            parents: [],
            images: [],
            info: [],
            health: { status: 'Missing' as const },
          },
        ],
  );
}
