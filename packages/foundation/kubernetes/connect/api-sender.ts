import type { WebSocket } from 'ws';
import type { ApiWarning, Caller, ClusterConfig, Discovery } from './client.ts';
import type { Clock } from './clock.ts';
import { connectionError } from './connection-error.ts';
import { withoutSecretValues } from './hidden-values.ts';
import type { Asked } from './refusal/refusal.ts';
import { impersonationHeaders, parseWarnings } from './request/request-headers.ts';
import { wayUp } from './request/request-path.ts';
import { userAgent } from './request/user-agent.ts';
import type { RequestLimit } from './request-limit.ts';
import { statusError } from './status-error.ts';
import type { Transport, TransportRequest, TransportResponse } from './transport.ts';

/** One finished request, for metrics. */
export interface RequestRecord {
  caller: Caller;
  /** URL of the API server. */
  server: string;
  method: string;
  /** Path without query. */
  path: string;
  watch: boolean;
  /** Bytes of the request's body. */
  sent: number;
  /** Bytes of the answer's body, where it says so beforehand. */
  received?: number;
  /** HTTP status; 0 if there was no answer. */
  status: number;
  milliseconds: number;
}

export interface ConnectOptions {
  caller: Caller;
  clock?: Clock;
  /** Called for every `Warning` header of an answer. */
  onWarning?: (warning: ApiWarning) => void;
  /** Called once for every request when its answer begins. */
  onRequest?: (request: RequestRecord) => void;
}

/** What the clients of one cluster have in common. */
export interface Shared {
  transport: Transport;
  limit: RequestLimit;
  clock: Clock;
  options: ConnectOptions;
  discovery: Discovery | undefined;
}

export type Identity = NonNullable<ClusterConfig['impersonate']>;

/** One request, with what it is about for diagnoses. */
export interface Call {
  method: string;
  path: string;
  body?: unknown;
  contentType?: string;
  accept?: string;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
  object?: string;
  namespace?: string | undefined;
  /** Called for every `Warning` header of the answer. */
  onWarning?: ((text: string) => void) | undefined;
}

/** Seconds of Retry-After that are followed. */
const longestWait = 10;
const leases = '/apis/coordination.k8s.io/';

/** How often an answer that asks to come back later is followed by itself. */
const maxAttempts = 4;

/** Sends the requests of one caller: headers, retries, warnings, metrics, and the errors of refusals. */
export class ApiSender {
  readonly #shared: Shared;
  readonly #caller: Caller;
  readonly #headers: Record<string, string | string[]>;

  constructor(shared: Shared, caller: Caller, identity: Identity | undefined) {
    this.#shared = shared;
    this.#caller = caller;
    this.#headers = { 'user-agent': userAgent(caller), ...impersonationHeaders(identity) };
  }

  /** Sends, follows 429 and Retry-After for a while, and throws the `ApiError` of every answer that is not a success. */
  async send(call: Call, stream: Pick<TransportRequest, 'stream' | 'streamLimit'> = {}): Promise<TransportResponse> {
    const { transport, clock } = this.#shared;
    this.#checkPath(call);
    const request = this.#requestOf(call);
    // leases are renewed in time or lost, and what lasts takes no place of what ends
    const limit = stream.stream || call.path.startsWith(leases) ? undefined : this.#shared.limit;
    for (let attempt = 0; ; attempt++) {
      const end = await limit?.begin(call.signal, { first: this.#caller.component === 'server' });
      const record = this.#recorder(call, request.body === undefined ? 0 : Buffer.byteLength(request.body));
      const response = await transport.send({ ...request, ...stream }).catch((error: unknown) => {
        end?.();
        record(0);
        throw error;
      });
      const after = Number(response.headers['retry-after'] ?? Number.NaN);
      record(response.statusCode, response.headers['content-length']);
      this.#reportWarnings(response, call);
      if (response.statusCode < 400) {
        end?.();
        return response;
      }
      const text = withoutSecretValues(await response.body.text().finally(end), call);
      const mayWait = response.statusCode === 429 || response.statusCode >= 500;
      const waits = mayWait && after >= 0 && after <= longestWait && !text.includes('disruption budget');
      const crowded = waits && response.statusCode === 429 && !text.includes('admission webhook');
      if (crowded) this.#shared.limit.refused(after * 1000);
      if (waits && attempt < maxAttempts) {
        if (!crowded || !limit) await clock.sleep(after * 1000, call.signal);
        continue;
      }
      throw statusError(
        response.statusCode,
        parseBody(text),
        this.asked(call),
        Number.isNaN(after) ? undefined : after,
      );
    }
  }

  /** Opens a WebSocket; throws the `ApiError` of a refusal. */
  async webSocket(call: Omit<Call, 'method'>, protocols: readonly string[]): Promise<WebSocket> {
    const { transport } = this.#shared;
    const asked = { method: 'GET', ...call };
    this.#checkPath(asked);
    const record = this.#recorder(asked, 0);
    const { path, signal } = call;
    const answer = await transport
      .webSocket({ path, protocols, headers: this.#headers, signal })
      .catch((error: unknown) => {
        record(0);
        throw error;
      });
    record('status' in answer ? answer.status : 101);
    if ('status' in answer) throw statusError(answer.status, parseBody(answer.text), this.asked(asked));
    return answer;
  }

  #checkPath(call: Call): void {
    const segment = wayUp(call.path);
    if (segment === undefined) return;
    const message = `invalid name "${segment}" in the path of a request: [may not be '${segment}']`;
    throw statusError(
      400,
      { kind: 'Status', status: 'Failure', reason: 'BadRequest', code: 400, message },
      this.asked(call),
    );
  }

  async json<T>(call: Call): Promise<T> {
    const response = await this.send(call);
    try {
      return (await response.body.json()) as T;
    } catch (error) {
      call.signal?.throwIfAborted();
      throw await connectionError(error, this.#shared.transport.config);
    }
  }

  asked(call: Call): Asked {
    return {
      method: call.method,
      path: call.path,
      server: this.#shared.transport.config.server,
      ...(call.object ? { object: call.object } : {}),
      ...(call.namespace ? { namespace: call.namespace } : {}),
    };
  }

  /** Tells the metrics of one request, which begins now. */
  #recorder(call: Call, sent: number): (status: number, length?: string | string[]) => void {
    const { transport, clock, options } = this.#shared;
    const started = clock.now();
    return (status, length) =>
      options.onRequest?.({
        caller: this.#caller,
        server: transport.config.server,
        method: call.method,
        path: call.path.split('?', 1)[0] ?? '',
        watch: /[?&]watch=true(&|$)/.test(call.path),
        sent,
        ...(typeof length === 'string' ? { received: Number(length) } : {}),
        status,
        milliseconds: clock.now() - started,
      });
  }

  #requestOf(call: Call): TransportRequest {
    const headers: Record<string, string | string[]> = {
      ...this.#headers,
      ...call.headers,
      accept: call.accept ?? 'application/json',
    };
    if (call.body === undefined) return { method: call.method, path: call.path, headers, signal: call.signal };
    headers['content-type'] = call.contentType ?? 'application/json';
    const body =
      call.body instanceof Uint8Array || (typeof call.body === 'string' && call.contentType !== undefined)
        ? call.body
        : JSON.stringify(call.body);
    return { method: call.method, path: call.path, headers, body, signal: call.signal };
  }

  #reportWarnings(response: TransportResponse, call: Call): void {
    const { onWarning } = this.#shared.options;
    const header = response.headers.warning;
    if (!header) return;
    for (const text of parseWarnings(Array.isArray(header) ? header.join(', ') : header)) {
      call.onWarning?.(text);
      onWarning?.({ text, method: call.method, path: call.path.split('?', 1)[0] ?? '', caller: this.#caller });
    }
  }
}

function parseBody(text: string): unknown {
  if (!text.startsWith('{')) return text;
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}
