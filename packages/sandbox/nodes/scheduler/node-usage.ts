import { isPodTerminal, type ObjectStore, type Pod } from '@tiphys/kube-controllers';
import { podRequests } from './pod-requests.ts';
import type { UsageView } from './usage-view.ts';

interface Usage {
  readonly requests: Map<string, number>;
  readonly pods: Map<string, Pod>;
}

/** What the pods of each node have taken of it, kept up to date; what has just been bound counts at once. */
export class NodeUsage implements UsageView {
  readonly #nodes = new Map<string, Usage>();
  readonly #nodeOf = new Map<string, string>();
  readonly #exclusive = new Map<string, Pod>();

  constructor(pods: ObjectStore<Pod>) {
    for (const pod of pods.list()) this.#see(pod);
    pods.subscribe(({ type, object }) => (type === 'deleted' ? this.#drop(object) : this.#see(object)));
  }

  /** Counts the pod before a watch tells that it is bound. */
  assume(pod: Pod, node: string): void {
    this.#see({ ...pod, spec: { ...pod.spec, nodeName: node } });
  }

  /** The binding failed after all. */
  forget(pod: Pod): void {
    this.#drop(pod);
  }

  requested(node: string, resource: string): number {
    return this.#nodes.get(node)?.requests.get(resource) ?? 0;
  }

  podsOn(node: string): Iterable<Pod> {
    return this.#nodes.get(node)?.pods.values() ?? [];
  }

  /** Running pods that do not want certain others beside them. */
  get exclusivePods(): Iterable<Pod> {
    return this.#exclusive.values();
  }

  count(node: string): number {
    return this.#nodes.get(node)?.pods.size ?? 0;
  }

  #see(pod: Pod): void {
    const node = pod.spec.nodeName ?? '';
    const uid = pod.metadata.uid ?? '';
    if (isPodTerminal(pod)) this.#drop(pod);
    if (!node || isPodTerminal(pod)) return;
    const known = this.#nodes.get(node)?.pods;
    const before = known?.get(uid);
    if (this.#nodeOf.get(uid) === node && before && !isResized(before, pod)) {
      known?.set(uid, pod);
      return;
    }
    this.#drop(pod);
    const usage = this.#nodes.get(node) ?? { requests: new Map<string, number>(), pods: new Map<string, Pod>() };
    this.#nodes.set(node, usage);
    this.#nodeOf.set(uid, node);
    usage.pods.set(uid, pod);
    if (pod.spec.affinity?.podAntiAffinity) this.#exclusive.set(uid, pod);
    count(usage, pod, 1);
  }

  #drop({ metadata: { uid = '' } }: Pod): void {
    const node = this.#nodeOf.get(uid);
    const usage = node === undefined ? undefined : this.#nodes.get(node);
    const pod = usage?.pods.get(uid);
    this.#nodeOf.delete(uid);
    this.#exclusive.delete(uid);
    if (!usage || !pod) return;
    usage.pods.delete(uid);
    count(usage, pod, -1);
  }
}

/** Whether it may ask for something else by now. */
function isResized(before: Pod, pod: Pod): boolean {
  const resizes = ({ status }: Pod) => status?.conditions?.some(({ type }) => type.startsWith('PodResize'));
  return before.metadata.generation !== pod.metadata.generation || !!resizes(before) || !!resizes(pod);
}

function count({ requests }: Usage, pod: Pod, sign: 1 | -1): void {
  for (const [name, value] of podRequests(pod)) requests.set(name, (requests.get(name) ?? 0) + sign * value);
}
