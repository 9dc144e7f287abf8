import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { MetricSample } from '../machine/facts.ts';

type Metric = Gauge<string> | Counter<string> | Histogram<string>;

export interface WorkflowCounts {
  phases(): Iterable<readonly [phase: string, count: number]>;
  pods(): Iterable<readonly [phase: string, count: number]>;
}

/** Metrics of workflows by Argo Workflows' names, and those that workflows define themselves. */
export class WorkflowMeasures {
  readonly #registry: Registry;
  readonly #custom = new Map<string, { metric: Metric; shape: string }>();
  readonly #realtime = new Map<string, { workflow: string; since: number; sample: MetricSample }>();
  readonly #now: () => number;
  readonly #created: Counter;
  readonly #total: Counter<string>;

  constructor(registry: Registry, counts: WorkflowCounts, now: () => number) {
    this.#registry = registry;
    this.#now = now;
    const registers = [registry];
    this.#created = new Counter({ name: 'argo_workflows_pods_created_total', help: 'Pods created', registers });
    this.#total = new Counter({
      name: 'argo_workflows_total_count',
      help: 'Total count of workflows by phase and namespace',
      labelNames: ['phase', 'namespace'],
      registers,
    });
    new Gauge({
      name: 'argo_workflows_gauge',
      help: 'Number of Workflows currently in the cluster by status',
      labelNames: ['phase'],
      registers,
      collect() {
        this.reset();
        for (const [phase, count] of counts.phases()) this.set({ phase }, count);
      },
    });
    new Gauge({
      name: 'argo_workflows_pods_gauge',
      help: 'Number of Pods from Workflows currently in the cluster by status',
      labelNames: ['phase'],
      registers,
      collect() {
        this.reset();
        for (const [phase, count] of counts.pods()) this.set({ phase }, count);
      },
    });
  }

  podCreated(): void {
    this.#created.inc();
  }

  phaseChanged(phase: string, namespace: string): void {
    this.#total.inc({ phase, namespace });
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
          if (`argo_workflows_${sample.name}` === name) this.set(sample.labels, (now() - since) / 1000);
      },
    });
  }
}

function record(metric: Metric, { labels, value, operation }: MetricSample): void {
  if (metric instanceof Histogram) metric.observe(labels, value);
  else if (metric instanceof Counter) metric.inc(labels, Math.max(value, 0));
  else if (operation === 'Add') metric.inc(labels, value);
  else if (operation === 'Sub') metric.dec(labels, value);
  else metric.set(labels, value);
}
