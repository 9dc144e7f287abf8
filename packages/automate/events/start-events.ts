import { join } from 'node:path';
import { eventsDefinitions } from '@tiphys/api';
import {
  ControllerMeasures,
  dataOf,
  EventRecorder,
  ensureDefinitions,
  type FamilyOptions,
  keyOf,
  LeaseShards,
  ObjectStore,
  type Pass,
  Reconciler,
  type Runtime,
  type Step,
} from '@tiphys/controller';
import { privateFolder } from '@tiphys/files';
import { Informer, type KubeObject, WorkQueue } from '@tiphys/kubernetes';
import { EventLog } from './bus/embedded/event-log.ts';
import { BusPool } from './control/bus-pool.ts';
import type { EventsContext } from './control/context.ts';
import { eventBusSteps } from './control/event-bus-steps.ts';
import { eventSourceSteps } from './control/event-source-steps.ts';
import { MadeObjects } from './control/made-objects.ts';
import { sensorSteps } from './control/sensor-steps.ts';
import { settingsOf } from './control/settings.ts';
import { Workers } from './control/workers.ts';
import { type EventsAccess, eventsAccess } from './hand/events-access.ts';
import { clusterKeys } from './keys/key-reader.ts';
import { HttpRoutes } from './source/http-routes.ts';
import { busNameOf, type EventBus } from './spec/event-bus.ts';
import type { EventSource } from './spec/event-source.ts';
import type { Sensor } from './spec/sensor.ts';
import { Journal } from './trace/journal.ts';
import type { Log } from './trace/log.ts';
import { EventsMetrics } from './trace/metrics.ts';

export interface EventsOptions extends FamilyOptions {
  readonly env: NodeJS.ProcessEnv;
  /** The cluster is the sandbox: everything runs in this process. */
  readonly sandbox: boolean;
  /** Folder of the embedded bus; in memory if absent. */
  readonly dataDir?: string | undefined;
  /** Folder for what may be lost. */
  readonly scratch: string;
  /** Address that webhooks are heard on. */
  readonly host: string;
  readonly log?: Log;
  readonly random?: () => number;
}

/** The controllers of EventBus, EventSource and Sensor, with the event sources and sensors that run in this process. */
export interface EventsRuntime extends Runtime {
  readonly access: EventsAccess;
}

const apiVersion = 'argoproj.io/v1alpha1';
const defaultWorkers = 4;

/** Starts the family; resolves when its objects are known. */
export async function startEvents(options: EventsOptions): Promise<EventsRuntime> {
  const { client: given, namespace, clock, signal, onError, metrics: registry } = options;
  const client = given.as({ component: 'events', purpose: 'control' });
  await ensureDefinitions(client, eventsDefinitions(), clock);
  const stop = new AbortController();
  const ended = AbortSignal.any([signal, stop.signal]);
  const follow = <T extends KubeObject>(kind: string) => {
    const informer = new Informer<T>(client, { ref: { apiVersion, kind }, clock });
    informer.start(ended);
    return { informer, store: new ObjectStore<T>({ client, view: informer, statusSubresource: true }) };
  };
  const [buses, sources, sensors] = [
    follow<EventBus>('EventBus'),
    follow<EventSource>('EventSource'),
    follow<Sensor>('Sensor'),
  ];
  const config = new Informer(client, {
    ref: { apiVersion: 'v1', kind: 'ConfigMap', namespace, name: 'argo-events-controller-config' },
    clock,
  });
  config.start(ended);

  const log: Log = options.log ?? (() => undefined);
  let opened: EventLog | undefined;
  const eventLog = () =>
    (opened ??= new EventLog(logFile(options.dataDir), {
      now: clock.now,
      onError: (error) => onError('events.sqlite', error),
    }));
  const journal = new Journal(clock, options.dataDir ? eventLog() : undefined);
  const pool = new BusPool((of) => ({ keys: clusterKeys(client, of), clock, log, eventLog }));
  const queues = new Map<string, WorkQueue>();
  const workers = new Workers({
    client,
    clock,
    random: options.random ?? Math.random,
    log,
    journal,
    metrics: registry && new EventsMetrics(registry),
    http: new HttpRoutes(options.host),
    buses: pool,
    scratch: options.scratch,
    impersonates: () => context.settings().impersonates,
    changed: (key) => queues.get('sensor')?.add(key),
    sourceChanged: (key) => queues.get('eventsource')?.add(key),
  });
  const context: EventsContext = {
    client,
    settings: () => settingsOf(options.env, options.sandbox, configOf(config, namespace)),
    buses: buses.store,
    sources: sources.store,
    sensors: sensors.store,
    workers,
    made: new MadeObjects({
      client,
      clock,
      signal: ended,
      changed: (name) => {
        for (const sensor of sensors.store.list())
          if (sensor.metadata.name === name) queues.get('sensor')?.add(keyOf(sensor));
      },
    }),
    eventLog,
    heardAt: options.env['POD_IP'] || undefined,
  };
  await Promise.all([buses, sources, sensors].map(({ informer }) => informer.synced));
  await config.synced;

  const lead = new LeaseShards({
    client,
    namespace,
    clock,
    leaseName: () => 'tiphys-events-controller',
    onChange: () => wakeAll(),
    onError,
  });
  const measures = registry && new ControllerMeasures(registry);
  const running: Promise<unknown>[] = [];
  const control = <T extends KubeObject>(
    name: string,
    { informer, store }: { informer: Informer<T>; store: ObjectStore<T> },
    steps: readonly Step<Pass<T, EventsContext, Record<string, never>>>[],
    onGone: (key: string) => void = () => undefined,
  ) => {
    const queue = new WorkQueue({ clock });
    queues.set(name, queue);
    informer.subscribe(({ object }) => store.unlessOwn(object, () => queue.add(keyOf(object))));
    const reconciler = new Reconciler<T, EventsContext, Record<string, never>>({
      name,
      store,
      queue,
      clock,
      steps,
      context,
      memory: () => ({}),
      events: new EventRecorder<T>({
        client,
        clock,
        component: `${name}-controller`,
        onError: (error) => onError(name, error),
        signal: ended,
      }),
      holds: () => lead.hold(0),
      onGone,
      onError,
      ...(measures ? { measures } : {}),
    });
    running.push(reconciler.run(options.workers ?? defaultWorkers, ended));
  };
  const addAll = (name: string, store: ObjectStore<KubeObject>) => {
    for (const object of store.list()) queues.get(name)?.add(keyOf(object));
  };
  const wakeAll = () => {
    if (!lead.hold(0)) workers.close().catch((error: unknown) => onError('events', error));
    for (const [name, { store }] of [
      ['eventbus', buses],
      ['eventsource', sources],
      ['sensor', sensors],
    ] as const)
      addAll(name, store as unknown as ObjectStore<KubeObject>);
  };
  control('eventbus', buses, eventBusSteps);
  control(
    'eventsource',
    sources,
    eventSourceSteps,
    (key) => void workers.stop('EventSource', key).catch((error: unknown) => onError(key, error)),
  );
  control(
    'sensor',
    sensors,
    sensorSteps,
    (key) => void workers.stop('Sensor', key).catch((error: unknown) => onError(key, error)),
  );
  buses.informer.subscribe(({ object }) => {
    const { namespace: of, name } = object.metadata;
    for (const [kind, { store }] of [
      ['eventsource', sources],
      ['sensor', sensors],
    ] as const)
      for (const user of store.list())
        if (user.metadata.namespace === of && busNameOf(user.spec) === name) queues.get(kind)?.add(keyOf(user));
  });
  running.push(lead.run(ended));
  return {
    access: eventsAccess({ context, pool, journal, clock, client, leads: () => lead.hold(0) !== undefined }),
    async close() {
      stop.abort(new Error('stopped'));
      await Promise.all(running);
      await workers.close();
      journal.close();
      opened?.close();
    },
  };
}

function configOf(informer: Informer, namespace: string): ReadonlyMap<string, string> {
  return dataOf(informer.get(namespace, 'argo-events-controller-config'));
}

function logFile(dataDir: string | undefined): string {
  if (!dataDir) return ':memory:';
  privateFolder(dataDir);
  return join(dataDir, 'events.sqlite');
}
