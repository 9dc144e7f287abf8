import type { QueueObserver, WorkQueue } from '@tiphys/kubernetes';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** As the Go client's: from 10 ns in steps of ten. */
const buckets = Array.from({ length: 12 }, (_, index) => 10 ** (index - 8));

interface Observed {
  readonly queue: WorkQueue;
  readonly working: ReadonlyMap<string, number>;
}

interface Metrics {
  readonly adds: Counter<'name' | 'controller'>;
  readonly retries: Counter<'name' | 'controller'>;
  readonly waits: Histogram<'name' | 'controller'>;
  readonly works: Histogram<'name' | 'controller'>;
  readonly observed: Map<string, Observed>;
}

const registered = new WeakMap<Registry, Metrics>();

/** What dashboards of Go controllers read of their queues, under the same names: `workqueue_*`, told apart by `name`. */
export class QueueMeasures {
  readonly #metrics: Metrics;

  constructor(registry: Registry) {
    this.#metrics = registered.get(registry) ?? register(registry);
  }

  /** Measures a queue from now on. A queue that takes another's name takes its place. */
  follow(name: string, queue: WorkQueue): void {
    const { adds, retries, waits, works, observed } = this.#metrics;
    const labels = { name, controller: name };
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

function register(registry: Registry): Metrics {
  const labelNames = ['name', 'controller'] as const;
  const registers = [registry];
  const observed = new Map<string, Observed>();
  const counter = (name: string, help: string) => new Counter({ name, help, labelNames, registers });
  const histogram = (name: string, help: string) => new Histogram({ name, help, labelNames, registers, buckets });
  const gauge = (name: string, help: string, value: (queue: Observed) => number) =>
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      collect() {
        for (const [queue, each] of observed) this.set({ name: queue, controller: queue }, value(each));
      },
    });
  const ages = ({ queue, working }: Observed) => [...working.values()].map((since) => secondsBetween(since, queue.now));
  gauge('workqueue_depth', 'Current depth of workqueue', ({ queue }) => queue.depth);
  gauge('workqueue_unfinished_work_seconds', 'How long what is worked on now has taken, in sum', (each) =>
    ages(each).reduce((sum, age) => sum + age, 0),
  );
  gauge('workqueue_longest_running_processor_seconds', 'How long the longest of what is worked on has taken', (each) =>
    ages(each).reduce((longest, age) => Math.max(longest, age), 0),
  );
  const metrics: Metrics = {
    adds: counter('workqueue_adds_total', 'Keys that were added to the queue'),
    retries: counter('workqueue_retries_total', 'Keys that were added after a failure or an appointment'),
    waits: histogram('workqueue_queue_duration_seconds', 'How long a key waits for a worker'),
    works: histogram('workqueue_work_duration_seconds', 'How long a worker takes for a key'),
    observed,
  };
  registered.set(registry, metrics);
  return metrics;
}
