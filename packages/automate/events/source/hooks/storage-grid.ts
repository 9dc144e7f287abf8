import type { KeySelector, TlsConfig } from '../../spec/common.ts';
import { tlsOptions, tlsProblem } from '../../wire/tls.ts';
import { eventData, type Metadata } from '../event-data.ts';
import type { Listen, SourceContext } from '../source.ts';
import { HookApi, hookUrl } from './hook-api.ts';
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
}: StorageGridSpec): string | undefined {
  if (!topicArn) return 'topic arn must be provided';
  if (!apiURL) return 'api url must be provided';
  if (!authToken) return 'api auth token must be provided';
  if (!bucket) return 'bucket name must be provided';
  if (!events?.length) return 'event types must be provided';
  return tlsProblem(tls) ?? webhookProblem(webhook);
}

/** Hears of a bucket of StorageGRID, whose notifications are registered. */
export const listen: Listen<StorageGridSpec> = (context, ready) => {
  const { spec } = context;
  const receive = async ({ request, body }: Hook) => {
    if (request.method === 'HEAD') return { status: 200, text: '' };
    const notification = nested(new URLSearchParams(body.toString('utf8')));
    const message = notification.Message as { Records?: { s3?: { object?: { key?: string } } }[] } | undefined;
    const key = message?.Records?.[0]?.s3?.object?.key ?? '';
    const { prefix = '', suffix = '' } = spec.filter ?? {};
    if (!key.startsWith(prefix) || !key.endsWith(suffix))
      return { status: 200, text: 'the key of the object is not asked for' };
    return { events: [eventData({ notification }, spec.metadata)] };
  };
  return serveWebhook(context, spec.webhook ?? {}, receive, ready, async () => {
    await register(context);
    return undefined;
  });
};

const deepest = 12;

/** `Message[Records][0][s3][object][key]=x` as an object; `Message` itself may be JSON. */
function nested(form: URLSearchParams): Record<string, unknown> {
  const root: Record<string, unknown> = Object.create(null) as Record<string, unknown>;
  for (const [name, value] of form) {
    const steps = name.split('[').map((step) => step.replace(']', ''));
    if (steps.length > deepest) throw new BadRequest('the notification goes too deep');
    let at = root;
    for (const [i, step] of steps.entries()) {
      if (i === steps.length - 1)
        at[step] = step === 'Message' && value.startsWith('{') ? (JSON.parse(value) as unknown) : value;
      else {
        at[step] ??= /^\d+$/.test(steps[i + 1] ?? '') ? [] : Object.create(null);
        at = at[step] as Record<string, unknown>;
      }
    }
  }
  return root;
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
