import type { QueueObserver, WorkQueue } from '@tiphys/kubernetes';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** How the metrics of queues are called, by what dashboards know. */
export interface QueueNames {
  readonly adds: string;
  readonly retries: string;
  readonly depth: string;
  /** In seconds, as all below. */
  readonly waits: string;
  readonly works: string;
  readonly unfinished: string;
  readonly longest: string;
  /** Labels that have the name of the queue. */
  readonly labels: readonly string[];
  readonly buckets: { readonly waits: readonly number[]; readonly works: readonly number[] };
}

/** As the Go client's: from 10 ns in steps of ten. */
const buckets = Array.from({ length: 12 }, (_, index) => 10 ** (index - 8));

const usualNames: QueueNames = {
  adds: 'workqueue_adds_total',
  retries: 'workqueue_retries_total',
  depth: 'workqueue_depth',
  waits: 'workqueue_queue_duration_seconds',
  works: 'workqueue_work_duration_seconds',
  unfinished: 'workqueue_unfinished_work_seconds',
  longest: 'workqueue_longest_running_processor_seconds',
  labels: ['name', 'controller'],
  buckets: { waits: buckets, works: buckets },
};

interface Observed {
  readonly queue: WorkQueue;
  readonly working: ReadonlyMap<string, number>;
}

interface Metrics {
  readonly adds: Counter;
  readonly retries: Counter;
  readonly waits: Histogram;
  readonly works: Histogram;
  readonly observed: Map<string, Observed>;
}

/** Of each registry, by what depths are called there. */
const registered = new WeakMap<Registry, Map<string, Metrics>>();

/**
 * What dashboards of Go controllers read of their queues, under the same names: `workqueue_*`, told apart by `name`, or those of a family of
 * its own.
 */
export class QueueMeasures {
  readonly #metrics: Metrics;
  readonly #labels: readonly string[];

  constructor(registry: Registry, names: QueueNames = usualNames) {
    const all = registered.get(registry) ?? new Map<string, Metrics>();
    registered.set(registry, all);
    this.#metrics = all.get(names.depth) ?? register(registry, names);
    all.set(names.depth, this.#metrics);
    this.#labels = names.labels;
  }

  /** Measures a queue from now on. A queue that takes another's name takes its place. */
  follow(name: string, queue: WorkQueue): void {
    const { adds, retries, waits, works, observed } = this.#metrics;
    const labels = labelsOf(this.#labels, name);
    const waiting = new Map<string, number>();
    const working = new Map<string, number>();
    adds.inc(labels, 0);
    retries.inc(labels, 0);
    const observer: QueueObserver = {
      added(key, now) {
        if (waiting.has(key)) return;
        waiting.set(key, now);
        adds.inc(labels);
      },
      taken(key, now) {
        waits.observe(labels, secondsBetween(waiting.get(key) ?? now, now));
        waiting.delete(key);
        working.set(key, now);
      },
      ended(key, now) {
        works.observe(labels, secondsBetween(working.get(key) ?? now, now));
        working.delete(key);
      },
      delayed: () => retries.inc(labels),
    };
    queue.observe(observer);
    observed.set(name, { queue, working });
  }
}

/** Clocks may be set back. */
function secondsBetween(from: number, to: number): number {
  return Math.max(0, to - from) / 1000;
}

function labelsOf(names: readonly string[], queue: string): Record<string, string> {
  return Object.fromEntries(names.map((name) => [name, queue]));
}

function register(registry: Registry, names: QueueNames): Metrics {
  const labelNames = [...names.labels];
  const registers = [registry];
  const observed = new Map<string, Observed>();
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  const histogram = (kind: 'waits' | 'works', help: string) =>
    new Histogram({ name: names[kind], help, labelNames, registers, buckets: [...names.buckets[kind]] });
  const gauge = (name: string, help: string, value: (queue: Observed) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        for (const [queue, each] of observed) this.set(labelsOf(labelNames, queue), value(each));
      },
    });
  const ages = ({ queue, working }: Observed) => [...working.values()].map((since) => secondsBetween(since, queue.now));
  gauge(names.depth, 'Current depth of workqueue', ({ queue }) => queue.depth);
  gauge(names.unfinished, 'How long what is worked on now has taken, in sum', (each) =>
    ages(each).reduce((sum, age) => sum + age, 0),
  );
  gauge(names.longest, 'How long the longest of what is worked on has taken', (each) =>
    ages(each).reduce((longest, age) => Math.max(longest, age), 0),
  );
  return {
    adds: counter(names.adds, 'Keys that were added to the queue'),
    retries: counter(names.retries, 'Keys that were added after a failure or an appointment'),
    waits: histogram('waits', 'How long a key waits for a worker'),
    works: histogram('works', 'How long a worker takes for a key'),
    observed,
  };
}
