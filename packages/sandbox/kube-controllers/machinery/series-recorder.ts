import { type Client, type Clock, isNotFound, type KubeObject, microTime } from '@tiphys/kubernetes';
import { BackgroundWrites } from './background-writes.ts';
import { remember } from './event-correlator.ts';

export interface SeriesEvent {
  type: 'Normal' | 'Warning';
  reason: string;
  /** What was done, or was not: `Binding`. */
  action: string;
  note: string;
  related?: KubeObject;
}

interface Series {
  name: string;
  count: number;
  lastSeen: number;
  written: Promise<unknown>;
}

const longestNote = 1024;
/** A series ends when nothing was added to it for so long. */
const finishAfter = 6 * 60_000;

/**
 * Writes `events.k8s.io/v1` Events in the background, as client-go's newer recorder does: the second equal one makes a
 * series of the first, and those after it are counted in memory. Equal are those of the same version of an object.
 */
export class SeriesRecorder {
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #controller: string;
  readonly #writes: BackgroundWrites;
  readonly #series = new Map<string, Series>();
  #sequence = 0;

  /** `controller`: `reportingController`, such as `default-scheduler`. */
  constructor(
    client: Client,
    { clock, signal, controller }: { clock: Clock; signal: AbortSignal; controller: string },
  ) {
    this.#client = client.as({ component: controller, purpose: 'record events' });
    this.#clock = clock;
    this.#controller = controller;
    this.#writes = new BackgroundWrites(signal);
  }

  event(about: KubeObject, { type, reason, action, note, related }: SeriesEvent): void {
    const now = this.#clock.now();
    const regarding = referenceTo(about);
    const key = JSON.stringify([regarding, type, reason, action, related?.metadata.uid]);
    const series = this.#series.get(key);
    if (series && now - series.lastSeen < finishAfter) {
      series.lastSeen = now;
      if (++series.count === 2) this.#writes.add(() => this.#extend(regarding.namespace, series));
      return;
    }
    const name = `${regarding.name}.${(BigInt(now) * 1_000_000n + BigInt(this.#sequence++ % 1_000_000)).toString(16)}`;
    const event: KubeObject = {
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name, namespace: regarding.namespace ?? 'default' },
      eventTime: microTime(now),
      reportingController: this.#controller,
      reportingInstance: `${this.#controller}-sandbox`,
      action,
      reason,
      regarding,
      ...(related ? { related: referenceTo(related) } : {}),
      note: note.length > longestNote ? `${note.slice(0, longestNote - 4)} ...` : note,
      type,
    };
    const { promise, resolve } = Promise.withResolvers<void>();
    if (this.#writes.add(() => this.#client.create(event).finally(resolve)))
      remember(this.#series, key, { name, count: 1, lastSeen: now, written: promise });
  }

  async #extend(namespace: string | undefined, { name, count, lastSeen, written }: Series): Promise<void> {
    await written;
    const ref = { apiVersion: 'events.k8s.io/v1', kind: 'Event', namespace: namespace ?? 'default', name };
    const series = { count, lastObservedTime: microTime(lastSeen) };
    await this.#client.patch(ref, 'strategic', { series }).catch((error: unknown) => {
      if (!isNotFound(error)) throw error;
    });
  }
}

interface Reference {
  kind: string;
  namespace?: string;
  name: string;
  uid?: string;
  apiVersion: string;
  resourceVersion?: string;
}

function referenceTo({ apiVersion, kind, metadata }: KubeObject): Reference {
  const { namespace, name = '', uid, resourceVersion } = metadata;
  return {
    kind,
    ...(namespace ? { namespace } : {}),
    name,
    ...(uid ? { uid } : {}),
    apiVersion,
    ...(resourceVersion ? { resourceVersion } : {}),
  };
}
