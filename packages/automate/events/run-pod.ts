import { Buffer } from 'node:buffer';
import { defineDiagnosis, diagnosisOf, failure, formatDiagnosis } from '@tiphys/diagnosis';
import { guardedServer } from '@tiphys/inbound';
import { type Client, type Clock, LeaderLease, pause } from '@tiphys/kubernetes';
import { Registry } from 'prom-client';
import type { Bus } from './bus/bus.ts';
import { type OpenBusOptions, openBus } from './bus/open-bus.ts';
import { mountedKeys } from './keys/mounted-keys.ts';
import { SensorRunner } from './sensor/sensor-runner.ts';
import { HttpRoutes } from './source/http-routes.ts';
import { untilAborted } from './source/source.ts';
import { SourceRunner } from './source/source-runner.ts';
import { eventsOf } from './source/validate-event-source.ts';
import type { BusConfig } from './spec/event-bus.ts';
import type { EventSource } from './spec/event-source.ts';
import type { Sensor } from './spec/sensor.ts';
import { Journal } from './trace/journal.ts';
import { jsonLog } from './trace/json-log.ts';
import type { Log } from './trace/log.ts';
import { EventsMetrics } from './trace/metrics.ts';

const notInPod = defineDiagnosis(
  'EventsPodEnvironment',
  'run-source and run-sensor are for pods that the controller of events makes',
);
const sourcesEnded = defineDiagnosis('EventSourceEnded', 'All events of an EventSource have failed for good');
const metricsPort = 7777;
/** Milliseconds between tries to connect to the bus. */
const busRetryDelay = 1000;

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
  const server = guardedServer((request, response) => {
    if (request.url !== '/metrics') return void response.writeHead(404).end();
    void registry.metrics().then((text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text));
  });
  await new Promise<void>((resolve) => server.listen(metricsPort, resolve));
  const keys = mountedKeys();
  const { namespace = '', name = '' } = object.metadata;
  const work = async (during: AbortSignal) => {
    const bus = await connectedBus(
      { config, namespace, name: env.EVENTBUS_NAME ?? 'default', keys, clock, log, eventLog: undefined },
      during,
    );
    if (!bus) return;
    const shared = { bus, client, keys, clock, random: Math.random, log, journal: new Journal(clock), metrics };
    const http = new HttpRoutes('0.0.0.0');
    const runner = await startedRunner(
      () =>
        kind === 'Sensor'
          ? new SensorRunner({ ...shared, sensor: object as Sensor, scratch: '/tmp' })
          : new SourceRunner({ ...shared, source: object as EventSource, http }),
      { clock, log, signal: during },
    );
    if (!runner) return bus.close();
    const ended = 'ended' in runner ? runner.ended() : undefined;
    await Promise.race([untilAborted(during), ...(ended ? [ended] : [])]);
    const isOver = !during.aborted;
    await runner.close();
    await bus.close();
    if (isOver) throw allEnded(name, runner.problems);
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

/** The bus, as soon as it can be used: its servers may still be starting. Undefined if the signal aborts before. */
async function connectedBus(options: OpenBusOptions, signal: AbortSignal): Promise<Bus | undefined> {
  while (!signal.aborted) {
    try {
      return await openBus(options);
    } catch (error) {
      options.log('warn', 'the event bus cannot be used yet, trying again', {
        error: formatDiagnosis(diagnosisOf(error)),
      });
      await pause(options.clock, busRetryDelay, signal);
    }
  }
  return undefined;
}

/** A runner that has started, tried again while the bus does not answer in time; undefined if the signal aborts before. */
async function startedRunner<R extends { start(): Promise<void>; close(): Promise<void> }>(
  make: () => R,
  { clock, log, signal }: { clock: Clock; log: Log; signal: AbortSignal },
): Promise<R | undefined> {
  while (!signal.aborted) {
    const runner = make();
    try {
      await runner.start();
      return runner;
    } catch (error) {
      log('warn', 'could not start, trying again', { error: formatDiagnosis(diagnosisOf(error)) });
      await runner.close();
      await pause(clock, busRetryDelay, signal);
    }
  }
  return undefined;
}

function allEnded(name: string, problems: ReadonlyMap<string, string>) {
  return failure(sourcesEnded, {
    message: `No event of EventSource ${name} is heard any more`,
    evidence: Object.fromEntries(problems),
    remedies: ['Mend what it says; the pod starts again by itself'],
  });
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
