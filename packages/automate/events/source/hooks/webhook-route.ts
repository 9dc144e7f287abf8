import { Buffer } from 'node:buffer';
import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { discard, requestUrl } from '@tiphys/inbound';
import { sortedEntries } from '../../json/go-json.ts';
import type { KeySelector } from '../../spec/common.ts';
import { missing, type SpecProblem, wrong } from '../../spec/spec-problem.ts';
import type { RefusedSender } from '../../trouble/diagnoses.ts';
import { reply } from '../http-routes.ts';
import { type SourceContext, untilAborted } from '../source.ts';

/** The `webhook` that sources over HTTP share. */
export interface WebhookSpec {
  readonly endpoint?: string;
  readonly method?: string;
  readonly port?: string;
  readonly url?: string;
  readonly serverCertSecret?: KeySelector;
  readonly serverKeySecret?: KeySelector;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly authSecret?: KeySelector;
  readonly maxPayloadSize?: number;
}

/** A request that is refused with 400 and this text. */
export class BadRequest extends Error {}

/** A request whose signature or token is missing, or is of another secret (failure E3). */
export class SenderRefused extends BadRequest {
  /** That is to hold it, as senders write it. */
  readonly header: string;

  constructor(message: string, header: string) {
    super(message);
    this.header = header;
  }
}

/** A request with its body. */
export interface Hook {
  readonly request: IncomingMessage;
  readonly body: Buffer;
  /** As Go's `http.Header`: canonical names, sorted, lists of values; the authorization is masked. */
  readonly headers: Readonly<Record<string, readonly string[]>>;
  readonly query: URLSearchParams;
}

/** What becomes of a request: the events' data, or an answer without one. Throws `BadRequest`. */
export type Receive = (
  hook: Hook,
) => Promise<{ readonly events: readonly string[] } | { readonly status: number; readonly text: string }>;

const defaultMaxPayload = 1_048_576;
const masked = '*** Masked Auth Secret ***';

/** What is wrong with a `webhook`, by upstream's rules. */
export function webhookProblem(webhook: WebhookSpec | undefined): SpecProblem | undefined {
  if (!webhook) return { text: "context can't be nil", remedy: 'Set it, with port, endpoint and method' };
  const { endpoint, port, serverCertSecret, serverKeySecret } = webhook;
  if (!endpoint) return missing('endpoint', "endpoint can't be empty", '/push');
  if (!port) return missing('port', 'failed to parse server port', '"12000"');
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535)
    return wrong('port', `failed to parse server port ${port}`, 'Write a port between 0 and 65535, such as "12000"');
  // upstream serves without TLS where one of them is missing
  if (Boolean(serverCertSecret) !== Boolean(serverKeySecret)) {
    const absent = serverCertSecret ? 'serverKeySecret' : 'serverCertSecret';
    return missing(absent, `${absent} is missing: TLS needs both serverCertSecret and serverKeySecret`);
  }
  return undefined;
}

/** Serves the route of an event source until its signal aborts. `active` runs when it is served, and what it returns at the end. */
export async function serveWebhook(
  context: SourceContext,
  webhook: WebhookSpec,
  receive: Receive,
  ready: () => void,
  active: () => Promise<(() => Promise<void>) | undefined> = async () => undefined,
): Promise<void> {
  const { namespace, sourceName, eventName, keys, http, signal } = context;
  const { serverCertSecret, serverKeySecret, endpoint = '' } = webhook;
  const tls =
    serverCertSecret && serverKeySecret
      ? { cert: await keys.secret(serverCertSecret), key: await keys.secret(serverKeySecret) }
      : undefined;
  const route = await http.add({
    port: Number(webhook.port),
    endpoint: endpoint.startsWith('/') ? endpoint : `/${endpoint}`,
    owner: `${namespace}/${sourceName}/${eventName}`,
    ...(tls ? { tls } : {}),
    handler: (request, response) => handle({ request, response }, { context, webhook, receive }),
  });
  try {
    const leave = await active();
    ready();
    await untilAborted(signal);
    await leave?.();
  } finally {
    await route.remove();
  }
}

async function handle(
  { request, response }: { request: IncomingMessage; response: ServerResponse },
  { context, webhook, receive }: { context: SourceContext; webhook: WebhookSpec; receive: Receive },
): Promise<void> {
  const refusal = webhook.authSecret && (await unauthorized(request, await context.keys.secret(webhook.authSecret)));
  if (refusal) {
    context.refused(senderOf(request, 'Authorization'));
    return reply(response, 401, refusal);
  }
  if (webhook.method && request.method !== webhook.method) return reply(response, 400, 'http method does not match');
  try {
    const body = await bodyOf(request, webhook.maxPayloadSize ?? defaultMaxPayload);
    const query = requestUrl(request).searchParams;
    const result = await receive({ request, body, headers: goHeaders(request), query });
    if ('status' in result) return reply(response, result.status, result.text);
    context.accepted();
    for (const event of result.events) await context.dispatch(event);
  } catch (error) {
    context.failed(error);
    if (error instanceof SenderRefused) context.refused(senderOf(request, error.header));
    if (error instanceof BadRequest) return reply(response, 400, error.message);
    return reply(response, 500, 'failed to record event');
  }
  reply(response, 200, 'success');
}

/** Who sent a request that is refused for a header. */
export function senderOf(request: IncomingMessage, header: string): RefusedSender {
  return {
    header,
    given: request.headers[header.toLowerCase()] !== undefined,
    from: request.socket.remoteAddress ?? 'an unknown address',
  };
}

async function unauthorized(request: IncomingMessage, token: string): Promise<string | undefined> {
  const given = request.headers.authorization ?? '';
  if (!given.startsWith('Bearer ')) return 'Invalid Authorization Header';
  return sameSecret(given.slice('Bearer '.length), token) ? undefined : 'Invalid Auth token';
}

/** Compares secrets in the same time whatever they are. */
export function sameSecret(a: string, b: string): boolean {
  const [left, right] = [Buffer.from(a), Buffer.from(b)];
  return left.length === right.length && timingSafeEqual(left, right);
}

/** By events: iterating over the request costs as much as all else that is done with it here. */
function bodyOf(request: IncomingMessage, most: number): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let length = 0;
  const take = (chunk: Buffer) => {
    length += chunk.length;
    if (length <= most) return void chunks.push(chunk);
    request.off('data', take);
    discard(request);
    reject(new BadRequest('failed to parse request body, http: request body too large'));
  };
  request.on('data', take);
  request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
  request.once('error', reject);
  request.once('close', () => reject(new Error('the request ended before its body')));
  return promise;
}

/** The headers of a request as Go shows them to an event: canonical names, sorted; `Host` is none of them. */
export function goHeaders({ rawHeaders }: IncomingMessage): Record<string, string[]> {
  const headers = new Map<string, string[]>();
  for (let i = 0; i + 1 < rawHeaders.length; i += 2) {
    const name = canonical(rawHeaders[i] ?? '');
    if (name === 'Host') continue;
    const values = headers.get(name) ?? [];
    values.push(name === 'Authorization' ? masked : (rawHeaders[i + 1] ?? ''));
    headers.set(name, values);
  }
  return sortedEntries(headers) as Record<string, string[]>;
}

const canonicalNames = new Map<string, string>();
const mostNames = 500;

function canonical(name: string): string {
  const known = canonicalNames.get(name);
  if (known !== undefined) return known;
  const made = canonicalOf(name);
  if (canonicalNames.size >= mostNames) canonicalNames.clear();
  canonicalNames.set(name, made);
  return made;
}

function canonicalOf(name: string): string {
  return name.toLowerCase().replace(/(^|-)([a-z])/g, (_, dash: string, letter: string) => dash + letter.toUpperCase());
}
