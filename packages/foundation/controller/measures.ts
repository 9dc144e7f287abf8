import { Counter, Gauge, Histogram, type Registry } from 'prom-client';

interface Measures {
  readonly passes: Histogram<'controller'>;
  readonly errors: Counter<'controller'>;
  readonly depths: Map<string, () => number>;
}

/** A registry takes each metric once, however many families measure themselves in it. */
const known = new WeakMap<Registry, Measures>();

function measuresOf(registry: Registry): Measures {
  const before = known.get(registry);
  if (before) return before;
  const depths = new Map<string, () => number>();
  const measures: Measures = {
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
  known.set(registry, measures);
  return measures;
}

/** What every controller measures of itself, in one registry of Prometheus that all controllers share. */
export class ControllerMeasures {
  readonly #passes: Histogram<'controller'>;
  readonly #errors: Counter<'controller'>;
  readonly #depths: Map<string, () => number>;

  constructor(registry: Registry) {
    const { passes, errors, depths } = measuresOf(registry);
    this.#passes = passes;
    this.#errors = errors;
    this.#depths = depths;
  }

  /** Shows the depth of a controller's queue. */
  follow(controller: string, depth: () => number): void {
    this.#depths.set(controller, depth);
  }

  passed(controller: string, milliseconds: number): void {
    this.#passes.observe({ controller }, milliseconds / 1000);
  }

  failed(controller: string): void {
    this.#errors.inc({ controller });
  }
}
