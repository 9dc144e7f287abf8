import { Buffer } from 'node:buffer';
import { buildPayload, resolveText, withParameters } from '../parameters/parameters.ts';
import type { HttpTrigger } from '../spec/sensor.ts';
import { sendRequest } from '../wire/http-request.ts';
import { tlsOptions } from '../wire/tls.ts';
import { eventsHash } from './once.ts';
import { secureHeaderValue } from './secure-header.ts';
import { type Act, type Action, ActionError, type TriggerContext } from './trigger.ts';

const defaultTimeout = 60;

/** Makes a request. Any answer is a success, unless the policy lists the codes that are. */
export const act: Act = async (action, context) => {
  const { template, policy, events, signal } = action;
  const http = withParameters(template.http as HttpTrigger, template.http?.parameters, events);
  const body = http.payload ? (buildPayload(events, http.payload) ?? '') : '';
  const method = http.method || 'POST';
  const shown = redactedUrl(http.url);
  context.log('info', 'Making a http request...', { url: shown });
  const { status } = await sendRequest({
    url: http.url,
    method,
    headers: await headersOf(http, action, context),
    body,
    timeout: (http.timeout || defaultTimeout) * 1000,
    tls: http.tls ? await tlsOptions(http.tls, context.keys) : {},
    signal,
  });
  const allowed = policy?.status?.allow;
  if (allowed && !allowed.includes(status))
    throw new ActionError(`policy application resulted in failure. http response status ${status} is not allowed`);
  return `${method} ${shown} was answered ${status}`;
};

function redactedUrl(text: string): string {
  const url = URL.parse(text);
  return url ? `${url.protocol}//${url.host}${url.pathname}` : 'a URL that is none';
}

async function headersOf(http: HttpTrigger, action: Action, context: TriggerContext): Promise<[string, string][]> {
  const { events } = action;
  const { keys, isOnce } = context;
  const headers = new Map(Object.entries(http.headers ?? {}));
  if (isOnce && ![...headers.keys()].some((name) => name.toLowerCase() === 'idempotency-key'))
    headers.set('Idempotency-Key', eventsHash(action, 32));
  for (const { src, dest } of http.dynamicHeaders ?? []) {
    const value = src && resolveText(src, events);
    if (dest && value !== undefined) headers.set(dest, value);
  }
  for (const header of http.secureHeaders ?? []) headers.set(header.name, await secureHeaderValue(header, keys));
  if (http.basicAuth) {
    const { username, password } = http.basicAuth;
    const user = username ? await keys.secret(username) : '';
    const secret = password ? await keys.secret(password) : '';
    headers.set('Authorization', `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}`);
  }
  if (http.host) headers.set('Host', http.host);
  return [...headers];
}
