import { diagnosisOf } from '@tiphys/diagnosis';
import { parseYaml } from '@tiphys/yaml';
import { type Destination, type Json, list, map, strings, text } from '../model/notification.ts';
import type { Settings } from '../settings/settings.ts';

/** Whom each trigger tells, without repetitions, in the order in which they are subscribed. */
export type Destinations = ReadonlyMap<string, readonly Destination[]>;

type Annotations = Readonly<Record<string, string>>;

export interface SubscriptionSources {
  /** `notifications.argoproj.io`. */
  readonly prefix: string;
  readonly annotations: Annotations;
  readonly labels: Readonly<Record<string, string>>;
  /** Annotations of what the object belongs to: an Application's project. */
  readonly parent?: Annotations | undefined;
}

/** Everybody that is to be told of an object, by trigger: by the settings, by the object and by what it belongs to. */
export function destinationsOf(settings: Settings, sources: SubscriptionSources): Destinations {
  const found = new Collector(settings);
  for (const { recipients, triggers, matches } of settings.subscriptions) {
    if (!matches(sources.labels)) continue;
    for (const trigger of triggers.length > 0 ? triggers : settings.defaultTriggers)
      for (const recipient of recipients) found.add(trigger, parsed(recipient));
  }
  for (const annotations of [sources.annotations, sources.parent ?? {}]) {
    byAnnotation(found, annotations, sources.prefix);
    if (annotations === sources.parent) byLegacyAnnotation(found, annotations, settings);
  }
  return found.destinations;
}

/** `service:recipient`. */
function parsed(recipient: string): Destination {
  const [service = '', name = ''] = recipient.split(':');
  return { service, recipient: name };
}

class Collector {
  readonly destinations = new Map<string, Destination[]>();
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  add(trigger: string, destination: Destination): void {
    const known = this.destinations.get(trigger) ?? [];
    this.destinations.set(trigger, known);
    const { service, recipient } = destination;
    if (!known.some((other) => other.service === service && other.recipient === recipient)) known.push(destination);
  }

  /** Without a trigger: the defaults of the service, else of all. */
  subscribe(trigger: string, destination: Destination): void {
    const { defaultTriggers, serviceDefaultTriggers } = this.#settings;
    const triggers = trigger ? [trigger] : (serviceDefaultTriggers.get(destination.service) ?? defaultTriggers);
    for (const name of triggers) this.add(name, destination);
  }
}

/**
 * `PREFIX/subscribe.TRIGGER.SERVICE: a;b`, `PREFIX/subscribe.SERVICE: a` with the default triggers, and a list of
 * `{trigger, destinations}` in `PREFIX/subscriptions`.
 */
function byAnnotation(found: Collector, annotations: Annotations, prefix: string): void {
  for (const [key, value] of Object.entries(annotations)) {
    if (key.startsWith(`${prefix}/subscribe.`)) {
      const parts = key.slice(`${prefix}/subscribe.`.length).split('.');
      const [trigger, service] = parts.length > 1 ? [parts[0], parts[1]] : ['', parts[0]];
      for (const recipient of recipientsIn(value))
        found.subscribe(trigger as string, { service: service as string, recipient });
    } else if (key.startsWith(`${prefix}/subscriptions`)) byList(found, value);
  }
}

/** An empty value subscribes the service without a recipient. */
function recipientsIn(value: string): string[] {
  if (value === '') return [''];
  return value
    .split(';')
    .map((recipient) => recipient.trim())
    .filter(Boolean);
}

function byList(found: Collector, value: string): void {
  for (const item of list(documentIn(value)).map(map)) {
    const triggers = strings(item.trigger);
    for (const destination of list(item.destinations).map(map))
      for (const recipient of strings(destination.recipients))
        for (const trigger of triggers.length > 0 ? triggers : [''])
          found.subscribe(trigger, { service: text(destination.service), recipient });
  }
}

/** Null for a text that is no YAML: one who mistypes a subscription has none, as upstream. */
function documentIn(value: string): Json {
  try {
    return parseYaml(value) as Json;
  } catch {
    return null;
  }
}

/** Annotations `PREFIX/subscriptions` that cannot be read, with what is wrong. */
export function unreadableLists(annotations: Annotations, prefix: string): { key: string; reason: string }[] {
  return Object.entries(annotations).flatMap(([key, value]) => {
    if (!key.startsWith(`${prefix}/subscriptions`)) return [];
    try {
      const document = parseYaml(value) as Json;
      if (document === null || Array.isArray(document)) return [];
      return [{ key, reason: 'it is no list' }];
    } catch (error) {
      return [{ key, reason: diagnosisOf(error).message }];
    }
  });
}

const legacyKey = 'recipients.argocd-notifications.argoproj.io';

/** `[TRIGGER.]recipients.argocd-notifications.argoproj.io: service:a, service:b`, of projects. */
function byLegacyAnnotation(found: Collector, annotations: Annotations, settings: Settings): void {
  for (const [key, value] of Object.entries(annotations)) {
    if (!key.endsWith(legacyKey)) continue;
    const trigger = key.slice(0, -legacyKey.length).replace(/(?<!\.)\.+$/, '');
    for (const recipient of value.split(',').map((part) => part.trim())) {
      if (recipient === '') continue;
      const destination = parsed(recipient);
      const triggers =
        settings.serviceDefaultTriggers.get(destination.service) ?? (trigger ? [trigger] : settings.defaultTriggers);
      for (const name of triggers) found.add(name, destination);
    }
  }
}
