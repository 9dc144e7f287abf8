import { type ApiResource, Informer, type KubeObject } from '@tiphys/kubernetes';
import type { ControllerContext } from '../machinery/controller.ts';

export interface MetadataChange {
  type: 'added' | 'updated' | 'deleted';
  object: KubeObject;
  old?: KubeObject;
}

/** Kinds that own nothing and whose number is large; the real garbage collector ignores them too. */
const ignored = new Set(['/events', 'events.k8s.io/events']);

/**
 * The metadata of all objects of all kinds that can be listed, watched and deleted. Kinds that appear or go with their
 * CustomResourceDefinition are followed and left while it runs.
 */
export class MetadataWatches {
  readonly #context: ControllerContext;
  readonly #followed = new Map<string, { version: string; informer: Informer; stop: AbortController }>();
  readonly #listeners = new Set<(change: MetadataChange) => void>();

  constructor(context: ControllerContext) {
    this.#context = context;
  }

  subscribe(listener: (change: MetadataChange) => void): void {
    this.#listeners.add(listener);
  }

  /** Looks at discovery again. Resolves when the metadata of every kind is here. */
  async refresh(): Promise<void> {
    const { client, signal } = this.#context;
    client.discovery.invalidate();
    const wanted = new Map<string, ApiResource>();
    for (const resource of await client.discovery.resources()) {
      const key = `${resource.group}/${resource.plural}`;
      if (wanted.has(key) || ignored.has(key)) continue;
      if (['list', 'watch', 'delete'].every((verb) => resource.verbs.includes(verb))) wanted.set(key, resource);
    }
    for (const [key, { version, stop }] of this.#followed) {
      if (wanted.get(key)?.version === version) continue;
      stop.abort();
      this.#followed.delete(key);
    }
    for (const [key, resource] of wanted) if (!this.#followed.has(key)) this.#follow(key, resource);
    if (signal.aborted) return;
    await Promise.allSettled([...this.#followed.values()].map(({ informer }) => informer.synced));
  }

  #follow(key: string, { group, version, kind }: ApiResource): void {
    const { client, clock, signal } = this.#context;
    const ref = { apiVersion: group ? `${group}/${version}` : version, kind };
    const caller = { component: 'generic-garbage-collector', purpose: 'watch metadata' };
    const informer = new Informer(client.as(caller), { ref, clock, transform: metadataOnly });
    informer.subscribe((change) => {
      for (const listener of this.#listeners) listener(change);
    });
    const stop = new AbortController();
    this.#followed.set(key, { version, informer, stop });
    informer.start(AbortSignal.any([signal, stop.signal]));
  }
}

function metadataOnly({ apiVersion, kind, metadata }: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, deletionTimestamp, finalizers, ownerReferences } = metadata;
  return {
    apiVersion,
    kind,
    metadata: {
      ...(name ? { name } : {}),
      ...(namespace ? { namespace } : {}),
      ...(uid ? { uid } : {}),
      ...(resourceVersion ? { resourceVersion } : {}),
      ...(deletionTimestamp ? { deletionTimestamp } : {}),
      ...(finalizers?.length ? { finalizers } : {}),
      ...(ownerReferences?.length ? { ownerReferences } : {}),
    },
  };
}
