import type { ServerResponse } from 'node:http';
import { DiagnosisError } from '@tiphys/diagnosis';
import { printYaml } from '@tiphys/yaml';
import { StatusError } from './status.ts';
import { warningHeaders } from './warning-headers.ts';

/** The answer to a request: its code and JSON text, which may come in pieces. */
export interface Answer {
  readonly code: number;
  readonly body: string | Iterable<string>;
  readonly warnings?: readonly string[];
}

/** Sends an answer as JSON, or YAML if that was asked for, with `Warning` headers. */
export function send(response: ServerResponse, answer: Answer, form: AnswerForm = {}): void {
  for (const header of warningHeaders(answer.warnings ?? [])) response.appendHeader('warning', header);
  const headers = {
    'cache-control': 'no-cache, private',
    'content-type': options.contentType ?? (options.yaml ? 'application/yaml' : 'application/json'),
  };
  const pieces = typeof answer.body === 'string' ? [answer.body] : answer.body;
  if (options.yaml) {
    sendWhole(response, answer.code, headers, printYaml(JSON.parse([...pieces].join(''))));
    return;
  }
  const rest = pieces[Symbol.iterator]();
  const [first, second] = [rest.next(), rest.next()];
  if (second.done) {
    sendWhole(response, answer.code, headers, `${first.value ?? ''}\n`);
    return;
  }
  response.writeHead(answer.code, headers);
  response.write(first.value);
  response.write(second.value);
  sendRest(response, rest).catch((error: unknown) => response.destroy(error as Error));
}

function sendWhole(response: ServerResponse, code: number, headers: Record<string, string>, text: string): void {
  const body = Buffer.from(text);
  response.writeHead(code, { ...headers, 'content-length': body.length });
  response.end(body);
}

/** As fast as the client reads, until it is gone. */
async function sendRest(response: ServerResponse, pieces: Iterator<string, unknown>): Promise<void> {
  for (let piece = pieces.next(); !piece.done && !response.destroyed; piece = pieces.next())
    if (!response.write(piece.value)) await drained(response);
  response.end('\n');
}

/** Resolves when the connection takes more, or is gone. */
export function drained({ socket }: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    // what a response says of itself while it is corked, its connection may have taken already
    if (!socket?.writableNeedDrain || socket.destroyed) {
      resolve();
      return;
    }
    const go = () => {
      socket.off('drain', go).off('close', go);
      resolve();
    };
    socket.on('drain', go).on('close', go);
  });
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
  const foreseen = error instanceof DiagnosisError;
  const text = error instanceof Error ? ((foreseen ? undefined : error.stack) ?? error.message) : String(error);
  const status = new StatusError(500, 'InternalError', `Internal error occurred: ${text}`).status;
  return { ...status, details: { causes: [{ message: text, reason: '' }] } };
}
