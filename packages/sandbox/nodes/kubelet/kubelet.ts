import { isNotFound } from '@tiphys/kubernetes';
import { Controller, type ControllerContext, keyFor } from '../../controllers/machinery/controller.ts';
import type { ObjectStore } from '../../controllers/machinery/object-store.ts';
import { semanticallyEqual } from '../../controllers/machinery/template-hash.ts';
import type { Pod } from '../../controllers/machinery/workload-model.ts';
import type { ContainerNews } from './container-run.ts';
import { type BehaviorDefaults, behaviorWords, unknownBehaviors } from './pod-behavior.ts';
import { PodRun } from './pod-run.ts';

/** Short enough not to be waited for, long enough that every phase is seen. */
const defaults: BehaviorDefaults = { startDelay: 150, stopDelay: 50 };

/** Runs the pods of the simulated nodes: keeps what each does in memory and writes what follows into its status. */
export class Kubelet {
  readonly #controller: Controller;
  readonly #pods: ObjectStore<Pod>;
  readonly #runs = new Map<string, PodRun>();
  #addresses = 0;

  constructor(context: ControllerContext, pods: ObjectStore<Pod>) {
    this.#controller = new Controller(context, 'kubelet');
    this.#pods = pods;
  }

  run(key: string): PodRun | undefined {
    return this.#runs.get(key);
  }

  forget(key: string): void {
    this.#runs.delete(key);
  }

  /** Brings a pod up to date; answers with milliseconds until it must be looked at again. */
  async sync(pod: Pod): Promise<number | undefined> {
    const key = keyFor(pod);
    const now = this.#controller.clock.now();
    let run = this.#runs.get(key);
    if (!run || run.uid !== pod.metadata.uid) {
      run = this.#begin(pod, now);
      this.#runs.set(key, run);
    }
    if (pod.metadata.deletionTimestamp) return this.#stop(pod, run, now);
    if (pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed') return undefined;
    const news: ContainerNews[] = [];
    const wait = run.advance(pod, now, news);
    await this.#write(pod, run, now);
    for (const { type, reason, message } of news) this.#controller.events.event(pod, type, reason, message);
    return wait;
  }

  #begin(pod: Pod, now: number): PodRun {
    this.#addresses += 1;
    const unknown = unknownBehaviors(pod);
    if (unknown.length > 0)
      this.#controller.events.event(
        pod,
        'Warning',
        'UnknownBehavior',
        `The annotation sandbox.tiphys.dev/behavior has ${unknown.join(', ')}; known are ${behaviorWords}`,
      );
    const run = new PodRun(pod, {
      now,
      ip: `10.244.${(this.#addresses >> 8) & 255}.${this.#addresses & 255 || 1}`,
      defaults,
    });
    for (const main of run.mains) {
      const { readiness } = main.behavior;
      if (readiness !== undefined)
        this.#controller.events.event(
          pod,
          'Warning',
          'Unhealthy',
          `Readiness probe failed: ${readiness}`,
          `spec.containers{${main.container.name}}`,
        );
    }
    return run;
  }

  async #write(pod: Pod, run: PodRun, now: number): Promise<void> {
    const status = run.status(pod, now);
    if (pod.status && semanticallyEqual(pod.status, status)) return;
    try {
      await this.#controller.updateStatus(this.#pods, { ...pod, status });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }

  /** Ends the containers after their delay and takes the pod off the API server, as a kubelet does. */
  async #stop(pod: Pod, run: PodRun, now: number): Promise<number | undefined> {
    if (run.stoppingSince === undefined) {
      run.stoppingSince = now;
      for (const main of run.mains)
        if (main.running)
          this.#controller.events.event(pod, 'Normal', 'Killing', `Stopping container ${main.container.name}`);
    }
    const grace = (pod.metadata.deletionGracePeriodSeconds ?? 30) * 1000;
    const delay = Math.min(Math.max(0, ...run.mains.map(({ behavior }) => behavior.stopDelay)), grace);
    const left = run.stoppingSince + delay - now;
    if (left > 0) return left;
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
