import type { KubeObject } from '@tiphys/kubernetes';
import { type Destinations, destinationsOf } from '../subscriptions/subscriptions.ts';
import type { Engine } from './engine.ts';
import type { NotifiedKind } from './family.ts';

/** Whom an object's triggers tell. */
export interface Subscribed {
  readonly destinations: Destinations;
  /** Triggers that the object itself subscribes to, and that ask about another kind. */
  readonly foreign: readonly string[];
}

type Kind = Pick<NotifiedKind, 'prefix' | 'parent' | 'variable' | 'shares'>;

/** Everybody that is to be told of an object, of the triggers that ask about its kind. */
export function subscribed(engine: Engine, family: Kind, object: KubeObject): Subscribed {
  const { settings } = engine;
  const annotations = object.metadata.annotations ?? {};
  const all = destinationsOf(settings, {
    prefix: family.prefix,
    annotations,
    labels: object.metadata.labels ?? {},
    parent: family.parent?.(object)?.metadata.annotations,
  });
  const { shares } = family;
  if (!shares || all.size === 0) return { destinations: all, foreign: [] };
  const subject = (trigger: string) => engine.subjectOf(trigger, family);
  const own = destinationsOf({ ...settings, subscriptions: [] }, { prefix: family.prefix, annotations, labels: {} });
  const destinations = new Map(
    [...all].flatMap(([trigger, list]) => {
      const about = subject(trigger);
      if (about === 'own' || (about === 'any' && shares.isFirst)) return [[trigger, list] as const];
      return about === 'any' && own.has(trigger) ? [[trigger, own.get(trigger) ?? []] as const] : [];
    }),
  );
  const named = destinationsOf(
    { ...settings, subscriptions: [], defaultTriggers: [], serviceDefaultTriggers: new Map() },
    { prefix: family.prefix, annotations, labels: {} },
  );
  const tells = (service: string, recipient: string) =>
    [...destinations.values()].flat().some((other) => other.service === service && other.recipient === recipient);
  const foreign = [...own].filter(
    ([trigger, list]) =>
      subject(trigger) === 'other' &&
      (named.has(trigger) || list.some(({ service, recipient }) => !tells(service, recipient))),
  );
  return { destinations, foreign: foreign.map(([trigger]) => trigger) };
}
