import type { Container, ContainerState, ContainerStatus, Probe } from '../../controllers/machinery/workload-model.ts';
import type { ContainerProcess } from './container-runtime.ts';
import {
  type ContainerIdentity,
  containerId,
  digest,
  endSeen,
  probeTime,
  pullRetry,
  type Stage,
  startError,
  stateOf,
  terminatedState,
} from './container-state.ts';
import { leastGrace, preStopTime } from './container-stop.ts';
import { type ContainerBehavior, fullImageName } from './pod-behavior.ts';
import type { ProcessProber } from './process-prober.ts';

/** The list of a pod's spec that a container is in. */
export type ContainerGroup = 'containers' | 'initContainers' | 'ephemeralContainers';

export interface ContainerNews {
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** `spec.containers{NAME}`; absent for news of the pod as a whole. */
  fieldPath?: string;
}

const firstBackoff = 10_000;
const longestBackoff = 300_000;
/** A container that ran that long starts its back-off anew. */
const healthyRun = 600_000;
/** How often an unready probe is told of; nothing changes by telling it again. */
const probesTold = 6;

/** What runs a container for real, and what looks after it. */
export interface Launched {
  process: ContainerProcess;
  prober: ProcessProber;
}

/** One container of a pod as time goes on. `advance` is called with the time; it never looks at a clock. */
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
  #failedInRow = 0;
  #unhealthy = 0;
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
    this.uid = uid;
    this.#describe = describe;
    this.#stage = { at: 'created', since: now };
    if (before) this.#adopt(before);
  }

  /** A restarted node goes on with what the status says. */
  #adopt(before: ContainerStatus): void {
    this.restarts = before.restartCount;
    this.#failedInRow = before.restartCount;
    this.#last = before.lastState;
    const { running, terminated, waiting } = before.state;
    if (waiting?.reason === 'CrashLoopBackOff')
      this.#stage = { at: 'backoff', since: this.#stage.since, until: this.#stage.since };
    if (running?.startedAt) this.#stage = this.#adoptRunning(Date.parse(running.startedAt));
    if (running?.startedAt && before.started) this.#up = Date.parse(running.startedAt);
    if (terminated) {
      const since = Date.parse(terminated.finishedAt ?? '') || this.#stage.since;
      this.#stage = {
        at: 'ended',
        since,
        exitCode: terminated.exitCode,
        reason: terminated.reason ?? 'Error',
        startedAt: Date.parse(terminated.startedAt ?? '') || since,
      };
    }
  }

  /** What is simulated runs on; a process has ended with the sandbox that ran it. */
  #adoptRunning(startedAt: number): Stage {
    if (!this.#launch) return { at: 'running', since: startedAt };
    return { at: 'ended', since: this.#stage.since, exitCode: 255, reason: 'Unknown', startedAt };
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
    const { terminated } = this.#last;
    return (
      terminated && {
        startedAt: Date.parse(terminated.startedAt ?? ''),
        finishedAt: Date.parse(terminated.finishedAt ?? ''),
      }
    );
  }

  /** Whether its probes find it ready; a simulated one is as its behaviour and its readiness probe's delay say. */
  ready(now: number): boolean {
    if (!this.running) return false;
    if (this.#launched) return this.#launched.prober.started && this.#launched.prober.ready;
    return this.behavior.readiness === undefined && this.started && (this.readyIn(now) ?? 0) <= 0;
  }

  /** Whether it runs and its startup probe, if it has one, has succeeded. */
  get started(): boolean {
    if (!this.running) return false;
    if (this.#launched) return this.#launched.prober.started;
    return this.#up !== undefined;
  }

  /** When the startup probe of a simulated container was found to have succeeded. */
  #up: number | undefined;

  /** When it can be found. */
  get #startedUpAt(): number {
    const { startupProbe } = this.container;
    return (this.startedAt ?? 0) + (startupProbe ? (startupProbe.initialDelaySeconds ?? 0) * 1000 + probeTime : 0);
  }

  /** Milliseconds until the next probe of a simulated container may succeed first; undefined where nothing is to come. */
  readyIn(now: number): number | undefined {
    if (!this.running || this.startedAt === undefined || this.#launched) return undefined;
    const { readinessProbe } = this.container;
    if (this.behavior.startup !== undefined) return undefined;
    if (this.#up === undefined) return Math.max(0, this.#startedUpAt - now);
    if (!readinessProbe) return undefined;
    const due = Math.max(this.#up, this.startedAt + (readinessProbe.initialDelaySeconds ?? 0) * 1000);
    return due + probeTime > now ? due + probeTime - now : undefined;
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
      if (behavior.pullError.reason !== 'ErrImagePull') {
        const reason = behavior.pullError.reason === 'ErrImageNeverPull' ? 'ErrImageNeverPull' : 'InspectFailed';
        news.push({ type: 'Warning', reason, message: behavior.pullError.message });
        news.push({ type: 'Warning', reason: 'Failed', message: `Error: ${behavior.pullError.reason}` });
        return undefined;
      }
      news.push({ type: 'Normal', reason: 'Pulling', message: `Pulling image "${container.image}"` });
      news.push({
        type: 'Warning',
        reason: 'Failed',
        message: `Failed to pull image "${container.image}": ${behavior.pullError.message}`,
      });
      news.push({ type: 'Warning', reason: 'Failed', message: `Error: ${behavior.pullError.reason}` });
      return pullRetry;
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
    this.#up = undefined;
    return 'again';
  }

  #pulled(): ContainerNews[] {
    const { image, imagePullPolicy } = this.container;
    const news = (reason: string, message: string): ContainerNews => ({ type: 'Normal', reason, message });
    if (imagePullPolicy !== 'Always') return [news('Pulled', `Container image "${image}" already present on machine`)];
    const took = `${this.restarts === 0 ? this.behavior.startDelay : 0}ms`;
    return [
      news('Pulling', `Pulling image "${image}"`),
      news('Pulled', `Successfully pulled image "${image}" in ${took} (${took} including waiting).`),
    ];
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
    news.push({ type: 'Normal', reason: 'BackOff', message: `Back-off pulling image "${this.container.image}"` });
    news.push({ type: 'Warning', reason: 'Failed', message: 'Error: ImagePullBackOff' });
    return undefined;
  }

  #backedOff = false;

  #run(now: number, since: number, news: ContainerNews[]): number | undefined | 'again' {
    if (this.#launched) return this.#runProcess(now, since, this.#launched, news);
    const { script, exitReason, startup } = this.behavior;
    if (startup === undefined && now >= this.#startedUpAt) this.#up ??= now;
    const failing = this.#failingProbe;
    const killAt = failing && since + patience(failing.probe);
    const endAt =
      script.exit === undefined
        ? undefined
        : since + script.steps.reduce((sum, step) => sum + ('wait' in step ? step.wait : 0), 0);
    const due = Math.min(killAt ?? Number.POSITIVE_INFINITY, endAt ?? Number.POSITIVE_INFINITY);
    const probed = this.#probeReadiness(now, since, news);
    if (due === Number.POSITIVE_INFINITY) return probed;
    if (now < due) return Math.min(due - now, probed ?? Number.POSITIVE_INFINITY);
    if (failing && due === killAt) {
      const { kind, message, probe } = failing;
      for (let count = 0; count < (probe.failureThreshold ?? 3); count += 1)
        news.push({ type: 'Warning', reason: 'Unhealthy', message: `${kind} probe failed: ${message}` });
      this.#probed = `Container ${this.container.name} failed ${kind.toLowerCase()} probe, will be restarted`;
      this.kill(now, this.#exitOnTerm);
      return 'again';
    }
    const exitCode = script.exit ?? 0;
    this.#stage = {
      at: 'ended',
      since: now,
      exitCode,
      reason: exitReason ?? (exitCode === 0 ? 'Completed' : 'Error'),
      startedAt: since,
      ...this.#lastWords(exitCode),
    };
    return 'again';
  }

  /** What a simulated program ends with when the node asks it to. */
  get #exitOnTerm(): number {
    const { onTerm = 137 } = this.behavior.script;
    return onTerm === 'ignored' ? 137 : onTerm;
  }

  /** What the kubelet sends the container off with when a probe has failed too often. */
  #probed: string | undefined;
  /** It was ended by the node itself at least once. */
  #spared = false;

  /** What the container says about its end: what it wrote for that, or else its log where it asks for that. */
  #lastWords(exitCode: number): { message: string } | undefined {
    const { script } = this.behavior;
    if (script.message) return { message: script.message };
    if (exitCode === 0 || this.container.terminationMessagePolicy !== 'FallbackToLogsOnError') return undefined;
    const lines = script.steps.flatMap((step) => ('print' in step ? [`${step.print}\n`] : []));
    const message = lines.slice(-80).join('').slice(-2048);
    return message ? { message } : undefined;
  }

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
    const hook = preStopTime(this.container);
    this.#stopping ??= {
      signalAt: now + Math.min(hook, grace),
      killAt: now + (hook >= grace && hook > 0 ? grace + leastGrace : grace),
      signalled: false,
    };
    const { signalAt, killAt } = this.#stopping;
    if (now < signalAt) return signalAt - now;
    const process = this.process;
    if (!process) {
      const { onTerm = 143 } = this.behavior.script;
      const goesAt = onTerm === 'ignored' ? Number.POSITIVE_INFINITY : signalAt + this.behavior.stopDelay;
      const endAt = Math.min(goesAt, killAt);
      if (now < endAt) return endAt - now;
      this.kill(now, onTerm === 'ignored' || endAt < goesAt ? 137 : onTerm);
      return undefined;
    }
    if (!this.#stopping.signalled) process.terminate();
    this.#stopping.signalled = true;
    if (now < killAt) return killAt - now;
    process.kill();
    return undefined;
  }

  /** The probe that will end the container. */
  get #failingProbe(): { kind: 'Startup' | 'Liveness'; probe: Probe; message: string } | undefined {
    const { startup, liveness } = this.behavior;
    const { startupProbe, livenessProbe } = this.container;
    if (startup !== undefined && startupProbe) return { kind: 'Startup', probe: startupProbe, message: startup };
    return liveness === undefined ? undefined : { kind: 'Liveness', probe: livenessProbe ?? {}, message: liveness };
  }

  /** Tells of a readiness probe that fails, ever more rarely; answers when to tell again. */
  #probeReadiness(now: number, since: number, news: ContainerNews[]): number | undefined {
    const { readiness } = this.behavior;
    const { readinessProbe } = this.container;
    if (readiness === undefined || !readinessProbe || this.#unhealthy >= probesTold) return undefined;
    const period = (readinessProbe.periodSeconds ?? 10) * 1000;
    const due = since + (readinessProbe.initialDelaySeconds ?? 0) * 1000 + period * (2 ** this.#unhealthy - 1);
    if (now < due) return due - now;
    this.#unhealthy += 1;
    news.push({ type: 'Warning', reason: 'Unhealthy', message: `Readiness probe failed: ${readiness}` });
    return this.#probeReadiness(now, since, news);
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
    if (stage.since - stage.startedAt >= healthyRun && stage.startedAt > 0) this.#failedInRow = 0;
    // The first restart follows at once; one that the node itself brings about is not even counted the first time.
    const row = this.#failedInRow;
    const wait = row === 0 ? 0 : Math.min(firstBackoff * 2 ** Math.min(row - 1, 10), longestBackoff);
    if (row > 0 || !byNode || this.#spared) this.#failedInRow += 1;
    this.#spared ||= byNode !== undefined;
    this.#unhealthy = 0;
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
    this.kill(now, this.#exitOnTerm);
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

function patience({ initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3 }: Probe): number {
  return (initialDelaySeconds + periodSeconds * failureThreshold) * 1000;
}
