import { chunksOf, discard } from '@tiphys/inbound';
import type { HttpRequest } from '../transport/http-message.ts';

/** How long a body may take to arrive, in milliseconds. */
const patience = 30_000;

/** Reads bodies of strangers: each is bounded, and so is what all of them hold at once. */
export class BodyBudget {
  readonly #total: number;
  #held = 0;

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
    let size = 0;
    const timer = setTimeout(() => request.destroy(new Error('the body came too slowly')), patience);
    try {
      for await (const chunk of chunksOf(request)) {
        if (size + chunk.length > limit || this.#held + chunk.length > this.#total) {
          discard(request);
          return undefined;
        }
        size += chunk.length;
        this.#held += chunk.length;
        chunks.push(chunk);
      }
      return Buffer.concat(chunks);
    } finally {
      clearTimeout(timer);
      this.#held -= size;
    }
  }
}
