import type { Diagnosis } from '@tiphys/diagnosis';
import { diagnosisOf } from '@tiphys/diagnosis';
import { isForbidden } from '@tiphys/kubernetes';
import { type Engine, outboxAnnotation, readEntries, subscribed } from '@tiphys/notifications';
import type { ServerContext } from '../../context/server-context.ts';
import type { Call } from '../../rpc/call.ts';
import { engineOf, notifiedKinds, type Seen, type ShownKind } from './notified-kinds.ts';

/** Who is told of an object, and what of it waits. */
export interface NotifiedObject {
  readonly name: string;
  readonly namespace: string;
  readonly subscriptions: readonly { readonly trigger: string; readonly service: string; readonly recipient: string }[];
  /** What was told, newest first: the key of the state, and when. */
  readonly told: readonly { readonly key: string; readonly at: string }[];
  /** What is not delivered. */
  readonly waiting: ReturnType<typeof readEntries>;
}

/** What there is to tell of a kind, and who is told of its objects. */
export interface NotifiedKindOverview {
  readonly kind: string;
  /** Where its settings stand. */
  readonly configMap: string;
  readonly services: readonly { readonly name: string; readonly type: string }[];
  readonly triggers: readonly string[];
  readonly templates: readonly string[];
  readonly problems: readonly Diagnosis[];
  readonly objects: readonly NotifiedObject[];
}

export interface NotificationOverview {
  readonly kinds: readonly NotifiedKindOverview[];
}

/** Of what was told of an object. */
const mostTold = 10;

/** Who is told what of the objects that the caller may see, by kind; without kinds of which the caller may see none. */
export async function notificationOverview(context: ServerContext, call: Call): Promise<NotificationOverview> {
  const kinds: NotifiedKindOverview[] = [];
  for (const kind of notifiedKinds(context)) {
    const shown = await shownKind(kind, call);
    if (!shown) continue;
    // settings that stand in one ConfigMap are told of once
    const isShared = kinds.some(({ configMap }) => configMap === shown.configMap);
    kinds.push(isShared ? { ...shown, problems: [] } : shown);
  }
  return { kinds };
}

async function shownKind(kind: ShownKind, call: Call): Promise<NotifiedKindOverview | undefined> {
  const { family } = kind;
  const objects = await kind.list(call);
  if (!objects) return undefined;
  const base = { kind: family.kind, configMap: family.configMapName };
  try {
    const engine = await engineOf(kind);
    const engines = new Map<string, Engine>();
    const shown: NotifiedObject[] = [];
    for (const object of objects) {
      const notified = notifiedObject(kind, object, await engineFor(kind, object, engines));
      if (notified.subscriptions.length > 0 || notified.waiting.length > 0) shown.push(notified);
    }
    const { settings, catalogue } = engine;
    const isOwn = (trigger: string) => engine.subjectOf(trigger, family) !== 'other';
    const triggers = [...new Set([...settings.triggers.keys(), ...catalogue.triggers.keys()])].filter(isOwn).sort();
    return {
      ...base,
      services: [...settings.services].map(([name, { type }]) => ({ name, type })),
      triggers,
      templates: [...new Set([...settings.templates.keys(), ...catalogue.templates.keys()])].sort(),
      problems: engine.problems(),
      objects: shown.sort((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1)),
    };
  } catch (error) {
    if (!isForbidden(error)) throw error;
    return { ...base, services: [], triggers: [], templates: [], problems: [diagnosisOf(error)], objects: [] };
  }
}

/** The settings of a namespace are read once for all of its objects, and only where one of them is subscribed. */
async function engineFor(kind: ShownKind, { metadata }: Seen, engines: Map<string, Engine>): Promise<Engine> {
  const { prefix } = kind.family;
  const isSubscribed = Object.keys(metadata.annotations ?? {}).some((key) => key.startsWith(`${prefix}/`));
  const namespace = isSubscribed ? (metadata.namespace ?? '') : '';
  const engine = engines.get(namespace) ?? (await engineOf(kind, namespace || undefined));
  engines.set(namespace, engine);
  return engine;
}

function notifiedObject({ family }: ShownKind, { metadata, spec }: Seen, engine: Engine): NotifiedObject {
  const { apiVersion, kind } = family;
  const { destinations } = subscribed(engine, family, { apiVersion, kind, metadata, spec });
  return {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    subscriptions: [...destinations].flatMap(([trigger, list]) => list.map((item) => ({ trigger, ...item }))),
    told: told(metadata.annotations?.[`notified.${family.prefix}`]),
    waiting: readEntries(metadata.annotations?.[outboxAnnotation]),
  };
}

function told(annotation: string | undefined): { key: string; at: string }[] {
  let state: Record<string, number> = {};
  try {
    state = JSON.parse(annotation ?? '{}') as Record<string, number>;
  } catch {
    // somebody wrote the annotation by hand: nothing can be said of it
  }
  return Object.entries(state)
    .sort(([, a], [, b]) => b - a)
    .slice(0, mostTold)
    .map(([key, seconds]) => ({ key, at: new Date(seconds * 1000).toISOString() }));
}
