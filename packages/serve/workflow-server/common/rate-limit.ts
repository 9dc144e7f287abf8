import type { Clock } from '@tiphys/kubernetes';
import type { HttpRequest, HttpResponse } from '@tiphys/server';

const interval = 1000;

/** Upstream's limit of requests per second and address. */
const usualLimit = 1000;

/** Counts requests per address and second, and tells callers in headers how many are left, as upstream does. */
export class RateLimit {
  readonly #limit: number;
  readonly #clock: Pick<Clock, 'now'>;
  readonly #counts = new Map<string, number>();
  #ends = 0;

  /** `limit` as `ARGO_API_RATE_LIMIT` has it; upstream's where it is no whole number above 0. */
  constructor(limit: string | undefined, clock: Pick<Clock, 'now'>) {
    const wanted = Number(limit);
    this.#limit = Number.isInteger(wanted) && wanted > 0 ? wanted : usualLimit;
    this.#clock = clock;
  }

  /** False if the request was refused and answered. */
  admits(request: HttpRequest, response: HttpResponse): boolean {
    const now = this.#clock.now();
    if (now >= this.#ends) {
      this.#counts.clear();
      this.#ends = now + interval;
    }
    const address = request.socket?.remoteAddress ?? '';
    const count = (this.#counts.get(address) ?? 0) + 1;
    this.#counts.set(address, count);
    const reset = new Date(this.#ends).toUTCString().replace('GMT', 'UTC');
    response.setHeader('X-RateLimit-Limit', String(this.#limit));
    response.setHeader('X-RateLimit-Remaining', String(Math.max(this.#limit - count, 0)));
    response.setHeader('X-RateLimit-Reset', reset);
    if (count <= this.#limit) return true;
    response.statusCode = 429;
    response.setHeader('Retry-After', reset);
    response.setHeader('Content-Type', 'text/plain; charset=utf-8');
    response.end('Too Many Requests\n');
    return false;
  }
}
