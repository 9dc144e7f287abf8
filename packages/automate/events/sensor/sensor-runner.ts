import type { Diagnosis } from '@tiphys/diagnosis';
import type { Client, Clock } from '@tiphys/kubernetes';
import type { Bus } from '../bus/bus.ts';
import { EvaluateError } from '../govaluate/tokens.ts';
import type { KeyReader } from '../keys/key-reader.ts';
import type { Sensor, Trigger } from '../spec/sensor.ts';
import type { Journal } from '../trace/journal.ts';
import { type Log, withFields } from '../trace/log.ts';
import type { EventsMetrics } from '../trace/metrics.ts';
import { onceAnnotation } from '../trigger/once.ts';
import { Connections, type TriggerContext } from '../trigger/trigger.ts';
import { conditionFailure } from '../trouble/diagnoses.ts';
import { Troubles } from '../trouble/troubles.ts';
import { Actor } from './action.ts';
import { parseCondition } from './condition.ts';
import { TriggerRunner } from './trigger-runner.ts';

export interface SensorRunnerOptions {
  readonly sensor: Sensor;
  readonly bus: Bus;
  readonly client: Client;
  readonly keys: KeyReader;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly journal: Journal;
  readonly metrics?: EventsMetrics | undefined;
  readonly scratch: string;
  /** Who the client is to the cluster, where this process runs sensors for others; absent where it is the sensor's own. */
  readonly actsAs?: string | undefined;
  /** Called when there is something else to say of what does not work. */
  readonly changed?: () => void;
}

/** Runs a sensor: each of its triggers takes events from the bus by itself. */
export class SensorRunner {
  readonly #options: SensorRunnerOptions;
  readonly #context: TriggerContext;
  readonly #stop = new AbortController();
  readonly #triggers: TriggerRunner[] = [];
  readonly #problems = new Map<string, string>();
  readonly #troubles: Troubles;
  #halted: string | undefined;

  constructor(options: SensorRunnerOptions) {
    this.#options = options;
    this.#troubles = new Troubles(() => options.changed?.());
    const { metadata, spec } = options.sensor;
    const { client, keys, clock, random, scratch, actsAs } = options;
    this.#context = {
      client,
      keys,
      clock,
      random,
      scratch,
      actsAs,
      isOnce: metadata.annotations?.[onceAnnotation] === 'true',
      namespace: metadata.namespace ?? '',
      sensorName: metadata.name ?? '',
      log: withFields(options.log, { ...spec.loggingFields, sensorName: metadata.name }),
      connections: new Connections(),
    };
  }

  /** What does not work now: triggers that never run, actions, transformations and filters that fail. */
  get diagnoses(): readonly Diagnosis[] {
    const { namespace, name } = this.#options.sensor.metadata;
    const never = [...this.#problems].map(([trigger, reason]) =>
      conditionFailure(trigger, reason, `argoproj.io/Sensor ${namespace}/${name}`),
    );
    return [...never, ...this.#troubles.list()];
  }

  /** Triggers that never run, and why. */
  get problems(): ReadonlyMap<string, string> {
    return this.#problems;
  }

  /** Resolves when every trigger hears of events from now on. */
  async start(): Promise<void> {
    for (const trigger of this.#options.sensor.spec.triggers ?? []) {
      const runner = this.#runnerOf(trigger);
      if (runner) this.#triggers.push(runner);
    }
    const started = await Promise.allSettled(this.#triggers.map((runner) => runner.start()));
    // all have settled: anyone who closes the sensor now closes every consumer that was made
    const failed = started.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    this.#context.log('info', 'Sensor started.');
  }

  async close(): Promise<void> {
    this.#stop.abort(new Error('the sensor stops'));
    await Promise.all(this.#triggers.map((runner) => runner.close()));
    await this.#context.connections.close();
  }

  #runnerOf(trigger: Trigger): TriggerRunner | undefined {
    const { sensor, bus, journal, metrics } = this.#options;
    const dependencies = sensor.spec.dependencies ?? [];
    const name = trigger.template?.name ?? '';
    const { signal } = this.#stop;
    this.#initMetrics(name);
    try {
      const condition = parseCondition(
        trigger.template?.conditions ?? '',
        dependencies.map((dependency) => dependency.name),
      );
      const onFailed = () => {
        if (sensor.spec.errorOnFailedRound) this.#halted ??= `trigger ${name} failed and errorOnFailedRound is set`;
      };
      const context = { ...this.#context, log: withFields(this.#context.log, { triggerName: name }) };
      const actor = new Actor({ trigger, context, journal, metrics, signal, onFailed, troubles: this.#troubles });
      return new TriggerRunner({
        trigger,
        condition,
        dependencies,
        bus,
        actor,
        context,
        journal,
        troubles: this.#troubles,
        signal,
        halted: () => this.#halted,
      });
    } catch (error) {
      if (!(error instanceof EvaluateError)) throw error;
      this.#problems.set(name, error.message);
      this.#context.log('error', 'failed to get dependency expression', { triggerName: name, error: error.message });
      return undefined;
    }
  }

  #initMetrics(trigger_name: string): void {
    const { metrics, sensor } = this.#options;
    const labels = {
      namespace: sensor.metadata.namespace ?? '',
      sensor_name: sensor.metadata.name ?? '',
      trigger_name,
    };
    metrics?.triggered.inc(labels, 0);
    metrics?.failed.inc(labels, 0);
    metrics?.retriesFailed.inc(labels, 0);
  }
}
