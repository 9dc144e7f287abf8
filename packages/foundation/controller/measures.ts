import type { WorkQueue } from '@tiphys/kubernetes';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import { QueueMeasures } from './queue-measures.ts';

interface Metrics {
  readonly passes: Histogram<'controller'>;
  readonly errors: Counter<'controller'>;
  readonly depths: Map<string, () => number>;
}

/** The metrics of each registry: the controllers of a process share one. */
const registered = new WeakMap<Registry, Metrics>();

/** What every controller measures of itself. Controllers that share a registry share the metrics, told apart by `controller`. */
export class ControllerMeasures {
  readonly #metrics: Metrics;
  readonly #queues: QueueMeasures;

  constructor(registry: Registry) {
    this.#queues = new QueueMeasures(registry);
    this.#metrics = registered.get(registry) ?? register(registry);
  }

  /** Measures a controller's queue, by `workqueue_*` under the name that dashboards know it by. */
  follow(controller: string, queue: WorkQueue, queueName = controller): void {
    this.#metrics.depths.set(controller, () => queue.depth);
    this.followQueue(queueName, queue);
  }

  /** Measures a queue of another loop than a controller's. */
  followQueue(name: string, queue: WorkQueue): void {
    this.#queues.follow(name, queue);
  }

  passed(controller: string, milliseconds: number): void {
    this.#metrics.passes.observe({ controller }, milliseconds / 1000);
  }

  failed(controller: string): void {
    this.#metrics.errors.inc({ controller });
  }
}

function register(registry: Registry): Metrics {
  const depths = new Map<string, () => number>();
  const metrics: Metrics = {
    passes: new Histogram({
      name: 'tiphys_reconcile_duration_seconds',
      help: 'Time that one pass over an object took',
      labelNames: ['controller'],
      buckets: [0.001, 0.01, 0.1, 1, 10],
      registers: [registry],
    }),
    errors: new Counter({
      name: 'tiphys_reconcile_errors_total',
      help: 'Passes that failed and are tried again',
      labelNames: ['controller'],
      registers: [registry],
    }),
    depths,
  };
  new Gauge({
    name: 'tiphys_queue_depth',
    help: 'Objects that wait for a worker',
    labelNames: ['controller'],
    registers: [registry],
    collect() {
      for (const [controller, depth] of depths) this.set({ controller }, depth());
    },
  });
  registered.set(registry, metrics);
  return metrics;
}
