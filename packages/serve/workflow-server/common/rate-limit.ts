import type { Clock } from '@tiphys/kubernetes';
import { Code, type HttpRequest, type HttpResponse } from '@tiphys/server';

const interval = 1000;

/** Upstream's limit of requests per second and address. */
const usualLimit = 1000;

/** Counts requests per address and second, and tells callers in headers how many are left, as upstream does. */
export class RateLimit {
  readonly #limit: number;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #counts = new Map<string, number>();
  #ends = 0;

  readonly #headers: readonly string[];

  /**
   * `limit` as `ARGO_API_RATE_LIMIT` has it; upstream's where it is no whole number above 0. `headers` as `IP_KEY_FUNC_HEADERS`: those in which
   * a proxy tells the address of its caller, with commas.
   */
  constructor(limit: string | undefined, clock: Pick<Clock, 'now'>, headers = '') {
    this.#headers = headers.split(',').flatMap((name) => name.trim().toLowerCase() || []);
    const wanted = Number(limit);
    this.#limit = Number.isInteger(wanted) && wanted > 0 ? wanted : usualLimit;
    this.#clock = clock;
  }

  /** False if the request was refused and answered: with 429, or in gRPC's own words. */
  admits(request: HttpRequest, response: HttpResponse): boolean {
    const left = this.#left(this.#addressOf(request));
    if (/^application\/grpc/.test(request.headers['content-type'] ?? ''))
      return left >= 0 || refuseCall(request, response);
    const reset = new Date(this.#ends).toUTCString().replace('GMT', 'UTC');
    response.setHeader('X-RateLimit-Limit', String(this.#limit));
    response.setHeader('X-RateLimit-Remaining', String(Math.max(left, 0)));
    response.setHeader('X-RateLimit-Reset', reset);
    if (left >= 0) return true;
    response.statusCode = 429;
    response.setHeader('Retry-After', reset);
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    response.end('Too Many Requests\n');
    return false;
  }

  #addressOf({ headers, socket }: HttpRequest): string {
    for (const name of this.#headers) {
      const told = headers[name];
      if (typeof told === 'string' && told !== '') return told;
    }
    return socket?.remoteAddress ?? '';
  }

  /** Requests that an address has left in this second; less than 0 for one too many. */
  #left(address: string): number {
    const now = this.#clock.now();
    if (now >= this.#ends) {
      this.#counts.clear();
      this.#ends = now + interval;
    }
    const count = (this.#counts.get(address) ?? 0) + 1;
    this.#counts.set(address, count);
    return this.#limit - count;
  }
}

/** Answers a call with its status alone, which gRPC has in the headers then. */
function refuseCall(request: HttpRequest, response: HttpResponse): false {
  response.statusCode = 200;
  response.setHeader('Content-Type', request.headers['content-type'] as string);
  response.setHeader('grpc-status', String(Code.ResourceExhausted));
  response.setHeader('grpc-message', 'too many requests of this address, please retry later');
  response.end();
  return false;
}
