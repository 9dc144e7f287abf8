import { createHash } from 'node:crypto';
import { keyOf } from '@tiphys/controller';
import type { Diagnosis } from '@tiphys/diagnosis';
import type { Client, Clock } from '@tiphys/kubernetes';
import { clusterKeys } from '../keys/key-reader.ts';
import { SensorRunner } from '../sensor/sensor-runner.ts';
import type { HttpRoutes } from '../source/http-routes.ts';
import { SourceRunner } from '../source/source-runner.ts';
import type { BusConfig } from '../spec/event-bus.ts';
import type { EventSource } from '../spec/event-source.ts';
import type { Sensor } from '../spec/sensor.ts';
import type { Journal } from '../trace/journal.ts';
import type { Log } from '../trace/log.ts';
import type { EventsMetrics } from '../trace/metrics.ts';
import type { BusPool } from './bus-pool.ts';

export interface WorkersOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly journal: Journal;
  readonly metrics: EventsMetrics | undefined;
  readonly http: HttpRoutes;
  readonly buses: BusPool;
  readonly scratch: string;
  /** Whether what runs here is, for the cluster, the service account of its object. */
  readonly impersonates: () => boolean;
  /** Called when something else does not work in a Sensor, with its key. */
  readonly changed?: (key: string) => void;
  /** The same of an EventSource. */
  readonly sourceChanged?: (key: string) => void;
}

/** The bus that an EventSource or a Sensor runs with. */
export interface ConnectedBus {
  readonly name: string;
  readonly config: BusConfig;
}

interface Worker {
  readonly hash: string;
  readonly problems: () => ReadonlyMap<string, string>;
  readonly diagnoses: () => readonly Diagnosis[];
  /** Starts anew what has failed for good. */
  revive(): void;
  close(): Promise<void>;
}

/** The event sources and sensors that run in this process. */
export class Workers {
  readonly #options: WorkersOptions;
  readonly #running = new Map<string, Worker>();

  constructor(options: WorkersOptions) {
    this.#options = options;
  }

  /** Runs an EventSource as it is now; gives what of it does not work, by event. */
  source(source: EventSource, bus: ConnectedBus): Promise<ReadonlyMap<string, string>> {
    return this.#apply(source, bus, (options) => {
      const { http, client, journal, metrics, clock, random, log } = this.#options;
      const keys = clusterKeys(client, source.metadata.namespace ?? '');
      const own = this.#clientAs(this.#accountOf(source));
      const changed = () => this.#options.sourceChanged?.(keyOf(source));
      const parts = { source, http, client: own, journal, metrics, clock, random, log, keys, changed };
      return new SourceRunner({ ...options, ...parts });
    });
  }

  /** Runs a Sensor as it is now; gives what of it does not work, by trigger. */
  sensor(sensor: Sensor, bus: ConnectedBus): Promise<ReadonlyMap<string, string>> {
    return this.#apply(sensor, bus, (options) => {
      const { client, journal, metrics, clock, random, log, scratch } = this.#options;
      const keys = clusterKeys(client, sensor.metadata.namespace ?? '');
      const actsAs = this.#accountOf(sensor);
      const changed = () => this.#options.changed?.(keyOf(sensor));
      return new SensorRunner({
        ...options,
        sensor,
        client: this.#clientAs(actsAs),
        actsAs,
        journal,
        metrics,
        clock,
        random,
        log,
        keys,
        scratch,
        changed,
      });
    });
  }

  /** Who what runs for an object is to the cluster; undefined for this process itself. */
  #accountOf({ metadata, spec }: EventSource | Sensor): string | undefined {
    if (!this.#options.impersonates()) return undefined;
    return `system:serviceaccount:${metadata.namespace}:${spec.template?.serviceAccountName || 'default'}`;
  }

  #clientAs(name: string | undefined): Client {
    const { client } = this.#options;
    return name === undefined ? client : client.impersonating({ name });
  }

  /** What does not work now in what runs for an object. */
  diagnoses(kind: 'EventSource' | 'Sensor', key: string): readonly Diagnosis[] {
    return this.#running.get(`${kind} ${key}`)?.diagnoses() ?? [];
  }

  /** Stops what runs for an object. */
  async stop(kind: 'EventSource' | 'Sensor', key: string): Promise<void> {
    const id = `${kind} ${key}`;
    const worker = this.#running.get(id);
    this.#running.delete(id);
    await worker?.close();
  }

  async close(): Promise<void> {
    const workers = [...this.#running.values()];
    this.#running.clear();
    await Promise.all(workers.map((worker) => worker.close()));
  }

  async #apply(
    object: EventSource | Sensor,
    { name, config }: ConnectedBus,
    make: (options: { bus: Awaited<ReturnType<BusPool['use']>>['bus'] }) => SourceRunner | SensorRunner,
  ): Promise<ReadonlyMap<string, string>> {
    const { kind } = object;
    const key = keyOf(object);
    const id = `${kind} ${key}`;
    const hash = createHash('sha256')
      .update(JSON.stringify([object.metadata.uid, object.spec, name, config]))
      .digest('hex');
    const known = this.#running.get(id);
    if (known?.hash === hash) {
      const problems = known.problems();
      known.revive();
      return problems;
    }
    await this.stop(kind as 'Sensor', key);
    const { bus, release } = await this.#options.buses.use(object.metadata.namespace ?? '', name, config);
    const runner = make({ bus });
    const close = async () => {
      await runner.close();
      await release();
    };
    try {
      await runner.start();
    } catch (error) {
      await close();
      throw error;
    }
    this.#running.set(id, {
      hash,
      problems: () => runner.problems,
      diagnoses: () => runner.diagnoses,
      revive: () => 'revive' in runner && runner.revive(),
      close,
    });
    return runner.problems;
  }
}
