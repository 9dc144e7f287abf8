import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

/** The measures of one registry. */
interface Measures {
  readonly passes: Histogram<'controller'>;
  readonly errors: Counter<'controller'>;
  readonly depths: Map<string, () => number>;
}

/** Families that run in one process share its registry, which takes each name once. */
const registered = new WeakMap<Registry, Measures>();

function register(registry: Registry): Measures {
  const depths = new Map<string, () => number>();
  new Gauge({
    name: 'tiphys_queue_depth',
    help: 'Objects that wait for a worker',
    labelNames: ['controller'],
    registers: [registry],
    collect() {
      for (const [controller, depth] of depths) this.set({ controller }, depth());
    },
  });
  return {
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
}

/** What every controller measures of itself, in one registry of Prometheus; there may be several of these for one registry. */
export class ControllerMeasures {
  readonly #measures: Measures;

  constructor(registry: Registry) {
    const known = registered.get(registry);
    this.#measures = known ?? register(registry);
    if (!known) registered.set(registry, this.#measures);
  }

  /** Shows the depth of a controller's queue. */
  follow(controller: string, depth: () => number): void {
    this.#measures.depths.set(controller, depth);
  }

  passed(controller: string, milliseconds: number): void {
    this.#measures.passes.observe({ controller }, milliseconds / 1000);
  }

  failed(controller: string): void {
    this.#measures.errors.inc({ controller });
  }
}
