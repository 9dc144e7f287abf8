import { QueueMeasures } from '@tiphys/controller';
import type { RequestRecord, WorkQueue } from '@tiphys/kubernetes';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { isCompletedWorkflow } from '../../model/phases.ts';
import { timeOf } from '../../model/time.ts';
import type { Workflow } from '../../model/types.ts';
import type { MetricSample } from '../../operation/facts.ts';
import {
  type ControllerMetrics,
  controllerMetrics,
  type ErrorCause,
  lockLabels,
  queueNames,
  type WorkflowCounts,
} from './controller-metrics.ts';
import { requestOf } from './request-kind.ts';

type Metric = Gauge<string> | Counter<string> | Histogram<string>;

/** Metrics of workflows by Argo Workflows' names, and those that workflows define themselves. */
export class WorkflowMeasures {
  readonly #registry: Registry;
  readonly #custom = new Map<string, { metric: Metric; shape: string }>();
  readonly #realtime = new Map<string, { workflow: string; since: number; sample: MetricSample }>();
  readonly #now: () => number;
  readonly #own: ControllerMetrics;
  readonly #queues: QueueMeasures;

  constructor(
    registry: Registry,
    counts: WorkflowCounts,
    { now, version = '' }: { now: () => number; version?: string | undefined },
  ) {
    this.#registry = registry;
    this.#now = now;
    this.#own = controllerMetrics(registry, counts);
    this.#own.version.inc({ platform: `${process.platform}/${process.arch}`, version });
    this.#queues = new QueueMeasures(registry, queueNames);
  }

  /** Measures a queue, by the name that upstream has for it. */
  followQueue(name: string, queue: WorkQueue): void {
    this.#queues.follow(name, queue);
  }

  /** A lock was taken, by its name. */
  lockTaken(name: string): void {
    this.#own.locksTaken.inc(lockLabels(name));
  }

  podCreated(): void {
    this.#own.podsCreated.inc();
  }

  /** A pod was to be created, and had to wait so many milliseconds. */
  rateLimited(milliseconds: number): void {
    this.#own.resourceLimiter.observe(milliseconds / 1000);
  }

  /** What one pass has brought about. */
  passed(before: Workflow, after: Workflow, milliseconds: number): void {
    this.#own.passes.observe(milliseconds / 1000);
    this.#phase(before, after);
    const namespace = after.metadata.namespace ?? '';
    for (const node of Object.values(after.status?.nodes ?? {})) {
      const old = before.status?.nodes?.[node.id];
      if (node.phase === 'Pending' && node.message && node.message !== old?.message && node.type === 'Pod')
        this.#pending(node.message, namespace);
      if (node.message === 'pod deleted' && old?.message !== node.message)
        this.#own.podsMissing.inc({ node_phase: old?.phase ?? '', recently_started: 'false' });
      if ((node.failedPodRestarts ?? 0) > (old?.failedPodRestarts ?? 0))
        this.#own.podRestarts.inc({ namespace, reason: restartReason(node.message) });
    }
  }

  /** A pod was seen in a phase that it had not. */
  podPhaseChanged(phase: string, namespace: string): void {
    this.#own.podsTotal.inc({ namespace, phase });
  }

  requested(record: RequestRecord): void {
    const { kind, verb } = requestOf(record);
    const labels = { kind, status_code: String(record.status), verb };
    // there is no limit on this side: the API server's own priority and fairness hold requests back
    this.#own.rateLimiter.observe(0);
    this.#own.requests.inc(labels);
    this.#own.requestDurations.observe(labels, record.milliseconds / 1000);
  }

  logged(level: 'debug' | 'info' | 'warning' | 'error'): void {
    this.#own.logs.inc({ level });
  }

  failed(cause: ErrorCause): void {
    this.#own.errors.inc({ cause });
  }

  cronTriggered(name: string, namespace: string): void {
    this.#own.cronTriggered.inc({ name, namespace });
  }

  cronHeldBack(policy: string, name: string, namespace: string): void {
    this.#own.cronPolicies.inc({ concurrency_policy: policy, name, namespace });
  }

  #phase(before: Workflow, after: Workflow): void {
    const { status, metadata, spec } = after;
    const old = before.status?.phase;
    if (!status?.phase || status.phase === old) return;
    const namespace = metadata.namespace ?? '';
    const reference = spec.workflowTemplateRef;
    const template = reference && {
      cluster_scope: String(reference.clusterScope ?? false),
      name: reference.name,
      namespace,
    };
    for (const phase of old ? [status.phase] : ['New', status.phase]) {
      this.#own.total.inc({ namespace, phase });
      if (template) this.#own.templates.inc({ ...template, phase });
    }
    const [started, finished] = [timeOf(status.startedAt), timeOf(status.finishedAt)];
    if (template && isCompletedWorkflow(status.phase) && started !== undefined && finished !== undefined)
      this.#own.templateRuntimes.observe(template, (finished - started) / 1000);
  }

  #pending(message: string, namespace: string): void {
    const [reason = ''] = message.split(':');
    if (reason !== 'PodInitializing') this.#own.podsPending.inc({ namespace, reason });
  }

  /** Keeps one value of a metric that a workflow defines. A name that means something else already is left alone. */
  custom(sample: MetricSample, workflow: string): void {
    const name = `argo_workflows_${sample.name}`;
    if (!/^[a-zA-Z_:][a-zA-Z0-9_:]{0,200}$/.test(name)) return;
    const metric = this.#metric(name, sample);
    if (!metric) return;
    if (sample.realtimeSince !== undefined) {
      const id = `${name}${JSON.stringify(sample.labels)}`;
      this.#realtime.set(id, { workflow, since: sample.realtimeSince, sample });
    }
    record(metric, sample);
  }

  /** The workflow has ended: its clocks stand still. */
  stopRealtime(workflow: string): void {
    for (const [id, entry] of this.#realtime) if (entry.workflow === workflow) this.#realtime.delete(id);
  }

  #metric(name: string, sample: MetricSample): Metric | undefined {
    const labelNames = Object.keys(sample.labels).sort();
    const shape = `${sample.type} ${labelNames.join(',')}`;
    const known = this.#custom.get(name);
    if (known) return known.shape === shape ? known.metric : undefined;
    if (this.#registry.getSingleMetric(name)) return undefined;
    const base = { name, help: sample.help, labelNames, registers: [this.#registry] };
    const metric: Metric =
      sample.type === 'counter'
        ? new Counter(base)
        : sample.type === 'histogram'
          ? new Histogram({ ...base, ...(sample.buckets ? { buckets: [...sample.buckets] } : {}) })
          : this.#gauge(base, name);
    this.#custom.set(name, { metric, shape });
    return metric;
  }

  #gauge(
    base: { name: string; help: string; labelNames: string[]; registers: Registry[] },
    name: string,
  ): Gauge<string> {
    const realtime = this.#realtime;
    const now = this.#now;
    return new Gauge({
      ...base,
      collect() {
        for (const { since, sample } of realtime.values())
          if (`argo_workflows_${sample.name}` === name) this.set(sorted(sample.labels), (now() - since) / 1000);
      },
    });
  }
}

/** Labels in the order in which they are shown. */
function sorted(labels: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function restartReason(message = ''): string {
  return /due to (\w+)/.exec(message)?.[1] ?? '';
}

function record(metric: Metric, { labels: given, value, operation }: MetricSample): void {
  const labels = sorted(given);
  if (metric instanceof Histogram) metric.observe(labels, value);
  else if (metric instanceof Counter) metric.inc(labels, Math.max(value, 0));
  else if (operation === 'Add') metric.inc(labels, value);
  else if (operation === 'Sub') metric.dec(labels, value);
  else metric.set(labels, value);
}
