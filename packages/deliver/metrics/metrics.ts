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
  /** Of the process itself, shown with each of the three. */
  readonly #process = new Registry();

  constructor({ version, ...options }: MetricsOptions) {
    this.controller = new ControllerMetrics(options);
    this.server = new ServerMetrics(version);
    collectDefaultMetrics({ register: this.#process });
  }

  /** For `connect`: counts a request where its component is shown. */
  requested = (record: RequestRecord): void => {
    if (record.asker.component === 'controller') this.controller.requested(record);
    else this.server.kubectl.observe(record);
  };

  /** The text of one of the three, in Prometheus' format. */
  async text(part: 'controller' | 'server' | 'repositories'): Promise<string> {
    return `${await this[part].registry.metrics()}\n${await this.#process.metrics()}`;
  }
}
