import type { ServerResponse } from 'node:http';
import { stringify as toYaml } from 'yaml';
import { StatusError } from './status.ts';

/** The answer to a request: serialised JSON and its code. */
export interface Answer {
  readonly code: number;
  readonly body: string;
  readonly warnings?: readonly string[];
}

/** Sends an answer as JSON, or YAML if that was asked for, with `Warning` headers. */
export function send(
  response: ServerResponse,
  answer: Answer,
  options: { yaml?: boolean; contentType?: string } = {},
): void {
  for (const text of answer.warnings ?? []) response.appendHeader('warning', `299 - ${JSON.stringify(text)}`);
  const body = Buffer.from(options.yaml ? toYaml(JSON.parse(answer.body)) : `${answer.body}\n`);
  response.writeHead(answer.code, {
    'cache-control': 'no-cache, private',
    'content-type': options.contentType ?? (options.yaml ? 'application/yaml' : 'application/json'),
    'content-length': body.length,
  });
  response.end(body);
}

export function sendText(response: ServerResponse, code: number, text: string): void {
  sendBytes(response, code, 'text/plain; charset=utf-8', Buffer.from(text));
}

export function sendBytes(response: ServerResponse, code: number, type: string, body: Uint8Array): void {
  response.writeHead(code, { 'content-type': type, 'content-length': body.length });
  response.end(body);
}

/** The Status of any caught value; what is not a StatusError is a defect and answered with 500. */
export function statusOf(error: unknown): StatusError['status'] {
  if (error instanceof StatusError) return error.status;
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const status = new StatusError(500, 'InternalError', `Internal error occurred: ${text}`).status;
  return { ...status, details: { causes: [{ message: text, reason: '' }] } };
}
