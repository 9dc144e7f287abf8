import { Buffer } from 'node:buffer';
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isDeepStrictEqual } from 'node:util';
import { defineDiagnosis, failure } from '@tiphys/diagnosis';
import { guardedServer, requestUrl } from '@tiphys/inbound';
import { RE2JS } from 're2js';
import { portUnusable } from '../trouble/port-unusable.ts';

const endpointTaken = defineDiagnosis('EndpointTaken', 'Two event sources want the same path of the same port');
const portShared = defineDiagnosis(
  'EventsPortShared',
  'Two event sources want the same port with different certificates, or one of them without TLS',
);

export type Handler = (request: IncomingMessage, response: ServerResponse) => Promise<void>;

export interface RouteOptions {
  readonly port: number;
  /** With its slash. */
  readonly endpoint: string;
  /** Whose route it is, as `namespace/name/event`. */
  readonly owner: string;
  readonly tls?: { readonly cert: string; readonly key: string };
  readonly handler: Handler;
}

interface Route {
  readonly owner: string;
  readonly handler: Handler;
  /** Of an endpoint with variables. */
  readonly pattern?: RE2JS | undefined;
}

interface Port {
  readonly server: Server;
  readonly tls: RouteOptions['tls'];
  readonly routes: Map<string, Route>;
  readonly listening: Promise<number>;
}

/**
 * The HTTP servers of all event sources of a process: one for each port, with a route for each event. A route is also there
 * as `/NAMESPACE/NAME/EVENT`, so that event sources which were written for pods of their own can share a port.
 */
export class HttpRoutes {
  readonly #host: string;
  readonly #ports = new Map<number, Port>();

  /** The host is the address that is listened on. */
  constructor(host: string) {
    this.#host = host;
  }

  /** Adds a route; gives the port that is listened on, and what removes it. */
  async add(options: RouteOptions): Promise<{ port: number; remove: () => Promise<void> }> {
    const { endpoint, owner, handler } = options;
    const pattern = patternOf(endpoint);
    const known = this.#ports.get(options.port);
    const port = known ?? this.#open(options);
    const paths = [endpoint, `/${owner}`];
    const [other] = port.routes.values();
    if (other && !isDeepStrictEqual(port.tls, options.tls)) throw differentTls(options, other.owner, port.tls);
    const taken = port.routes.get(endpoint);
    if (taken && taken.owner !== owner) throw this.#taken(options, taken.owner);
    for (const path of paths) port.routes.set(path, { owner, handler, pattern });
    try {
      return { port: await port.listening, remove: () => this.#remove(options, port, paths) };
    } catch (error) {
      await this.#remove(options, port, paths);
      throw error;
    }
  }

  #taken({ port, endpoint, owner }: RouteOptions, other: string) {
    return failure(endpointTaken, {
      message: `${owner} wants ${endpoint} of port ${port}, which ${other} has`,
      evidence: { reachable: `/${owner} of port ${port} would be free` },
      remedies: ['Give one of them another endpoint or another port, or deploy them as pods of their own'],
    });
  }

  #open({ port, tls }: RouteOptions): Port {
    const routes: Port['routes'] = new Map();
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      const path = requestUrl(request).pathname;
      const route = routes.get(path) ?? [...routes.values()].find(({ pattern }) => pattern?.matches(path));
      if (!route)
        return void reply(response, path === '/health' ? 200 : 404, path === '/health' ? 'OK' : '404 page not found');
      route.handler(request, response).catch((error: unknown) => {
        if (!response.headersSent) reply(response, 500, 'failed to record event');
        else response.destroy(error as Error);
      });
    };
    const server = guardedServer(answer, { tls });
    const { promise, resolve, reject } = Promise.withResolvers<number>();
    server.once('error', (error) => reject(portUnusable(error, { host: this.#host, port })));
    server.listen(port, this.#host, () => resolve((server.address() as AddressInfo).port));
    promise.catch(() => undefined);
    const made = { server, tls, routes, listening: promise };
    this.#ports.set(port, made);
    return made;
  }

  async #remove({ port, owner }: RouteOptions, made: Port, paths: readonly string[]): Promise<void> {
    for (const path of paths) if (made.routes.get(path)?.owner === owner) made.routes.delete(path);
    if (made.routes.size > 0 || this.#ports.get(port) !== made) return;
    this.#ports.delete(port);
    await new Promise<void>((resolve) => {
      made.server.close(() => resolve());
      made.server.closeAllConnections();
    });
  }
}

function differentTls({ port, owner }: RouteOptions, other: string, known: RouteOptions['tls']) {
  const served = known ? 'by TLS with its own certificate' : 'without TLS';
  return failure(portShared, {
    message: `${owner} wants port ${port}, which ${other} serves ${served}`,
    remedies: [
      'Give one of them another port, or both the same serverCertSecret and serverKeySecret, or deploy them as pods of their own',
    ],
  });
}

/**
 * What an endpoint with variables matches, as `/repositories/{name}/{id:[0-9]+}`: a variable is a part of the path, or what its expression
 * says. Throws for an expression that is none.
 */
function patternOf(endpoint: string): RE2JS | undefined {
  if (!endpoint.includes('{')) return undefined;
  const parts = endpoint.split(/\{(?:[^{}:]+)(?::((?:[^{}]|\{[^{}]*\})*))?\}/);
  const text = parts.map((part, i) => (i % 2 === 0 ? RE2JS.quote(part ?? '') : `(?:${part ?? '[^/]+'})`)).join('');
  return RE2JS.compile(text);
}

/** Answers with a text. */
export function reply(response: ServerResponse, status: number, text: string): void {
  // head and text go out in one piece where the length is known
  const length = Buffer.byteLength(text);
  response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'content-length': length });
  response.end(text);
}
