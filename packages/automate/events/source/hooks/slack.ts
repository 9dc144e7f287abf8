import { createHmac } from 'node:crypto';
import { compactJson } from '../../json/compact.ts';
import { getPath } from '../../json/get-path.ts';
import { goJson } from '../../json/go-json.ts';
import { parseNode, textOf } from '../../json/node.ts';
import type { KeySelector } from '../../spec/common.ts';
import { missing, type SpecProblem, within } from '../../spec/spec-problem.ts';
import type { Metadata } from '../event-data.ts';
import type { Listen, SourceContext } from '../source.ts';
import { jsonBody } from './webhook.ts';
import {
  BadRequest,
  type Hook,
  sameSecret,
  senderOf,
  serveWebhook,
  type WebhookSpec,
  webhookProblem,
} from './webhook-route.ts';

export interface SlackSpec {
  readonly token?: KeySelector;
  readonly signingSecret?: KeySelector;
  readonly webhook?: WebhookSpec;
  readonly metadata?: Metadata;
}

/** A request that is older could have been recorded. */
const stale = 'timestamp is too old';
const longestAge = 300;

export function slackProblem({ token, signingSecret, webhook }: SlackSpec): SpecProblem | undefined {
  if (!token) return missing('token', 'token not provided');
  if (!signingSecret) return missing('signingSecret', 'signingSecret not provided');
  return within('webhook', webhookProblem(webhook));
}

/** Hears of Slack's events, interactions and commands. */
export const listen: Listen<SlackSpec> = (context, ready) =>
  serveWebhook(context, context.spec.webhook ?? {}, (hook) => receive(context, hook), ready);

async function receive(context: SourceContext<SlackSpec>, hook: Hook) {
  const { spec, keys } = context;
  const secret = spec.signingSecret ? (await keys.secret(spec.signingSecret)).trim() : '';
  const refusal = verify(hook, secret, context.clock.now());
  if (refusal) {
    context.refused({ ...senderOf(hook.request, 'X-Slack-Signature'), ...(refusal === stale && { stale: true }) });
    return { status: 401, text: refusal };
  }
  const { request, body } = hook;
  if (request.headers['content-type']?.startsWith('application/x-www-form-urlencoded')) {
    const form = new URLSearchParams(body.toString('utf8'));
    const payload = form.get('payload');
    if (payload) return { events: [jsonBody(Buffer.from(payload))] };
    if (form.get('command'))
      return { events: [goJson(Object.fromEntries([...form].filter(([key]) => key !== 'ssl_check')))] };
    throw new BadRequest('could not determine slack type from form parameters');
  }
  const node = parseNode(jsonBody(body));
  const type = getPath(node, 'type');
  const kind = type ? textOf(type) : '';
  if (kind === 'url_verification') {
    const challenge = getPath(node, 'challenge');
    return { status: 200, text: challenge ? textOf(challenge) : '' };
  }
  const token = getPath(node, 'token');
  const expected = spec.token ? (await keys.secret(spec.token)).trim() : '';
  if (!token || !sameSecret(textOf(token), expected))
    throw new BadRequest('failed to extract event, invalid verification token');
  const event = getPath(node, 'event');
  if (kind !== 'event_callback' || !event) return { status: 200, text: 'success' };
  const inner = getPath(event, 'type');
  return { events: [`{"type":${goJson(inner ? textOf(inner) : '')},"Data":${compactJson(event)}}`] };
}

function verify({ request, body }: Hook, secret: string, now: number): string | undefined {
  const stamp = String(request.headers['x-slack-request-timestamp'] ?? '');
  const given = String(request.headers['x-slack-signature'] ?? '');
  if (!stamp || !given) return 'missing headers';
  if (Math.abs(now / 1000 - Number(stamp)) > longestAge) return stale;
  const expected = `v0=${createHmac('sha256', secret).update(`v0:${stamp}:`).update(body).digest('hex')}`;
  return sameSecret(given, expected) ? undefined : 'expected signing signature to match';
}
