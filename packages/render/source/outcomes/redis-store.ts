import type { Clock } from '@tiphys/kubernetes';
import type { Cluster, Redis } from 'ioredis';
import type { ByteStore } from './outcome-store.ts';
import { type RedisOptions, redisClient } from './redis-client.ts';

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
  #client: Promise<Redis | Cluster> | undefined;
  #retryAt = 0;
  #closed = false;

  /** `onProblem` is called once when the server goes, and with undefined when it is back. */
  constructor(options: RedisOptions, clock: Clock, onProblem: (problem: string | undefined) => void) {
    this.#options = options;
    this.#clock = clock;
    this.#onProblem = onProblem;
  }

  async get(key: string): Promise<Buffer | undefined> {
    return (await this.#ask((client) => client.getBuffer(key))) ?? undefined;
  }

  async put(key: string, value: Buffer): Promise<void> {
    if (value.length <= maxBytes) await this.#ask((client) => client.set(key, value, 'EX', seconds));
  }

  close(): void {
    this.#closed = true;
    this.#drop();
  }

  async #ask<T>(command: (client: Redis | Cluster) => Promise<T>): Promise<T | undefined> {
    if (this.#closed || this.#clock.now() < this.#retryAt) return undefined;
    try {
      this.#client ??= connected(this.#options);
      const reply = await command(await this.#client);
      if (this.#retryAt > 0) this.#onProblem(undefined);
      this.#retryAt = 0;
      return reply;
    } catch (error) {
      const first = this.#retryAt === 0;
      this.#retryAt = this.#clock.now() + pause;
      this.#drop();
      if (first && !this.#closed) this.#onProblem(`${placeOf(this.#options)}: ${wordsOf(error, this.#options)}`);
      return undefined;
    }
  }

  #drop(): void {
    const client = this.#client;
    this.#client = undefined;
    client?.then((known) => known.disconnect()).catch(() => undefined);
  }
}

async function connected(options: RedisOptions): Promise<Redis | Cluster> {
  const client = redisClient(options);
  let reason: unknown;
  // the nodes of a cluster say why, and the rest that they did
  client.on('node error', (error: Error) => (reason = error));
  client.on('error', (error: Error) => (reason ??= error));
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`no answer within ${options.timeout} ms`)), options.timeout);
  try {
    // a node of a cluster that serves nothing is waited for without an end
    await Promise.race([client.connect(), late.promise]);
    return client;
  } catch (error) {
    client.disconnect();
    throw reason ?? error;
  } finally {
    clearTimeout(timer);
  }
}

function placeOf({ kind, servers, sentinels }: RedisOptions): string {
  const at = servers.map(({ host, port }) => `${host}:${port}`).join(', ');
  if (kind === 'sentinels') return `Redis master ${sentinels?.master ?? 'master'} of the sentinels at ${at}`;
  return `${kind === 'cluster' ? 'Redis Cluster' : 'Redis'} at ${at}`;
}

function wordsOf(error: unknown, { kind, password }: RedisOptions): string {
  const words = error instanceof Error ? error.message : String(error);
  if (kind === 'cluster' && words === 'Connection is closed.') return 'none of these nodes answers';
  // which of the commands that open a connection fails first is a matter of chance
  return password && /^(?:WRONGPASS|NOAUTH)/.test(words) ? `it refuses the password: ${words}` : words;
}
