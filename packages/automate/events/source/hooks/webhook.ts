import { compactJson } from '../../json/compact.ts';
import { goJson, goMapJson } from '../../json/go-json.ts';
import { JsonSyntaxError, parseNode } from '../../json/node.ts';
import type { Listen } from '../source.ts';
import { BadRequest, type Hook, serveWebhook, type WebhookSpec } from './webhook-route.ts';

/** Takes any request as an event: JSON bodies as they are, forms and queries as JSON. */
export const listen: Listen<WebhookSpec> = (context, ready) =>
  serveWebhook(
    context,
    context.spec,
    async (hook) => ({ events: [hookData({ header: hook.headers }, bodyJson(hook), context.spec.metadata)] }),
    ready,
  );

/** The data of an event over HTTP: its fields, the body as JSON, and the metadata of the spec. */
export function hookData(fields: object, body: string, metadata: Readonly<Record<string, string>> | undefined): string {
  const hasMetadata = metadata && Object.keys(metadata).length > 0;
  return `${goJson(fields).slice(0, -1)},"body":${body}${hasMetadata ? `,"metadata":${goMapJson(metadata)}` : ''}}`;
}

function bodyJson({ request, body, query }: Hook): string {
  if (request.method === 'GET') return goMapJson(lists(query));
  if (request.method !== 'POST') throw new BadRequest(`unsupported method: ${request.method}`);
  if (request.headers['content-type'] === 'application/x-www-form-urlencoded')
    return goMapJson(lists(new URLSearchParams(body.toString('utf8'))));
  return jsonBody(body);
}

/** A body that must be JSON, compact. Throws `BadRequest`. */
export function jsonBody(body: Buffer): string {
  try {
    return compactJson(parseNode(body.toString('utf8')));
  } catch (error) {
    if (error instanceof JsonSyntaxError) throw new BadRequest(`the body is ${error.message}`);
    throw error;
  }
}

/** The fields of JSON text that is an object. Throws `BadRequest` for another value. */
export function fieldsOf(json: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(json);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new BadRequest('the body is no JSON object');
}

function lists(parameters: URLSearchParams): Record<string, string[]> {
  const found = new Map<string, string[]>();
  for (const [key, value] of parameters) {
    const values = found.get(key);
    if (values) values.push(value);
    else found.set(key, [value]);
  }
  return Object.fromEntries(found);
}
