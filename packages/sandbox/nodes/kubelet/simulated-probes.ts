import type { Container, Probe } from '@tiphys/kube-controllers';
import { probeTime } from './container-state.ts';
import type { ContainerBehavior } from './pod-behavior.ts';

/** How often an unready probe is told of; nothing changes by telling it again. */
const probesTold = 6;

/** A probe that will end the container; `timeout` in milliseconds since its start. */
interface FailingProbe {
  readonly kind: 'Startup' | 'Liveness';
  readonly message: string;
  readonly threshold: number;
  readonly timeout: number;
}

/** The probes of a simulated container: its behaviour says what they find, its spec when. All times in milliseconds. */
export class SimulatedProbes {
  readonly #container: Container;
  readonly #behavior: ContainerBehavior;
  /** When the startup probe was found to have succeeded, or would have been. */
  #up: number | undefined;
  #unready = 0;

  constructor(container: Container, behavior: ContainerBehavior) {
    this.#container = container;
    this.#behavior = behavior;
  }

  /** A run begins, or goes on that was up at a time. */
  begin(up: number | undefined): void {
    this.#up = up;
  }

  /** What was told of the run before counts no more. */
  forget(): void {
    this.#unready = 0;
  }

  get started(): boolean {
    return this.#up !== undefined;
  }

  ready(now: number, startedAt: number): boolean {
    return this.#behavior.readiness === undefined && this.started && (this.readyIn(now, startedAt) ?? 0) <= 0;
  }

  /** Looks whether it has started up by now. */
  look(now: number, startedAt: number): void {
    if (this.#behavior.startup === undefined && now >= this.#startedUpAt(startedAt)) this.#up ??= now;
  }

  #startedUpAt(startedAt: number): number {
    const { startupProbe } = this.#container;
    return startedAt + (startupProbe ? (startupProbe.initialDelaySeconds ?? 0) * 1000 + probeTime : 0);
  }

  /** Time until the next probe may succeed first; undefined where nothing is to come. */
  readyIn(now: number, startedAt: number): number | undefined {
    const { readinessProbe } = this.#container;
    if (this.#behavior.startup !== undefined) return undefined;
    if (this.#up === undefined) return Math.max(0, this.#startedUpAt(startedAt) - now);
    if (!readinessProbe) return undefined;
    const due = Math.max(this.#up, startedAt + (readinessProbe.initialDelaySeconds ?? 0) * 1000);
    return due + probeTime > now ? due + probeTime - now : undefined;
  }

  get failing(): FailingProbe | undefined {
    const { startup, liveness } = this.#behavior;
    const { startupProbe, livenessProbe } = this.#container;
    if (startup !== undefined && startupProbe) return failingProbe('Startup', startup, startupProbe);
    return liveness === undefined ? undefined : failingProbe('Liveness', liveness, livenessProbe ?? {});
  }

  /** Tells of a readiness probe that fails, ever more rarely; answers when to tell again. */
  tellUnready(now: number, since: number, tell: (message: string) => void): number | undefined {
    const { readiness } = this.#behavior;
    const { readinessProbe } = this.#container;
    if (readiness === undefined || !readinessProbe) return undefined;
    const period = (readinessProbe.periodSeconds ?? 10) * 1000;
    for (; this.#unready < probesTold; this.#unready += 1) {
      const due = since + (readinessProbe.initialDelaySeconds ?? 0) * 1000 + period * (2 ** this.#unready - 1);
      if (now < due) return due - now;
      tell(`Readiness probe failed: ${readiness}`);
    }
    return undefined;
  }
}

function failingProbe(kind: FailingProbe['kind'], message: string, probe: Probe): FailingProbe {
  const { initialDelaySeconds = 0, periodSeconds = 10, failureThreshold = 3 } = probe;
  const timeout = (initialDelaySeconds + periodSeconds * failureThreshold) * 1000;
  return { kind, message, threshold: failureThreshold, timeout };
}
