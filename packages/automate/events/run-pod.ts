import { Buffer } from 'node:buffer';
import { createServer } from 'node:http';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { type Client, type Clock, LeaderLease } from '@tiphys/kubernetes';
import { Registry } from 'prom-client';
import { openBus } from './bus/open-bus.ts';
import { mountedKeys } from './keys/mounted-keys.ts';
import { SensorRunner } from './sensor/sensor-runner.ts';
import { HttpRoutes } from './source/http-routes.ts';
import { SourceRunner } from './source/source-runner.ts';
import { eventsOf } from './source/validate-event-source.ts';
import type { BusConfig } from './spec/event-bus.ts';
import type { EventSource } from './spec/event-source.ts';
import type { Sensor } from './spec/sensor.ts';
import { Journal } from './trace/journal.ts';
import { jsonLog } from './trace/json-log.ts';
import { EventsMetrics } from './trace/metrics.ts';

const notInPod = defineDiagnosis(
  'EventsPodEnvironment',
  'run-source and run-sensor are for pods that the controller of events makes',
);
const metricsPort = 7777;

export interface PodOptions {
  readonly kind: 'EventSource' | 'Sensor';
  readonly client: Client;
  readonly env: NodeJS.ProcessEnv;
  readonly clock: Clock;
  /** Ends the pod. */
  readonly signal: AbortSignal;
  readonly write: (line: string) => void;
}

/** Runs one EventSource or Sensor in a pod of its own, as its environment says; resolves when the signal aborts. */
export async function runEventsPod({ kind, client, env, clock, signal, write }: PodOptions): Promise<void> {
  const object = decoded<EventSource | Sensor>(env, kind === 'Sensor' ? 'SENSOR_OBJECT' : 'EVENTSOURCE_OBJECT');
  const config = decoded<BusConfig>(env, 'EVENTBUS_CONFIG');
  const log = jsonLog({ write, level: env.LOG_LEVEL || 'info', now: clock.now });
  const registry = new Registry();
  const metrics = new EventsMetrics(registry);
  const server = createServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    void registry.metrics().then((text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text));
  });
  await new Promise<void>((resolve) => server.listen(metricsPort, resolve));
  const keys = mountedKeys();
  const { namespace = '', name = '' } = object.metadata;
  const work = async (during: AbortSignal) => {
    const bus = await openBus({
      config,
      namespace,
      name: env.EVENTBUS_NAME ?? 'default',
      keys,
      clock,
      log,
      eventLog: undefined,
    });
    const shared = { bus, client, keys, clock, random: Math.random, log, journal: new Journal(clock), metrics };
    const runner =
      kind === 'Sensor'
        ? new SensorRunner({ ...shared, sensor: object as Sensor, scratch: '/tmp' })
        : new SourceRunner({ ...shared, source: object as EventSource, http: new HttpRoutes('0.0.0.0') });
    await runner.start();
    await new Promise<void>((resolve) => {
      during.addEventListener('abort', () => resolve(), { once: true });
      if (during.aborted) resolve();
    });
    await runner.close();
    await bus.close();
  };
  try {
    const isExclusive =
      kind === 'Sensor' || eventsOf((object as EventSource).spec).some(({ type }) => type.isExclusive);
    if (!isExclusive || (object.spec.replicas ?? 1) <= 1) return await work(signal);
    const leaseName = `${kind === 'Sensor' ? 'sensor' : 'eventsource'}-${name}`;
    const lease = new LeaderLease(client, { namespace, name: leaseName, identity: env.POD_NAME ?? 'unknown', clock });
    await lease.run(signal, { onStarted: work });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

function decoded<T>(env: NodeJS.ProcessEnv, name: string): T {
  const text = env[name];
  if (!text)
    throw failure(notInPod, {
      message: `${name} is not set`,
      remedies: [
        'Let the controller make the pod: apply an EventSource or a Sensor with TIPHYS_EVENTS_DEPLOYMENT=dedicated',
      ],
    });
  return JSON.parse(Buffer.from(text, 'base64').toString('utf8')) as T;
}
