import { chunksOf, discard } from '@tiphys/inbound';
import type { HttpRequest } from '../transport/http-message.ts';

/** How long a body may take to arrive, in milliseconds. */
const timeout = 30_000;

/**
 * Reads bodies of strangers: each is bounded, and so is what all of them hold at once. One address gets half of that, or one body, at most, so that
 * nobody keeps the others' bodies out alone.
 */
export class BodyBudget {
  readonly #total: number;
  #held = 0;
  readonly #heldBy = new Map<string, number>();

  constructor(total: number) {
    this.#total = total;
  }

  /** Undefined for a body that is larger than `limit`, comes too slowly, or finds no room. Nothing of it is kept then. */
  async read(request: HttpRequest, limit: number): Promise<Buffer | undefined> {
    if (Number(request.headers['content-length'] ?? 0) > limit) {
      discard(request);
      return undefined;
    }
    const chunks: Buffer[] = [];
    const address = request.socket.remoteAddress ?? '';
    let size = 0;
    const timer = setTimeout(() => request.destroy(new Error('the body came too slowly')), timeout);
    try {
      for await (const chunk of chunksOf(request)) {
        if (size + chunk.length > limit || !this.#hasRoom(address, chunk.length, limit)) {
          discard(request);
          return undefined;
        }
        size += chunk.length;
        this.#hold(address, chunk.length);
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    } finally {
      clearTimeout(timer);
      this.#hold(address, -size);
    }
  }

  #hasRoom(address: string, more: number, limit: number): boolean {
    const own = this.#heldBy.get(address) ?? 0;
    return this.#held + more <= this.#total && own + more <= Math.max(limit, this.#total / 2);
  }

  #hold(address: string, more: number): void {
    this.#held += more;
    const own = (this.#heldBy.get(address) ?? 0) + more;
    if (own > 0) this.#heldBy.set(address, own);
    else this.#heldBy.delete(address);
  }
}
