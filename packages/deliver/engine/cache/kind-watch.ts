import { type Diagnosis, DiagnosisError, diagnosisOf } from '@tiphys/diagnosis';
import {
  type ApiResource,
  type Client,
  type Clock,
  isExpired,
  isNotFound,
  type KubeObject,
  pause,
} from '@tiphys/kubernetes';

export interface KindSink {
  put(object: KubeObject): void;
  remove(object: KubeObject): void;
  /** After a whole list: what is in none of its pages is gone. */
  retain(ids: ReadonlySet<string>): void;
  /** The server answered, for this kind. */
  alive(): void;
  /** The server has no such kind any more. */
  vanished(): void;
  failed(error: unknown): void;
  idOf(object: KubeObject): string;
}

export interface KindState {
  /** Listed once, or refused. */
  readonly settled: boolean;
  readonly synced: boolean;
  readonly relists: number;
  readonly error?: Diagnosis;
}

const pageSize = 500;
const firstDelay = 500;
const longestDelay = 30_000;

/** Follows one kind in one namespace, or in all: paged list, watch with bookmarks, a new list after 410, growing delays after errors. */
export class KindWatch {
  readonly resource: ApiResource;
  readonly #client: Client;
  readonly #clock: Clock;
  readonly #sink: KindSink;
  readonly #namespace: string | undefined;
  readonly #abort = new AbortController();
  readonly #settled = Promise.withResolvers<void>();
  #state: KindState = { settled: false, synced: false, relists: 0 };
  #resourceVersion = '';
  #delay = 0;

  constructor(client: Client, clock: Clock, resource: ApiResource, sink: KindSink, namespace?: string) {
    this.#client = client;
    this.#clock = clock;
    this.resource = resource;
    this.#sink = sink;
    this.#namespace = namespace;
  }

  get state(): KindState {
    return this.#state;
  }

  /** Resolves after the first list or its refusal; never rejects. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  start(signal: AbortSignal): void {
    void this.#run(AbortSignal.any([signal, this.#abort.signal]));
  }

  stop(): void {
    this.#abort.abort();
    this.#settle();
  }

  async #run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        if (!this.#resourceVersion) await this.#list(signal);
        await this.#watch(signal);
      } catch (error) {
        if (signal.aborted) break;
        if (isExpired(error)) this.#resourceVersion = '';
        else this.#fail(error);
        await this.#backOff(signal, isExpired(error) ? 0 : firstDelay);
      }
    }
    this.#settle();
  }

  async #list(signal: AbortSignal): Promise<void> {
    const seen = new Set<string>();
    let token: string | undefined;
    let resourceVersion = '';
    do {
      const page = await this.#client.list(this.#ref(), {
        limit: pageSize,
        signal,
        ...(token ? { continue: token } : {}),
      });
      const { apiVersion, kind } = this.#ref();
      for (const item of page.items) {
        // items of built-in lists carry neither
        const object = item.kind ? item : { ...item, apiVersion, kind };
        seen.add(this.#sink.idOf(object));
        this.#sink.put(object);
      }
      resourceVersion = page.metadata.resourceVersion ?? '';
      token = page.metadata.continue || undefined;
      this.#sink.alive();
    } while (token);
    this.#sink.retain(seen);
    this.#resourceVersion = resourceVersion;
    this.#state = { settled: true, synced: true, relists: this.#state.relists + 1 };
    this.#settle();
  }

  async #watch(signal: AbortSignal): Promise<void> {
    const started = this.#clock.now();
    for await (const { type, object } of this.#client.watch(this.#ref(), {
      resourceVersion: this.#resourceVersion,
      signal,
    })) {
      this.#resourceVersion = object.metadata.resourceVersion ?? this.#resourceVersion;
      this.#delay = 0;
      if (this.#state.error) this.#state = { settled: true, synced: this.#state.synced, relists: this.#state.relists };
      this.#sink.alive();
      if (type === 'DELETED') this.#sink.remove(object);
      else if (type !== 'BOOKMARK') this.#sink.put(object);
    }
    // a server that ends watches at once must not be asked in a tight loop
    if (this.#clock.now() - started < 1000) await this.#backOff(signal, firstDelay);
  }

  #ref() {
    const { group, version, kind } = this.resource;
    return {
      apiVersion: group ? `${group}/${version}` : version,
      kind,
      ...(this.#namespace ? { namespace: this.#namespace } : {}),
    };
  }

  #fail(error: unknown): void {
    this.#state = { ...this.#state, settled: true, error: diagnosisOf(error) };
    this.#settle();
    this.#sink.failed(error);
    if (isNotFound(error) || (error instanceof DiagnosisError && error.diagnosis.code === 'KindNotServed'))
      this.#sink.vanished();
  }

  #settle(): void {
    this.#settled.resolve();
  }

  async #backOff(signal: AbortSignal, atLeast: number): Promise<void> {
    const base = Math.max(this.#delay, atLeast);
    this.#delay = Math.min(Math.max(this.#delay * 2, firstDelay), longestDelay);
    // rejection means that the loop is to end, which it finds out by itself
    if (base > 0) await pause(this.#clock, base * (0.5 + Math.random()), signal);
  }
}
