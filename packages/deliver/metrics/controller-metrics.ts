import { hostname } from 'node:os';
import type { Application } from '@tiphys/api';
import { QueueMeasures } from '@tiphys/controller';
import { redact } from '@tiphys/diagnosis';
import { normalizeRepositoryUrl } from '@tiphys/git';
import { type RequestRecord, requestFacts, type WorkQueue } from '@tiphys/kubernetes';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { KubectlMetrics } from './kubectl-metrics.ts';

/** An application as it is at the moment of a scrape. */
export interface ApplicationFacts {
  readonly application: Application;
  /** Address of its cluster; empty if it names none that is known. */
  readonly server: string;
  /** Objects of no application in its namespace; absent if its project does not ask for them. */
  readonly orphans?: () => number;
}

/** A cluster as it is at the moment of a scrape. */
export interface ClusterFacts {
  readonly server: string;
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  /** `1.34`; empty while unknown. */
  readonly version: string;
  readonly objects: number;
  readonly kinds: number;
  readonly connected: boolean;
  /** When all was listed last, in milliseconds since the epoch; absent before that. */
  readonly syncedAt?: number;
}

export interface ControllerMetricsOptions {
  /** Labels of Applications that `argocd_app_labels` shows (`--metrics-application-labels`). */
  readonly applicationLabels?: readonly string[];
  /** Types of conditions that `argocd_app_condition` counts (`--metrics-application-conditions`). */
  readonly applicationConditions?: readonly string[];
  /** Labels of cluster Secrets that `argocd_cluster_labels` shows (`--metrics-cluster-labels`). */
  readonly clusterLabels?: readonly string[];
}

const own = ['namespace', 'name', 'project'] as const;
const durations = [0.25, 0.5, 1, 2, 4, 8, 16];

/** What the application controller shows on port 8082, under Argo CD's names. Gauges are read from their source at each scrape. */
export class ControllerMetrics {
  readonly registry = new Registry();
  readonly #kubectl: KubectlMetrics;
  readonly #syncs: Counter;
  readonly #syncSeconds: Counter;
  readonly #requests: Counter;
  readonly #reconciles: Histogram;
  readonly #clusterEvents: Counter;
  readonly #batches: Histogram;
  readonly #batchSize: Gauge;
  #applications: () => Iterable<ApplicationFacts> = () => [];
  #clusters: () => Iterable<ClusterFacts> = () => [];
  #application: (key: string) => Application | undefined = () => undefined;

  constructor(options: ControllerMetricsOptions = {}) {
    const registers = [this.registry];
    const counter = (name: string, help: string, labelNames: readonly string[]) =>
      new Counter({ name, help, labelNames, registers });
    const histogram = (name: string, help: string, labelNames: readonly string[], buckets = durations) =>
      new Histogram({ name, help, labelNames, buckets, registers });
    const gauge = (name: string, help: string, labelNames: readonly string[], collect?: (gauge: Gauge) => void) =>
      new Gauge({
        name,
        help,
        labelNames,
        registers,
        ...(collect
          ? {
              collect(this: Gauge) {
                this.reset();
                collect(this);
              },
            }
          : {}),
      });
    this.#syncs = counter('argocd_app_sync_total', 'Number of application syncs.', [
      ...own,
      'dest_server',
      'phase',
      'dry_run',
    ]);
    this.#syncSeconds = counter(
      'argocd_app_sync_duration_seconds_total',
      'Application sync performance in seconds total.',
      [...own, 'dest_server'],
    );
    this.#requests = counter(
      'argocd_app_k8s_request_total',
      'Number of kubernetes requests executed during application reconciliation.',
      [...own, 'server', 'response_code', 'verb', 'resource_kind', 'resource_namespace', 'dry_run'],
    );
    this.#reconciles = histogram('argocd_app_reconcile', 'Application reconciliation performance in seconds.', [
      'namespace',
      'dest_server',
    ]);
    this.#clusterEvents = counter('argocd_cluster_events_total', 'Number of processes k8s resource events.', [
      'server',
      'group',
      'kind',
    ]);
    this.#batches = histogram('argocd_resource_events_processing', 'Time to process resource events in seconds.', [
      'server',
    ]);
    this.#batchSize = gauge(
      'argocd_resource_events_processed_in_batch',
      'Number of resource events processed in batch',
      ['server'],
    );
    counter('argocd_kubectl_exec_total', 'Number of kubectl executions', ['hostname', 'command']);
    gauge('argocd_kubectl_exec_pending', 'Number of pending kubectl executions', ['hostname', 'command'], (it) =>
      it.set({ hostname: hostname(), command: 'apply' }, 0),
    );
    counter('argocd_redis_request_total', 'Number of redis requests executed during application reconciliation.', [
      'hostname',
      'initiator',
      'command',
      'failed',
    ]);
    histogram(
      'argocd_redis_request_duration',
      'Redis requests duration.',
      ['hostname', 'initiator'],
      [0.01, 0.05, 0.1, 0.25, 0.5, 1],
    );
    this.#describeApplications(gauge, options);
    this.#describeClusters(gauge, options.clusterLabels ?? []);
    this.#kubectl = new KubectlMetrics(this.registry);
  }

  /** From where a scrape takes its facts; asked only then. */
  follow(sources: {
    applications: () => Iterable<ApplicationFacts>;
    /** An application by `namespace/name`. */
    application: (key: string) => Application | undefined;
    clusters: () => Iterable<ClusterFacts>;
    /** Of applications that want attention. */
    queue: WorkQueue;
  }): void {
    this.#applications = sources.applications;
    this.#application = sources.application;
    this.#clusters = sources.clusters;
    new QueueMeasures(this.registry).follow('app_reconciliation_queue', sources.queue);
  }

  /** A request to a cluster; counted for its application if it was made on behalf of one. */
  requested(record: RequestRecord): void {
    this.#kubectl.observe(record);
    const { caller, server, status } = record;
    const application = caller.application ? this.#application(caller.application) : undefined;
    const { verb, kind, namespace } = requestFacts(record.method, record.path, record.watch);
    this.#requests.inc({
      ...(application ? labelsOf(application) : { namespace: '', name: '', project: '' }),
      server: new URL(server).origin,
      response_code: String(status),
      verb,
      resource_kind: kind,
      resource_namespace: namespace,
      dry_run: String(application?.operation?.sync?.dryRun === true),
    });
  }

  reconciled(application: Application, server: string, milliseconds: number): void {
    this.#reconciles.observe(
      { namespace: application.metadata.namespace ?? '', dest_server: server },
      milliseconds / 1000,
    );
  }

  /** An operation has ended; its state tells how and how long it took. */
  synced(application: Application, server: string): void {
    const state = application.status?.operationState;
    if (!state?.finishedAt) return;
    const labels = { ...labelsOf(application), dest_server: server };
    this.#syncs.inc({ ...labels, phase: state.phase, dry_run: String(state.operation?.sync?.dryRun === true) });
    this.#syncSeconds.inc(labels, Math.max(0, (Date.parse(state.finishedAt) - Date.parse(state.startedAt)) / 1000));
  }

  /** A batch of changes of a cluster was dealt with. */
  changed(server: string, kinds: Iterable<{ group: string; kind: string }>, milliseconds: number): void {
    let size = 0;
    for (const { group, kind } of kinds) {
      this.#clusterEvents.inc({ server, group, kind });
      size += 1;
    }
    this.#batches.observe({ server }, milliseconds / 1000);
    this.#batchSize.set({ server }, size);
  }

  /** Forgets what was counted, so that series of things that are gone do not stay for ever (`--metrics-cache-expiration`). */
  expire(): void {
    this.registry.resetMetrics();
  }

  #describeApplications(
    gauge: (name: string, help: string, labels: readonly string[], collect: (gauge: Gauge) => void) => Gauge,
    { applicationLabels = [], applicationConditions = [] }: ControllerMetricsOptions,
  ): void {
    const info = ['autosync_enabled', 'repo', 'dest_server', 'dest_namespace', 'sync_status', 'health_status'];
    gauge('argocd_app_info', 'Information about application.', [...own, ...info, 'operation'], (it) => {
      for (const facts of this.#applications()) it.set(infoLabels(facts), 1);
    });
    gauge('argocd_app_orphaned_resources_count', 'Number of orphaned resources per application', own, (it) => {
      for (const { application, orphans } of this.#applications())
        if (orphans) it.set(labelsOf(application), orphans());
    });
    if (applicationLabels.length > 0)
      gauge(
        'argocd_app_labels',
        'Argo Application labels converted to Prometheus labels',
        [...own, ...applicationLabels.map(normalizedLabel)],
        (it) => {
          for (const { application } of this.#applications())
            it.set({ ...labelsOf(application), ...chosen(application.metadata.labels, applicationLabels) }, 1);
        },
      );
    if (applicationConditions.length > 0)
      gauge('argocd_app_condition', 'Report application conditions.', [...own, 'condition'], (it) => {
        for (const { application } of this.#applications())
          for (const { type } of application.status?.conditions ?? [])
            if (applicationConditions.includes(type)) it.inc({ ...labelsOf(application), condition: type });
      });
  }

  #describeClusters(
    gauge: (name: string, help: string, labels: readonly string[], collect: (gauge: Gauge) => void) => Gauge,
    clusterLabels: readonly string[],
  ): void {
    const each = (
      name: string,
      help: string,
      labels: readonly string[],
      value: (cluster: ClusterFacts) => [Record<string, string>, number],
    ) =>
      gauge(`argocd_cluster_${name}`, help, ['server', ...labels], (it) => {
        for (const cluster of this.#clusters()) {
          const [more, number] = value(cluster);
          it.set({ server: cluster.server, ...more }, number);
        }
      });
    each('info', 'Information about cluster.', ['k8s_version', 'name'], ({ version, name }) => [
      { k8s_version: version, name },
      1,
    ]);
    each('api_resource_objects', 'Number of k8s resource objects in the cache.', [], ({ objects }) => [{}, objects]);
    each('api_resources', 'Number of monitored kubernetes API resources.', [], ({ kinds }) => [{}, kinds]);
    each('cache_age_seconds', 'Cluster cache age in seconds.', [], ({ syncedAt }) => [
      {},
      syncedAt === undefined ? -1 : Math.max(0, Math.floor((Date.now() - syncedAt) / 1000)),
    ]);
    each(
      'connection_status',
      'The k8s cluster current connection status.',
      ['k8s_version'],
      ({ version, connected }) => [{ k8s_version: version }, connected ? 1 : 0],
    );
    if (clusterLabels.length > 0)
      each(
        'labels',
        'Argo Cluster labels converted to Prometheus labels',
        ['name', ...clusterLabels.map(normalizedLabel)],
        ({ name, labels }) => [{ name, ...chosen(labels, clusterLabels) }, 1],
      );
  }
}

function labelsOf({ metadata, spec }: Application): Record<'namespace' | 'name' | 'project', string> {
  return {
    namespace: metadata.namespace ?? '',
    name: metadata.name ?? '',
    project: spec.project || 'default',
  };
}

function infoLabels({ application, server }: ApplicationFacts): Record<string, string> {
  const { metadata, spec, status, operation } = application;
  const source = spec.sources?.[0] ?? spec.source;
  const automated = spec.syncPolicy?.automated;
  return {
    ...labelsOf(application),
    autosync_enabled: String(automated !== undefined && automated.enabled !== false),
    repo: redact(normalizeRepositoryUrl(source?.repoURL ?? '')),
    dest_server: server,
    dest_namespace: spec.destination.namespace ?? '',
    sync_status: status?.sync?.status || 'Unknown',
    health_status: status?.health?.status || 'Unknown',
    operation: metadata.deletionTimestamp ? 'delete' : operation?.sync ? 'sync' : '',
  };
}

function normalizedLabel(label: string): string {
  return `label_${label.replace(/[^a-zA-Z0-9_]/g, '_')}`;
}

function chosen(
  labels: Readonly<Record<string, string>> | undefined,
  names: readonly string[],
): Record<string, string> {
  return Object.fromEntries(names.map((name) => [normalizedLabel(name), labels?.[name] ?? '']));
}

/** A scrape is read by many; what a URL has before its host is nobody's business. */
