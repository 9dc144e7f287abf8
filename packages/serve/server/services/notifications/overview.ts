import type { Application } from '@tiphys/api';
import type { Diagnosis } from '@tiphys/diagnosis';
import { applicationCatalogue, destinationsOf, Engine, outboxAnnotation, readEntries } from '@tiphys/notifications';
import { rbacName } from '../../applications/applications.ts';
import type { ServerContext } from '../../context/server-context.ts';
import type { Call } from '../../rpc/call.ts';
import { notificationSettings } from './notification-settings.ts';

/** Who is told of an application, and what of it waits. */
export interface NotifiedApplication {
  readonly name: string;
  readonly namespace: string;
  readonly project: string;
  readonly subscriptions: readonly { readonly trigger: string; readonly service: string; readonly recipient: string }[];
  /** What was told, newest first: the key of the state, and when. */
  readonly told: readonly { readonly key: string; readonly at: string }[];
  /** What is not delivered. */
  readonly waiting: ReturnType<typeof readEntries>;
}

export interface NotificationOverview {
  readonly services: readonly { readonly name: string; readonly type: string }[];
  readonly triggers: readonly string[];
  readonly templates: readonly string[];
  readonly problems: readonly Diagnosis[];
  readonly applications: readonly NotifiedApplication[];
}

const prefix = 'notifications.argoproj.io';
/** Of what was told of an application. */
const mostTold = 10;

/** Who is told what of the applications that the caller may see. */
export async function notificationOverview(context: ServerContext, { identity }: Call): Promise<NotificationOverview> {
  const settings = notificationSettings(context);
  const engine = new Engine(settings, applicationCatalogue);
  const enforcer = await context.enforcer();
  const applications = context.applications
    .list()
    .filter((app) => enforcer.allows(identity, 'applications', 'get', rbacName(app, context.namespace)));
  return {
    services: [...settings.services].map(([name, { type }]) => ({ name, type })),
    triggers: [...new Set([...settings.triggers.keys(), ...applicationCatalogue.triggers.keys()])].sort(),
    templates: [...new Set([...settings.templates.keys(), ...applicationCatalogue.templates.keys()])].sort(),
    problems: engine.problems(),
    applications: applications
      .map((app) => notified(context, app, settings))
      .filter(({ subscriptions, waiting }) => subscriptions.length > 0 || waiting.length > 0)
      .sort((a, b) => (`${a.namespace}/${a.name}` < `${b.namespace}/${b.name}` ? -1 : 1)),
  };
}

function notified(
  context: ServerContext,
  { metadata, spec }: Application,
  settings: ReturnType<typeof notificationSettings>,
): NotifiedApplication {
  const project = spec.project || 'default';
  const destinations = destinationsOf(settings, {
    prefix,
    annotations: metadata.annotations ?? {},
    labels: metadata.labels ?? {},
    parent: context.projects.known(project)?.metadata.annotations,
  });
  return {
    name: metadata.name ?? '',
    namespace: metadata.namespace ?? '',
    project,
    subscriptions: [...destinations].flatMap(([trigger, list]) => list.map((item) => ({ trigger, ...item }))),
    told: told(metadata.annotations?.[`notified.${prefix}`]),
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
