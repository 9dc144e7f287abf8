import type { Client, Clock } from '@tiphys/kubernetes';
import type { KeyReader } from '../keys/key-reader.ts';
import type { Events } from '../parameters/parameters.ts';
import type { Trigger, TriggerTemplate } from '../spec/sensor.ts';
import type { Log } from '../trace/log.ts';

/** What all triggers of a sensor share. */
export interface TriggerContext {
  readonly client: Client;
  /** Of the sensor. */
  readonly namespace: string;
  readonly sensorName: string;
  readonly keys: KeyReader;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  /** Connections that stay open between actions. */
  readonly connections: Connections;
  /** Folder for what may be lost. */
  readonly scratch: string;
  /** Who the client is to the cluster; undefined where this process, and the files of its machine, are the sensor's own. */
  readonly actsAs?: string | undefined;
  /** True if what can be done once for the same events is to be done once, however often an action is tried. */
  readonly isOnce?: boolean | undefined;
}

/** One action. */
export interface Action {
  readonly template: TriggerTemplate;
  readonly policy: Trigger['policy'];
  readonly events: Events;
  readonly signal: AbortSignal;
}

/** Acts; resolves to what was done, as a sentence without its end. Throws what went wrong. */
export type Act = (action: Action, context: TriggerContext) => Promise<string>;

/** A trigger's action failed, for a reason that can be told as it is. */
export class ActionError extends Error {}

/** Things that are made once for a key, such as a connection for a trigger, and closed with their sensor. */
export class Connections {
  readonly #open = new Map<string, { made: Promise<unknown>; close: () => Promise<void> }>();

  /** The thing of a key; made anew if making it failed. The key must hold whatever the thing depends on. */
  get<T>(key: string, make: () => Promise<T>, close: (made: T) => Promise<void> | void = () => undefined): Promise<T> {
    const known = this.#open.get(key);
    if (known) return known.made as Promise<T>;
    const made = make();
    this.#open.set(key, { made, close: async () => close(await made) });
    made.catch(() => this.#open.delete(key));
    return made;
  }

  /** Closes the thing of a key, so that the next one is made anew. */
  async drop(key: string): Promise<void> {
    const known = this.#open.get(key);
    this.#open.delete(key);
    await known?.close().catch(() => undefined);
  }

  async close(): Promise<void> {
    await Promise.all([...this.#open.keys()].map((key) => this.drop(key)));
  }
}
