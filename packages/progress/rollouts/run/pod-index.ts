import { keyOf } from '@tiphys/controller';
import type { View } from '../cluster/shelf.ts';
import type { Pod } from '../objects/kinds.ts';
import { ownerOf } from '../objects/pods.ts';

/** Pods by namespace and by what they belong to: a pass must not go through those of the whole cluster. */
export class PodIndex {
  readonly #byNamespace = new Map<string, Map<string, Pod>>();
  readonly #byOwner = new Map<string, Map<string, Pod>>();

  constructor(view: View<Pod>) {
    for (const pod of view.list()) this.#put(pod);
    view.subscribe(({ type, object }) => (type === 'deleted' ? this.#remove(object) : this.#put(object)));
  }

  inNamespace(namespace: string): readonly Pod[] {
    return [...(this.#byNamespace.get(namespace)?.values() ?? [])];
  }

  /** The pods of a ReplicaSet, by its uid. */
  ofOwner(uid: string): readonly Pod[] {
    return [...(this.#byOwner.get(uid)?.values() ?? [])];
  }

  #put(pod: Pod): void {
    const key = keyOf(pod);
    const before = this.#byNamespace.get(pod.metadata.namespace ?? '')?.get(key);
    if (before && ownerOf(before) !== ownerOf(pod)) this.#remove(before);
    shelve(this.#byNamespace, pod.metadata.namespace ?? '').set(key, pod);
    const owner = ownerOf(pod);
    if (owner !== undefined) shelve(this.#byOwner, owner).set(key, pod);
  }

  #remove(pod: Pod): void {
    const key = keyOf(pod);
    drop(this.#byNamespace, pod.metadata.namespace ?? '', key);
    drop(this.#byOwner, ownerOf(pod) ?? '', key);
  }
}

function shelve(index: Map<string, Map<string, Pod>>, name: string): Map<string, Pod> {
  const pods = index.get(name) ?? new Map<string, Pod>();
  index.set(name, pods);
  return pods;
}

function drop(index: Map<string, Map<string, Pod>>, name: string, key: string): void {
  const pods = index.get(name);
  pods?.delete(key);
  if (pods?.size === 0) index.delete(name);
}
