import { type ClientRequest, Agent as PlainAgent, request as requestPlain } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';
import type { HttpRequest, HttpResponse } from '../transport/http-message.ts';
import { sendPlain } from '../transport/plain-text.ts';
import { isOfOneHop, toldHeaders } from './header-names.ts';
import type { ProxyExtension, ProxyService } from './proxy-settings.ts';
import type { ProxyTarget } from './proxy-target.ts';

type Agents = { readonly 'http:': PlainAgent; readonly 'https:': SecureAgent };

/** Connections to the backends of one extension, kept as its settings say. */
export class Backends {
  readonly #extension: ProxyExtension;
  readonly #agents: Agents;

  constructor(extension: ProxyExtension) {
    this.#extension = extension;
    const options = {
      keepAlive: true,
      keepAliveMsecs: extension.keepAlive,
      maxFreeSockets: extension.maxIdleConnections,
      // a socket that nobody uses is closed after it; one in use only tells that it is silent, which streams may be
      timeout: extension.idleConnectionTimeout,
    };
    this.#agents = { 'http:': new PlainAgent(options), 'https:': new SecureAgent(options) };
  }

  /** Milliseconds. */
  get connectionTimeout(): number {
    return this.#extension.connectionTimeout;
  }

  /** Hands a request on, both bodies as they come; resolves when the answer has ended. */
  forward(
    { request, response, path }: { request: HttpRequest; response: HttpResponse; path: string },
    service: ProxyService,
    headers: Readonly<Record<string, string | string[]>>,
  ): Promise<void> {
    const { url } = service;
    const secure = url.protocol === 'https:';
    const { connectionTimeout, responseTimeout, name } = this.#extension;
    return new Promise((resolve) => {
      response.once('close', resolve);
      const outgoing = (secure ? requestSecure : requestPlain)(url.origin, {
        method: request.method,
        path,
        headers: { ...headers, host: url.host },
        agent: this.#agents[secure ? 'https:' : 'http:'],
      });
      outgoing.on('socket', (socket) => {
        if (!socket.connecting) return;
        const late = () => socket.destroy(new Error(`no connection within ${connectionTimeout / 1000} s`));
        const timer = setTimeout(late, connectionTimeout);
        socket.once(secure ? 'secureConnect' : 'connect', () => clearTimeout(timer));
        socket.once('close', () => clearTimeout(timer));
      });
      const silent = answerTimer(outgoing, responseTimeout);
      // a long body is no silence as long as the backend reads it
      request.on('data', silent.restart);
      outgoing.on('response', (answer) => {
        silent.end();
        for (const [header, value] of Object.entries(answer.headers))
          if (value !== undefined && !isOfOneHop(header)) response.setHeader(header, value);
        response.statusCode = answer.statusCode ?? 502;
        answer.on('error', () => response.destroy());
        answer.pipe(response as NodeJS.WritableStream);
      });
      outgoing.on('error', (error) => {
        silent.end();
        if (response.headersSent) return void response.destroy();
        const backend = `The backend of the extension ${name} at ${url.host}`;
        if (error instanceof NoAnswer)
          return sendPlain(response, 504, `${backend} ${error.message}; its responseTimeout is in argocd-cm`);
        sendPlain(response, 502, `${backend} cannot be reached: ${error.message}`);
      });
      response.on('close', () => {
        silent.end();
        outgoing.destroy();
      });
      request.pipe(outgoing);
    });
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }
}

class NoAnswer extends Error {}

/** Gives a request up when nothing was sent and no answer has begun for so many milliseconds. */
function answerTimer(outgoing: ClientRequest, timeout: number): { restart(): void; end(): void } {
  const late = () => outgoing.destroy(new NoAnswer(`has not answered within ${timeout / 1000} s`));
  let timer = setTimeout(late, timeout);
  let ended = false;
  return {
    restart: () => {
      if (ended) return;
      clearTimeout(timer);
      timer = setTimeout(late, timeout);
    },
    end: () => {
      ended = true;
      clearTimeout(timer);
    },
  };
}

/** Of a request to a backend: those of the caller without credentials and what they say of who calls, then what this server tells, then the settings'. */
export function forwardedHeaders(
  request: HttpRequest,
  { told }: Pick<ProxyTarget, 'told'>,
  settings: Readonly<Record<string, string>>,
): Record<string, string | string[]> {
  const dropped = new Set<string>(['host', 'cookie', 'authorization', 'token', 'grpcgateway-cookie', ...toldHeaders]);
  const own = Object.entries(request.headers).flatMap(([name, value]) =>
    value === undefined || isOfOneHop(name) || dropped.has(name) || name.startsWith('x-forwarded-')
      ? []
      : [[name, value] as const],
  );
  const { host = request.headers[':authority'], 'transfer-encoding': encoding } = request.headers;
  return {
    ...Object.fromEntries(own),
    ...(encoding ? { 'transfer-encoding': encoding } : {}),
    'x-forwarded-for': request.socket.remoteAddress ?? '',
    'x-forwarded-host': String(host ?? ''),
    'x-forwarded-proto': 'encrypted' in request.socket ? 'https' : 'http',
    ...told,
    ...settings,
  };
}
