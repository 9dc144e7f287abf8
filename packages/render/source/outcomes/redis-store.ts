import type { Clock } from '@tiphys/kubernetes';
import type { ByteStore } from './outcome-store.ts';
import { type RedisOptions, RespConnection } from './resp-connection.ts';

/** As Argo CD's `reposerver.repo.cache.expiration`. */
const seconds = 24 * 60 * 60;
/** A server that can not be reached is left alone for this long, so that nobody waits for it at each render. */
const pause = 30_000;
const maxBytes = 64 * 1024 * 1024;

/** A Redis that several replicas share. Where it is away, or refuses, nothing is found and nothing is kept. */
export class RedisStore implements ByteStore {
  readonly name = 'shared';
  readonly #options: RedisOptions;
  readonly #clock: Clock;
  readonly #onProblem: (problem: string | undefined) => void;
  #connection: Promise<RespConnection> | undefined;
  #retryAt = 0;
  #closed = false;

  /** `onProblem` is told once when the server goes, and with undefined when it is back. */
  constructor(options: RedisOptions, clock: Clock, onProblem: (problem: string | undefined) => void) {
    this.#options = options;
    this.#clock = clock;
    this.#onProblem = onProblem;
  }

  async get(key: string): Promise<Buffer | undefined> {
    const reply = await this.#ask('GET', key);
    return Buffer.isBuffer(reply) ? reply : undefined;
  }

  async put(key: string, value: Buffer): Promise<void> {
    if (value.length <= maxBytes) await this.#ask('SET', key, value, 'EX', String(seconds));
  }

  close(): void {
    this.#closed = true;
    this.#connection?.then((connection) => connection.close()).catch(() => undefined);
  }

  async #ask(...parts: readonly (string | Buffer)[]) {
    if (this.#closed || this.#clock.now() < this.#retryAt) return undefined;
    try {
      const connection = await this.#connected();
      const reply = await connection.send(...parts);
      if (this.#retryAt > 0) this.#onProblem(undefined);
      this.#retryAt = 0;
      return reply;
    } catch (error) {
      const first = this.#retryAt === 0;
      this.#retryAt = this.#clock.now() + pause;
      this.#connection = undefined;
      const { host, port } = this.#options;
      if (first && !this.#closed)
        this.#onProblem(`Redis at ${host}:${port}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  }

  async #connected(): Promise<RespConnection> {
    const known = await this.#connection?.catch(() => undefined);
    if (known && !known.ended) return known;
    this.#connection = RespConnection.open(this.#options);
    return this.#connection;
  }
}
