import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import { StatusError } from '@tiphys/apimachinery';
import { DiagnosisError } from '@tiphys/diagnosis';
import { TooLargeError } from '@tiphys/store';
import { printYaml } from '@tiphys/yaml';
import { acceptsGzip, GZIP, GZIP_FROM, gzipped, PACKED } from './gzip.ts';
import { warningHeaders } from './warning-headers.ts';

/** The answer to a request: its code and JSON text, which may come in pieces. */
export interface Answer {
  readonly code: number;
  readonly body: string | Iterable<string>;
  readonly warnings?: readonly string[];
}

/** How an answer's text is sent. */
export interface AnswerForm {
  readonly yaml?: boolean;
  /** Indented, as people read it. */
  readonly pretty?: boolean;
  /** Packed, where it is long. */
  readonly gzip?: boolean;
}

/** What a request wants of an answer's text besides its media type: browsers, curl and Wget get it indented. */
export function formOfAnswer(request: IncomingMessage, query: URLSearchParams): AnswerForm {
  const asked = query.get('pretty');
  const reader = /^(curl|Wget|Mozilla\/5\.0)/.test(request.headers['user-agent'] ?? '');
  return { pretty: asked ? /^(1|t|T|TRUE|true|True)$/.test(asked) : reader, gzip: acceptsGzip(request) };
}

/** Sends an answer as JSON, or YAML if that was asked for, with `Warning` headers. */
export function send(response: ServerResponse, answer: Answer, form: AnswerForm = {}): void {
  for (const header of warningHeaders(answer.warnings ?? [])) response.appendHeader('warning', header);
  const headers = {
    'cache-control': 'no-cache, private',
    'content-type': form.yaml ? 'application/yaml' : 'application/json',
  };
  const pieces = typeof answer.body === 'string' ? [answer.body] : answer.body;
  if (form.yaml || form.pretty) {
    const json = [...pieces].join('');
    const text = form.yaml ? printYaml(JSON.parse(json)) : JSON.stringify(JSON.parse(json), null, 2);
    sendWhole(response, answer.code, headers, text, form);
    return;
  }
  const rest = pieces[Symbol.iterator]();
  const [first, second] = [rest.next(), rest.next()];
  if (second.done) {
    sendWhole(response, answer.code, headers, `${first.value ?? ''}\n`, form);
    return;
  }
  response.writeHead(answer.code, { ...headers, ...(form.gzip ? PACKED : {}) });
  const out = form.gzip ? packing(response) : response;
  out.write(first.value);
  out.write(second.value);
  sendRest(response, out, rest).catch((error: unknown) => response.destroy(error as Error));
}

function packing(response: ServerResponse): Writable {
  const packer = createGzip(GZIP);
  packer.pipe(response);
  response.once('close', () => packer.destroy());
  return packer;
}

function sendWhole(
  response: ServerResponse,
  code: number,
  headers: Record<string, string>,
  text: string,
  { gzip = false }: AnswerForm,
): void {
  const body = Buffer.from(text);
  const plain = (bytes: Buffer, more: object = {}) => {
    response.writeHead(code, { ...headers, ...more, 'content-length': bytes.length });
    response.end(bytes);
  };
  if (!gzip || body.length <= GZIP_FROM) plain(body);
  else
    gzipped(body).then(
      (packed) => plain(packed, PACKED),
      (error: unknown) => response.destroy(error as Error),
    );
}

/** As fast as the client reads, until it is gone. */
async function sendRest(response: ServerResponse, out: Writable, pieces: Iterator<string, unknown>): Promise<void> {
  const carrier = carrierOf(response);
  for (let piece = pieces.next(); !piece.done && !carrier.destroyed; piece = pieces.next())
    if (!out.write(piece.value)) await (out === response ? drained(response) : relieved(out));
  out.end('\n');
}

/** Resolves when a stream that is full takes more, or is gone. */
function relieved(out: Writable): Promise<void> {
  return new Promise((resolve) => {
    const go = () => {
      out.off('drain', go).off('close', go);
      resolve();
    };
    out.on('drain', go).on('close', go);
  });
}

/** What tells how a response fares: of HTTP/2 its stream, of HTTP/1.1 the response itself. */
export function carrierOf(response: ServerResponse & { readonly stream?: Writable }): Writable {
  return response.stream ?? response;
}

/** Resolves when the connection takes more, or is gone. */
export async function drained(response: {
  readonly socket: Writable | null;
  readonly stream?: Writable;
}): Promise<void> {
  // what a response says of itself while it is corked, its connection may have taken already
  const socket = response.stream ?? response.socket;
  if (socket?.writableNeedDrain && !socket.destroyed) await relieved(socket);
}

export function sendText(response: ServerResponse, code: number, text: string): void {
  response.setHeader('x-content-type-options', 'nosniff');
  sendBytes(response, code, 'text/plain; charset=utf-8', Buffer.from(text));
}

/** Sends bytes that nobody may keep, unless a header says so already. */
export function sendBytes(response: ServerResponse, code: number, type: string, body: Uint8Array): void {
  if (!response.hasHeader('cache-control')) response.setHeader('cache-control', 'no-cache, private');
  response.writeHead(code, { 'content-type': type, 'content-length': body.length });
  response.end(body);
}

/** The Status of any caught value; what is not a StatusError is a defect and answered with 500. */
export function statusOf(error: unknown): StatusError['status'] {
  if (error instanceof StatusError) return error.status;
  if (error instanceof TooLargeError) return new StatusError(500, '', error.message).status;
  const foreseen = error instanceof DiagnosisError;
  const text = error instanceof Error ? ((foreseen ? undefined : error.stack) ?? error.message) : String(error);
  const status = new StatusError(500, 'InternalError', `Internal error occurred: ${text}`).status;
  return { ...status, details: { causes: [{ message: text, reason: '' }] } };
}
