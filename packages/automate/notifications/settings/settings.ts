import type { Diagnosis } from '@tiphys/diagnosis';
import type { Condition, JsonMap } from '../model/notification.ts';

/** A service as the settings configure it. */
export interface ServiceSettings {
  /** `slack`, `webhook` …; what is sent by it is in the template's section of that name, but for webhooks. */
  readonly type: string;
  /** With the values of the Secret in place. */
  readonly options: JsonMap;
  /** Keys of the Secret that it refers to and that are not there. */
  readonly missing: readonly string[];
}

/** Whom the operators of the installation subscribe. */
export interface GlobalSubscription {
  /** `service:recipient`. */
  readonly recipients: readonly string[];
  /** The default triggers if there are none. */
  readonly triggers: readonly string[];
  matches(labels: Readonly<Record<string, string>>): boolean;
}

/** What a ConfigMap and a Secret of notifications say. */
export interface Settings {
  /** Namespace of both. */
  readonly namespace: string;
  readonly configMapName: string;
  /** True for those of a tenant's own namespace. */
  readonly isSelfService: boolean;
  readonly services: ReadonlyMap<string, ServiceSettings>;
  readonly triggers: ReadonlyMap<string, readonly Condition[]>;
  /** Templates as written: `message` and sections by service type. */
  readonly templates: ReadonlyMap<string, JsonMap>;
  readonly subscriptions: readonly GlobalSubscription[];
  readonly defaultTriggers: readonly string[];
  /** Default triggers of one service, by its name. */
  readonly serviceDefaultTriggers: ReadonlyMap<string, readonly string[]>;
  readonly context: Readonly<Record<string, string>>;
  /** The Secret's values; empty for self-service, where templates may not read them. */
  readonly secrets: ReadonlyMap<string, string>;
  /** What of it can not be read; the rest is used nevertheless. */
  readonly problems: readonly Diagnosis[];
  /** Keys of the ConfigMap that mean nothing. */
  readonly unknownKeys: readonly string[];
}
