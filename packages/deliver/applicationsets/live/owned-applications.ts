import type { Application } from '@tiphys/api';
import { keyOf } from '@tiphys/controller';
import type { InformerChange } from '@tiphys/kubernetes';

/** What is needed of the informer of Applications. */
export interface ApplicationView {
  get(namespace: string, name: string): Application | undefined;
  list(): Iterable<Application>;
  subscribe(listener: (change: InformerChange<Application>) => void): () => void;
  state(): { readonly resourceVersion: string };
}

/**
 * Applications by the set that controls them, as last seen or last written by this process, whichever is newer: who has just written
 * reads its own write although the watch has not brought it yet. Nothing is ever listed.
 */
export class OwnedApplications {
  readonly #view: ApplicationView;
  /** Keys of Applications by the key of their set. */
  readonly #owned = new Map<string, Set<string>>();
  readonly #written = new Map<string, Application>();
  /** Applications that this process has deleted and the watch still shows as they were. */
  readonly #deleted = new Set<string>();

  constructor(view: ApplicationView) {
    this.#view = view;
    for (const application of view.list()) this.#index(application, true);
    view.subscribe(({ type, object, old }) => {
      if (old) this.#index(old, false);
      if (type === 'deleted') {
        this.#index(object, false);
        this.#deleted.delete(object.metadata.uid ?? '');
      } else this.#index(object, true);
      const key = keyOf(object);
      const own = this.#written.get(key);
      if (own && (type === 'deleted' ? own.metadata.uid === object.metadata.uid : !isNewer(own, object)))
        this.#written.delete(key);
    });
  }

  /** The Applications of a set, those that are being deleted included. */
  of(setKey: string): Application[] {
    const found: Application[] = [];
    for (const key of this.#owned.get(setKey) ?? []) {
      const application = this.get(key);
      if (application && setOf(application) === setKey) found.push(application);
    }
    return found;
  }

  /** An Application by its key, no matter who owns it. */
  get(key: string): Application | undefined {
    const slash = key.indexOf('/');
    const seen = this.#view.get(key.slice(0, slash), key.slice(slash + 1));
    const own = this.#written.get(key);
    if (!own) return seen;
    if (seen) return isNewer(own, seen) ? own : seen;
    // a view that is past our write would show it: it was deleted again
    if (BigInt(this.#view.state().resourceVersion || '0') >= BigInt(own.metadata.resourceVersion ?? '0')) {
      this.#written.delete(key);
      return undefined;
    }
    return own;
  }

  /** Takes up what a write of this process has left. */
  note(stored: Application): void {
    const key = keyOf(stored);
    const seen = this.#view.get(stored.metadata.namespace ?? '', stored.metadata.name ?? '');
    if (seen && !isNewer(stored, seen)) return;
    this.#written.set(key, stored);
    this.#index(stored, true);
  }

  noteDeleted({ metadata }: Application): void {
    this.#deleted.add(metadata.uid ?? '');
  }

  /** Whether the Application is on its way out. */
  isGoing({ metadata }: Application): boolean {
    return metadata.deletionTimestamp !== undefined || this.#deleted.has(metadata.uid ?? '');
  }

  #index(application: Application, add: boolean): void {
    const set = setOf(application);
    if (set === undefined) return;
    const keys = this.#owned.get(set) ?? new Set();
    if (add) this.#owned.set(set, keys.add(keyOf(application)));
    else if (!this.#written.has(keyOf(application)) && keys.delete(keyOf(application)) && keys.size === 0)
      this.#owned.delete(set);
  }
}

/** The key of the set that controls an Application. */
export function setOf({ metadata }: Application): string | undefined {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller);
  if (owner?.kind !== 'ApplicationSet' || !owner.apiVersion.startsWith('argoproj.io/')) return undefined;
  return `${metadata.namespace ?? ''}/${owner.name}`;
}

function isNewer(a: Application, b: Application): boolean {
  return BigInt(a.metadata.resourceVersion ?? '0') > BigInt(b.metadata.resourceVersion ?? '0');
}
