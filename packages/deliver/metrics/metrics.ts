import type { RequestRecord } from '@tiphys/kubernetes';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { ControllerMetrics, type ControllerMetricsOptions } from './controller-metrics.ts';
import { RepositoryMetrics } from './repository-metrics.ts';
import { ServerMetrics } from './server-metrics.ts';

export interface MetricsOptions extends ControllerMetricsOptions {
  /** Version of Tiphys. */
  readonly version: string;
}

/** Everything that one process measures, parted as Argo CD's processes part it. */
export class Metrics {
  readonly controller: ControllerMetrics;
  readonly server: ServerMetrics;
  readonly repositories = new RepositoryMetrics();
  /** Of the families of controllers beside Argo CD's core; shown with the controller's, and alone where one runs alone. */
  readonly families = { registry: new Registry() };
  readonly #listeners = new Set<(record: RequestRecord) => void>();
  /** Of the process itself, shown with each of the three. */
  readonly #process = new Registry();

  constructor({ version, ...options }: MetricsOptions) {
    this.controller = new ControllerMetrics(options);
    this.server = new ServerMetrics(version);
    collectDefaultMetrics({ register: this.#process });
  }

  /** For `connect`: counts a request where its component is shown. */
  requested = (record: RequestRecord): void => {
    for (const listener of this.#listeners) listener(record);
    if (record.caller.component === 'controller') this.controller.requested(record);
    else this.server.kubectl.observe(record);
  };

  /** Tells a listener of every request too. */
  listen = (listener: (record: RequestRecord) => void): void => {
    this.#listeners.add(listener);
  };

  /** The text of one of the parts, in Prometheus' format. */
  async text(part: 'controller' | 'server' | 'repositories' | 'families'): Promise<string> {
    const registries = [this[part].registry, ...(part === 'controller' ? [this.families.registry] : []), this.#process];
    const text = (await Promise.all(registries.map((registry) => registry.metrics()))).join('\n');
    return part === 'families' ? boundsLast(text) : text;
  }
}

/** Labels of buckets as Go's libraries write them, the bound behind the others: there are scripts that look for that text. */
function boundsLast(text: string): string {
  return text
    .split('\n')
    .map((line) => {
      const bound = line.indexOf('{le="');
      const end = line.indexOf('",', bound);
      const close = line.lastIndexOf('} ');
      if (bound < 0 || end < 0 || close < end) return line;
      return `${line.slice(0, bound + 1)}${line.slice(end + 2, close)},${line.slice(bound + 1, end + 1)}${line.slice(close)}`;
    })
    .join('\n');
}
