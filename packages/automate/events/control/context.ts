import type { ObjectStore } from '@tiphys/controller';
import type { Client } from '@tiphys/kubernetes';
import type { EventLog } from '../bus/embedded/event-log.ts';
import type { EventBus } from '../spec/event-bus.ts';
import type { EventSource } from '../spec/event-source.ts';
import type { Sensor } from '../spec/sensor.ts';
import type { MadeObjects } from './made-objects.ts';
import type { EventsSettings } from './settings.ts';
import type { Workers } from './workers.ts';

/** What the controllers of events share. */
export interface EventsContext {
  readonly client: Client;
  readonly settings: () => EventsSettings;
  readonly buses: ObjectStore<EventBus>;
  readonly sources: ObjectStore<EventSource>;
  readonly sensors: ObjectStore<Sensor>;
  readonly workers: Workers;
  readonly made: MadeObjects;
  readonly eventLog: () => EventLog;
  /** Address by which the cluster's pods reach this process; undefined where it is no pod. */
  readonly heardAt: string | undefined;
}

export const busFinalizer = 'eventbus-controller';
export const sourceFinalizer = 'eventsource-controller';
export const sensorFinalizer = 'sensor-controller';
