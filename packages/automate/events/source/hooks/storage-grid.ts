import type { KeySelector, TlsConfig } from '../../spec/common.ts';
import { missing, type SpecProblem, within } from '../../spec/spec-problem.ts';
import { tlsOptions, tlsProblem } from '../../wire/tls.ts';
import { eventData, type Metadata } from '../event-data.ts';
import type { Listen, SourceContext } from '../source.ts';
import { HookApi, hookUrl } from './hook-api.ts';
import { jsonBody } from './webhook.ts';
import { BadRequest, type Hook, serveWebhook, type WebhookSpec, webhookProblem } from './webhook-route.ts';

export interface StorageGridSpec {
  readonly webhook?: WebhookSpec;
  readonly bucket?: string;
  readonly apiURL?: string;
  readonly authToken?: KeySelector;
  readonly topicArn?: string;
  readonly events?: readonly string[];
  readonly filter?: { readonly prefix?: string; readonly suffix?: string };
  readonly region?: string;
  readonly tls?: TlsConfig;
  readonly metadata?: Metadata;
}

export function storageGridProblem({
  topicArn,
  apiURL,
  authToken,
  bucket,
  events,
  tls,
  webhook,
}: StorageGridSpec): SpecProblem | undefined {
  if (!topicArn) return missing('topicArn', 'topic arn must be provided');
  if (!apiURL) return missing('apiURL', 'api url must be provided');
  if (!authToken) return missing('authToken', 'api auth token must be provided');
  if (!bucket) return missing('bucket', 'bucket name must be provided');
  if (!events?.length) return missing('events', 'event types must be provided', '["ObjectCreated:Put"]');
  return within('tls', tlsProblem(tls)) ?? within('webhook', webhookProblem(webhook));
}

/** Hears of a bucket of StorageGRID, whose notifications are registered. */
export const listen: Listen<StorageGridSpec> = (context, ready) => {
  const { spec } = context;
  const { method, ...webhook } = spec.webhook ?? {};
  const receive = async ({ request, body }: Hook) => {
    // it asks so whether somebody is there, whatever method its notifications have
    if (request.method === 'HEAD') return { status: 200, text: '' };
    if (method && request.method !== method) throw new BadRequest('http method does not match');
    const notification = nested(new URLSearchParams(body.toString('utf8')));
    const key = objectKey(notification);
    const { prefix = '', suffix = '' } = spec.filter ?? {};
    if (!key.startsWith(prefix) || !key.endsWith(suffix))
      return { status: 200, text: 'the key of the object is not asked for' };
    return { events: [eventData({ notification }, spec.metadata)] };
  };
  return serveWebhook(context, { ...webhook, method: '' }, receive, ready, async () => {
    await register(context);
    return undefined;
  });
};

const deepest = 12;

/** A group of a form: its names, which are indexes where it is a list. */
type Group = Map<string, string | Group>;

/**
 * `Message[Records][0][s3][object][key]=x` as an object, groups of the names 0, 1, 2 … as lists; `Message` itself may be JSON. Anybody can send
 * it: names are keys of maps until the end, and a list is as long as what was sent.
 */
function nested(form: URLSearchParams): Readonly<Record<string, unknown>> {
  const root: Group = new Map();
  for (const [name, value] of form) {
    const steps = name.split('[', deepest + 1).map((step) => step.replace(']', ''));
    const last = steps.pop() ?? '';
    if (steps.length >= deepest) throw new BadRequest('the notification goes too deep');
    let at = root;
    for (const step of steps) {
      const group = at.get(step) ?? new Map();
      if (typeof group === 'string') throw new BadRequest('a field of the notification is both a text and a group');
      at.set(step, group);
      at = group;
    }
    if (at.get(last) instanceof Map) throw new BadRequest('a field of the notification is both a text and a group');
    at.set(last, value);
  }
  const { Message: message, ...rest } = nestedValue(root) as Record<string, unknown>;
  if (message === undefined) return rest;
  return { ...rest, Message: typeof message === 'string' && message.startsWith('{') ? jsonOf(message) : message };
}

function jsonOf(text: string): unknown {
  return JSON.parse(jsonBody(Buffer.from(text)));
}

function nestedValue(group: Group): unknown {
  const entries = [...group].map(
    ([name, item]) => [name, typeof item === 'string' ? item : nestedValue(item)] as const,
  );
  const isList = entries.length > 0 && entries.every(([name], i) => name === String(i));
  return isList ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

/** The key of the first object that a notification tells of; empty if it tells of none. */
function objectKey(notification: Readonly<Record<string, unknown>>): string {
  let value: unknown = notification;
  for (const step of ['Message', 'Records', '0', 's3', 'object', 'key']) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, step)) return '';
    value = (value as Record<string, unknown>)[step];
  }
  return typeof value === 'string' ? value : '';
}

async function register({ spec, keys, eventName }: SourceContext<StorageGridSpec>): Promise<void> {
  const token = spec.authToken ? (await keys.secret(spec.authToken)).trim() : '';
  const tls = spec.tls ? await tlsOptions(spec.tls, keys) : {};
  const api = new HookApi(spec.apiURL ?? '', [['Authorization', `Bearer ${token}`]], tls);
  const { data = [] } = await api.call<{ data?: { endpointURN: string }[] }>('GET', '/org/endpoints');
  if (!data.some(({ endpointURN }) => endpointURN === spec.topicArn))
    await api.call('POST', '/org/endpoints', {
      displayName: eventName,
      endpointURI: hookUrl(spec.webhook ?? {}),
      endpointURN: spec.topicArn,
      authType: 'anonymous',
      insecureTLS: true,
    });
  const safe = (text: string) => text.replace(/[<>&]/g, (char) => `&#${char.charCodeAt(0)};`);
  const events = (spec.events ?? []).map((event) => `<Event>${safe(event)}</Event>`).join('');
  const notification = `<NotificationConfiguration><TopicConfiguration><Id>${safe(eventName)}</Id><Topic>${safe(spec.topicArn ?? '')}</Topic>${events}</TopicConfiguration></NotificationConfiguration>`;
  await api.call('PUT', `/org/containers/${encodeURIComponent(spec.bucket ?? '')}/notification`, { notification });
}
