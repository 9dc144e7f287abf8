import type { ObjectStore, Pod } from '@tiphys/kube-controllers';
import { priorityOf } from './preemption.ts';

/** The nodes that pods which have taken others off wait for: room there is kept for them. */
export class Nominations {
  readonly #byNode = new Map<string, Map<string, Pod>>();
  readonly #nodeOf = new Map<string, string>();
  readonly #announced = new Map<string, string>();

  constructor(pods: ObjectStore<Pod>) {
    for (const pod of pods.list()) this.#see(pod);
    pods.subscribe(({ type, object }) => (type === 'deleted' ? this.#drop(object) : this.#see(object)));
  }

  /** What this pod has to leave room for: those of its priority and above, as if they ran on the node. */
  before(pod: Pod, node: string): Pod[] {
    return [...(this.#byNode.get(node)?.values() ?? [])].filter(
      (other) => other.metadata.uid !== pod.metadata.uid && priorityOf(other) >= priorityOf(pod),
    );
  }

  /** Those of less priority, which may have to look for another node now. */
  after(pod: Pod, node: string): Pod[] {
    return [...(this.#byNode.get(node)?.values() ?? [])].filter((other) => priorityOf(other) < priorityOf(pod));
  }

  /** Keeps room for a pod from before others are taken off, until its status says the same or the result is called. */
  announce(pod: Pod, node: string): () => void {
    const { uid = '' } = pod.metadata;
    this.#announced.set(uid, node);
    this.#see(pod);
    return () => {
      if (this.#announced.delete(uid)) this.#see(pod);
    };
  }

  #see(pod: Pod): void {
    const { uid = '' } = pod.metadata;
    const { nominatedNodeName } = pod.status ?? {};
    if (nominatedNodeName === this.#announced.get(uid)) this.#announced.delete(uid);
    const node = this.#announced.get(uid) ?? nominatedNodeName;
    this.#forget(uid);
    if (!node || pod.spec.nodeName || pod.metadata.deletionTimestamp) return;
    const there = this.#byNode.get(node) ?? new Map<string, Pod>();
    this.#byNode.set(node, there.set(uid, { ...pod, spec: { ...pod.spec, nodeName: node } }));
    this.#nodeOf.set(uid, node);
  }

  #drop({ metadata: { uid = '' } }: Pod): void {
    this.#announced.delete(uid);
    this.#forget(uid);
  }

  #forget(uid: string): void {
    this.#byNode.get(this.#nodeOf.get(uid) ?? '')?.delete(uid);
    this.#nodeOf.delete(uid);
  }
}
