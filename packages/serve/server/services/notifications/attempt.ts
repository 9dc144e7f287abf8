import { randomUUID } from 'node:crypto';
import { type ConditionResult, Http, type Notification, type Threads, Variables } from '@tiphys/notifications';
import type { ServerContext } from '../../context/server-context.ts';
import type { Call } from '../../rpc/call.ts';
import { invalidArgument } from '../../rpc/rpc-error.ts';
import { engineOf, notifiedKind } from './notified-kinds.ts';

/** What to try on an object: a trigger, a template, or the sending of one. */
export interface AttemptRequest {
  /** `Application` if absent. */
  readonly kind?: string;
  readonly name?: string;
  readonly namespace?: string;
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
 * Evaluates a trigger or renders a template with an object as it is now, and sends it if asked. Needs the right to see the object for
 * the one, and to update it for the other. Nothing of it is remembered as told.
 */
export async function attemptNotification(
  context: ServerContext,
  call: Call,
  request: AttemptRequest,
): Promise<AttemptResult> {
  const { name, namespace, trigger, template, service = '', recipient = '', send = false } = request;
  const kind = notifiedKind(context, request.kind);
  const { family } = kind;
  if (!name) throw invalidArgument(`name is missing: a notification is about one ${family.kind}`);
  const object = await kind.access(call, send ? 'update' : 'get', { name, namespace });
  const engine = await engineOf(kind, object.metadata.namespace);
  const now = () => context.clock.now();
  const destination = { service, recipient };
  const variables = new Variables({
    variable: family.variable,
    object,
    project: family.parent?.(object),
    more: family.beside ? { [family.beside.name]: await family.beside.read(context.client, object) } : {},
    // who may see an application may not see the Secret: only what is really sent may use it
    settings: send ? engine.settings : { ...engine.settings, secrets: new Map() },
    now,
    destination,
    questions: family.questions,
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
