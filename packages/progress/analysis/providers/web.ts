import { badAnswer, misconfiguredProvider } from '../model/failures.ts';
import type { Metric, WebMetric } from '../model/types.ts';
import { basicHeaders } from './basic-auth.ts';
import { goJson } from './go-format.ts';
import { ask } from './http.ts';
import { compileJsonPath } from './json-path.ts';
import { oauth2Headers } from './oauth2.ts';
import type { ProviderContext, QueryProvider, Reading } from './provider.ts';

const defaultTimeout = 10_000;

/** Asks an address; the result is what the JSONPath finds, the whole JSON, or the text of an answer that is no JSON. */
export const web: QueryProvider = { kind: 'query', query };

async function query({ provider }: Metric, { signal }: ProviderContext): Promise<Reading> {
  const web = provider.web as WebMetric;
  const find = compileJsonPath(web.jsonPath || '{$}');
  const timeout = web.timeoutSeconds && web.timeoutSeconds > 0 ? web.timeoutSeconds * 1000 : defaultTimeout;
  const request = { timeout, signal, insecure: web.insecure === true };
  const { region, profile, roleArn } = web.authentication?.sigv4 ?? {};
  if (region || profile || roleArn)
    throw misconfiguredProvider(
      'authentication.sigv4 signs requests to Amazon Managed Prometheus alone: use oauth2, basicAuth or headers',
    );
  const { method, body } = payload(web);
  const headers: Record<string, string> = basicHeaders(web.authentication);
  for (const { key, value } of web.headers ?? []) headers[key.toLowerCase()] = value;
  if (web.jsonBody !== undefined) headers['content-type'] = 'application/json';
  Object.assign(headers, await oauth2Headers(web.authentication?.oauth2, request));
  const answer = await ask({ ...request, url: web.url, method, headers, ...(body === undefined ? {} : { body }) });
  if (answer.status < 200 || answer.status >= 300) throw badAnswer(`received non 2xx response code: ${answer.status}`);
  return reading(answer.text, find, web.jsonPath ?? '');
}

function payload(web: WebMetric): { method: string; body?: string } {
  const method = web.method || 'GET';
  if (web.body && web.jsonBody !== undefined)
    throw misconfiguredProvider('use either Body or JSONBody; both cannot exists for WebMetric payload');
  if ((web.body || web.jsonBody !== undefined) && method === 'GET')
    throw misconfiguredProvider('Body/JSONBody can only be used with POST or PUT WebMetric Method types');
  if (web.body) return { method, body: web.body };
  return { method, ...(web.jsonBody === undefined ? {} : { body: JSON.stringify(web.jsonBody) }) };
}

function reading(text: string, find: (value: unknown) => unknown[], path: string): Reading {
  let data: unknown;
  try {
    data = JSON.parse(text);
  } catch {
    return { value: text, result: text };
  }
  const found = find(data);
  if (found.length === 0)
    throw badAnswer(
      `Could not find JSONPath in body: result of web metric produced no value: ${path} is not in the answer, which has ${keysOf(data)}`,
    );
  return { value: goJson(found[0]), result: found[0] };
}

const shownKeys = 20;

/** What an answer is made of: its keys and not its values, which are the provider's. */
function keysOf(data: unknown): string {
  if (Array.isArray(data)) return `a list of ${data.length}`;
  if (typeof data !== 'object' || data === null)
    return `no fields: it is ${data === null ? 'null' : `a ${typeof data}`}`;
  const keys = Object.keys(data);
  if (keys.length === 0) return 'no fields';
  const more = keys.length > shownKeys ? ` and ${keys.length - shownKeys} more` : '';
  return `${keys.slice(0, shownKeys).join(', ')}${more}`;
}
