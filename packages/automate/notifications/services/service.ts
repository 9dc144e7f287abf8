import type { Destination, JsonMap, Notification } from '../model/notification.ts';
import type { Http } from './http.ts';

/** Where a thread of messages began, so that later ones of its group are answers to it. */
export interface Threads {
  get(recipient: string, group: string): Promise<Thread | undefined>;
  put(recipient: string, group: string, thread: Thread): Promise<void>;
}

export interface Thread {
  /** Slack's `ts` of the first message. */
  readonly timestamp: string;
  /** Slack's id of the channel. */
  readonly channel: string;
}

/** What a service is given for one delivery. */
export interface Delivery {
  /** The same for each attempt of one notification: receivers that allow it take a repetition for the same. */
  readonly id: string;
  readonly http: Http;
  readonly threads: Threads;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Milliseconds since 1970. */
  now(): number;
  /** Ends the attempt. */
  readonly signal: AbortSignal;
}

/** Sends one notification. Throws a `DiagnosisError`, of which `retryAfter` is when to try again at the earliest. */
export type Send = (notification: Notification, destination: Destination, delivery: Delivery) => Promise<void>;

/** Makes a service of its options, which are those of upstream. Throws a `DiagnosisError` for what it lacks. */
export type ServiceFactory = (options: JsonMap) => Send;
