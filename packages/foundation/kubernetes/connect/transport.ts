import tls from 'node:tls';
import { failure } from '@tiphys/diagnosis';
import type { Dispatcher } from 'undici';
import type { WebSocket } from 'ws';
import type { ClusterConfig } from './client.ts';
import type { Clock } from './clock.ts';
import { connectionError, isBrokenConnection, longestAnswer } from './connection-error.ts';
import { type Credential, CredentialSource } from './credentials.ts';
import { kubeconfigInvalid } from './diagnoses.ts';
import { Agent, ProxyAgent } from './dispatchers.ts';
import { openWebSocket, type WebSocketRequest } from './open-websocket.ts';
import { mostRequests } from './request-limit.ts';
import { tlsOptions } from './tls-options.ts';

export interface TransportRequest {
  method: string;
  /** Path and query, below the path of the server URL. */
  path: string;
  headers: Record<string, string | string[]>;
  body?: string | Uint8Array;
  signal?: AbortSignal | undefined;
  /** Takes a connection that requests do not share, and may be silent for long: watches and followed logs. */
  stream?: boolean;
  /** How long a stream may live at most, in milliseconds. */
  streamLimit?: number;
}

export type TransportResponse = Dispatcher.ResponseData;

const connectTimeout = 10_000;
/** The API server ends what takes longer than 60 s by itself. */
const answerTimeout = 75_000;

/** Connections to one API server: a pool for requests and another for streams, so that watches never starve requests. */
export class Transport {
  readonly config: ClusterConfig;
  readonly #credentials: CredentialSource;
  readonly #base: URL;
  readonly #prefix: string;
  #pools: { requests: Dispatcher; streams: Dispatcher; cert: string | undefined } | undefined;

  constructor(config: ClusterConfig, clock: Clock) {
    this.config = config;
    try {
      this.#base = new URL(config.server);
    } catch (error) {
      throw failure(
        kubeconfigInvalid,
        {
          message: `The server URL of cluster ${config.name ?? ''} is not a URL`,
          evidence: { found: config.server },
          remedies: ['Write it as https://host:port'],
        },
        { cause: error },
      );
    }
    this.#prefix = this.#base.pathname.replace(/\/$/, '');
    this.#credentials = new CredentialSource(config, clock);
  }

  /** Sends; throws the diagnosis of a failed connection, or the signal's reason. Answers of any status are returned. */
  async send(request: TransportRequest): Promise<TransportResponse> {
    const answer = await this.#attempt(request, true);
    if (answer.statusCode !== 401 || !this.#credentials.refuse()) return answer;
    await answer.body.dump();
    return this.#attempt(request, true);
  }

  /** Opens a WebSocket, or gives the answer of a refusal. `path` is as in `send`; throws the diagnosis of a failed connection. */
  async webSocket(
    request: Omit<WebSocketRequest, 'url'> & { path: string },
  ): Promise<WebSocket | { status: number; text: string }> {
    const url = this.#base.origin + this.#prefix + request.path;
    for (let again = true; ; again = false) {
      const credential = this.#credentials.ready ?? (await this.#credentials.get());
      const answer = await openWebSocket(this.config, credential, { ...request, url }).catch(async (error: unknown) => {
        request.signal?.throwIfAborted();
        throw await connectionError(error, this.config);
      });
      if (!('status' in answer) || answer.status !== 401 || !again || !this.#credentials.refuse()) return answer;
    }
  }

  async close(): Promise<void> {
    const pools = this.#pools;
    this.#pools = undefined;
    await Promise.all([pools?.requests.destroy(), pools?.streams.destroy()]);
  }

  async #attempt(request: TransportRequest, again: boolean): Promise<TransportResponse> {
    request.signal?.throwIfAborted();
    const credential = this.#credentials.ready ?? (await this.#credentials.get());
    const pools = this.#poolsFor(credential);
    try {
      return await (request.stream ? pools.streams : pools.requests).request({
        origin: this.#base.origin,
        path: this.#prefix + request.path,
        method: request.method as Dispatcher.HttpMethod,
        headers: credential.authorization
          ? { authorization: credential.authorization, ...request.headers }
          : request.headers,
        body: request.body ?? null,
        signal: request.signal ?? null,
        headersTimeout: this.config.answerTimeout ?? answerTimeout,
        bodyTimeout: request.stream ? (request.streamLimit ?? 0) : (this.config.answerTimeout ?? answerTimeout),
      });
    } catch (error) {
      request.signal?.throwIfAborted();
      // a kept-alive connection may be closed by the server just as we send; reads can be sent again without harm
      if (again && request.method === 'GET' && isBrokenConnection(error)) return this.#attempt(request, false);
      throw await connectionError(error, this.config);
    }
  }

  #poolsFor(credential: Credential) {
    if (this.#pools && this.#pools.cert === credential.cert) return this.#pools;
    const old = this.#pools;
    if (old) void Promise.all([old.requests.close(), old.streams.close()]);
    this.#pools = {
      requests: createPool(this.config, credential, mostRequests),
      streams: createPool(this.config, credential, undefined),
      cert: credential.cert,
    };
    return this.#pools;
  }
}

/** With the certificates read once for all connections: each would read them anew, which takes as long as the rest of it. */
function withContext<T extends ReturnType<typeof tlsOptions>>(options: T): T & { secureContext?: tls.SecureContext } {
  try {
    return { ...options, secureContext: tls.createSecureContext(options) };
  } catch {
    // what cannot be read is reported by the first connection, as part of its failure
    return options;
  }
}

function createPool(config: ClusterConfig, credential: Credential, connections: number | undefined): Dispatcher {
  const plain = tlsOptions(config, credential);
  const secure = config.server.startsWith('https:') ? withContext(plain) : plain;
  const options = {
    connections: connections ?? null,
    pipelining: 1,
    keepAliveTimeout: 30_000,
    allowH2: false,
    // streams have no end, and their readers keep little of them
    ...(connections === undefined ? {} : { maxResponseSize: longestAnswer }),
    connect: { ...secure, timeout: Math.min(connectTimeout, config.answerTimeout ?? connectTimeout) },
  };
  if (!config.proxyUrl) return new Agent(options);
  if (!/^https?:/.test(config.proxyUrl)) {
    throw failure(kubeconfigInvalid, {
      message: `The proxy of cluster ${config.name ?? config.server} has a scheme that is not supported`,
      evidence: { 'proxy-url': config.proxyUrl, supported: 'http, https' },
      remedies: ['Use an HTTP proxy in proxy-url'],
    });
  }
  return new ProxyAgent({ ...options, uri: config.proxyUrl, requestTls: secure });
}
