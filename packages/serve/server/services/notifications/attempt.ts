import { randomUUID } from 'node:crypto';
import {
  applicationCatalogue,
  type ConditionResult,
  Engine,
  Http,
  type Notification,
  type Threads,
  Variables,
} from '@tiphys/notifications';
import { accessApplication } from '../../context/access.ts';
import type { ServerContext } from '../../context/server-context.ts';
import type { Call } from '../../rpc/call.ts';
import { invalidArgument } from '../../rpc/rpc-error.ts';
import { notificationSettings } from './notification-settings.ts';
import { repositoryQuestions } from './repository-questions.ts';

/** What to try on an application: a trigger, a template, or the sending of one. */
export interface AttemptRequest {
  readonly application?: string;
  readonly appNamespace?: string;
  readonly trigger?: string;
  readonly template?: string;
  readonly service?: string;
  readonly recipient?: string;
  /** Really sends the template to the service. */
  readonly send?: boolean;
}

export interface AttemptResult {
  readonly conditions?: readonly ConditionResult[];
  readonly notification?: Notification;
  readonly sent?: boolean;
}

/** A test has no thread of its own, and begins none. */
const noThreads: Threads = { get: async () => undefined, put: async () => undefined };

/**
 * Evaluates a trigger or renders a template with an application as it is now, and sends it if asked. Needs `applications, get` for the
 * one, and `applications, update` for the other. Nothing of it is remembered as told.
 */
export async function attemptNotification(
  context: ServerContext,
  call: Call,
  request: AttemptRequest,
): Promise<AttemptResult> {
  const { application, appNamespace, trigger, template, service = '', recipient = '', send = false } = request;
  if (!application) throw invalidArgument('application is missing: a notification is about one');
  const { app } = await accessApplication(context, call, send ? 'update' : 'get', { name: application, appNamespace });
  const engine = new Engine(notificationSettings(context), applicationCatalogue);
  const now = () => context.clock.now();
  const destination = { service, recipient };
  const variables = new Variables({
    variable: 'app',
    object: app as unknown as Record<string, unknown>,
    project: context.projects.known(app.spec.project || 'default') as unknown as Record<string, unknown> | undefined,
    // who may see an application may not see the Secret: only what is really sent may use it
    settings: send ? engine.settings : { ...engine.settings, secrets: new Map() },
    now,
    destination,
    questions: repositoryQuestions(context.backend),
  });
  if (trigger) {
    const compiled = engine.trigger(trigger);
    if (!compiled) throw invalidArgument(`there is no trigger ${trigger}`);
    return { conditions: await variables.read((values) => compiled.evaluate(values, now)) };
  }
  if (!template) throw invalidArgument('neither trigger nor template is given');
  const notification = await engine.render([template], variables);
  if (!send) return { notification };
  const http = new Http({
    env: process.env,
    trusted: (host) => {
      const certificates = context.plane.configMap('argocd-tls-certs-cm');
      return certificates[host] ?? certificates[host.replace(/:\d+$/, '')];
    },
  });
  try {
    await engine.sender(destination)(notification, destination, {
      id: `notification-test-${randomUUID()}`,
      http,
      threads: noThreads,
      env: process.env,
      now,
      signal: AbortSignal.any([call.signal, AbortSignal.timeout(30_000)]),
    });
  } finally {
    await http.close();
  }
  return { sent: true };
}
