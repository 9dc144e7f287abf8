import type { Container, ContainerState, ContainerStatus } from '@tiphys/kube-controllers';
import type { ContainerNews } from './container-news.ts';
import type { ContainerProcess } from './container-runtime.ts';
import {
  adoptedStage,
  type ContainerGroup,
  type ContainerIdentity,
  containerId,
  digest,
  endSeen,
  pullRetry,
  type Stage,
  spanOf,
  startError,
  stateOf,
  terminatedState,
} from './container-state.ts';
import { stopTimes } from './container-stop.ts';
import { pullBackedOff, pulled, pullFailed } from './image-pull.ts';
import { type ContainerBehavior, fullImageName } from './pod-behavior.ts';
import type { Launched } from './process-prober.ts';
import { RestartBackoff } from './restart-backoff.ts';
import { SimulatedProbes } from './simulated-probes.ts';
import { exitOnTerm, lastWords, programEnd, stoppedProgram } from './simulated-program.ts';

/** One container of a pod as time goes on. `advance` is called with the time; it never reads a clock. */
export class ContainerRun {
  readonly container: Container;
  readonly behavior: ContainerBehavior;
  readonly uid: string;
  readonly #describe: string;
  readonly #group: ContainerGroup;
  readonly #launch: (() => Launched) | undefined;
  #launched: Launched | undefined;
  /** The process of the run before this one. */
  previousProcess: ContainerProcess | undefined;
  /** While it is told to end: when it gets the signal, and whether it has it. */
  #stopping: { signalAt: number; killAt: number; signalled: boolean } | undefined;
  #stage: Stage;
  #last: ContainerState = {};
  #backoff = new RestartBackoff();
  readonly #probes: SimulatedProbes;
  restarts = 0;
  /** A ConfigMap or Secret that is missing, as the kubelet found. */
  missing: string | undefined;

  constructor(options: {
    container: Container;
    behavior: ContainerBehavior;
    uid: string;
    describe: string;
    group: ContainerGroup;
    now: number;
    before: ContainerStatus | undefined;
    /** Runs it for real; simulated if absent. */
    launch?: () => Launched;
  }) {
    const { container, behavior, uid, describe, group, now, before } = options;
    this.#group = group;
    this.#launch = options.launch;
    this.container = container;
    this.behavior = behavior;
    this.#probes = new SimulatedProbes(container, behavior);
    this.uid = uid;
    this.#describe = describe;
    this.#stage = { at: 'created', since: now };
    if (before) this.#adopt(before);
  }

  /** A restarted node goes on with what the status says. */
  #adopt(before: ContainerStatus): void {
    this.restarts = before.restartCount;
    this.#backoff = new RestartBackoff(before.restartCount);
    this.#last = before.lastState;
    this.#stage = adoptedStage(before.state, this.#stage, this.#launch !== undefined);
    const { running } = before.state;
    if (running?.startedAt && before.started) this.#probes.begin(Date.parse(running.startedAt));
  }

  /** The process that runs it, or ran it last; undefined if it is simulated. */
  get process(): ContainerProcess | undefined {
    return this.#launched?.process;
  }

  /** Where events say that they belong to. */
  get fieldPath(): string {
    return `spec.${this.#group}{${this.container.name}}`;
  }

  /** Its turn has come, whether or not it could be started. */
  get tried(): boolean {
    return this.#refused !== '' || this.restarts > 0 || this.#stage.at !== 'created';
  }

  /** It ran at least once. */
  get begun(): boolean {
    return this.running || this.restarts > 0 || this.#stage.at === 'ended' || this.#stage.at === 'backoff';
  }

  get running(): boolean {
    return this.#stage.at === 'running';
  }

  get startedAt(): number | undefined {
    return this.#stage.at === 'running'
      ? this.#stage.since
      : this.#stage.at === 'ended'
        ? this.#stage.startedAt
        : undefined;
  }

  /** When the run before this one began and ended; undefined for the first one. */
  get previous(): { startedAt: number; finishedAt: number } | undefined {
    return spanOf(this.#last);
  }

  /** Whether its probes find it ready; a simulated one is as its behaviour and its readiness probe's delay say. */
  ready(now: number): boolean {
    if (!this.running) return false;
    if (this.#launched) return this.#launched.prober.started && this.#launched.prober.ready;
    return this.#probes.ready(now, this.startedAt ?? now);
  }

  /** Whether it runs and its startup probe, if it has one, has succeeded. */
  get started(): boolean {
    if (!this.running) return false;
    if (this.#launched) return this.#launched.prober.started;
    return this.#probes.started;
  }

  /** Milliseconds until the next probe of a simulated container may succeed first; undefined where nothing is to come. */
  readyIn(now: number): number | undefined {
    if (!this.running || this.startedAt === undefined || this.#launched) return undefined;
    return this.#probes.readyIn(now, this.startedAt);
  }

  /** Exit code once the container ended for good. */
  get exitCode(): number | undefined {
    return this.#stage.at === 'ended' && !this.#stage.passing ? this.#stage.exitCode : undefined;
  }

  /** Goes on to the time; returns milliseconds until something else happens, undefined for never. */
  advance(now: number, mayRestart: (exitCode: number) => boolean, news: ContainerNews[]): number | undefined {
    const told: ContainerNews[] = [];
    for (;;) {
      const wait = this.#step(now, mayRestart, told);
      if (wait === 'again') continue;
      news.push(...told.map((item) => ({ ...item, fieldPath: this.fieldPath })));
      return wait;
    }
  }

  #step(now: number, mayRestart: (exitCode: number) => boolean, news: ContainerNews[]): number | undefined | 'again' {
    const stage = this.#stage;
    if (stage.at === 'created') return this.#create(now, stage.since, news);
    if (stage.at === 'pull-error') return this.#pullAgain(now, stage.since, news);
    if (stage.at === 'running') return this.#run(now, stage.since, news);
    if (stage.at === 'ended') return this.#end(now, stage, mayRestart, news);
    if (now < stage.until) return stage.until - now;
    this.restarts += 1;
    this.#stage = { at: 'created', since: now };
    return 'again';
  }

  #create(now: number, since: number, news: ContainerNews[]): number | undefined | 'again' {
    const { behavior, container } = this;
    if (this.#configError) return this.#refuse(news);
    if (behavior.pullError) {
      this.#stage = { at: 'pull-error', since: now };
      news.push(...pullFailed(container, behavior.pullError));
      return behavior.pullError.reason === 'ErrImagePull' ? pullRetry : undefined;
    }
    this.#turn ??= Math.max(since, now);
    const due = this.#turn + (this.restarts === 0 && !this.#launch ? behavior.startDelay : 0);
    if (now < due) return due - now;
    news.push(...this.#pulled());
    news.push({ type: 'Normal', reason: 'Created', message: `Created container: ${container.name}` });
    if (behavior.startError && !this.#launch) {
      const message = behavior.startError;
      news.push({ type: 'Warning', reason: 'Failed', message: `Error: ${message}` });
      this.#stage = { at: 'ended', since: now, exitCode: 128, reason: startError, message, startedAt: 0 };
      return 'again';
    }
    news.push({ type: 'Normal', reason: 'Started', message: `Started container ${container.name}` });
    if (this.#launch) {
      this.previousProcess = this.#launched?.process;
      this.#launched = this.#launch();
    }
    this.#stage = { at: 'running', since: now };
    this.#probes.begin(undefined);
    return 'again';
  }

  #pulled(): ContainerNews[] {
    return pulled(this.container, this.restarts === 0 ? this.behavior.startDelay : 0);
  }

  get #configError(): string | undefined {
    return this.behavior.configError ?? this.missing;
  }

  #refused = '';
  /** When it was to be started first. */
  #turn: number | undefined;

  #refuse(news: ContainerNews[]): undefined {
    const message = `Error: ${this.#configError}`;
    if (this.#refused !== message) news.push(...this.#pulled(), { type: 'Warning', reason: 'Failed', message });
    this.#refused = message;
  }

  #pullAgain(now: number, since: number, news: ContainerNews[]): number | undefined {
    if (now - since < pullRetry) return pullRetry - (now - since);
    if (this.#backedOff || this.behavior.pullError?.reason !== 'ErrImagePull') return undefined;
    this.#backedOff = true;
    news.push(...pullBackedOff(this.container));
    return undefined;
  }

  #backedOff = false;

  #run(now: number, since: number, news: ContainerNews[]): number | undefined | 'again' {
    if (this.#launched) return this.#runProcess(now, since, this.#launched, news);
    const { script, exitReason } = this.behavior;
    this.#probes.look(now, since);
    const { failing } = this.#probes;
    const killAt = failing && since + failing.timeout;
    const endAt = programEnd(script, since);
    const due = Math.min(killAt ?? Number.POSITIVE_INFINITY, endAt ?? Number.POSITIVE_INFINITY);
    const probed = this.#probes.tellUnready(now, since, (message) =>
      news.push({ type: 'Warning', reason: 'Unhealthy', message }),
    );
    if (due === Number.POSITIVE_INFINITY) return probed;
    if (now < due) return Math.min(due - now, probed ?? Number.POSITIVE_INFINITY);
    if (failing && due === killAt) {
      const { kind, message, threshold } = failing;
      for (let count = 0; count < threshold; count += 1)
        news.push({ type: 'Warning', reason: 'Unhealthy', message: `${kind} probe failed: ${message}` });
      this.#probed = `Container ${this.container.name} failed ${kind.toLowerCase()} probe, will be restarted`;
      this.kill(now, exitOnTerm(script));
      return 'again';
    }
    const exitCode = script.exit ?? 0;
    this.#stage = {
      at: 'ended',
      since: now,
      exitCode,
      reason: exitReason ?? (exitCode === 0 ? 'Completed' : 'Error'),
      startedAt: since,
      ...lastWords(this.container, script, exitCode),
    };
    return 'again';
  }

  /** What the kubelet sends the container off with when a probe has failed too often. */
  #probed: string | undefined;
  /** Follows a real process: it ends when it ends, and a probe may ask for that. */
  #runProcess(
    now: number,
    since: number,
    { process, prober }: Launched,
    news: ContainerNews[],
  ): number | undefined | 'again' {
    for (const message of prober.takeFailures()) news.push({ type: 'Warning', reason: 'Unhealthy', message });
    if (process.exit) {
      prober.stop();
      const { code, at, reason = code === 0 ? 'Completed' : 'Error', message } = process.exit;
      if (reason === 'StartError') news.push({ type: 'Warning', reason: 'Failed', message: `Error: ${message}` });
      this.#stopping = undefined;
      const told = message === undefined ? {} : { message };
      this.#stage = { at: 'ended', since: at, exitCode: code, reason, startedAt: since, ...told };
      return 'again';
    }
    if (!prober.fatal) return undefined;
    if (!this.#stopping)
      news.push({
        type: 'Normal',
        reason: 'Killing',
        message: `Container ${this.container.name} failed ${prober.fatal.toLowerCase()} probe, will be restarted`,
      });
    return this.stop(now, 30_000);
  }

  /**
   * Tells what runs to end: its preStop hook first, then the signal, then a kill when the grace (in milliseconds) is
   * over. Returns milliseconds until it must be called again; undefined when there is nothing to wait for but the end.
   */
  stop(now: number, grace: number): number | undefined {
    if (this.#stage.at !== 'running') return undefined;
    this.#stopping ??= { ...stopTimes(this.container, now, grace), signalled: false };
    const { signalAt, killAt } = this.#stopping;
    if (now < signalAt) return signalAt - now;
    const process = this.process;
    if (!process) {
      const { at, exitCode } = stoppedProgram(this.behavior, signalAt, killAt);
      if (now < at) return at - now;
      this.kill(now, exitCode);
      return undefined;
    }
    if (!this.#stopping.signalled) process.terminate();
    this.#stopping.signalled = true;
    if (now < killAt) return killAt - now;
    process.kill();
    return undefined;
  }

  #end(
    now: number,
    stage: Extract<Stage, { at: 'ended' }>,
    mayRestart: (exitCode: number) => boolean,
    news: ContainerNews[],
  ): number | undefined | 'again' {
    const byNode = this.#probed;
    this.#probed = undefined;
    const restarts = mayRestart(stage.exitCode);
    if (byNode) {
      const stopping = `Stopping container ${this.container.name}`;
      news.push({ type: 'Normal', reason: 'Killing', message: restarts ? byNode : stopping });
    }
    if (!restarts) return undefined;
    if (!byNode && !stage.passing) this.#stage = { ...stage, passing: true };
    if (!byNode && now < stage.since + endSeen) return stage.since + endSeen - now;
    this.#last = { terminated: terminatedState(stage, this) };
    const wait = this.#backoff.next({
      startedAt: stage.startedAt,
      endedAt: stage.since,
      byNode: byNode !== undefined,
    });
    this.#probes.forget();
    if (wait > 0)
      news.push({
        type: 'Warning',
        reason: 'BackOff',
        message: `Back-off restarting failed container ${this.container.name} in pod ${this.#describe}`,
      });
    this.#stage = { at: 'backoff', since: now, until: now + wait };
    return 'again';
  }

  /** Ends what runs so that it is started anew, with what its pod asks for now. */
  restartResized(now: number, news: ContainerNews[]): void {
    if (!this.running) return;
    this.kill(now, exitOnTerm(this.behavior.script));
    const message = `Container ${this.container.name} resize requires restart`;
    news.push({ type: 'Normal', reason: 'Killing', message, fieldPath: this.fieldPath });
    if (this.#stage.at !== 'ended') return;
    this.#last = { terminated: terminatedState(this.#stage, this) };
    this.restarts += 1;
    this.#stage = { at: 'created', since: now };
  }

  /** Ends what runs, as a deletion or a deadline does. */
  kill(now: number, exitCode: number): void {
    const stage = this.#stage;
    if (stage.at !== 'running') return;
    this.#stopping = undefined;
    this.#launched?.prober.stop();
    this.#launched?.process.kill();
    const reason = exitCode === 0 ? 'Completed' : 'Error';
    this.#stage = { at: 'ended', since: now, exitCode, reason, startedAt: stage.since };
  }

  /** `initial`: what it waits for as long as its turn has not come; `ready`: as the pod counts it. */
  status(now: number, ready: boolean, initial: ContainerIdentity['initial']): ContainerStatus {
    const { container, restarts } = this;
    const image = fullImageName(container.image ?? '');
    const begun = this.#stage.at === 'running' || this.#stage.at === 'ended' || this.#last.terminated !== undefined;
    const state = stateOf(this.#stage, this.#identity(initial), now);
    const hidden = this.#stage.at === 'ended' && state.waiting !== undefined ? this.#stage : undefined;
    return {
      name: container.name,
      state,
      lastState: hidden ? { terminated: terminatedState(hidden, this) } : this.#last,
      ready,
      restartCount: restarts,
      image: begun ? image : (container.image ?? ''),
      imageID: begun ? `${image.replace(/[:@][^/]*$/, '')}@sha256:${digest(image)}` : '',
      ...(begun ? { containerID: containerId(this) } : {}),
      started: this.started,
    };
  }

  #identity(initial: ContainerIdentity['initial']): ContainerIdentity {
    const { uid, container, restarts, behavior } = this;
    return {
      uid,
      container,
      restarts,
      pod: this.#describe,
      pullError: behavior.pullError,
      configError: this.#refused ? this.#configError : undefined,
      initial,
    };
  }
}
