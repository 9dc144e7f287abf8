import type { Clock } from '@tiphys/kubernetes';
import type { KeyReader } from '../keys/key-reader.ts';
import type { BusConfig } from '../spec/event-bus.ts';
import type { Log } from '../trace/log.ts';
import type { Bus } from './bus.ts';
import { EmbeddedBus } from './embedded/embedded-bus.ts';
import type { EventLog } from './embedded/event-log.ts';

export interface OpenBusOptions {
  readonly config: BusConfig;
  readonly namespace: string;
  /** Of the EventBus. */
  readonly name: string;
  readonly keys: KeyReader;
  readonly clock: Clock;
  readonly log: Log;
  /** The log of embedded buses; a process without one has none. */
  readonly eventLog: (() => EventLog) | undefined;
}

/** No bus of ours has this configuration. */
export class BusUnavailable extends Error {}

/** Connects to the bus of a configuration. Clients are loaded only when they are needed. */
export async function openBus(options: OpenBusOptions): Promise<Bus> {
  const { config, eventLog, clock, namespace, name } = options;
  if (config.embedded) {
    if (!eventLog)
      throw new BusUnavailable(
        'an embedded bus is in another process; dedicated pods need JetStream, NATS Streaming or Kafka',
      );
    return new EmbeddedBus(eventLog(), `${namespace}/${name}`, clock);
  }
  if (config.jetstream)
    return (await import('./jetstream/jetstream-bus.ts')).openJetStreamBus(config.jetstream, options.keys);
  if (config.nats)
    return (await import('./stan/stan-bus.ts')).openStanBus(config.nats, options.keys, `eventbus-${namespace}`);
  if (config.kafka) return (await import('./kafka/kafka-bus.ts')).openKafkaBus(config.kafka, options.keys);
  throw new BusUnavailable('the EventBus has no configuration yet');
}
