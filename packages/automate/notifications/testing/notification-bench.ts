import type { TestContext } from 'node:test';
import type { ObjectView } from '@tiphys/controller';
import { MemoryCluster, ScriptedClock } from '@tiphys/controller/testing';
import type { Client, KubeObject } from '@tiphys/kubernetes';
import { emptyCatalogue } from '../catalog/catalogue.ts';
import { applicationNotifications } from '../controller/applications.ts';
import type { NotifiedKind } from '../controller/family.ts';
import {
  NotificationsController,
  type NotificationsControllerOptions,
} from '../controller/notifications-controller.ts';
import { StoredThreads } from '../controller/stored-threads.ts';
import { outboxLabel } from '../outbox/record.ts';
import { Http } from '../services/http.ts';
import { Receiver } from './receiver.ts';

const namespace = 'argocd';

/** A controller of notifications over a cluster in memory and a real receiver. */
export class NotificationBench {
  readonly cluster = new MemoryCluster();
  readonly clock = new ScriptedClock();
  readonly errors: string[] = [];
  readonly receiver: Receiver;
  readonly #processes: { abort: AbortController; running: Promise<void>; http: Http }[] = [];

  private constructor(receiver: Receiver) {
    this.receiver = receiver;
  }

  static async start(t: TestContext): Promise<NotificationBench> {
    const bench = new NotificationBench(await Receiver.start());
    t.after(async () => {
      await bench.stop();
      await bench.receiver.close();
    });
    return bench;
  }

  /** Another process; `client` stands between it and the cluster. */
  begin(
    client: Client = this.cluster.client,
    change: Partial<NotifiedKind> = {},
    views: Partial<NotificationsControllerOptions> = {},
  ): NotificationsController {
    const abort = new AbortController();
    const http = new Http({ env: {} });
    const controller = new NotificationsController({
      client,
      namespace,
      clock: this.clock,
      signal: abort.signal,
      onError: (key, error) => this.errors.push(`${key}: ${String(error)}`),
      family: {
        ...applicationNotifications({
          namespace,
          applicationNamespaces: () => [],
          selfService: false,
          project: (name) =>
            this.cluster.object({ apiVersion: 'argoproj.io/v1alpha1', kind: 'AppProject', namespace, name }),
        }),
        catalogue: emptyCatalogue,
        ...change,
      },
      objects: this.cluster.view('Application'),
      configMaps: this.cluster.view('ConfigMap'),
      secrets: this.cluster.view('Secret'),
      outbox: this.#outbox(),
      http,
      threads: new StoredThreads(this.cluster.client, namespace, 'threads'),
      env: {},
      ...views,
    });
    const running = controller.run();
    // one whose client died never ends
    this.#processes.push({ abort, running: client === this.cluster.client ? running : Promise.resolve(), http });
    return controller;
  }

  /** Ends all processes. */
  async stop(): Promise<void> {
    for (const { abort, running, http } of this.#processes.splice(0)) {
      abort.abort(new Error('stopped'));
      await running;
      await http.close();
    }
  }

  configure(data: Record<string, string>, secret: Record<string, string> = {}): void {
    this.cluster.put({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { namespace, name: 'argocd-notifications-cm' },
      data,
    });
    this.cluster.put({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { namespace, name: 'argocd-notifications-secret' },
      data: Object.fromEntries(
        Object.entries(secret).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
      ),
    });
  }

  /** Stores an application with a health, subscribed to `on-bad`; what others wrote of it stays. */
  app(
    health: string,
    more: { name?: string; annotations?: Record<string, string>; spec?: object; status?: object } = {},
  ): KubeObject {
    const { name = 'shop' } = more;
    const old = this.stored(name);
    return this.cluster.put({
      apiVersion: 'argoproj.io/v1alpha1',
      kind: 'Application',
      metadata: {
        namespace,
        name,
        annotations: {
          'notifications.argoproj.io/subscribe.on-bad.hook': '',
          ...old?.metadata.annotations,
          ...more.annotations,
        },
      },
      spec: { project: 'default', source: { repoURL: 'https://example.com/a.git' }, ...more.spec },
      status: { health: { status: health }, sync: { status: 'Synced', revision: 'abc' }, ...more.status },
    });
  }

  stored(name = 'shop'): KubeObject | undefined {
    return this.cluster.object({ apiVersion: 'argoproj.io/v1alpha1', kind: 'Application', namespace, name });
  }

  annotation(key: string, name = 'shop'): string | undefined {
    return this.stored(name)?.metadata.annotations?.[key];
  }

  /** What of the outbox is still there. */
  records(): KubeObject[] {
    return this.cluster.objects('Secret').filter(({ metadata }) => metadata.labels?.[outboxLabel] !== undefined);
  }

  /** Lets time pass, in steps, until a condition holds. */
  async until(holds: () => boolean, what: string, step = 0): Promise<void> {
    const end = Date.now() + 120_000;
    while (!holds()) {
      if (Date.now() > end)
        throw new Error(
          `${what} did not come: ${JSON.stringify({ errors: this.errors, app: this.stored()?.metadata.annotations, records: this.records().map(({ metadata }) => metadata), requests: this.cluster.requests.slice(-20) })}`,
        );
      await this.clock.advance(step);
      await new Promise((resolve) => setTimeout(resolve, 1));
    }
  }

  #outbox(): ObjectView<KubeObject> {
    const view = this.cluster.view<KubeObject>('Secret');
    const isRecord = ({ metadata }: KubeObject): boolean => metadata.labels?.[outboxLabel] !== undefined;
    return {
      get: (space, name) => {
        const found = view.get(space, name);
        return found && isRecord(found) ? found : undefined;
      },
      list: () => [...view.list()].filter(isRecord),
      subscribe: (listener) => view.subscribe((change) => isRecord(change.object) && listener(change)),
    };
  }
}
