import { STATUS_CODES } from 'node:http';
import type { DescMessage } from '@bufbuild/protobuf';
import { plainOf, plainWithBreaks } from '@tiphys/api';
import { chunksOf, discard } from '@tiphys/inbound';
import { breaks } from '../rpc/breaks.ts';
import type { Call } from '../rpc/call.ts';
import { decodePart } from '../rpc/decode-part.ts';
import type { Endpoint } from '../rpc/dispatcher.ts';
import { restDetails } from '../rpc/error-details.ts';
import type { Admit, Observe } from '../rpc/grpc.ts';
import { largestMessage, strangersBytes } from '../rpc/message-limits.ts';
import { Code, httpStatusOf, invalidArgument, RpcError, rpcErrorOf } from '../rpc/rpc-error.ts';
import { tokenCookies } from '../transport/cookies.ts';
import { isForeignOrigin } from '../transport/foreign-origin.ts';
import { type HttpRequest, type HttpResponse, isGone, sendJson, write } from '../transport/http-message.ts';
import { Outbox } from '../transport/outbox.ts';
import { sendCompressed } from './compressed.ts';
import { downloadLog, type LogLine } from './download-log.ts';
import { jsonText } from './json-text.ts';
import { setField } from './request-message.ts';
import { type Route, routesOf } from './route.ts';
import { selectFields } from './select-fields.ts';

export interface GatewayOptions {
  readonly endpoints: readonly Endpoint[];
  readonly admit: Admit;
  readonly observe: Observe;
  /** Content types that a request which changes something may have, in lower case. */
  readonly contentTypes: () => readonly string[];
  /** argocd-cm, for the addresses under which the page is reached besides the host of the request, such as a proxy's. */
  readonly config: () => Readonly<Record<string, string>>;
  /** The services choose fields by `fields` themselves, and a variable at the end of a path may be empty, as with Argo Workflows. */
  readonly chosenByServices?: boolean;
  /** Whether a browser could have been made to send the request; every one if absent. */
  readonly mayForge?: (request: HttpRequest) => boolean;
  /** Whether cookies are only for TLS. */
  readonly secureCookies: (request: HttpRequest) => boolean;
}

/** Serves the endpoints as REST with Go's JSON, as Argo CD's gateway does. */
export class Gateway {
  readonly #options: GatewayOptions;
  readonly #routes: readonly Route[];

  constructor(options: GatewayOptions) {
    this.#options = options;
    this.#routes = routesOf(options.endpoints, options.chosenByServices);
  }

  /** Answers a request below `/api/`; `body` is what was read of it already. */
  async serve(request: HttpRequest, response: HttpResponse, body?: Buffer): Promise<void> {
    const started = performance.now();
    let path = request.url ?? '/';
    let streams = false;
    try {
      const url = urlOf(request);
      this.#refuseForgery(request);
      const found = this.#find(request.method ?? 'GET', url.pathname);
      path = found.route.endpoint.path;
      streams = found.route.endpoint.method.methodKind === 'server_streaming';
      await this.#call(found.route, found.values, url, request, response, body);
      this.#options.observe({ path, code: 'OK', milliseconds: performance.now() - started });
    } catch (error) {
      const refused = rpcErrorOf(error);
      this.#options.observe({ path, code: String(refused.code), milliseconds: performance.now() - started, error });
      if (response.headersSent) response.end();
      else sendError(response, refused, streams);
      if (refused instanceof PayloadTooLarge) discard(request);
    }
  }

  /** A browser's form on another site can send cookies but neither this content type nor our Origin (CVE-2024-22424). */
  #refuseForgery(request: HttpRequest): void {
    if (request.method === 'GET' || request.method === 'HEAD') return;
    if (this.#options.mayForge && !this.#options.mayForge(request)) return;
    const type = String(request.headers['content-type'] ?? '')
      .split(';')[0]
      ?.trim()
      .toLowerCase();
    if (!this.#options.contentTypes().includes(type ?? '')) throw new UnsupportedMediaType();
    if (isForeignOrigin(request, this.#options.config()))
      throw new RpcError(
        Code.PermissionDenied,
        `the request comes from a page of ${request.headers.origin}, which is not this server; if it is, set url in argocd-cm to its address`,
      );
  }

  #find(verb: string, path: string): { route: Route; values: Record<string, string> } {
    let known = false;
    for (const route of this.#routes) {
      const values = route.match(path);
      if (!values) continue;
      known = true;
      if (route.verb === verb) return { route, values };
    }
    throw known ? new MethodNotAllowed() : new NoSuchPath();
  }

  async #call(
    route: Route,
    values: Record<string, string>,
    url: URL,
    request: HttpRequest,
    response: HttpResponse,
    body: Buffer | undefined,
  ): Promise<void> {
    const { endpoint } = route;
    const { method } = endpoint;
    const abort = new AbortController();
    response.on('close', () => abort.abort());
    const header = (name: string) => {
      const value = request.headers[name];
      return Array.isArray(value) ? value[0] : value;
    };
    // who calls is known before a body is read, so that strangers cannot make us keep large ones
    const headers = () =>
      Object.fromEntries(
        Object.entries(request.headers).map(([name, value]) => [name, Array.isArray(value) ? value : [String(value)]]),
      );
    const call = await this.#options.admit({ path: endpoint.path, header, headers, signal: abort.signal });
    if (!isGone(response))
      for (const [name, value] of Object.entries(endpoint.headers ?? {}))
        response.setHeader(`Grpc-Metadata-${name}`, value);
    if (call.renewed && !isGone(response))
      response.setHeader('Set-Cookie', tokenCookies(call.renewed, this.#options.secureCookies(request)));
    const json = await this.#requestJson(
      route,
      values,
      url,
      request,
      call.identity ? largestMessage(endpoint.path) : strangersBytes,
      body,
    );
    const plain = plainOf(method.input, json);
    const handler = endpoint.handler as (request: unknown, call: Call) => Promise<unknown> | AsyncIterable<unknown>;
    const fields = this.#options.chosenByServices ? null : url.searchParams.get('fields');
    if (method.methodKind === 'server_streaming') {
      if (method.output.name === 'LogEntry' && url.searchParams.get('download') === 'true')
        return await downloadLog(response, handler(plain, call) as AsyncIterable<LogLine>, url.searchParams);
      await this.#stream(endpoint, handler(plain, call) as AsyncIterable<unknown>, fields, request, response);
      return;
    }
    if (method.methodKind !== 'unary')
      throw new RpcError(Code.Unimplemented, `${endpoint.path} takes a stream; call it by gRPC`);
    const pause = breaks();
    const answer = await plainWithBreaks(method.output, await handler(plain, call), pause);
    if (method.output.typeName === 'session.SessionResponse') {
      response.setHeader(
        'Set-Cookie',
        tokenCookies((answer as { token?: string }).token ?? '', this.#options.secureCookies(request)),
      );
    }
    await sendCompressed(request, response, await jsonText(selectFields(answer, fields), pause));
  }

  async #requestJson(
    route: Route,
    values: Record<string, string>,
    url: URL,
    request: HttpRequest,
    limit: number,
    read: Buffer | undefined,
  ): Promise<Record<string, unknown>> {
    const { input } = route.endpoint.method;
    let json: Record<string, unknown> = {};
    if (route.body) {
      const body = read ? parseJson(read) : await readJson(request, limit);
      if (route.body === '*') json = withFieldNames(input, (body ?? {}) as Record<string, unknown>);
      else json[route.body] = body;
      if (typeof json !== 'object' || Array.isArray(json)) throw invalidArgument('the body must be a JSON object');
    }
    const bound = new Set(Object.keys(values));
    if (route.body !== '*') {
      for (const [name, value] of url.searchParams)
        if ((name !== 'fields' || this.#options.chosenByServices) && !bound.has(name) && name !== route.body)
          setField(input, json, name, value);
    }
    for (const [name, value] of Object.entries(values)) setField(input, json, name, decodePart(value));
    return json;
  }

  async #stream(
    endpoint: Endpoint,
    items: AsyncIterable<unknown>,
    fields: string | null,
    request: HttpRequest,
    response: HttpResponse,
  ): Promise<void> {
    if (isGone(response)) return;
    const events = request.headers.accept === 'text/event-stream';
    const { output } = endpoint.method;
    response.setHeader('Content-Type', events ? 'text/event-stream' : 'application/json');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.setHeader('Cache-Control', 'no-cache');
    const outbox = new Outbox(response);
    const keepAlive = events ? setInterval(() => void outbox.put(':\n'), 15_000) : undefined;
    let begun = false;
    const send = async (value: unknown) => {
      begun = true;
      const text = JSON.stringify(selectFields(value, fields));
      await outbox.put(events ? `data: ${text} \n\n` : `${text}\n`);
    };
    try {
      // clients of Argo Workflows take the first line for an event
      if (events && this.#options.chosenByServices && 'flushHeaders' in response) response.flushHeaders();
      else if (events) await write(response, ':\n');
      for await (const item of items) await send({ result: plainOf(output, item) });
    } catch (error) {
      const refused = rpcErrorOf(error);
      if (!response.headersSent && !begun) throw error;
      if (!isGone(response)) await send(streamError(refused));
    } finally {
      clearInterval(keepAlive);
      await outbox.flush();
    }
    response.end();
  }
}

class NoSuchPath extends RpcError {
  constructor() {
    super(Code.NotFound, 'Not Found');
    this.name = 'NoSuchPath';
  }
}

class MethodNotAllowed extends RpcError {
  constructor() {
    super(Code.Unimplemented, 'Method Not Allowed');
    this.name = 'MethodNotAllowed';
  }
}

class PayloadTooLarge extends RpcError {
  constructor(limit: number) {
    super(Code.ResourceExhausted, `the body is larger than ${limit} bytes`);
    this.name = 'PayloadTooLarge';
  }
}

class UnsupportedMediaType extends RpcError {
  constructor() {
    super(Code.InvalidArgument, 'Invalid content type');
    this.name = 'UnsupportedMediaType';
  }
}

/** What concerns no method of the API is reported as text, what a stream refuses in the form of its items. */
function sendError(response: HttpResponse, error: RpcError, streams: boolean): void {
  if (isGone(response)) return;
  const status = statusOf(error);
  if (error instanceof UnsupportedMediaType || error instanceof MethodNotAllowed || error instanceof NoSuchPath) {
    response.statusCode = status;
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    response.setHeader('X-Content-Type-Options', 'nosniff');
    response.end(`${error.message}\n`);
    return;
  }
  sendJson(
    response,
    status,
    streams
      ? streamError(error)
      : { error: error.message, code: error.code, message: error.message, ...detailsOf(error) },
  );
}

function detailsOf(error: RpcError) {
  const details = restDetails(error);
  return details.length > 0 ? { details } : {};
}

function streamError(error: RpcError) {
  const status = httpStatusOf(error.code);
  return {
    error: {
      grpc_code: error.code,
      http_code: status,
      message: error.message,
      http_status: STATUS_CODES[status] ?? '',
      ...detailsOf(error),
    },
  };
}

function statusOf(error: RpcError): number {
  if (error instanceof PayloadTooLarge) return 413;
  if (error instanceof UnsupportedMediaType) return 415;
  return error instanceof MethodNotAllowed ? 405 : httpStatusOf(error.code);
}

/** Go's JSON does not mind the case of names: `eventsource` is the field eventSource. */
function withFieldNames(input: DescMessage, json: Record<string, unknown>): Record<string, unknown> {
  if (typeof json !== 'object' || Array.isArray(json)) return json;
  const known = new Set(input.fields.flatMap(({ name, jsonName }) => [name, jsonName]));
  const byLower = new Map(input.fields.map(({ jsonName }) => [jsonName.toLowerCase(), jsonName]));
  return Object.fromEntries(
    Object.entries(json).map(([name, value]) => [
      known.has(name) ? name : (byLower.get(name.toLowerCase()) ?? name),
      value,
    ]),
  );
}

async function readJson(request: HttpRequest, limit: number): Promise<unknown> {
  if (Number(request.headers['content-length'] ?? 0) > limit) throw new PayloadTooLarge(limit);
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of chunksOf(request)) {
    size += chunk.length;
    if (size > limit) throw new PayloadTooLarge(limit);
    chunks.push(chunk);
  }
  return parseJson(Buffer.concat(chunks));
}

function parseJson(bytes: Buffer): unknown {
  const text = bytes.toString('utf8');
  if (!text.trim()) return undefined;
  try {
    return JSON.parse(text);
  } catch (error) {
    // the words of the parser repeat a part of the body
    const where = / at position \d+/.exec(String(error))?.[0] ?? '';
    throw invalidArgument(`the body is not JSON${where}`);
  }
}

function urlOf(request: HttpRequest): URL {
  const text = `http://localhost${request.url ?? '/'}`;
  if (!URL.canParse(text)) throw invalidArgument('the path is not the path of a URL');
  return new URL(text);
}
