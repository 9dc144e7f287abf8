import { timestampOf } from '../../controllers/machinery/conditions.ts';
import type {
  Condition,
  Container,
  ContainerStatus,
  Pod,
  PodStatus,
} from '../../controllers/machinery/workload-model.ts';
import { type ContainerGroup, type ContainerNews, ContainerRun, type Launched } from './container-run.ts';
import { type BehaviorDefaults, containerBehavior } from './pod-behavior.ts';

/** A pod on its node as time goes on: its containers, and the status that follows from them. */
export class PodRun {
  readonly uid: string;
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
    this.ip = status?.podIP ?? options.ip;
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

  /** Goes on to the time; returns milliseconds until something else happens, undefined for never. */
  advance(pod: Pod, now: number, news: ContainerNews[]): number | undefined {
    const policy = pod.spec.restartPolicy ?? 'Always';
    const waits: (number | undefined)[] = [this.#deadline(pod, now)];
    if (this.failure) return undefined;
    for (const container of pod.spec.ephemeralContainers ?? [])
      if (!this.ephemerals.some((known) => known.container.name === container.name))
        this.ephemerals.push(this.#begin(container, 'ephemeralContainers', now));
    waits.push(...this.ephemerals.map((each) => each.advance(now, () => false, news)));
    for (const init of this.inits) {
      const sidecar = init.container.restartPolicy === 'Always';
      waits.push(init.advance(now, (code) => sidecar || (code !== 0 && policy !== 'Never'), news));
      if (sidecar ? !init.begun : init.exitCode !== 0) return earliest(waits);
    }
    const mayRestart = (code: number) => policy === 'Always' || (policy === 'OnFailure' && code !== 0);
    for (const main of this.mains) {
      waits.push(main.advance(now, mayRestart, news));
      waits.push(main.readyIn(now));
    }
    // sidecars end after the last container that they serve
    if (this.mains.every(({ exitCode }) => exitCode !== undefined)) for (const init of this.inits) init.kill(now, 0);
    return earliest(waits);
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

  /** Fails the pod that was active for too long; answers how long it may go on. */
  #deadline({ spec: { activeDeadlineSeconds } }: Pod, now: number): number | undefined {
    if (activeDeadlineSeconds === undefined) return undefined;
    const left = this.startedAt + activeDeadlineSeconds * 1000 - now;
    if (left > 0) return left;
    this.failure = {
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    };
    this.kill(now, 137);
    return undefined;
  }

  kill(now: number, exitCode: number): void {
    for (const run of this.#all) run.kill(now, exitCode);
  }

  get initialized(): boolean {
    return this.inits.every((init) => (init.container.restartPolicy === 'Always' ? init.begun : init.exitCode === 0));
  }

  /** The status as the kubelet writes it; times of conditions that did not change are kept. */
  status(pod: Pod, now: number): PodStatus {
    const phase = this.#phase(pod);
    const ready = (run: ContainerRun) => run.ready(now);
    const started = this.initialized;
    const containerStatuses = this.mains.map((run) =>
      started ? withResources(run.status(now, ready(run)), pod.spec.containers) : waiting(run),
    );
    const unready = this.mains.filter((run) => !ready(run)).map(({ container }) => container.name);
    const over = phase === 'Succeeded' || phase === 'Failed';
    const notReady = over
      ? { reason: phase === 'Succeeded' ? 'PodCompleted' : 'PodFailed' }
      : { reason: 'ContainersNotReady', message: `containers with unready status: [${unready.join(' ')}]` };
    const incomplete = this.inits
      .filter((init) => init.exitCode !== 0 && init.container.restartPolicy !== 'Always')
      .map(({ container }) => container.name);
    const allReady = unready.length === 0 && !over;
    const found: [type: string, holds: boolean, why?: { reason: string; message?: string }][] = [
      ['PodReadyToStartContainers', !over],
      [
        'Initialized',
        started,
        over
          ? { reason: 'PodCompleted' }
          : {
              reason: 'ContainersNotInitialized',
              message: `containers with incomplete status: [${incomplete.join(' ')}]`,
            },
      ],
      ['Ready', allReady, notReady],
      ['ContainersReady', allReady, notReady],
      ['PodScheduled', true],
    ];
    return {
      ...pod.status,
      ...(pod.metadata.generation ? { observedGeneration: pod.metadata.generation } : {}),
      phase,
      ...this.failure,
      conditions: found.map(([type, holds, why]) => condition(pod.status?.conditions, type, holds, why, now)),
      hostIP: '127.0.0.1',
      hostIPs: [{ ip: '127.0.0.1' }],
      podIP: this.ip,
      podIPs: [{ ip: this.ip }],
      startTime: timestampOf(this.startedAt),
      ...(this.inits.length > 0
        ? {
            initContainerStatuses: this.inits.map((init) =>
              init.status(now, init.container.restartPolicy === 'Always' ? init.running : init.exitCode === 0),
            ),
          }
        : {}),
      containerStatuses,
      ...(this.ephemerals.length > 0
        ? { ephemeralContainerStatuses: this.ephemerals.map((each) => withoutStarted(each.status(now, false))) }
        : {}),
    };
  }

  #phase({ spec }: Pod): NonNullable<PodStatus['phase']> {
    if (this.failure) return 'Failed';
    const failedInit = this.inits.some(
      (init) => init.container.restartPolicy !== 'Always' && (init.exitCode ?? 0) !== 0,
    );
    if (failedInit && spec.restartPolicy === 'Never') return 'Failed';
    if (!this.initialized) return this.stoppingSince === undefined ? 'Pending' : 'Failed';
    if (this.mains.every(({ exitCode }) => exitCode !== undefined))
      return this.mains.every(({ exitCode }) => exitCode === 0) ? 'Succeeded' : 'Failed';
    if (this.stoppingSince !== undefined && this.mains.every(({ running }) => !running)) return 'Failed';
    return this.mains.some((run) => !run.running && run.restarts === 0 && run.exitCode === undefined)
      ? 'Pending'
      : 'Running';
  }
}

function waiting({ container }: ContainerRun): ContainerStatus {
  return {
    name: container.name,
    state: { waiting: { reason: 'PodInitializing' } },
    lastState: {},
    ready: false,
    restartCount: 0,
    image: container.image ?? '',
    imageID: '',
    started: false,
  };
}

/** Whether a container without probes has started is not told. */
function withoutStarted({ started: _, ...status }: ContainerStatus): ContainerStatus {
  return status;
}

function condition(
  before: readonly Condition[] | undefined,
  type: string,
  holds: boolean,
  why: { reason: string; message?: string } | undefined,
  now: number,
): Condition {
  const status = holds ? 'True' : 'False';
  const known = before?.find((item) => item.type === type && item.status === status);
  return {
    type,
    status,
    lastProbeTime: null,
    lastTransitionTime: known?.lastTransitionTime ?? timestampOf(now),
    ...(holds ? {} : why),
  };
}

function earliest(waits: readonly (number | undefined)[]): number | undefined {
  const known = waits.filter((wait) => wait !== undefined);
  return known.length > 0 ? Math.min(...known) : undefined;
}

/** A running container has what its pod asks for now: it is resized at once, without a restart. */
function withResources(status: ContainerStatus, containers: Pod['spec']['containers']): ContainerStatus {
  if (!status.state.running) return status;
  const { requests, limits } = containers.find(({ name }) => name === status.name)?.resources ?? {};
  return {
    ...status,
    ...(requests ? { allocatedResources: requests } : {}),
    resources: { ...(limits ? { limits } : {}), ...(requests ? { requests } : {}) },
  };
}
