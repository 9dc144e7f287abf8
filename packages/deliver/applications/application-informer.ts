import { type Application, names } from '@tiphys/api';
import type { Diagnosis } from '@tiphys/diagnosis';
import { matchListed } from '@tiphys/glob';
import { type Client, type Clock, Informer, type InformerChange, type KubeObject } from '@tiphys/kubernetes';

export interface ApplicationInformerOptions {
  readonly client: Client;
  /** Of the control plane: its applications are always followed. */
  readonly namespace: string;
  readonly clock: Clock;
  /** `Application` if absent. */
  readonly kind?: 'Application' | 'ApplicationSet';
  /** Other namespaces whose applications are followed: globs, and expressions in slashes. Read by `update`. */
  readonly permitted: () => readonly string[];
  /** Told why the applications of other namespaces cannot be read; it is tried again. */
  readonly onError: (problem: Diagnosis) => void;
}

type Listener<T> = (change: InformerChange<T>) => void;

/** The part that follows the other namespaces, while there are any to follow. */
interface Others<T extends KubeObject> {
  readonly informer: Informer<T>;
  readonly abort: AbortController;
}

/**
 * The applications of the control plane's namespace and of those that `application.namespaces` permits, also where a
 * namespace appears later. As long as nothing else is permitted, no right on other namespaces is needed. An application that
 * is permitted no more is reported as deleted, one that becomes so as added.
 */
export class ApplicationInformer<T extends KubeObject = Application> {
  readonly #options: ApplicationInformerOptions;
  readonly #kind: { readonly apiVersion: string; readonly kind: string };
  readonly #own: Informer<T>;
  readonly #listeners = new Set<Listener<T>>();
  #patterns: readonly string[] = [];
  #others: Others<T> | undefined;
  #signal: AbortSignal | undefined;

  constructor(options: ApplicationInformerOptions) {
    const { client, namespace, clock } = options;
    this.#options = options;
    this.#kind = { apiVersion: names.apiVersion, kind: options.kind ?? 'Application' };
    this.#own = new Informer<T>(client, { ref: { ...this.#kind, namespace }, clock });
    this.#own.subscribe((change) => this.#announce(change));
  }

  /** Resolves when everything that is followed was listed; what cannot be listed outside the own namespace is not waited for. */
  async start(signal: AbortSignal): Promise<void> {
    this.#signal = signal;
    this.#own.start(signal);
    const listed = this.update();
    await this.#own.synced;
    await listed;
  }

  /** Takes up what is permitted now. Resolves as `start`. */
  async update(): Promise<void> {
    if (!this.#signal) return;
    const before = this.#patterns;
    const patterns = this.#options.permitted();
    if (before.length === patterns.length && before.every((pattern, index) => pattern === patterns[index])) return;
    const known = [...(this.#others?.informer.list() ?? [])];
    this.#patterns = patterns;
    for (const object of known) {
      const namespace = object.metadata.namespace ?? '';
      const [was, is] = [this.#follows(namespace, before), this.#follows(namespace, patterns)];
      if (was !== is) this.#announce({ type: is ? 'added' : 'deleted', object });
    }
    if (patterns.length > 0) return await this.#startOthers();
    this.#others?.abort.abort();
    this.#others = undefined;
  }

  /** Whether applications of the namespace are served at all. */
  permits(namespace: string): boolean {
    return namespace === this.#options.namespace || this.#follows(namespace, this.#patterns);
  }

  get(namespace: string, name: string): T | undefined {
    if (namespace === this.#options.namespace) return this.#own.get(namespace, name);
    return this.permits(namespace) ? this.#others?.informer.get(namespace, name) : undefined;
  }

  /** How many are followed. */
  get size(): number {
    return this.#own.size + (this.#others?.informer.size ?? 0);
  }

  *list(): Iterable<T> {
    yield* this.#own.list();
    for (const application of this.#others?.informer.list() ?? [])
      if (this.#follows(application.metadata.namespace ?? '', this.#patterns)) yield application;
  }

  subscribe(listener: Listener<T>): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `resourceVersion` is one that every part of the view has reached. */
  state(): { synced: boolean; resourceVersion: string } {
    const parts = [this.#own, ...(this.#others ? [this.#others.informer] : [])].map((part) => part.state());
    const versions = parts.map(({ resourceVersion }) => resourceVersion).sort((a, b) => Number(a) - Number(b));
    return { synced: parts.every(({ synced }) => synced), resourceVersion: versions[0] ?? '' };
  }

  #follows(namespace: string, patterns: readonly string[]): boolean {
    return namespace !== this.#options.namespace && matchListed(patterns, namespace);
  }

  async #startOthers(): Promise<void> {
    const { client, clock, namespace, onError } = this.#options;
    if (this.#others || !this.#signal) return;
    const failed = Promise.withResolvers<void>();
    const informer = new Informer<T>(client, {
      ref: this.#kind,
      clock,
      transform: (object) => (object.metadata.namespace === namespace ? undefined : object),
      onError: (problem) => {
        onError(problem);
        failed.resolve();
      },
    });
    const abort = new AbortController();
    this.#others = { informer, abort };
    informer.subscribe((change) => {
      if (this.#others?.informer === informer && this.permits(change.object.metadata.namespace ?? ''))
        this.#announce(change);
    });
    informer.start(AbortSignal.any([this.#signal, abort.signal]));
    await Promise.race([informer.synced, failed.promise]).catch((error: unknown) => {
      if (!abort.signal.aborted) throw error;
    });
  }

  #announce(change: InformerChange<T>): void {
    for (const listener of this.#listeners) listener(change);
  }
}
