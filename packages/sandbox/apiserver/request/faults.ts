import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Http2Stream } from 'node:http2';
import { StatusError } from '@tiphys/apimachinery';
import type { Clock } from '@tiphys/kubernetes';
import { send } from '../http/answer.ts';

/** Which requests go wrong, and how. Requests that several faults are for meet the one that was injected first. */
export interface Fault {
  /** `GET`, `POST`, …; all if absent. */
  readonly method?: string;
  /** A part of the path and query, such as `/configmaps` or `watch=true`; all if absent. */
  readonly path?: string | RegExp;
  /** Who asks, such as `my-operator`. If absent all, the sandbox's own controllers and nodes among them. */
  readonly userAgent?: string | RegExp;
  /** After how many requests it is over; never if absent. */
  readonly times?: number;
  /** Milliseconds until the request goes on, by the sandbox's clock. */
  readonly delay?: number;
  /** Answered with a Status of this code, such as 409, 429, 500 or 503. */
  readonly status?: number;
  /** Of that Status, such as `Conflict`; empty if absent. */
  readonly reason?: string;
  readonly message?: string;
  /** Seconds of the header `Retry-After`. */
  readonly retryAfter?: number;
  /**
   * Closes the connection: `before` the request takes effect, or `after` it, so that its answer is lost. Over HTTP/2 the
   * connection's other requests are cut off with it.
   */
  readonly disconnect?: 'before' | 'after';
}

/** Makes an API server misbehave as it does on a bad day. */
export class Faults {
  readonly #clock: Clock;
  readonly #signal: AbortSignal;
  readonly #active = new Set<{ fault: Fault; left: number }>();

  constructor(clock: Clock, signal: AbortSignal) {
    this.#clock = clock;
    this.#signal = signal;
  }

  /** From now on; the result ends it. */
  inject(fault: Fault): () => void {
    const entry = { fault, left: fault.times ?? Number.POSITIVE_INFINITY };
    this.#active.add(entry);
    return () => void this.#active.delete(entry);
  }

  clear(): void {
    this.#active.clear();
  }

  get any(): boolean {
    return this.#active.size > 0;
  }

  /** Does to the request what a fault says; true if that was its end. */
  async meets(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const entry = [...this.#active].find(({ fault }) => isFor(fault, request));
    if (!entry) return false;
    entry.left -= 1;
    if (entry.left <= 0) this.#active.delete(entry);
    const {
      delay,
      status,
      reason = '',
      message = 'the sandbox was told to fail',
      retryAfter,
      disconnect,
    } = entry.fault;
    if (delay) await this.#clock.sleep(delay, this.#signal);
    if (disconnect === 'before') {
      cutOff(request);
      return true;
    }
    if (disconnect === 'after') loseAnswer(request, response);
    if (status === undefined) return false;
    if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter));
    const details = retryAfter === undefined ? undefined : { retryAfterSeconds: retryAfter };
    const body = JSON.stringify(new StatusError(status, reason, message, details).status);
    request.resume();
    send(response, { code: status, body }, { yaml: false });
    return true;
  }
}

function isFor({ method, path, userAgent }: Fault, request: IncomingMessage): boolean {
  return (
    (method === undefined || method === request.method) &&
    matches(path, request.url ?? '') &&
    matches(userAgent, request.headers['user-agent'] ?? '')
  );
}

function matches(wanted: string | RegExp | undefined, text: string): boolean {
  if (wanted === undefined) return true;
  return typeof wanted === 'string' ? text.includes(wanted) : wanted.test(text);
}

/** The request is carried out, and nobody hears of it. */
function loseAnswer(request: IncomingMessage, response: ServerResponse): void {
  response.writeHead = () => {
    cutOff(request);
    return response;
  };
}

function cutOff(request: IncomingMessage & { readonly stream?: Http2Stream }): void {
  (request.stream?.session ?? request.socket).destroy();
}
