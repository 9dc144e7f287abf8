import { getPath } from '../../json/get-path.ts';
import { parseNode, textOf } from '../../json/node.ts';
import type { KeySelector } from '../../spec/common.ts';
import { missing, type SpecProblem, within } from '../../spec/spec-problem.ts';
import { sendRequest } from '../../wire/http-request.ts';
import { eventData, type Metadata, RawJson } from '../event-data.ts';
import type { Listen, SourceContext } from '../source.ts';
import { hookUrl } from './hook-api.ts';
import { jsonBody } from './webhook.ts';
import { BadRequest, serveWebhook, type WebhookSpec, webhookProblem } from './webhook-route.ts';

export interface StripeSpec {
  readonly webhook?: WebhookSpec;
  readonly createWebhook?: boolean;
  readonly apiKey?: KeySelector;
  readonly eventFilter?: readonly string[];
  readonly metadata?: Metadata;
}

const api = 'https://api.stripe.com';
const timeout = 30_000;

export function stripeProblem({ createWebhook, apiKey, webhook }: StripeSpec): SpecProblem | undefined {
  if (createWebhook && !apiKey) return missing('apiKey', 'api key K8s secret selector not provided');
  return within('webhook', webhookProblem(webhook));
}

/** Hears of Stripe's events; the hook is registered where the spec asks for it. */
export const listen: Listen<StripeSpec> = (context, ready) => {
  const { eventFilter = [], metadata, webhook = {}, createWebhook } = context.spec;
  const receive = async ({ body }: { body: Buffer }) => {
    const text = jsonBody(body);
    const type = getPath(parseNode(text), 'type');
    if (eventFilter.length > 0 && !eventFilter.includes('*') && !(type && eventFilter.includes(textOf(type))))
      throw new BadRequest('invalid event');
    return { events: [eventData({ event: new RawJson(text) }, metadata)] };
  };
  return serveWebhook(context, webhook, receive, ready, async () => {
    if (createWebhook) await register(context);
    return undefined;
  });
};

async function register({ spec, keys, signal }: SourceContext<StripeSpec>): Promise<void> {
  const events = spec.eventFilter?.length ? spec.eventFilter : ['*'];
  const form = new URLSearchParams([
    ['url', hookUrl(spec.webhook ?? {})],
    ...events.map((event) => ['enabled_events[]', event]),
  ]);
  const key = spec.apiKey ? (await keys.secret(spec.apiKey)).trim() : '';
  const { status, body } = await sendRequest({
    url: `${process.env.STRIPE_API_BASE_URL || api}/v1/webhook_endpoints`,
    method: 'POST',
    headers: [
      ['Authorization', `Bearer ${key}`],
      ['Content-Type', 'application/x-www-form-urlencoded'],
    ],
    body: form.toString(),
    timeout,
    signal,
  });
  if (status !== 200)
    throw new Error(`Stripe answered ${status} to the registration of the hook: ${body.slice(0, 300)}`);
}
