import type { QueueNames } from '@tiphys/controller';
import { Counter, type CounterConfiguration, Gauge, Histogram, type Registry } from 'prom-client';

export type ErrorCause = 'OperationPanic' | 'CronWorkflowSubmissionError' | 'CronWorkflowSpecError';

/** Who runs and what is known when metrics are read. */
export interface WorkflowCounts {
  phases(): Iterable<readonly [phase: string, count: number]>;
  pods(): Iterable<readonly [phase: string, count: number]>;
  /** `TYPE/STATUS` of workflows' conditions. */
  conditions(): Iterable<readonly [condition: string, count: number]>;
  locks(): Iterable<{ readonly name: string; readonly held: number; readonly pending: number }>;
  /** Keys that have a worker, by name of the queue. */
  queues(): Iterable<{ readonly name: string; readonly busy: number }>;
  isLeader(): boolean;
}

export type ControllerMetrics = ReturnType<typeof controllerMetrics>;

const seconds = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 60, 180];
const runtimes = [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10_000];

/** What the controller measures of itself, by Argo Workflows' names. Labels are named in the order in which they are shown. */
export function controllerMetrics(registry: Registry, counts: WorkflowCounts) {
  const registers = [registry];
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[] = []) =>
    new Counter<L>({ name: `argo_workflows_${name}`, help, labelNames, registers } as CounterConfiguration<L>);
  const histogram = <L extends string>(
    name: string,
    help: string,
    options: { buckets: number[]; labelNames?: readonly L[] },
  ) => new Histogram<L>({ name: `argo_workflows_${name}`, help, labelNames: [], ...options, registers });
  addGauges(registry, counts);
  const metrics = {
    podsCreated: counter('pods_created_total', 'Pods created'),
    total: counter('total_count', 'Workflows that have entered each phase', ['namespace', 'phase']),
    templates: counter('workflowtemplate_triggered_total', 'Workflows of a template that have entered each phase', [
      'cluster_scope',
      'name',
      'namespace',
      'phase',
    ]),
    templateRuntimes: histogram('workflowtemplate_runtime', 'Seconds that workflows of a template ran', {
      buckets: runtimes,
      labelNames: ['cluster_scope', 'name', 'namespace'],
    }),
    podsTotal: counter('pods_total_count', 'Pods that have entered each phase', ['namespace', 'phase']),
    podsPending: counter('pod_pending_count', 'Pods that began to wait, by reason', ['namespace', 'reason']),
    podsMissing: counter('pod_missing', 'Pods that are gone', ['node_phase', 'recently_started']),
    podRestarts: counter('pod_restarts_total', 'Pods created again as their first one never ran', [
      'namespace',
      'reason',
    ]),
    requests: counter('k8s_request_total', 'Requests to the Kubernetes API', ['kind', 'status_code', 'verb']),
    requestDurations: histogram('k8s_request_duration', 'Seconds that requests to the Kubernetes API took', {
      buckets: seconds,
      labelNames: ['kind', 'status_code', 'verb'],
    }),
    rateLimiter: histogram('client_rate_limiter_latency', 'Seconds that requests waited for a limit of the client', {
      buckets: [0.01, 0.1, 0.5, 1, 5, 10, 30, 60, 180],
    }),
    resourceLimiter: histogram('resource_rate_limiter_latency', 'Seconds that pods waited for resourceRateLimit', {
      buckets: [0, 0.1, 0.5, 1, 5, 10, 30, 60, 180],
    }),
    locksTaken: counter('locks_taken_total', 'Times that locks were taken', lockLabelNames),
    version: counter('version', 'The version of this controller', ['platform', 'version']),
    passes: histogram('operation_duration_seconds', 'Seconds that one pass over a workflow took', {
      buckets: [5, 10, 15, 20, 25, 30],
    }),
    logs: counter('log_messages', 'Messages of the controller, by level', ['level']),
    errors: counter('error_count', 'Errors of the controller, by cause', ['cause']),
    cronTriggered: counter('cronworkflows_triggered_total', 'Times that CronWorkflows were due', ['name', 'namespace']),
    cronPolicies: counter('cronworkflows_concurrencypolicy_triggered', 'Times that a concurrencyPolicy applied', [
      'concurrency_policy',
      'name',
      'namespace',
    ]),
  };
  for (const level of ['debug', 'info', 'warning', 'error']) metrics.logs.inc({ level }, 0);
  for (const cause of ['OperationPanic', 'CronWorkflowSubmissionError', 'CronWorkflowSpecError'])
    metrics.errors.inc({ cause }, 0);
  return metrics;
}

const lockLabelNames = ['lock_name', 'namespace', 'storage', 'type'] as const;

/** How upstream calls what it measures of its queues, with its buckets. */
export const queueNames: QueueNames = {
  adds: 'argo_workflows_queue_adds_count',
  retries: 'argo_workflows_queue_retries',
  depth: 'argo_workflows_queue_depth_gauge',
  waits: 'argo_workflows_queue_latency',
  works: 'argo_workflows_queue_duration',
  unfinished: 'argo_workflows_queue_unfinished_work',
  longest: 'argo_workflows_queue_longest_running',
  labels: ['queue_name'],
  buckets: { waits: [1, 5, 20, 60, 180], works: seconds },
};

type Reading = readonly [labels: Record<string, string>, value: number];

/** Gauges are read when they are asked for. */
function addGauges(registry: Registry, counts: WorkflowCounts): void {
  const gauge = (name: string, help: string, labelNames: string[], read: () => Iterable<Reading>) =>
    new Gauge({
      name: `argo_workflows_${name}`,
      help,
      labelNames,
      registers: [registry],
      collect() {
        this.reset();
        for (const [labels, value] of read()) this.set(labels, value);
      },
    });
  const byPhase = (read: () => Iterable<readonly [string, number]>) => () =>
    [...read()].map(([phase, count]) => [{ phase }, count] as const);
  const locks = [...lockLabelNames];
  gauge('gauge', 'Workflows in the cluster, by phase', ['phase'], byPhase(counts.phases));
  gauge('pods_gauge', 'Pods of workflows in the cluster, by phase', ['phase'], byPhase(counts.pods));
  gauge('workflow_condition', 'Workflows with a condition', ['status', 'type'], () =>
    [...counts.conditions()].map(([condition, count]) => {
      const [type = '', status = ''] = condition.split('/');
      return [{ status, type }, count] as const;
    }),
  );
  gauge('locks_held', 'Holders of locks', locks, () =>
    [...counts.locks()].map(({ name, held }) => [lockLabels(name), held] as const),
  );
  gauge('locks_pending', 'Those who wait for locks', locks, () =>
    [...counts.locks()].map(({ name, pending }) => [lockLabels(name), pending] as const),
  );
  gauge('workers_busy_count', 'Workers that are busy', ['worker_type'], () =>
    [...counts.queues()].map(({ name, busy }) => [{ worker_type: name }, busy] as const),
  );
  gauge('is_leader', '1 if this process works on workflows', [], () => [[{}, counts.isLeader() ? 1 : 0]]);
}

/** Names of locks are `NAMESPACE/Mutex/NAME` and `NAMESPACE/ConfigMap/NAME/KEY`. */
export function lockLabels(name: string): Record<(typeof lockLabelNames)[number], string> {
  const [namespace = '', kind = '', ...rest] = name.split('/');
  const isDatabase = kind === 'Database';
  return {
    lock_name: rest.join('/'),
    namespace,
    storage: isDatabase ? 'database' : 'configmap',
    type: kind === 'Mutex' ? 'mutex' : 'semaphore',
  };
}
