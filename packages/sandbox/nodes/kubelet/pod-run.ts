import type { Container, ContainerStatus, Pod, PodStatus } from '@tiphys/kube-controllers';
import { timestamp } from '@tiphys/kubernetes';
import type { ContainerNews } from './container-news.ts';
import { ContainerRun } from './container-run.ts';
import type { ContainerGroup } from './container-state.ts';
import { endSeen } from './container-state.ts';
import { type BehaviorDefaults, containerBehavior } from './pod-behavior.ts';
import { podConditions, podPhase } from './pod-conditions.ts';
import { PodResize, type ResizeRefusal } from './pod-resize.ts';
import type { Launched } from './process-prober.ts';

/** Of all simulated nodes. */
const hostIP = '127.0.0.1';

const longestDelay = 60_000;

/** A pod on its node as time goes on: its containers, and the status that follows from them. */
export class PodRun {
  readonly uid: string;
  /** Where it runs. */
  readonly node: string;
  readonly startedAt: number;
  readonly ip: string;
  readonly inits: readonly ContainerRun[];
  readonly mains: readonly ContainerRun[];
  /** Those that were added to debug the pod; they are never restarted and count for nothing. */
  readonly ephemerals: ContainerRun[] = [];
  readonly #begin: (container: Container, group: ContainerGroup, now: number) => ContainerRun;
  /** Missing ConfigMaps and Secrets are looked for until the pod has what it needs. */
  references: { pending: boolean; attempts: number; told: string } = { pending: true, attempts: 0, told: '' };
  /** Why the pod as a whole failed. */
  failure: { reason: string; message: string } | undefined;
  readonly resizing: PodResize;
  /** When its sidecars are told to end, for nothing is left that they serve. */
  #sidecarsEndAt: number | undefined;
  /** When the pod was first seen terminating. */
  stoppingSince: number | undefined;

  constructor(
    pod: Pod,
    options: {
      now: number;
      ip: string;
      defaults: BehaviorDefaults;
      /** What runs the container for real; undefined for one that is simulated. */
      launcher?: (container: Container) => (() => Launched) | undefined;
    },
  ) {
    const { namespace, name, uid = '' } = pod.metadata;
    const { status } = pod;
    this.uid = uid;
    this.node = pod.spec.nodeName ?? '';
    this.ip = status?.podIP ?? (pod.spec.hostNetwork ? hostIP : options.ip);
    this.resizing = new PodResize(pod);
    this.startedAt = status?.startTime ? Date.parse(status.startTime) : options.now;
    const describe = `${name}_${namespace}(${uid})`;
    const before = {
      containers: status?.containerStatuses,
      initContainers: status?.initContainerStatuses,
      ephemeralContainers: status?.ephemeralContainerStatuses,
    };
    this.#begin = (container, group, now) => {
      const launch = options.launcher?.(container);
      return new ContainerRun({
        ...(launch ? { launch } : {}),
        container,
        behavior: containerBehavior(pod, container, options.defaults),
        uid,
        describe,
        group,
        now,
        before: before[group]?.find(({ name }) => name === container.name),
      });
    };
    const { initContainers = [], containers } = pod.spec;
    this.inits = initContainers.map((container) => this.#begin(container, 'initContainers', options.now));
    this.mains = containers.map((container) => this.#begin(container, 'containers', options.now));
  }

  container(name: string): ContainerRun | undefined {
    return this.#all.find(({ container }) => container.name === name);
  }

  #due: number | undefined;

  /**
   * The time that the pod has to be advanced to first: when something is due by now, that time, so that a busy machine
   * leaves nothing out. What should have been more than a minute ago is not made up.
   */
  timeAt(present: number): number {
    return this.#due !== undefined && this.#due < present && this.#due > present - longestDelay ? this.#due : present;
  }

  /** Takes note of when something is due next; a wait in milliseconds from `now`. */
  expect(now: number, wait: number | undefined): void {
    this.#due = wait ? now + wait : undefined;
  }

  /** Goes on to the time; returns milliseconds until something else happens, undefined for never. */
  advance(pod: Pod, now: number, news: ContainerNews[]): number | undefined {
    const policy = pod.spec.restartPolicy ?? 'Always';
    const waits: (number | undefined)[] = [this.#deadline(pod, now, news)];
    if (this.failure) return waits[0];
    for (const container of pod.spec.ephemeralContainers ?? [])
      if (!this.ephemerals.some((known) => known.container.name === container.name))
        this.ephemerals.push(this.#begin(container, 'ephemeralContainers', now));
    waits.push(...this.ephemerals.map((each) => each.advance(now, () => false, news)));
    for (const init of this.inits) {
      const sidecar = init.container.restartPolicy === 'Always';
      waits.push(init.advance(now, (code) => sidecar || (code !== 0 && policy !== 'Never'), news));
      if (sidecar) waits.push(init.readyIn(now));
      const done = sidecar ? init.started || this.mains.some(({ begun }) => begun) : init.exitCode === 0;
      // the sidecars before one that failed for good serve nobody any more
      if (!sidecar && policy === 'Never' && init.exitCode) waits.push(this.#endSidecars(now, news));
      if (!done) return earliest(waits);
    }
    const mayRestart = (code: number) => policy === 'Always' || (policy === 'OnFailure' && code !== 0);
    for (const main of this.mains) {
      waits.push(main.advance(now, mayRestart, news));
      waits.push(main.readyIn(now));
    }
    if (this.mains.every(({ exitCode }) => exitCode !== undefined)) waits.push(this.#endSidecars(now, news));
    return earliest(waits);
  }

  /** Sidecars end after the last container that they serve. */
  #endSidecars(now: number, news: ContainerNews[]): number | undefined {
    const left = this.inits.filter(({ running }) => running).toReversed();
    if (left.length === 0) return undefined;
    this.#sidecarsEndAt ??= now + endSeen;
    if (now < this.#sidecarsEndAt) return this.#sidecarsEndAt - now;
    for (const init of left) {
      news.push(stopping(init));
      init.kill(now, 0);
    }
    return undefined;
  }

  /**
   * Ends what runs within the grace (in milliseconds): the containers first, sidecars after them in reverse order.
   * Returns milliseconds until it must be called again; undefined when it has ended or only a process's end is to come.
   */
  stop(now: number, grace: number): number | undefined {
    this.stoppingSince ??= now;
    const left = Math.max(0, this.stoppingSince + grace - now);
    const noRestart = () => false;
    const sidecars = this.inits.filter(({ container }) => container.restartPolicy === 'Always').toReversed();
    const others = [...this.inits.filter((init) => !sidecars.includes(init)), ...this.mains, ...this.ephemerals];
    const stop = (run: ContainerRun): number | undefined => {
      const wait = run.stop(now, left);
      // a process may have ended by itself
      if (run.process) run.advance(now, noRestart, []);
      return run.running ? wait : undefined;
    };
    const waits = others.map(stop);
    for (const sidecar of sidecars) {
      if (others.some(({ running }) => running)) break;
      waits.push(stop(sidecar));
      if (sidecar.running) break;
    }
    return earliest(waits);
  }

  get running(): boolean {
    return this.#all.some((run) => run.running);
  }

  get #all(): readonly ContainerRun[] {
    return [...this.inits, ...this.mains, ...this.ephemerals];
  }

  /** Fails the pod that was active for too long and ends what runs of it; answers how long it may go on. */
  #deadline(
    { spec: { activeDeadlineSeconds, terminationGracePeriodSeconds = 30 } }: Pod,
    now: number,
    news: ContainerNews[],
  ): number | undefined {
    if (activeDeadlineSeconds === undefined) return undefined;
    const left = this.startedAt + activeDeadlineSeconds * 1000 - now;
    if (left > 0) return left;
    if (!this.failure) {
      const reason = 'DeadlineExceeded';
      const message = 'Pod was active on the node longer than the specified deadline';
      this.failure = { reason, message };
      news.push({ type: 'Normal', reason, message }, ...this.#all.filter(({ running }) => running).map(stopping));
      // that it has failed is shown before what becomes of its containers
      return this.running ? endSeen : undefined;
    }
    return this.stop(now, terminationGracePeriodSeconds * 1000);
  }

  /** Whether anything was tried to start: its network is set up by then. */
  get #sandboxed(): boolean {
    return this.#all.some((run) => run.tried);
  }

  /** Changes what its containers have of the node, as the pod asks for; answers milliseconds until there is more to do. */
  resize(pod: Pod, now: number, { judge, news }: { judge: () => ResizeRefusal | undefined; news: ContainerNews[] }) {
    if (!this.mains.some(({ running }) => running)) return undefined;
    const had = this.resizing.conditions.some(({ type }) => type === 'PodResizeInProgress');
    if (!this.resizing.review(pod, now, judge)) return undefined;
    // that it is under way is shown first
    if (!had) return endSeen;
    const { restarts, completed } = this.resizing.actuate(pod) ?? { restarts: [], completed: '' };
    for (const name of restarts) {
      this.container(name)?.restartResized(now, news);
      this.container(name)?.advance(now, () => true, news);
    }
    news.push({ type: 'Normal', reason: 'ResizeCompleted', message: completed });
    return undefined;
  }

  /** The status as the kubelet writes it; times of conditions that did not change are kept. */
  status(pod: Pod, now: number): PodStatus {
    const initial = this.inits.length > 0 ? 'PodInitializing' : 'ContainerCreating';
    const describe = (run: ContainerRun, ready: boolean) => this.#withSpec(run.status(now, ready, initial), run, pod);
    const inits = this.inits.map((init) =>
      describe(init, init.container.restartPolicy === 'Always' ? init.ready(now) : init.exitCode === 0),
    );
    const mains = this.mains.map((run) => describe(run, run.ready(now)));
    const ephemerals = this.ephemerals.map((each) => withoutStarted(describe(each, false)));
    const statuses = [...inits, ...mains];
    const terminal = this.stoppingSince !== undefined && !this.running;
    const phase = this.failure ? 'Failed' : podPhase(pod, { statuses, terminal });
    const sandboxed = this.#sandboxed && ((phase !== 'Succeeded' && phase !== 'Failed') || this.running);
    const { hostNetwork } = pod.spec;
    const ip = this.#sandboxed || hostNetwork || pod.status?.podIP ? this.ip : undefined;
    const resizes = this.resizing.conditions;
    return {
      ...pod.status,
      ...(pod.metadata.generation ? { observedGeneration: pod.metadata.generation } : {}),
      phase,
      ...this.failure,
      conditions: podConditions(pod, { phase, statuses, sandboxed, resizes, now }),
      hostIP,
      hostIPs: [{ ip: hostIP }],
      ...(ip ? { podIP: ip, podIPs: [{ ip }] } : {}),
      startTime: timestamp(this.startedAt),
      ...(inits.length > 0 ? { initContainerStatuses: inits } : {}),
      containerStatuses: mains.toSorted(byName),
      ...(ephemerals.length > 0 ? { ephemeralContainerStatuses: ephemerals.toSorted(byName) } : {}),
    };
  }

  /** The status of a pod that is over as it is told as long as something of it may run: the phase has not changed yet. */
  held(pod: Pod, status: PodStatus): PodStatus {
    if (status.phase !== 'Succeeded' && status.phase !== 'Failed') return status;
    const { phase = 'Pending', reason, message, conditions: before } = pod.status ?? {};
    if (phase === status.phase) return status;
    const { reason: _, message: __, conditions = [], ...rest } = status;
    const known = before?.find(({ type }) => type === 'PodReadyToStartContainers');
    return {
      ...rest,
      phase,
      ...(reason ? { reason } : {}),
      ...(message ? { message } : {}),
      conditions: conditions.map((item) => {
        if (item.type !== 'PodReadyToStartContainers' || !this.#sandboxed) return item;
        const since = known?.status === 'True' ? known.lastTransitionTime : item.lastTransitionTime;
        return { ...item, status: 'True', ...(since ? { lastTransitionTime: since } : {}) };
      }),
    };
  }

  /** Adds what follows from the container's spec: its mounts, and what it has of the node. */
  #withSpec(status: ContainerStatus, { container, begun }: ContainerRun, { spec }: Pod): ContainerStatus {
    const mounts = (container.volumeMounts ?? []).map(({ name, mountPath, readOnly }) => ({
      name,
      mountPath,
      ...(readOnly ? { readOnly, recursiveReadOnly: 'Disabled' } : {}),
    }));
    const { name } = container;
    const known = [...spec.containers, ...(spec.initContainers ?? [])].some((item) => item.name === name);
    const { requests } = known ? this.resizing.allocated(name) : {};
    return {
      ...status,
      ...(begun && requests ? { allocatedResources: requests } : {}),
      ...(begun ? { resources: known ? this.resizing.actual(name) : {} } : {}),
      ...(mounts.length > 0 ? { volumeMounts: mounts } : {}),
    };
  }
}

function stopping({ container, fieldPath }: ContainerRun): ContainerNews {
  return { type: 'Normal', reason: 'Killing', message: `Stopping container ${container.name}`, fieldPath };
}

function byName(one: ContainerStatus, other: ContainerStatus): number {
  return one.name < other.name ? -1 : 1;
}

/** Whether a container without probes has started is not told. */
function withoutStarted({ started: _, ...status }: ContainerStatus): ContainerStatus {
  return status;
}

function earliest(waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}
