import { keyOf } from '@tiphys/controller';
import type { View } from '../cluster/shelf.ts';
import type { Pod } from '../objects/kinds.ts';

/** Pods by namespace: a pass must not go through those of the whole cluster. */
export class PodIndex {
  readonly #byNamespace = new Map<string, Map<string, Pod>>();

  constructor(view: View<Pod>) {
    for (const pod of view.list()) this.#put(pod);
    view.subscribe(({ type, object }) => {
      if (type === 'deleted') this.#byNamespace.get(object.metadata.namespace ?? '')?.delete(keyOf(object));
      else this.#put(object);
    });
  }

  inNamespace(namespace: string): readonly Pod[] {
    return [...(this.#byNamespace.get(namespace)?.values() ?? [])];
  }

  #put(pod: Pod): void {
    const namespace = pod.metadata.namespace ?? '';
    const pods = this.#byNamespace.get(namespace) ?? new Map<string, Pod>();
    this.#byNamespace.set(namespace, pods.set(keyOf(pod), pod));
  }
}
