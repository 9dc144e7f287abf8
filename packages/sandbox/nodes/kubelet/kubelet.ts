import {
  type Container,
  Controller,
  type ControllerContext,
  keyFor,
  type Node,
  type ObjectStore,
  type Pod,
  semanticallyEqual,
  splitKey,
} from '@tiphys/kube-controllers';
import { isNotFound, timestamp } from '@tiphys/kubernetes';
import type { NodeUsage } from '../scheduler/node-usage.ts';
import { podRequests } from '../scheduler/pod-requests.ts';
import { type UsageView, without } from '../scheduler/usage-view.ts';
import type { ContainerNews } from './container-news.ts';
import type { ContainerRuntime } from './container-runtime.ts';
import { lack, type Rejection, rejection } from './node-admission.ts';
import { type BehaviorDefaults, behaviorWords, unknownBehaviors } from './pod-behavior.ts';
import { hasReferences, missingReferences } from './pod-references.ts';
import { infeasible, type ResizeRefusal } from './pod-resize.ts';
import { PodRun } from './pod-run.ts';
import { ProcessProber } from './process-prober.ts';

/** Short enough not to be waited for, long enough that every phase is seen. */
const defaults: BehaviorDefaults = { startDelay: 150, stopDelay: 50 };

/** As long as no more pods wait, each phase of each pod is shown. */
const fewPods = 20;

/** Longest time between two looks for a ConfigMap or Secret that is missing. */
const longestLook = 30_000;

/** Runs the pods of the simulated nodes: keeps what each does in memory and writes what follows into its status. */
export class Kubelet {
  readonly #controller: Controller;
  readonly #pods: ObjectStore<Pod>;
  readonly #runs = new Map<string, PodRun>();
  readonly #nodes: ObjectStore<Node>;
  readonly #usage: NodeUsage;
  readonly #runtime: ContainerRuntime | undefined;
  /** How many pods wait to be looked at. */
  backlog: () => number = () => 0;
  #addresses = 0;

  /** Has a pod looked at because its processes have changed. */
  wake: (key: string) => void = () => {};

  /** Containers that the runtime does not run, all of them without one, are simulated. */
  constructor(
    context: ControllerContext,
    {
      pods,
      nodes,
      usage,
      runtime,
    }: {
      pods: ObjectStore<Pod>;
      nodes: ObjectStore<Node>;
      usage: NodeUsage;
      runtime?: ContainerRuntime;
    },
  ) {
    this.#controller = new Controller(context, 'kubelet', { host: (about) => (about as Pod).spec?.nodeName });
    this.#pods = pods;
    this.#nodes = nodes;
    this.#usage = usage;
    this.#runtime = runtime;
  }

  run(key: string): PodRun | undefined {
    return this.#runs.get(key);
  }

  /** Name of the node that a pod is on; empty for pods that there are not. */
  nodeOf(key: string): string {
    return this.#pods.get(...splitKey(key))?.spec.nodeName ?? '';
  }

  forget(key: string): void {
    const run = this.#runs.get(key);
    if (run) {
      this.#used?.delete(run.ip);
      this.#runtime?.forget(run.uid);
    }
    this.#runs.delete(key);
  }

  /** Brings a pod up to date; answers with milliseconds until it must be looked at again. */
  async sync(pod: Pod): Promise<number | undefined> {
    const key = keyFor(pod);
    const present = this.#controller.clock.now();
    const known = this.#runs.get(key);
    const now = known && known.uid === pod.metadata.uid ? known.timeAt(present) : present;
    const wait = await this.#advance(pod, known, now);
    this.#runs.get(key)?.expect(now, wait);
    return wait === undefined ? undefined : Math.max(0, now + wait - present);
  }

  /** The same at a time of the pod, with milliseconds from then. */
  async #advance(pod: Pod, known: PodRun | undefined, now: number): Promise<number | undefined> {
    const key = keyFor(pod);
    let run = known;
    if (!run || run.uid !== pod.metadata.uid) {
      this.forget(key);
      const rejected = pod.status?.startTime ? undefined : this.#rejection(pod);
      if (rejected) return this.#reject(pod, rejected, now);
      run = this.#begin(pod, now);
      this.#runs.set(key, run);
      if (!pod.status?.startTime && this.backlog() <= fewPods) await this.#write(pod, run, now);
    }
    if (pod.metadata.deletionTimestamp) return this.#stop(pod, run, now);
    if (isOver(pod)) return undefined;
    const news: ContainerNews[] = [];
    const retry = await this.#lookForReferences(pod, run, news);
    const next = retry?.blocked ? undefined : run.advance(pod, now, news);
    const judge = () => this.#judgeResize(pod);
    const resizing = run.resize(pod, now, { judge, news });
    const wait = resizing === undefined ? next : Math.min(resizing, next ?? resizing);
    // with many pods to start, a phase that is over in a moment is not worth a write
    const passing = wait !== undefined && wait <= defaults.startDelay && news.length === 0;
    if (!passing || this.backlog() <= fewPods) await this.#write(this.#known(pod), run, now);
    for (const { type, reason, message, fieldPath } of news)
      this.#controller.events.event(pod, type, reason, message, fieldPath);
    return retry === undefined ? wait : Math.min(retry.after, wait ?? retry.after);
  }

  /** Finds out what the pod misses; answers when to look again, and whether it blocks the whole pod. */
  async #lookForReferences(
    pod: Pod,
    run: PodRun,
    news: ContainerNews[],
  ): Promise<{ after: number; blocked: boolean } | undefined> {
    const { references } = run;
    if (!references.pending) return undefined;
    if (!hasReferences(pod)) {
      references.pending = false;
      return undefined;
    }
    const { volumes, containers } = await missingReferences(this.#controller.client, pod);
    for (const each of [...run.inits, ...run.mains]) each.missing = containers.get(each.container.name);
    references.pending = volumes.length > 0 || containers.size > 0;
    if (!references.pending) return undefined;
    const text = volumes.join('\n');
    if (text !== references.told)
      for (const message of volumes) news.push({ type: 'Warning', reason: 'FailedMount', message });
    references.told = text;
    const after = Math.min(500 * 2 ** references.attempts, longestLook);
    references.attempts += 1;
    return { after, blocked: volumes.length > 0 };
  }

  /** The pods of the node that wait for room to be resized. */
  *deferredOn(node: string): Generator<string> {
    for (const [key, run] of this.#runs) if (run.node === node && run.resizing.isDeferred) yield key;
  }

  /** Why the node does not run the pod; those that it does not run itself do not count. */
  #rejection(pod: Pod): Rejection | undefined {
    const { nodeName = '' } = pod.spec;
    const node = this.#nodes.get('', nodeName);
    if (!node || !rejection(pod, node, without(this.#usage, [pod]))) return undefined;
    const strangers = [...this.#usage.podsOn(nodeName)].filter((other) => !this.#runs.has(keyFor(other)));
    const known = strangers.some(({ metadata }) => metadata.uid === pod.metadata.uid) ? strangers : [...strangers, pod];
    return rejection(pod, node, without(this.#usage, known));
  }

  async #reject(pod: Pod, { reason, message }: Rejection, now: number): Promise<undefined> {
    const { generation } = pod.metadata;
    this.#controller.events.event(pod, 'Warning', reason, message);
    await this.#controller.updateStatus(this.#pods, {
      ...pod,
      status: {
        ...(pod.status?.qosClass ? { qosClass: pod.status.qosClass } : {}),
        ...(generation ? { observedGeneration: generation } : {}),
        phase: 'Failed',
        reason,
        message: `Pod was rejected: ${message}`,
        startTime: timestamp(now),
      },
    });
    return undefined;
  }

  #judgeResize(pod: Pod): ResizeRefusal | undefined {
    const node = this.#nodes.get('', pod.spec.nodeName ?? '');
    if (!node) return undefined;
    // what it asks for, not what it was given
    const { status: _, ...asking } = pod;
    const others: UsageView = without(this.#usage, [pod]);
    const lacking = lack(asking, node, others);
    return (
      infeasible(podRequests(asking), node.status?.allocatable ?? {}) ??
      (lacking && { reason: 'Deferred', message: lacking.message })
    );
  }

  /** As it was last seen or written. */
  #known(pod: Pod): Pod {
    const known = this.#pods.get(pod.metadata.namespace ?? '', pod.metadata.name ?? '');
    return known && known.metadata.uid === pod.metadata.uid ? known : pod;
  }

  #begin(pod: Pod, now: number): PodRun {
    const unknown = unknownBehaviors(pod);
    if (unknown.length > 0)
      this.#controller.events.event(
        pod,
        'Warning',
        'UnknownBehavior',
        `The annotation sandbox.tiphys.dev/behavior has ${unknown.join(', ')}; known are ${behaviorWords}`,
      );
    return new PodRun(pod, {
      now,
      ip: pod.status?.podIP ?? this.#freeAddress(),
      defaults,
      launcher: (container) => this.#launcher(pod, container),
    });
  }

  #launcher(pod: Pod, container: Container) {
    const runtime = this.#runtime;
    if (!runtime?.runs(pod, container)) return undefined;
    const key = keyFor(pod);
    const changed = () => this.wake(key);
    return () => {
      // fields of the status are there by now
      const process = runtime.start(this.#current(pod), container, changed);
      return { process, prober: new ProcessProber(container, process, { clock: this.#controller.clock, changed }) };
    };
  }

  #current(pod: Pod): Pod {
    const { namespace = '', name = '' } = pod.metadata;
    const known = this.#pods.get(namespace, name) ?? pod;
    const ip = this.#runs.get(keyFor(pod))?.ip ?? '';
    return { ...known, status: { hostIP: '127.0.0.1', podIP: ip, podIPs: [{ ip }], ...known.status } };
  }

  /** An address of the pod network that no pod has. */
  #freeAddress(): string {
    this.#used ??= new Set([...this.#pods.list()].map((pod) => pod.status?.podIP ?? ''));
    for (;;) {
      this.#addresses = (this.#addresses + 1) % (2 ** 18 - 2);
      const number = this.#addresses + 1;
      const address = `10.${244 + (number >> 16)}.${(number >> 8) & 255}.${number & 255}`;
      if (this.#used.has(address)) continue;
      this.#used.add(address);
      return address;
    }
  }

  #used: Set<string> | undefined;

  /** A pod is over for all when nothing of it runs any more: that its containers have ended is reported before. */
  async #write(pod: Pod, run: PodRun, now: number): Promise<void> {
    const status = run.status(pod, now);
    if (pod.status && semanticallyEqual(pod.status, status)) return;
    const told = pod.metadata.deletionTimestamp !== undefined || this.backlog() > fewPods;
    const held = run.held(pod, status);
    try {
      let current = pod;
      if (run.running || !told) {
        if (!semanticallyEqual(pod.status, held))
          current = await this.#controller.updateStatus(this.#pods, { ...pod, status: held });
        if (run.running) return;
      }
      if (current === pod || !semanticallyEqual(held, status))
        await this.#controller.updateStatus(this.#pods, { ...current, status });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Ends the containers after their delay and takes the pod off the API server, as a kubelet does. */
  async #stop(pod: Pod, run: PodRun, now: number): Promise<number | undefined> {
    const first = run.stoppingSince === undefined;
    if (first) {
      for (const main of [...run.mains, ...run.ephemerals, ...run.inits])
        if (main.running)
          this.#controller.events.event(
            pod,
            'Normal',
            'Killing',
            `Stopping container ${main.container.name}`,
            main.fieldPath,
          );
    }
    const wait = run.stop(now, (pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000);
    if (run.running) {
      if (first && this.backlog() <= fewPods) await this.#write(pod, run, now);
      return wait;
    }
    // Anyone who holds the pod by a finalizer, or watches it, is told how it ended; in a crowd nobody would read it.
    if (!isOver(pod) && (pod.metadata.finalizers?.length || this.backlog() <= fewPods))
      await this.#write(pod, run, now);
    const { name = '', namespace = '', uid } = pod.metadata;
    try {
      await this.#controller.client.delete(
        { apiVersion: 'v1', kind: 'Pod', namespace, name },
        { gracePeriodSeconds: 0, ...(uid ? { preconditions: { uid } } : {}) },
      );
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    return undefined;
  }
}

function isOver({ status }: Pod): boolean {
  return status?.phase === 'Succeeded' || status?.phase === 'Failed';
}
