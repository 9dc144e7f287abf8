import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import {
  ControllerMeasures,
  EventRecorder,
  type FamilyOptions,
  keyOf,
  ObjectStore,
  type ObjectView,
  Reconciler,
} from '@tiphys/controller';
import { type KubeObject, WorkQueue } from '@tiphys/kubernetes';
import { ServiceHealth } from '../outbox/service-health.ts';
import type { Http } from '../services/http.ts';
import type { Threads } from '../services/service.ts';
import { type DecideContext, type DecideMemory, decideSteps } from './decide.ts';
import { type DeliverContext, type DeliverMemory, deliverSteps } from './deliver.ts';
import type { NotifiedKind } from './family.ts';
import { Happenings, type KubeEvent } from './happenings.ts';
import { NotificationMeasures } from './measures.ts';
import { Records } from './records.ts';
import { SettingsDirectory } from './settings-directory.ts';

export interface NotificationsControllerOptions extends FamilyOptions {
  readonly family: NotifiedKind;
  readonly objects: ObjectView<KubeObject>;
  readonly configMaps: ObjectView<KubeObject>;
  readonly secrets: ObjectView<KubeObject>;
  /** Events, for a kind whose Events are told. */
  readonly events?: ObjectView<KubeEvent>;
  /** When the last process told, in milliseconds: Events since then are asked about too. */
  readonly missedSince?: number | undefined;
  /** The Secrets of the outbox. */
  readonly outbox: ObjectView<KubeObject>;
  readonly http: Http;
  readonly threads: Threads;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when another process has the work; undefined while it is not ours. Ours if absent. */
  readonly holds?: () => AbortSignal | undefined;
}

/** Objects that are looked at at once, and notifications that are sent at once. */
const defaultWorkers = 10;

/** Decides what is to be told of the objects of a kind, and delivers it: two reconcilers, one of the objects and one of the outbox. */
export class NotificationsController {
  readonly #options: NotificationsControllerOptions;
  readonly #objects: ObjectStore<KubeObject>;
  readonly #objectQueue: WorkQueue;
  readonly #recordQueue: WorkQueue;
  readonly #records: Records;
  readonly #health: ServiceHealth;
  readonly #decide: Reconciler<KubeObject, DecideContext, DecideMemory>;
  readonly #deliver: Reconciler<KubeObject, DeliverContext, DeliverMemory>;
  readonly settings: SettingsDirectory;
  #settingsChanged = 0;

  constructor(options: NotificationsControllerOptions) {
    this.#options = options;
    const { client, namespace, clock, family, onError, signal, metrics, holds } = options;
    this.#objectQueue = new WorkQueue({ clock });
    this.#recordQueue = new WorkQueue({ clock });
    this.#objects = new ObjectStore({ client, view: options.objects, fields: [] });
    const recordStore = new ObjectStore({ client, view: options.outbox, fields: ['data'] });
    this.#records = new Records({ client, namespace, store: recordStore, queue: this.#recordQueue });
    this.#health = new ServiceHealth(() => clock.now());
    this.settings = new SettingsDirectory({
      family,
      namespace,
      configMaps: options.configMaps,
      secrets: options.secrets,
    });
    const measures = new NotificationMeasures(metrics, family.metricsPrefix, family.tellsEvents);
    const common = {
      clock,
      onError: (key: string, error: unknown) => onError(`notifications of ${family.kind} ${key}`, error),
      ...(holds ? { holds } : {}),
      ...(metrics ? { measures: new ControllerMeasures(metrics) } : {}),
    };
    const events = new EventRecorder<KubeObject>({
      client,
      clock,
      component: family.component,
      onError: (error) => onError('events of notifications', error),
      signal,
    });
    const happenings = new Happenings({
      family,
      events: options.events,
      missedSince: options.missedSince,
      now: () => clock.now(),
      onHappening: (key) => this.#objectQueue.add(key),
    });
    this.#decide = new Reconciler<KubeObject, DecideContext, DecideMemory>({
      ...common,
      name: `notifications-${family.name}`,
      store: this.#objects,
      queue: this.#objectQueue,
      steps: decideSteps,
      context: { family, client, namespace, settings: this.settings, records: this.#records, measures, happenings },
      memory: () => ({ entries: [], done: [], adopted: new Map(), happenings: [] }),
      events,
    });
    this.#deliver = new Reconciler<KubeObject, DeliverContext, DeliverMemory>({
      ...common,
      name: `notification-outbox-${family.name}`,
      store: recordStore,
      queue: this.#recordQueue,
      steps: deliverSteps,
      context: {
        family,
        client,
        holder: `${hostname()}_${process.pid}_${randomBytes(4).toString('hex')}`,
        settings: this.settings,
        objects: this.#objects,
        objectQueue: this.#objectQueue,
        records: this.#records,
        health: this.#health,
        measures,
        http: options.http,
        threads: options.threads,
        env: options.env,
        settingsChanged: () => this.#settingsChanged,
      },
      memory: () => ({ isDelivered: false }),
    });
    this.#subscribe(recordStore);
  }

  /** Works until the signal aborts and what is under way is done. */
  async run(): Promise<void> {
    const { workers = defaultWorkers, signal } = this.#options;
    this.wake();
    await Promise.all([this.#decide.run(workers, signal), this.#deliver.run(workers, signal)]);
  }

  /** Looks at everything again: at the start, when the work becomes ours, and when settings change. */
  wake(): void {
    for (const object of this.#objects.list()) this.#objectQueue.add(keyOf(object));
    this.#records.deliverAll();
  }

  #subscribe(recordStore: ObjectStore<KubeObject>): void {
    const { objects, outbox, configMaps, secrets, family, clock } = this.#options;
    objects.subscribe(({ type, object }) => {
      if (type === 'deleted') this.#objectQueue.add(keyOf(object));
      else this.#objects.unlessOwn(object, () => this.#objectQueue.add(keyOf(object)));
    });
    outbox.subscribe(({ object }) => recordStore.unlessOwn(object, () => this.#recordQueue.add(keyOf(object))));
    const changed = (name: string) => (change: { object: KubeObject }) => {
      if (change.object.metadata.name !== name) return;
      this.#settingsChanged = clock.now();
      this.#health.reset();
      this.wake();
    };
    configMaps.subscribe(changed(family.configMapName));
    secrets.subscribe(changed(family.secretName));
  }
}
